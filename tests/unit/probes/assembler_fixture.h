// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "probes/sources/frame_assembler.h"

namespace framegov::test {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kInterval = 16'666'667;
inline constexpr std::int64_t kBegin = 1'000'000'000'000;

/// An app whose probe hits are made by hand; times are ms after kBegin.
class AssemblerTest : public ::testing::Test {
 protected:
  AssemblerTest() : assembler_(topology(), AssemblySettings{}) {}

  static CpuTopology topology() {
    CpuTopology topology;
    for (int i = 0; i < 2; ++i) {
      Cluster cluster;
      cluster.cpufreq_id = 4 * i;
      cluster.cpus = i == 0 ? 0x0f : 0xf0;
      cluster.opps.push_back({mhz(1000), Speed{1e9}, Power{100}});
      topology.clusters.push_back(cluster);
    }
    return topology;
  }
  static Instant at(double ms) {
    return instant_from_ns(kBegin + static_cast<std::int64_t>(ms * static_cast<double>(kMs)));
  }
  static ProbeHit hit(double ms, int pid, int tid, int cpu) {
    return {pid, tid, static_cast<std::int16_t>(cpu), at(ms)};
  }

  void start(double ms, int pid = 100) {
    hit_probe([&](FrameBatch& out) { assembler_.frame_start(hit(ms, pid, pid, 4), out); });
  }
  /// UI record of a frame whose vsync was at `vsync` ms; `size` picks the layout.
  void ui(double vsync, double ms, int pid = 100, std::size_t size = 12) {
    ui_of(pid, vsync, ms, pid, size);
  }
  /// The same of another thread than the first.
  void ui_of(int tid, double vsync, double ms, int pid = 100, std::size_t size = 12) {
    std::array<std::int64_t, 14> fields{};
    fields[size == 9 ? 2 : 3] = to_ns(at(vsync));
    if (size >= 12) {
      fields[9] = to_ns(at(vsync)) + 20 * kMs;
      fields[11] = kInterval;
    }
    hit_probe([&](FrameBatch& out) {
      assembler_.frame_info(hit(ms, pid, tid, 4), std::span(fields).first(size), out);
    });
  }
  void dequeue(double entered, double returned, int pid = 100) {
    hit_probe([&](FrameBatch& out) {
      assembler_.dequeue_buffer({hit(returned, pid, pid + 1, 1), 7, true}, at(entered), out);
    });
  }
  void queue(double ms, int pid = 100) {
    hit_probe([&](FrameBatch& out) {
      assembler_.queue_buffer({hit(ms, pid, pid + 1, 1), 7, true}, out);
    });
  }
  /// A buffer of a thread that is no RenderThread.
  void other_queue(double ms, int pid = 100, std::uint64_t surface = 9) {
    hit_probe([&](FrameBatch& out) {
      assembler_.queue_buffer({hit(ms, pid, pid + 2, 5), surface, false}, out);
    });
  }
  void hint(double ms, Duration target, int pid = 100) {
    hit_probe([&](FrameBatch& out) { assembler_.hint_target(hit(ms, pid, pid, 4), target, out); });
  }
  void other_dequeue(double entered, double returned, int pid = 100, std::uint64_t surface = 9) {
    hit_probe([&](FrameBatch& out) {
      assembler_.dequeue_buffer({hit(returned, pid, pid + 2, 5), surface, false}, at(entered), out);
    });
  }

  template <class Call>
  void hit_probe(Call call) {
    const std::size_t before = frames_.size() + starts_.size();
    run(call);
    EXPECT_LE(frames_.size() + starts_.size() - before, FrameAssembler::kMaxEvents);
  }
  template <class Call>
  void run(Call call) {
    FrameBatch out;
    call(out);
    for (const FrameEvent& event : out) {
      if (event.kind == FrameEvent::Kind::kFrame) {
        frames_.push_back(event.frame);
      } else {
        starts_.push_back(event.start);
      }
    }
  }

  FrameAssembler assembler_;
  std::vector<Frame> frames_;
  std::vector<FrameStart> starts_;
};

}  // namespace framegov::test
