// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "trace/clock_table.h"
#include "trace/packet_fields_decoder.h"
#include "trace/ring_buffers.h"
#include "trace/sequence_clocks.h"
#include "trace/trace_packet.h"
#include "trace/trace_sink.h"

namespace framegov {

/// Which CPUs' ftrace events come after some that were lost with their packets. Perfetto's buffers
/// drop packets, not events: when a busy phone's shared memory was full, or a ring buffer came
/// round between two reads. The next packet of the sequence says so, and the CPUs are drained round
/// by round, so that of any CPU may be missing what comes before its bundle of the next round.
class DroppedBundles {
 public:
  /// Packets of a sequence are missing, or its first one comes: that says the same.
  void on_dropped(std::uint32_t sequence);

  /// The sequence's next FtraceEventBundle; returns whether events before it may be lost. Throws
  /// protozero::exception on malformed bytes.
  bool before(std::uint32_t sequence, std::string_view bundle);

 private:
  /// Of each sequence with ftrace: CPUs that have had no bundle since the last loss.
  std::unordered_map<std::uint32_t, std::uint64_t> awaited_;
};

/// Decodes TracePackets into a TraceSink: compressed packets, clocks, per-sequence defaults and
/// interned names included. Packets may come in any order; a packet whose clock is not known yet
/// waits (copied) for a snapshot. One trace per object.
class PacketDecoder {
 public:
  explicit PacketDecoder(TraceSink& sink) : sink_(sink) {}

  /// Fails with kBadInput on malformed bytes and kUnsupported on zstd-compressed packets. `offset`:
  /// where the packet stands, for messages about it.
  [[nodiscard]] Status decode(std::string_view packet, std::uint64_t offset = 0);

  /// After the last packet: decodes those that waited for a clock snapshot, and tells how many are
  /// left out.
  [[nodiscard]] Status finish();

 private:
  struct Sequence {
    std::uint32_t default_clock = 0;  ///< 0: the trace's
    std::uint64_t default_track = 0;
    bool lost_state = false;  ///< a packet was dropped: interned data cannot be trusted
    InternedNames event_names;
    InternedNames annotation_names;
    SequenceClocks clocks;
    [[nodiscard]] std::uint32_t clock_of(const TracePacket& packet) const {
      return packet.clock_id != 0 ? packet.clock_id : default_clock;
    }
  };

  void decode_body(const TracePacket& packet);
  void inflate_packets(std::string_view bytes);
  void take_snapshot(const TracePacket& packet);
  void take_defaults(Sequence& sequence, std::string_view bytes);
  void take_interned(Sequence& sequence, std::string_view bytes);
  void decode_track_event(const Sequence& sequence, std::int64_t at, std::string_view bytes);
  /// The packet's time on the trace's clock; nothing while no snapshot tells.
  std::optional<std::int64_t> trace_time(const TracePacket& packet);

  /// Keeps a copy for finish(); false at the end, or when what waits takes too much memory.
  bool wait(const TracePacket& packet, std::int64_t time, std::uint32_t clock);
  [[nodiscard]] bool knows_boot_clock();
  /// Ftrace and energy: their times are the kernel's, without a clock in the packet.
  void take_boot_times(TracePacket packet);
  void decode_boot_times(const TracePacket& packet);

  TraceSink& sink_;
  ClockTable clocks_;
  RingBuffers ring_buffers_;
  DroppedBundles dropped_bundles_;
  ClockKey trace_clock_ = perfetto::clock::kBoottime;
  bool trace_clock_is_named_ = false;  ///< by the first snapshot that does
  bool has_snapshot_ = false;
  std::unordered_map<std::uint32_t, Sequence> sequences_;
  std::uint64_t offset_ = 0;  ///< of the packet that is decoded
  struct Waiting {
    std::uint64_t offset;
    std::string body;
    TracePacket packet;  ///< its data is `body`
  };
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool finishing_ = false;
  LeftOutPackets left_out_;
  std::vector<Annotation> annotations_;  ///< reused
  std::optional<Error> error_;
};

}  // namespace framegov
