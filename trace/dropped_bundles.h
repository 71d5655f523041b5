// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

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

}  // namespace framegov
