// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/byte_source.h"
#include "trace/perfetto_reader.h"
#include "trace/trace_sink.h"

namespace framegov::test {

/// Keeps what a decoder finds.
class CollectingSink : public TraceSink {
 public:
  void on_switch(const SchedSwitch& event) override {
    switches.push_back(event);
    switches.back().next_comm = {};
    comms.emplace_back(event.next_comm);
  }
  void on_waking(std::int64_t at, std::int32_t tid) override { wakings.emplace_back(at, tid); }
  void on_cpu_frequency(const CpuFrequencySample& sample) override {
    frequencies.push_back(sample);
  }
  void on_polled_frequency(const CpuFrequencySample& sample) override { polled.push_back(sample); }
  void on_gpu_frequency(std::int64_t at, std::uint32_t /*gpu*/, std::uint32_t khz) override {
    gpu_frequencies.emplace_back(at, khz);
  }
  void on_print(const PrintLine& line) override { prints.emplace_back(line.at, line.text); }
  void on_lost_events(std::int32_t cpu, std::uint64_t /*count*/) override { lost.push_back(cpu); }
  void on_left_out(const LeftOutPackets& packets) override { left_out = packets; }
  void on_thread(const ThreadInfo& thread) override {
    threads.push_back(thread);
    threads.back().name = {};
    thread_names.emplace_back(thread.name);
  }
  void on_frame_timeline(const FrameTimelineEvent& event) override {
    timelines.push_back(event);
    timelines.back().layer = {};
  }
  void on_power_rail(const PowerRail& rail) override { rails.emplace_back(rail.name); }
  void on_energy(const EnergySample& sample) override { energy.push_back(sample); }
  void on_package(std::string_view name, std::uint64_t uid) override {
    packages.emplace_back(std::string(name), uid);
  }
  void on_device(const DeviceInfo& device) override { fingerprint = device.fingerprint; }
  void on_cpu(const CpuDescription& cpu) override { cpus.push_back(cpu); }
  void on_track_event(const TrackEvent& event) override {
    track_events.push_back(event);
    track_event_names.emplace_back(event.name);
    annotation_names.emplace_back();
    for (const Annotation& annotation : event.annotations) {
      annotation_names.back().emplace_back(annotation.name);
    }
    track_events.back().name = {};
    track_events.back().annotations = {};
  }

  std::vector<SchedSwitch> switches;
  std::vector<std::string> comms;
  std::vector<std::pair<std::int64_t, std::int32_t>> wakings;
  std::vector<CpuFrequencySample> frequencies, polled;
  std::vector<std::pair<std::int64_t, std::uint32_t>> gpu_frequencies;
  std::vector<std::pair<std::int64_t, std::string>> prints;
  std::vector<std::int32_t> lost;
  LeftOutPackets left_out;
  std::vector<ThreadInfo> threads;
  std::vector<std::string> thread_names;
  std::vector<FrameTimelineEvent> timelines;
  std::vector<std::string> rails;
  std::vector<EnergySample> energy;
  std::vector<std::pair<std::string, std::uint64_t>> packages;
  std::string fingerprint;
  std::vector<CpuDescription> cpus;
  std::vector<TrackEvent> track_events;
  std::vector<std::string> track_event_names;
  std::vector<std::vector<std::string>> annotation_names;
};

inline Status read_all(const std::string& trace, TraceSink& sink) {
  FRAMEGOV_TRY(auto source, bytes_in_memory(trace));
  return read_perfetto(*source, sink);
}

}  // namespace framegov::test
