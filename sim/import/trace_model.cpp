// SPDX-License-Identifier: Apache-2.0
#include "sim/import/trace_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/cpu_topology.h"

namespace framegov::sim {

namespace {

constexpr std::int32_t kMaxTid = 1 << 22;  // the kernel's PID_MAX_LIMIT
constexpr std::size_t kMaxNameLength = 512;
constexpr std::int64_t kMostWaiting = 64;  // buffers of a layer: BufferQueue has no more slots
constexpr std::size_t kMaxEarlyEnds = std::size_t{1} << 22U;  // two hours of apps at 120 Hz

/// Times are kept within 36 years, so that their differences cannot overflow.
bool is_time(std::int64_t at) { return at >= 0 && at <= (std::int64_t{1} << 60); }

/// Offline CPUs are told as 0 or UINT32_MAX.
bool is_frequency(std::uint32_t khz) { return khz > 0 && khz <= 20'000'000; }

bool is_vsync(AtraceName name) {
  return name == AtraceName::kVsyncApp || name == AtraceName::kVsyncSf;
}

void add_vsync(TraceModel& model, AtraceName name, std::int64_t at) {
  (name == AtraceName::kVsyncApp ? model.compositor.app_vsyncs : model.compositor.vsyncs)
      .push_back(at);
}

bool is_cpu(std::int32_t cpu) { return cpu >= 0 && cpu < static_cast<std::int32_t>(kMaxCpus); }

template <class Items, class Key>
void sort_by(Items& items, Key key) {
  const auto less = [&](const auto& a, const auto& b) { return key(a) < key(b); };
  // Each CPU's and thread's events come in order as a rule.
  if (!std::is_sorted(items.begin(), items.end(), less)) {
    std::stable_sort(items.begin(), items.end(), less);
  }
}

}  // namespace

ThreadTrack& TraceModelBuilder::thread(std::int32_t tid) {
  const auto place = static_cast<std::size_t>(tid >= 0 && tid <= kMaxTid ? tid : 0);
  if (place >= slots_.size()) {
    slots_.resize(std::max(place + 1, slots_.size() * 2));
  }
  std::uint32_t& slot = slots_[place];
  if (slot == 0) {
    model_.processes.threads.push_back({.tid = static_cast<std::int32_t>(place),
                                        .tgid = 0,
                                        .comm = {},
                                        .command_line = {},
                                        .uid = 0,
                                        .marks = {}});
    slot = static_cast<std::uint32_t>(model_.processes.threads.size());
  }
  return model_.processes.threads[slot - 1];
}

void TraceModelBuilder::on_switch(const SchedSwitch& event) {
  if (!is_cpu(event.cpu) || !is_time(event.at) || is_full()) {
    return;
  }
  ++model_.counts.switches;
  saw(event.at);
  const auto cpu = static_cast<std::size_t>(event.cpu);
  if (cpu >= model_.cpu.switches.size()) {
    model_.cpu.switches.resize(cpu + 1);
  }
  end_gap(event.cpu, event.at);
  const bool after_gap = ((unswitched_ >> cpu) & 1U) != 0;
  unswitched_ &= ~(std::uint64_t{1} << cpu);
  model_.cpu.switches[cpu].push_back(
      {event.at, event.next_tid, after_gap ? CpuSwitch::kAfterGap : event.prev_tid});
  if (event.next_tid > 0 && !event.next_comm.empty()) {
    if (ThreadTrack& next = thread(event.next_tid); next.comm.empty()) {
      next.comm = event.next_comm.substr(0, kMaxNameLength);
    }
  }
}

void TraceModelBuilder::on_waking(std::int64_t /*at*/, std::int32_t /*tid*/) {
  ++model_.counts.wakings;
}

void TraceModelBuilder::on_cpu_frequency(const CpuFrequencySample& sample) {
  if (is_cpu(sample.cpu) && is_time(sample.at) && !is_full()) {
    ++model_.counts.cpu_frequency;
    saw(sample.at);
    if (is_frequency(sample.khz)) {
      model_.cpu.frequencies.push_back(sample);
    }
  }
}

void TraceModelBuilder::on_polled_frequency(const CpuFrequencySample& sample) {
  if (is_cpu(sample.cpu) && is_time(sample.at) && is_frequency(sample.khz) && !is_full()) {
    ++model_.counts.polled_frequency;
    model_.cpu.polled.push_back(sample);
  }
}

void TraceModelBuilder::on_cpu_minimum(const CpuFrequencySample& minimum) {
  if (is_cpu(minimum.cpu) && is_time(minimum.at) && is_frequency(minimum.khz) && !is_full()) {
    ++model_.counts.cpu_limits;
    model_.cpu.minima.push_back(minimum);
  }
}

void TraceModelBuilder::on_cpu_idle(std::int64_t /*at*/, std::int32_t /*cpu*/,
                                    std::uint32_t /*state*/) {
  ++model_.counts.cpu_idle;
}

void TraceModelBuilder::on_gpu_frequency(std::int64_t /*at*/, std::uint32_t /*gpu*/,
                                         std::uint32_t /*khz*/) {
  ++model_.counts.gpu_frequency;
}

void TraceModelBuilder::on_print(const PrintLine& line) {
  if (!is_time(line.at) || is_full()) {
    return;
  }
  ++model_.counts.prints;
  saw(line.at);
  end_gap(line.cpu, line.at);
  const std::optional<AtraceLine> mark = parse_atrace(line.text);
  if (!mark) {
    return;
  }
  switch (mark->phase) {
    case AtracePhase::kBegin:
    case AtracePhase::kEnd: {
      ThreadTrack& track = thread(line.tid);
      if (mark->phase == AtracePhase::kBegin) {
        track.tgid = mark->tgid != 0 ? mark->tgid : track.tgid;
      }
      if (mark->name == AtraceName::kDeliverInput) {
        model_.inputs.push_back(line.at);
      }
      track.marks.push_back({line.at, mark->token, mark->name, mark->phase == AtracePhase::kBegin});
      break;
    }
    case AtracePhase::kAsyncBegin:
      if (mark->name == AtraceName::kDeliverInput) {
        model_.inputs.push_back(line.at);
      }
      break;
    case AtracePhase::kCounter:
      if (is_vsync(mark->name)) {
        add_vsync(model_, mark->name, line.at);
        model_.compositor.pid = mark->tgid;
      } else if (mark->name == AtraceName::kLayer && mark->value >= 0 &&
                 mark->value <= kMostWaiting) {
        model_.compositor.layer_counts.push_back(
            {line.at, mark->token, static_cast<std::int32_t>(mark->value), mark->tgid});
      }
      break;
    case AtracePhase::kAsyncEnd:
    case AtracePhase::kInstant:
      break;
  }
}

void TraceModelBuilder::on_lost_events(std::int32_t cpu, std::uint64_t count) {
  model_.counts.lost += count;
  if (is_cpu(cpu)) {
    gap_cpus_ |= std::uint64_t{1} << static_cast<unsigned>(cpu);
    unswitched_ |= std::uint64_t{1} << static_cast<unsigned>(cpu);
  }
}

void TraceModelBuilder::end_gap(std::int32_t cpu, std::int64_t at) {
  if (is_cpu(cpu) && ((gap_cpus_ >> static_cast<unsigned>(cpu)) & 1U) != 0) {
    gap_cpus_ &= ~(std::uint64_t{1} << static_cast<unsigned>(cpu));
    model_.cpu.gaps.push_back(at);
  }
}

void TraceModelBuilder::on_complete_since(std::int32_t cpu, std::int64_t at) {
  if (is_cpu(cpu)) {
    const auto [since, is_new] = complete_since_.try_emplace(cpu, at);
    since->second = std::min(since->second, at);
  }
}

void TraceModelBuilder::on_thread(const ThreadInfo& info) {
  if (info.tid <= 0 || info.tid > kMaxTid) {
    return;
  }
  ThreadTrack& track = thread(info.tid);
  if (info.tgid != 0) {
    track.tgid = info.tgid;
  }
  track.uid = info.uid != 0 ? info.uid : track.uid;
  if (!info.name.empty()) {
    (info.is_command_line ? track.command_line : track.comm) = info.name.substr(0, kMaxNameLength);
  }
}

void TraceModelBuilder::on_frame_timeline(const FrameTimelineEvent& event) {
  if (!is_time(event.at) || is_full()) {
    return;
  }
  ++model_.counts.frame_timeline;
  saw(event.at);
  if (event.kind == FrameTimelineKind::kEnd) {
    if (const auto open = open_timelines_.find(event.cookie); open != open_timelines_.end()) {
      model_.compositor.timelines[open->second].end = event.at;
      open_timelines_.erase(open);
    } else if (early_ends_.size() < kMaxEarlyEnds) {
      early_ends_[event.cookie] = event.at;
    }
    return;
  }
  open_timelines_[event.cookie] = model_.compositor.timelines.size();
  model_.compositor.timelines.push_back({.begin = event.at,
                                         .end = 0,
                                         .kind = event.kind,
                                         .token = event.token,
                                         .pid = event.pid,
                                         .jank_type = event.jank_type,
                                         .present_type = event.present_type,
                                         .is_buffer = event.is_buffer});
}

void TraceModelBuilder::on_power_rail(const PowerRail& rail) {
  constexpr std::size_t kMaxRails = 1024;
  if (model_.power.rails.size() < kMaxRails) {
    model_.power.rails[rail.index] = rail.name.substr(0, kMaxNameLength);
  }
}

void TraceModelBuilder::on_energy(const EnergySample& sample) {
  if (is_time(sample.at) && !is_full()) {
    ++model_.counts.energy;
    model_.power.energy.push_back(sample);
  }
}

void TraceModelBuilder::on_package(std::string_view name, std::uint64_t uid) {
  constexpr std::size_t kMaxPackages = std::size_t{1} << 16U;
  ++model_.counts.packages;
  if (model_.processes.packages.size() < kMaxPackages) {
    const auto [package, is_new] =
        model_.processes.packages.try_emplace(uid, name.substr(0, kMaxNameLength));
    if (!is_new && package->second != name) {
      package->second.clear();
    }
  }
}

void TraceModelBuilder::on_device(const DeviceInfo& device) {
  // Where the property could not be read, there is a sentence about it.
  if (device.fingerprint.find('/') != std::string_view::npos) {
    model_.device.fingerprint = device.fingerprint.substr(0, kMaxNameLength);
  }
  model_.device.soc = device.soc.substr(0, kMaxNameLength);
}

void TraceModelBuilder::on_cpu(const CpuDescription& cpu) {
  // A recording may tell of the CPUs more than once.
  const bool known = std::any_of(model_.cpu.described.begin(), model_.cpu.described.end(),
                                 [&](const CpuDescription& of) { return of.cpu == cpu.cpu; });
  if (is_cpu(cpu.cpu) && !known) {
    model_.cpu.described.push_back(cpu);
  }
}

void TraceModelBuilder::on_track(const TrackInfo& track) {
  if (track.tid > 0 && track.tid <= kMaxTid) {
    thread_tracks_[track.uuid] = track.tid;
    on_thread({.tid = track.tid, .tgid = track.tgid, .name = {}, .is_command_line = false});
  }
  if (track.is_counter) {
    std::int64_t token = 0;
    if (const AtraceName name = classify_name(track.name, token); is_vsync(name)) {
      vsync_tracks_[track.uuid] = name;
    }
  }
}

void TraceModelBuilder::on_track_event(const TrackEvent& event) {
  if (is_time(event.at) && !is_full()) {
    ++model_.counts.track_events;
    recording_.on_track_event(event);
    // From Android 16 on what was atrace's may come through Perfetto's own library: slices on their
    // thread's track, asynchronous ones and counters on tracks of their own.
    const bool begin = event.type == TrackEventType::kSliceBegin;
    SliceMark mark{.at = event.at, .token = 0, .name = AtraceName::kOther, .begin = begin};
    if (event.type == TrackEventType::kCounter) {
      if (const auto found = vsync_tracks_.find(event.track); found != vsync_tracks_.end()) {
        add_vsync(model_, found->second, event.at);
      }
    } else if (begin || event.type == TrackEventType::kSliceEnd) {
      mark.name = classify_name(event.name, mark.token);
      if (begin && mark.name == AtraceName::kDeliverInput) {
        model_.inputs.push_back(event.at);
      }
      if (const auto found = thread_tracks_.find(event.track); found != thread_tracks_.end()) {
        thread(found->second).marks.push_back(mark);
      }
    }
  }
}

void TraceModelBuilder::join_early_ends() {
  for (const auto& [cookie, timeline] : open_timelines_) {
    const auto end = early_ends_.find(cookie);
    // An earlier end is that of another timeline, whose beginning is not in the trace.
    if (end != early_ends_.end() && end->second >= model_.compositor.timelines[timeline].begin) {
      model_.compositor.timelines[timeline].end = end->second;
    }
  }
}

void TraceModelBuilder::leave_out_incomplete() {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();  // of the CPUs' events
  for (std::size_t cpu = 0; cpu < model_.cpu.switches.size(); ++cpu) {
    if (model_.cpu.switches[cpu].empty()) {
      continue;
    }
    const std::int64_t first = model_.cpu.switches[cpu].front().at;
    begin = std::min(begin, first);
    if (overwritten_) {
      complete_since_.try_emplace(static_cast<std::int32_t>(cpu), first);
    }
  }
  std::int64_t since = 0;
  for (const auto& [cpu, at] : complete_since_) {
    since = std::max(since, at);
  }
  // Buffers begin at about the same time: a CPU that is so late rather slept.
  if (since > begin && since - begin > (model_.last - begin) / 2) {
    model_.cpu.doubtful_until = since;
    return;
  }
  model_.cpu.complete_since = since;
  const auto first_of = [this](auto& items) {
    return std::partition_point(items.begin(), items.end(), [this](const auto& item) {
      return item.at < model_.cpu.complete_since;
    });
  };
  for (auto& cpu : model_.cpu.switches) {
    // The last one before tells who ran then.
    const auto first = first_of(cpu);
    cpu.erase(cpu.begin(), first == cpu.begin() ? first : std::prev(first));
  }
  for (ThreadTrack& track : model_.processes.threads) {
    track.marks.erase(track.marks.begin(), first_of(track.marks));
  }
}

TraceModel TraceModelBuilder::finish() {
  const auto by_time = [](const auto& item) { return item.at; };
  join_early_ends();
  for (auto& cpu : model_.cpu.switches) {
    sort_by(cpu, by_time);
  }
  for (ThreadTrack& track : model_.processes.threads) {
    sort_by(track.marks, by_time);
    model_.processes.thread_index[track.tid] =
        static_cast<std::uint32_t>(&track - model_.processes.threads.data());
  }
  sort_by(model_.cpu.frequencies, by_time);
  sort_by(model_.cpu.polled, by_time);
  sort_by(model_.cpu.minima, by_time);
  sort_by(model_.compositor.layer_counts, by_time);
  sort_by(model_.power.energy, by_time);
  sort_by(model_.compositor.timelines, [](const FrameTimelineSlice& slice) { return slice.begin; });
  std::sort(model_.compositor.app_vsyncs.begin(), model_.compositor.app_vsyncs.end());
  std::sort(model_.compositor.vsyncs.begin(), model_.compositor.vsyncs.end());
  std::sort(model_.inputs.begin(), model_.inputs.end());
  std::sort(model_.cpu.gaps.begin(), model_.cpu.gaps.end());
  leave_out_incomplete();
  model_.recording = recording_.take();
  return std::move(model_);
}

}  // namespace framegov::sim
