// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <protozero/types.hpp>

/// Field numbers of Perfetto's wire format (google/perfetto, protos/perfetto/trace), as far as they
/// are read or written here.
namespace framegov::perfetto {

using Field = protozero::pbf_tag_type;

inline constexpr Field kTracePacket = 1;

namespace packet {
inline constexpr Field kFtraceEvents = 1, kProcessTree = 2, kClockSnapshot = 6, kSysStats = 7,
                       kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                       kSequenceFlags = 13, kTraceConfig = 33, kTraceStats = 35, kPowerRails = 40,
                       kIncrementalStateCleared = 41, kPreviousPacketDropped = 42, kSystemInfo = 45,
                       kPackagesList = 47, kCompressedPackets = 50, kTimestampClockId = 58,
                       kDefaults = 59, kTrackDescriptor = 60, kCpuInfo = 67,
                       kFrameTimelineEvent = 76, kMachineId = 98, kZstdCompressedPackets = 133;
inline constexpr std::uint64_t kFlagIncrementalStateCleared = 1;
inline constexpr std::uint64_t kFlagNeedsIncrementalState = 2;
}  // namespace packet

namespace config {
inline constexpr Field kDataSources = 2;
inline constexpr Field kDataSourceConfig = 1;
inline constexpr Field kName = 1, kTargetBuffer = 2;
}  // namespace config

namespace clock {
inline constexpr Field kClocks = 1, kPrimaryTraceClock = 2;
inline constexpr Field kClockId = 1, kClockTimestamp = 2, kIsIncremental = 3, kUnitMultiplier = 4;
inline constexpr std::uint32_t kRealtime = 1, kMonotonic = 3, kMonotonicRaw = 5, kBoottime = 6;
/// Clock ids in [64, 127] belong to one packet sequence.
inline constexpr std::uint32_t kFirstSequenceClock = 64, kLastSequenceClock = 127;
}  // namespace clock

namespace bundle {
inline constexpr Field kCpu = 1, kEvent = 2, kLostEvents = 3, kCompactSched = 4, kClock = 5,
                       kFtraceTimestamp = 6, kBootTimestamp = 7, kLastReadEvent = 9,
                       kPreviousBundleEnd = 10;
inline constexpr std::uint64_t kClockGlobal = 2, kClockLocal = 3, kClockMonotonicRaw = 4;
}  // namespace bundle

namespace compact {
inline constexpr Field kSwitchTimestamp = 1, kSwitchPrevState = 2, kSwitchNextPid = 3,
                       kSwitchNextPrio = 4, kInternTable = 5, kSwitchNextComm = 6,
                       kWakingTimestamp = 7, kWakingPid = 8;
}  // namespace compact

namespace ftrace {
inline constexpr Field kTimestamp = 1, kPid = 2;
inline constexpr Field kPrint = 3, kSchedSwitch = 4, kCpuFrequency = 11, kCpuFrequencyLimits = 12,
                       kCpuIdle = 13, kSchedWaking = 20, kTaskNewtask = 235, kTaskRename = 236,
                       kGpuFrequency = 332;
}  // namespace ftrace

namespace frame_timeline {
inline constexpr Field kExpectedDisplay = 1, kActualDisplay = 2, kExpectedSurface = 3,
                       kActualSurface = 4, kFrameEnd = 5;
}  // namespace frame_timeline

namespace track {
inline constexpr Field kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParentUuid = 5,
                       kCounter = 8, kStaticName = 10;
}  // namespace track

namespace event {
inline constexpr Field kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11, kName = 23,
                       kCounterValue = 30, kDoubleCounterValue = 44;
}  // namespace event

namespace annotation {
inline constexpr Field kNameIid = 1, kBool = 2, kUint = 3, kInt = 4, kDouble = 5, kString = 6,
                       kName = 10;
}  // namespace annotation

}  // namespace framegov::perfetto
