// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "trace/trace_sink.h"

namespace framegov {

/// What a Perfetto trace tells of the ring buffers it came from: which of them ftrace went to,
/// whether they came round, and which CPUs slept when what is left of them begins. Throws
/// protozero::exception on malformed bytes.
class RingBuffers {
 public:
  /// The config stands before the statistics.
  void take_config(std::string_view trace_config);
  void take_statistics(std::string_view trace_stats, TraceSink& sink) const;

  /// CPUs are drained round by round: takes the CPU of the next bundle, and tells whether it is
  /// that CPU's first one and comes in a later round than the first.
  bool begins_late(std::int32_t cpu);

 private:
  std::set<std::uint64_t> ftrace_buffers_;  ///< empty: not known
  std::uint64_t seen_cpus_ = 0;
  std::int32_t last_cpu_ = -1;
  bool first_round_ = true;
};

}  // namespace framegov
