// SPDX-License-Identifier: Apache-2.0
#include "sim/import/workload_from_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "base/median.h"
#include "sim/import/busy_cycles.h"
#include "sim/import/compositor.h"
#include "sim/import/slices.h"
#include "sim/import/thread_load.h"
#include "sim/workload/recorded_buffers.h"

namespace framegov::sim {

namespace {

class StageBuilder {
 public:
  StageBuilder(const ThreadRuns& runs, const CpuSpeed& speed, BusyCycles& busy)
      : runs_(runs), speed_(speed), busy_(busy) {}

  /// The stage that `tid` ran within [begin, end]; false when a CPU's frequency is not known.
  /// `not_its_own(span)` is how much of a time that the thread did not run is no part of the stage.
  template <class NotItsOwn>
  bool build(std::int32_t tid, std::int64_t begin, std::int64_t end, StageLoad& stage,
             NotItsOwn&& not_its_own) {
    std::array<std::int64_t, kMaxCpus> on_cpu{};
    std::int64_t running = 0;
    std::int64_t fixed = 0;
    std::int64_t longest = 0;
    std::int64_t asleep = begin;
    double cycles = 0;
    double cycles_before = 0;  // the longest wait
    double khz_ns = 0;
    bool known = true;
    const auto wait_until = [&](std::int64_t awake) {
      // Damaged traces have a thread run in two places at once.
      const std::int64_t wait =
          std::max<std::int64_t>(0, awake - asleep - not_its_own(TimeSpan{asleep, awake}));
      fixed += wait;
      if (wait > longest) {
        longest = wait;
        cycles_before = cycles;
      }
    };
    runs_.within(tid, begin, end, [&](const Run& run) {
      wait_until(run.begin);
      asleep = std::max(asleep, run.end);
      known = known && speed_.knows(run.cpu);
      cpus_ |= std::uint64_t{1} << static_cast<unsigned>(run.cpu);
      const std::int64_t length = run.end - run.begin;
      running += length;
      on_cpu[static_cast<std::size_t>(run.cpu)] += length;
      cycles += speed_.cycles(run.cpu, run.begin, run.end);
      khz_ns += static_cast<double>(speed_.mean_frequency(run.cpu, run.begin, run.end).count()) *
                static_cast<double>(length);
      busy_.add(run, -1.0F);
    });
    wait_until(end);
    stage.work = Work{cycles};
    stage.fixed = Duration{fixed};
    stage.wait_ns = static_cast<std::uint32_t>(
        std::min<std::int64_t>(longest, std::numeric_limits<std::uint32_t>::max()));
    stage.wait_after =
        static_cast<std::uint8_t>(cycles > 0 ? std::lround(100 * cycles_before / cycles) : 0);
    if (running > 0) {
      const auto most = std::max_element(on_cpu.begin(), on_cpu.end());
      stage.cpu = static_cast<std::int16_t>(most - on_cpu.begin());
      stage.cluster = static_cast<std::int8_t>(speed_.cluster_of(stage.cpu));
      stage.frequency = khz(std::llround(khz_ns / static_cast<double>(running)));
    }
    return known;
  }

  /// The CPUs that stages ran on since the last call: bit n set for CPU n.
  [[nodiscard]] std::uint64_t take_cpus() { return std::exchange(cpus_, 0); }

 private:
  std::uint64_t cpus_ = 0;
  const ThreadRuns& runs_;
  const CpuSpeed& speed_;
  BusyCycles& busy_;
};

WorkloadFrame times_of(const TraceFrame& found, std::uint32_t app) {
  WorkloadFrame frame;
  frame.vsync = instant_from_ns(found.vsync);
  frame.deadline = instant_from_ns(found.deadline);
  frame.interval = Duration{found.interval};
  frame.start = instant_from_ns(found.start);
  frame.ui_done = instant_from_ns(found.ui_done);
  frame.ready = instant_from_ns(found.ready);
  frame.gpu = Duration{found.ready - found.queued};
  frame.app = app;
  frame.jank = static_cast<std::uint16_t>(found.jank_type);
  frame.deadline_edge = found.deadline_edge;
  frame.compositor_ns = static_cast<std::uint32_t>(found.compositor);
  frame.timestamped = found.is_timestamped;
  if (found.latched > found.ready &&
      found.latched - found.ready <= std::numeric_limits<std::uint32_t>::max()) {
    frame.taken_ns = static_cast<std::uint32_t>(found.latched - found.ready);
  }
  return frame;
}

/// Queues the frame's buffer; where the recording tells when the compositor took it, then. What
/// came later than its turn was not ready then: the GPU was not done with it.
void take_as_recorded(BufferQueue& queue, WorkloadFrame& frame) {
  if (frame.taken_ns != 0 && frame.deadline_edge != DeadlineEdge::kPlatform) {
    BufferQueue on_time = queue;
    const double turn = queue_recorded(on_time, frame);
    const double taken = static_cast<double>(to_ns(frame.ready) + frame.taken_ns);
    const long late = std::lround((taken - turn) / static_cast<double>(frame.interval.count()));
    frame.taken_late =
        static_cast<std::uint8_t>(std::clamp<long>(late, 0, kMostTakenLate)) & kMostTakenLate;
  }
  queue_recorded(queue, frame);
}

std::vector<Touch> touches_of(const std::vector<std::int64_t>& inputs) {
  constexpr Duration kFingerUp = std::chrono::milliseconds{100};
  std::vector<Touch> touches;
  for (const std::int64_t at : inputs) {
    const Instant instant = instant_from_ns(at);
    if (!touches.empty() && instant - touches.back().up < kFingerUp) {
      touches.back().up = instant;
    } else {
      touches.push_back({instant, instant});
    }
  }
  return touches;
}

/// When some CPU's least frequency was above the lowest that it ever had.
std::vector<VendorBoost> boosts_of(const TraceModel& model) {
  std::array<std::uint32_t, kMaxCpus> lowest{};
  for (const CpuFrequencySample& minimum : model.cpu.minima) {
    std::uint32_t& least = lowest[static_cast<std::size_t>(minimum.cpu)];
    least = least == 0 ? minimum.khz : std::min(least, minimum.khz);
  }
  std::vector<VendorBoost> boosts;
  std::uint64_t raised = 0;  // CPUs
  for (const CpuFrequencySample& minimum : model.cpu.minima) {
    const std::uint64_t cpu = std::uint64_t{1} << static_cast<unsigned>(minimum.cpu);
    const std::uint64_t before = raised;
    const bool is_raised = minimum.khz > lowest[static_cast<std::size_t>(minimum.cpu)];
    raised = is_raised ? raised | cpu : raised & ~cpu;
    if (before == 0 && raised != 0) {
      boosts.push_back({instant_from_ns(minimum.at), instant_from_ns(model.last)});
    } else if (before != 0 && raised == 0) {
      boosts.back().until = instant_from_ns(minimum.at);
    }
  }
  return boosts;
}

/// "frames by rate: 300 at 60 Hz, 120 at 120 Hz"; empty where all have one.
std::string rates_note(const std::vector<WorkloadFrame>& frames) {
  constexpr double kSame = 1.05;  // measured intervals vary
  std::map<std::int64_t, std::size_t> counts;
  for (const WorkloadFrame& frame : frames) {
    ++counts[std::llround(1.0 / to_seconds(frame.interval))];
  }
  std::map<std::int64_t, std::size_t> rates;
  double last = 0;
  for (const auto& [rate, count] : counts) {
    const bool same = static_cast<double>(rate) < last * kSame;
    last = static_cast<double>(rate);
    if (!same) {
      rates[rate] = count;
      continue;
    }
    const auto merged = std::prev(rates.end());
    const std::size_t all = merged->second + count;
    if (count > merged->second) {
      rates.erase(merged);
      rates[rate] = all;
    } else {
      merged->second = all;
    }
  }
  std::string note;
  for (const auto& [rate, count] : rates) {
    note += (note.empty() ? "frames by rate: " : ", ") + std::to_string(count) + " at " +
            std::to_string(rate) + " Hz";
  }
  return rates.size() > 1 ? note : std::string();
}

Duration median_interval(const std::vector<WorkloadFrame>& frames) {
  std::vector<Duration> intervals;
  intervals.reserve(frames.size());
  for (const WorkloadFrame& frame : frames) {
    intervals.push_back(frame.interval);
  }
  return median(std::move(intervals));
}

}  // namespace

std::vector<std::int32_t> frame_threads(const FrameFinding& finding) {
  std::vector<std::int32_t> tids;
  for (const AppFrames& app : finding.apps) {
    for (const TraceFrame& frame : app.frames) {
      for (const std::int32_t tid : {frame.ui_tid, frame.render_tid}) {
        if (tid != 0) {
          tids.push_back(tid);
        }
      }
    }
  }
  std::sort(tids.begin(), tids.end());
  tids.erase(std::unique(tids.begin(), tids.end()), tids.end());
  return tids;
}

std::string missing_for_work(const TraceModel& model, const FrameFinding& finding) {
  std::string missing;
  const auto add = [&](const char* what) {
    missing.append(missing.empty() ? "" : ", ").append(what);
  };
  if (model.counts.cpu_frequency == 0 && model.counts.polled_frequency == 0) {
    add("cpu_frequency");
  }
  if (model.counts.switches == 0) {
    add("sched_switch");
  }
  if (frame_threads(finding).empty()) {
    add("atrace slices of frames (doFrame, DrawFrame, queueBuffer)");
  }
  return missing;
}

std::uint64_t frame_cpus(const TraceModel& model, const FrameFinding& finding) {
  const std::vector<std::int32_t> tids = frame_threads(finding);
  std::uint64_t cpus = 0;
  for_each_run(model, [&](std::int32_t tid, const Run& run) {
    if (std::binary_search(tids.begin(), tids.end(), tid)) {
      cpus |= std::uint64_t{1} << static_cast<unsigned>(run.cpu);
    }
  });
  return cpus;
}

Result<Workload> workload_from_trace(const TraceModel& model, const FrameFinding& finding,
                                     const CpuSpeed& speed, bool frames_only) {
  std::size_t frame_count = 0;
  for (const AppFrames& app : finding.apps) {
    frame_count += app.frames.size();
  }
  if (frame_count == 0) {
    return fail(ExitCode::kBadInput, "no frames in the recording",
                "record the atrace categories gfx and view, or FrameTimeline (Android 12 and "
                "later), while an app draws");
  }
  const std::string missing = missing_for_work(model, finding);
  if (!frames_only && !missing.empty()) {
    return fail(ExitCode::kBadInput,
                "the frames' work is not known: the recording has no " + missing,
                "record sched/sched_switch, power/cpu_frequency and gfx,view; or take the frames' "
                "times alone with `framegov import --frames-only`");
  }
  Workload workload;
  workload.device = model.device.fingerprint;
  workload.reference = speed.reference();
  workload.clusters = speed.clusters();
  workload.touches = touches_of(model.inputs);
  workload.boosts = boosts_of(model);
  workload.frequencies = speed.changes();
  workload.has_work = missing.empty() && !frames_only;
  workload.knows_core_worth = speed.knows_worth();
  workload.frames.reserve(frame_count);

  const ThreadRuns runs =
      thread_runs(model, workload.has_work ? frame_threads(finding) : std::vector<std::int32_t>{});
  BusyCycles busy(model, speed);
  StageBuilder stages(runs, speed, busy);
  if (workload.has_work) {
    for_each_run(model, [&](std::int32_t /*tid*/, const Run& run) { busy.add(run, 1.0F); });
    workload.notes.push_back(speed.capacity_note());
    workload.notes.emplace_back(
        "before the first cpu_frequency event of a cluster its frequency is that event's");
  }
  std::size_t unknown = 0;
  std::size_t assumed = 0;
  std::size_t threadless = 0;
  for (const AppFrames& app : finding.apps) {
    if (app.frames.empty()) {
      continue;
    }
    const auto index = static_cast<std::uint32_t>(workload.apps.size());
    workload.apps.push_back({app.name, app.tgid});
    const SliceTimes dequeues = slice_times(app.dequeues);
    ThreadLoad ui_load;
    ThreadLoad render_load;
    BufferQueue queue;
    constexpr double kMostLate = 60;  // intervals; more is damage
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::size_t last = kNone;  // of the app's in workload.frames
    std::size_t before_last = kNone;
    for (const TraceFrame& found : app.frames) {
      if (workload.has_work && found.ui_tid == 0 && found.render_tid == 0) {
        ++threadless;
        continue;
      }
      WorkloadFrame frame = times_of(found, index);
      // A buffer that came before there was room for it: the app's buffers replace each other, or
      // times are damaged. Nothing of the queue is known then.
      if (static_cast<double>(found.ready + found.interval) < queue.dequeue_at()) {
        queue = {};
      }
      bool known = true;
      std::int64_t asked = found.start;  // for RenderThread to draw
      if (workload.has_work && found.ui_tid != 0) {
        // Waiting for RenderThread and for a buffer is the plant's to find out, not the frame's.
        known = stages.build(found.ui_tid, found.start, found.ui_done, frame.ui,
                             [&](const TimeSpan& wait) {
                               asked = wait.begin;
                               return wait.end < found.ui_done || found.render_free < wait.begin
                                          ? 0
                                          : std::min(found.render_free, wait.end) - wait.begin;
                             });
        ui_load.add(found.ui_tid, frame.ui, found.start, found.ui_done);
      }
      if (workload.has_work && found.render_tid != 0) {
        // Where no buffer was missing, dequeueBuffer is a call to the compositor or an allocation,
        // and remains.
        const double has_buffer = queue.dequeue_at();
        const bool knows_queue = before_last != kNone && workload.frames[before_last].taken_ns != 0;
        const double until =
            knows_queue ? has_buffer : waited_for_queue_until(found, dequeues, has_buffer);
        const auto full_until =
            static_cast<std::int64_t>(std::clamp(until, 0.0, static_cast<double>(found.queued)));
        // The GPU time of the one before the last is not known, but that this one waited for it.
        const double late = (until - has_buffer) / static_cast<double>(found.interval);
        if (found.compositor != 0 && before_last != kNone && late > 0 && late < kMostLate) {
          queue.delay_before_last(static_cast<double>(found.interval), until - has_buffer);
          workload.frames[before_last].taken_late =
              static_cast<std::uint8_t>(std::lround(late)) & kMostTakenLate;
        }
        known = stages.build(found.render_tid, found.ui_done, found.queued, frame.render,
                             [&](const TimeSpan& wait) {
                               std::int64_t full = 0;
                               dequeues.within(
                                   found.render_tid, wait.begin, std::min(wait.end, full_until),
                                   [&](const TimeSpan& span) { full += span.end - span.begin; });
                               return full;
                             }) &&
                known;
        if (found.own_begin != 0) {
          // What it drew for itself while the UI thread worked delayed nothing: it is others' load.
          StageLoad own;
          const std::int64_t begin = std::max(found.own_begin, asked);
          const std::int64_t end = std::clamp(found.render_free, begin, found.ui_done);
          known = stages.build(found.render_tid, begin, end, own, [](const TimeSpan&) {
            return 0;
          }) && known;
          frame.render.work += own.work;
          frame.render.fixed += own.fixed;
        }
        render_load.add(found.render_tid, frame.render, found.ui_done, found.queued);
      }
      take_as_recorded(queue, frame);
      before_last = std::exchange(last, known ? workload.frames.size() : kNone);
      assumed += (stages.take_cpus() & speed.assumed_cpus()) != 0 ? 1U : 0U;
      if (!known) {
        ++unknown;
        continue;
      }
      workload.frames.push_back(frame);
    }
    workload.apps.back().ui = ui_load.seen_by_kernel(runs, speed, model);
    workload.apps.back().render = render_load.seen_by_kernel(runs, speed, model);
  }
  if (workload.frames.empty()) {
    return fail(ExitCode::kBadInput,
                "the frames' work is not known: no cpu_frequency event gives the speed of the CPUs "
                "they ran on",
                "record power/cpu_frequency from before the first frame, or take the frames' times "
                "alone with `framegov import --frames-only`");
  }
  if (unknown != 0) {
    workload.notes.push_back(std::to_string(unknown) +
                             " frames left out: they ran on CPUs of unknown frequency");
  }
  if (assumed != 0) {
    workload.notes.push_back(std::to_string(assumed) +
                             " frames ran on CPUs whose frequency is assumed");
    constexpr std::size_t kMostAssumed = 10;  // one in this many
    workload.knows_core_worth =
        workload.knows_core_worth && assumed * kMostAssumed <= workload.frames.size();
  }
  if (threadless != 0) {
    workload.notes.push_back(std::to_string(threadless) +
                             " frames left out: only FrameTimeline shows them");
  }
  if (!model.cpu.gaps.empty()) {
    workload.notes.push_back("events were lost " + std::to_string(model.cpu.gaps.size()) +
                             " times: frames that were made then are left out");
  }
  workload.interval = median_interval(workload.frames);
  if (std::string rates = rates_note(workload.frames); !rates.empty()) {
    workload.notes.push_back(std::move(rates));
  }
  if (finding.interval_assumed) {
    workload.notes.push_back(
        "the refresh rate is not recorded: assuming " +
        std::to_string(std::llround(1e9 / static_cast<double>(finding.interval))) + " Hz");
  }
  std::stable_sort(
      workload.frames.begin(), workload.frames.end(),
      [](const WorkloadFrame& a, const WorkloadFrame& b) { return a.vsync < b.vsync; });
  if (workload.has_work) {
    workload.other = busy.series();
  }
  return workload;
}

}  // namespace framegov::sim
