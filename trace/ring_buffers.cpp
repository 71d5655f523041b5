// SPDX-License-Identifier: Apache-2.0
#include "trace/ring_buffers.h"

#include "base/cpu_topology.h"
#include "trace/perfetto_fields.h"
#include "trace/proto_fields.h"

namespace framegov {

namespace pb = perfetto;

void RingBuffers::take_config(std::string_view trace_config) {
  constexpr std::uint64_t kMaxBuffers = 128;  // Perfetto takes no more
  wire::each_message(trace_config, pb::config::kDataSources, [&](std::string_view data_source) {
    wire::each_message(data_source, pb::config::kDataSourceConfig, [&](std::string_view config) {
      bool is_ftrace = false;
      std::uint64_t buffer = 0;
      wire::each_message(config, pb::config::kName,
                         [&](std::string_view name) { is_ftrace = name == "linux.ftrace"; });
      wire::each_varint(config, [&](auto tag, std::uint64_t value) {
        buffer = tag == pb::config::kTargetBuffer ? value : buffer;
      });
      if (is_ftrace && buffer < kMaxBuffers) {
        ftrace_buffers_.insert(buffer);
      }
    });
  });
}

void RingBuffers::take_statistics(std::string_view trace_stats, TraceSink& sink) const {
  constexpr pb::Field kBufferStats = 1;
  constexpr pb::Field kChunksOverwritten = 3;
  std::uint64_t buffer = 0;
  bool any = false;
  bool all = true;
  wire::each_message(trace_stats, kBufferStats, [&](std::string_view stats) {
    bool overwritten = false;
    wire::each_varint(stats, [&](auto tag, std::uint64_t value) {
      overwritten = overwritten || (tag == kChunksOverwritten && value != 0);
    });
    if (ftrace_buffers_.empty() || ftrace_buffers_.count(buffer) != 0) {
      any = any || overwritten;
      all = all && overwritten;
    }
    ++buffer;
  });
  // Where no config tells which buffer is ftrace's, it is among them all.
  if (any && (all || !ftrace_buffers_.empty())) {
    sink.on_overwritten();
  }
}

bool RingBuffers::begins_late(std::int32_t cpu) {
  if (cpu < 0 || cpu >= static_cast<std::int32_t>(kMaxCpus)) {
    return false;
  }
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(cpu);
  const bool is_first = (seen_cpus_ & bit) == 0;
  // A CPU that has done much has several bundles on end in one round.
  first_round_ = first_round_ && (is_first || cpu == last_cpu_);
  seen_cpus_ |= bit;
  last_cpu_ = cpu;
  return is_first && !first_round_;
}

}  // namespace framegov
