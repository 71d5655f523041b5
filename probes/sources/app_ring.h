// SPDX-License-Identifier: Apache-2.0
// Memory that an app's process and the service share: the app writes records (probes/bpf/wire.h),
// the service takes them out. Compiled into the app too (init/zygisk), so no C++ library here.
#pragma once

#include <linux/types.h>

#include "probes/bpf/wire.h"

namespace framegov {

/// Changes whenever anything below does. The module in an app may be older than the service.
inline constexpr __u32 kAppRingVersion = 1;
/// A second of records at 120 Hz; a power of two.
inline constexpr __u32 kAppRingSlots = 128;

/// What the service wants of the app; it writes this, and the app only kAppRingAwake over
/// kAppRingAsleep.
enum AppRingState : __u32 {
  kAppRingOff = 0,    ///< no records
  kAppRingAwake = 1,  ///< records
  kAppRingAsleep = 2  ///< records, and the eventfd behind the first
};

struct AppRingSlot {
  alignas(8) unsigned char bytes[sizeof(wire_frame_info)];  ///< the largest record that is written
};

/// Indexes run on past the slots and wrap at 2^32; slot `index % kAppRingSlots` has the record.
struct AppRing {
  // Of the app.
  alignas(64) __u32 head;  ///< behind the newest record
  __u32 lost;              ///< records without room
  // Of the service.
  alignas(64) __u32 tail;  ///< the oldest record
  __u32 state;             ///< AppRingState
  alignas(64) AppRingSlot slots[kAppRingSlots];
};

/// Of the memory: whole pages of 4 KiB.
inline constexpr __u64 kAppRingBytes = 5ULL * 4096;
static_assert(sizeof(AppRing) <= kAppRingBytes);

/// With it go two descriptors: the memory, sealed against another size, and the eventfd.
struct AppRingHello {
  __u64 asked_ns;     ///< of CLOCK_BOOTTIME, when the app asked; its process began before
  __u32 version;      ///< kAppRingVersion
  __s32 pid;          ///< as the kernel says it of the app's process, not the app
  __u32 uid;          ///< the app's
  char process[132];  ///< its name; ends with a 0
};
WIRE_ASSERT_SIZE(AppRingHello, 152);

/// The answer to it, a byte. What comes after kAppRingTaken ends the ring.
enum AppRingAnswer : unsigned char { kAppRingRefused = 0, kAppRingTaken = 1 };

/// In the service's state folder: where rings are handed over (SOCK_SEQPACKET, root only).
inline constexpr char kAppRingSocket[] = "rings.socket";
/// There too, with the boot's id: Zygisk has loaded the module in this boot.
inline constexpr char kZygiskMark[] = "zygisk";

}  // namespace framegov
