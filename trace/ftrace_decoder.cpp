// SPDX-License-Identifier: Apache-2.0
#include "trace/ftrace_decoder.h"

#include <optional>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>
#include <vector>

#include "trace/perfetto_fields.h"
#include "trace/proto_fields.h"

namespace framegov {

namespace {

namespace pb = perfetto;

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

struct BundleHeader {
  std::int32_t cpu = 0;
  std::int64_t clock_shift = 0;  ///< to BOOTTIME, when ftrace ran on its own clock
  ClockKey kernel_clock = pb::clock::kBoottime;
  const BootClock* clock = nullptr;

  [[nodiscard]] std::int64_t trace_time(std::int64_t ftrace_time) const {
    return clock->trace_time(plus(ftrace_time, clock_shift), kernel_clock);
  }
};

std::string_view print_text(std::string_view message) {
  std::string_view text;
  wire::each_message(message, 2, [&](std::string_view bytes) { text = bytes; });
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) {
    text.remove_suffix(1);
  }
  return text;
}

void decode_switch(std::string_view message, std::int32_t cpu, std::int64_t at, TraceSink& sink) {
  SchedSwitch event{.at = at, .cpu = cpu, .prev_tid = -1, .next_tid = 0, .next_comm = {}};
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    const auto tag = field.tag();
    if (wire::is_varint(field)) {
      const std::uint64_t value = field.get_uint64();
      if (tag == 2) {
        event.prev_tid = i32(value);
      } else if (tag == 6) {
        event.next_tid = i32(value);
      }
    } else if (tag == 5 && wire::is_bytes(field)) {
      event.next_comm = wire::view(field);
    } else {
      field.skip();
    }
  }
  sink.on_switch(event);
}

/// Of cpu_frequency and cpu_frequency_limits: the (least) frequency is their first field.
CpuFrequencySample frequency_of(std::string_view message, protozero::pbf_tag_type cpu_tag,
                                std::int64_t at) {
  CpuFrequencySample sample{.at = at, .cpu = 0, .khz = 0};
  wire::each_varint(message, [&](auto tag, std::uint64_t value) {
    if (tag == 1) {
      sample.khz = u32(value);
    } else if (tag == cpu_tag) {
      sample.cpu = i32(value);
    }
  });
  return sample;
}

/// task_newtask and task_rename: a thread's new name.
void decode_task(std::string_view message, protozero::pbf_tag_type kind, TraceSink& sink) {
  constexpr std::uint64_t kCloneThread = 0x10000;
  const protozero::pbf_tag_type name_field = kind == pb::ftrace::kTaskNewtask ? 2 : 3;
  ThreadInfo thread;
  std::uint64_t clone_flags = 0;
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    const auto tag = field.tag();
    if (wire::is_varint(field)) {
      const std::uint64_t value = field.get_uint64();
      if (tag == 1) {
        thread.tid = i32(value);
      } else if (tag == 3) {
        clone_flags = value;
      }
    } else if (tag == name_field && wire::is_bytes(field)) {
      thread.name = wire::view(field);
    } else {
      field.skip();
    }
  }
  if (kind == pb::ftrace::kTaskNewtask) {
    // A new thread's process is not told here; a new process is its own.
    thread.tgid = (clone_flags & kCloneThread) == 0 ? thread.tid : 0;
  }
  sink.on_thread(thread);
}

void decode_event(std::string_view message, const BundleHeader& header, TraceSink& sink) {
  std::int64_t at = 0;
  std::int32_t tid = 0;
  protozero::pbf_tag_type kind = 0;
  std::string_view body;
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    const auto tag = field.tag();
    if (wire::is_varint(field)) {
      const std::uint64_t value = field.get_uint64();
      if (tag == pb::ftrace::kTimestamp) {
        at = header.trace_time(i64(value));
      } else if (tag == pb::ftrace::kPid) {
        tid = i32(value);
      }
    } else if (wire::is_bytes(field)) {
      kind = tag;
      body = wire::view(field);
    } else {
      field.skip();
    }
  }
  switch (kind) {
    case pb::ftrace::kPrint:
      sink.on_print({.at = at, .cpu = header.cpu, .tid = tid, .tgid = 0, .text = print_text(body)});
      break;
    case pb::ftrace::kSchedSwitch:
      decode_switch(body, header.cpu, at, sink);
      break;
    case pb::ftrace::kCpuFrequency:
      sink.on_cpu_frequency(frequency_of(body, 2, at));
      break;
    case pb::ftrace::kCpuFrequencyLimits:
      sink.on_cpu_minimum(frequency_of(body, 3, at));
      break;
    case pb::ftrace::kCpuIdle: {
      std::uint32_t state = 0;
      std::int32_t cpu = header.cpu;
      wire::each_varint(body, [&](auto tag, std::uint64_t value) {
        if (tag == 1) {
          state = u32(value);
        } else if (tag == 2) {
          cpu = i32(value);
        }
      });
      sink.on_cpu_idle(at, cpu, state);
      break;
    }
    case pb::ftrace::kGpuFrequency: {
      std::uint32_t gpu = 0;
      std::uint32_t khz = 0;
      wire::each_varint(
          body, [&](auto tag, std::uint64_t value) { (tag == 1 ? gpu : khz) = u32(value); });
      sink.on_gpu_frequency(at, gpu, khz);
      break;
    }
    case pb::ftrace::kSchedWaking: {
      std::int32_t woken = 0;
      wire::each_varint(body, [&](auto tag, std::uint64_t value) {
        if (tag == 2) {
          woken = i32(value);
        }
      });
      sink.on_waking(at, woken);
      break;
    }
    case pb::ftrace::kTaskNewtask:
    case pb::ftrace::kTaskRename:
      decode_task(body, kind, sink);
      break;
    default:
      break;
  }
}

/// Walks a packed field of varints; every array of a CompactSched has one entry per event.
class PackedVarints {
 public:
  PackedVarints() = default;
  explicit PackedVarints(std::string_view bytes)
      : position_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  [[nodiscard]] bool done() const { return position_ == end_; }
  /// The next value; 0 past the end.
  std::uint64_t next() { return done() ? 0 : protozero::decode_varint(&position_, end_); }

 private:
  const char* position_ = nullptr;
  const char* end_ = nullptr;
};

void decode_compact_sched(std::string_view message, const BundleHeader& header, TraceSink& sink) {
  std::vector<std::string_view> comms;
  PackedVarints switch_times;
  PackedVarints next_pids;
  PackedVarints next_comms;
  PackedVarints waking_times;
  PackedVarints waking_pids;
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    if (!wire::is_bytes(field)) {
      field.skip();
      continue;
    }
    const auto tag = field.tag();
    const std::string_view bytes = wire::view(field);
    switch (tag) {
      case pb::compact::kInternTable:
        comms.push_back(bytes);
        break;
      case pb::compact::kSwitchTimestamp:
        switch_times = PackedVarints(bytes);
        break;
      case pb::compact::kSwitchNextPid:
        next_pids = PackedVarints(bytes);
        break;
      case pb::compact::kSwitchNextComm:
        next_comms = PackedVarints(bytes);
        break;
      case pb::compact::kWakingTimestamp:
        waking_times = PackedVarints(bytes);
        break;
      case pb::compact::kWakingPid:
        waking_pids = PackedVarints(bytes);
        break;
      default:
        break;
    }
  }
  // Times are deltas, the first one from zero.
  SchedSwitch event{.at = 0, .cpu = header.cpu, .prev_tid = -1, .next_tid = 0, .next_comm = {}};
  std::int64_t at = 0;
  while (!switch_times.done()) {
    at = plus(at, i64(switch_times.next()));
    event.at = header.trace_time(at);
    event.next_tid = i32(next_pids.next());
    const std::uint64_t comm = next_comms.next();
    event.next_comm = comm < comms.size() ? comms[comm] : std::string_view();
    sink.on_switch(event);
  }
  at = 0;
  while (!waking_times.done()) {
    at = plus(at, i64(waking_times.next()));
    sink.on_waking(header.trace_time(at), i32(waking_pids.next()));
  }
}

}  // namespace

void decode_ftrace_bundle(std::string_view bundle, bool lost_before, const BootClock& clock,
                          RingBuffers& buffers, TraceSink& sink) {
  // What the events need to know may stand behind them.
  BundleHeader header;
  header.clock = &clock;
  std::uint64_t clock_kind = 0;
  std::uint64_t lost = lost_before ? 1 : 0;  // at least
  std::int64_t ftrace_time = 0;
  std::int64_t boot_time = 0;
  std::optional<std::int64_t> complete_since;
  wire::each_varint(bundle, [&](auto tag, std::uint64_t value) {
    switch (tag) {
      case pb::bundle::kCpu:
        header.cpu = i32(value);
        break;
      case pb::bundle::kLostEvents:
        lost += value;
        break;
      case pb::bundle::kClock:
        clock_kind = value;
        break;
      case pb::bundle::kFtraceTimestamp:
        ftrace_time = i64(value);
        break;
      case pb::bundle::kBootTimestamp:
        boot_time = i64(value);
        break;
      case pb::bundle::kLastReadEvent:
      case pb::bundle::kPreviousBundleEnd:
        complete_since = i64(value);
        break;
      default:
        break;
    }
  });
  // Clocks of the kernel's own, which run at the pace of BOOTTIME.
  const bool own_clock =
      clock_kind == pb::bundle::kClockGlobal || clock_kind == pb::bundle::kClockLocal;
  if (own_clock && ftrace_time != 0 && boot_time != 0) {
    header.clock_shift = static_cast<std::int64_t>(static_cast<std::uint64_t>(boot_time) -
                                                   static_cast<std::uint64_t>(ftrace_time));
  }
  if (clock_kind == pb::bundle::kClockMonotonicRaw) {
    header.kernel_clock = pb::clock::kMonotonicRaw;
  }
  if (lost != 0) {
    sink.on_lost_events(header.cpu, lost);
  }
  const bool slept = buffers.begins_late(header.cpu);
  if (complete_since) {
    sink.on_complete_since(header.cpu, header.trace_time(*complete_since));
  } else if (slept) {
    sink.on_complete_since(header.cpu, 0);
  }
  protozero::pbf_reader field = wire::reader(bundle);
  while (field.next()) {
    const bool bytes = wire::is_bytes(field);
    if (bytes && field.tag() == pb::bundle::kEvent) {
      decode_event(wire::view(field), header, sink);
    } else if (bytes && field.tag() == pb::bundle::kCompactSched) {
      decode_compact_sched(wire::view(field), header, sink);
    } else {
      field.skip();
    }
  }
}

}  // namespace framegov
