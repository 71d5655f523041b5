// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/import/import.h"
#include "tests/support/perfetto_builder.h"

namespace framegov::sim::test {

using namespace framegov::test;  // what all tests share

inline constexpr double kRefreshMs = 1000.0 / 60;  // ms
inline constexpr std::uint64_t kUiTid = 100;
inline constexpr std::uint64_t kRenderTid = 101;
inline constexpr std::uint64_t kGameTid = 200;

/// Collects events; times are in ms.
class PacedTrace {
 public:
  void print(double at, std::uint64_t tid, const std::string& text) {
    by_cpu_[0].push_back(print_event(ns(at), tid, text));
  }
  void slice(double begin, double end, std::uint64_t tid, const std::string& name) {
    const std::string pid = tid == kGameTid ? "200" : "100";
    print(begin, tid, "B|" + pid + "|" + name);
    print(end, tid, "E|" + pid);
  }
  void run(double begin, double end, std::uint64_t cpu, std::uint64_t tid) {
    by_cpu_[cpu].push_back(switch_event(ns(begin), 0, tid));
    by_cpu_[cpu].push_back(switch_event(ns(end), tid, 0));
  }
  void switch_to(double at, std::uint64_t cpu, std::uint64_t from, std::uint64_t to) {
    by_cpu_[cpu].push_back(switch_event(ns(at), from, to));
  }
  void frequency(double at, std::uint64_t cpu, std::uint64_t khz) {
    by_cpu_[cpu].push_back(frequency_event(ns(at), cpu, khz));
  }
  /// Events of the CPU were lost; those that come next are the first after it.
  void lose(std::uint64_t cpu) {
    packets_.push_back(bundle_packet(cpu, by_cpu_[cpu], lost_[cpu]));
    by_cpu_[cpu].clear();
    lost_[cpu] = true;
  }
  /// Perfetto tells that nothing of the CPU is missing since then, or that its ring buffer came
  /// round.
  void complete_since(double at, std::uint64_t cpu) {
    packets_.push_back(Message().message(1, Message().varint(1, cpu).varint(10, ns(at))));
  }
  void overwritten(std::uint64_t chunks) {
    packets_.push_back(Message().message(35, Message().message(1, Message().varint(3, chunks))));
  }
  /// FrameTimeline: what SurfaceFlinger expected of a frame, and what became of it.
  void expected(double begin, double end, std::uint64_t pid, std::uint64_t token) {
    timeline(begin, end, 3, std::move(Message().varint(2, token).varint(4, pid)));
  }
  /// What SurfaceFlinger expected of a composition.
  void displayed(double begin, double end) {
    timeline(begin, end, 1, std::move(Message().varint(2, 9000).varint(3, 500)));
  }
  struct Presented {
    std::uint64_t present_type = 1;
    bool is_buffer = true;
  };
  void actual(double begin, double end, std::uint64_t pid, std::uint64_t token,
              Presented presented = {1, true}) {
    Message body;
    body.varint(2, token).varint(4, pid).varint(6, presented.present_type);
    timeline(begin, end, 4, std::move(body.varint(11, presented.is_buffer ? 1 : 0)));
  }
  void vsync(double at) { print(at, 500, "C|500|VSYNC-app|" + std::to_string(++edges_ % 2)); }

  [[nodiscard]] Imported import(const ImportOptions& options = {}) const {
    std::vector<Message> packets = packets_;
    for (const auto& [cpu, events] : by_cpu_) {
      const auto lost = lost_.find(cpu);
      packets.push_back(bundle_packet(cpu, events, lost != lost_.end() && lost->second));
    }
    const std::string bytes = trace_of(packets);
    const auto source = bytes_in_memory(bytes);
    auto imported = import_bytes(**source, "test", options);
    EXPECT_TRUE(imported) << imported.error().to_string();
    return imported ? std::move(*imported) : Imported{};
  }

 private:
  static std::uint64_t ns(double ms) {
    return static_cast<std::uint64_t>(std::llround((ms + 1000) * 1e6));
  }
  void timeline(double begin, double end, std::uint32_t kind, Message&& body) {
    const auto add = [this](double at, const Message& event) {
      packets_.push_back(Message().varint(8, ns(at)).message(76, event));
    };
    body.varint(1, ++cookies_);
    add(begin, Message().message(kind, body));
    add(end, Message().message(5, Message().varint(1, cookies_)));
  }

  std::vector<Message> packets_;
  std::map<std::uint64_t, std::vector<Message>> by_cpu_;
  std::map<std::uint64_t, bool> lost_;
  int edges_ = 0;
  std::uint64_t cookies_ = 0;
};

/// CPUs 0 and 1 run at 1 GHz, told at `since`.
inline PacedTrace at_one_gigahertz(double since = -5) {
  PacedTrace trace;
  trace.frequency(since, 0, 1'000'000);
  trace.frequency(since, 1, 1'000'000);
  return trace;
}

inline Workload workload_of(const PacedTrace& trace) {
  const Imported imported = trace.import();
  EXPECT_TRUE(imported.workload) << imported.no_workload->to_string();
  return imported.workload ? *imported.workload : Workload{};
}

/// One frame of HWUI: both threads run without waiting.
inline void hwui_frame(PacedTrace& trace, double vsync, int number) {
  const std::string token = " " + std::to_string(1000 + number);
  trace.vsync(vsync);
  trace.run(vsync + 0.2, vsync + 1.2, 0, kUiTid);
  trace.slice(vsync + 0.21, vsync + 1.15, kUiTid, "Choreographer#doFrame" + token);
  trace.run(vsync + 1.1, vsync + 4.2, 1, kRenderTid);
  trace.slice(vsync + 1.11, vsync + 4.1, kRenderTid, "DrawFrame" + token);
  trace.slice(vsync + 3.9, vsync + 4.0, kRenderTid, "queueBuffer");
}

/// The same where the buffer of RenderThread's CPU tells nothing of it.
inline void half_told_frame(PacedTrace& trace, double vsync) {
  trace.vsync(vsync);
  trace.run(vsync + 0.2, vsync + 1.2, 0, kUiTid);
  trace.slice(vsync + 0.21, vsync + 1.15, kUiTid, "Choreographer#doFrame");
  trace.slice(vsync + 1.11, vsync + 4.1, kRenderTid, "DrawFrame");
  trace.slice(vsync + 3.9, vsync + 4.0, kRenderTid, "queueBuffer");
}

}  // namespace framegov::sim::test
