// SPDX-License-Identifier: Apache-2.0
#include "sim/run/forward_validation.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "sim/run/recorded_replay.h"
#include "sim/workload/recorded_phone.h"

namespace framegov::sim {

namespace {

/// Frames that are known, or not, together. A heavy frame, the ones that wait for it and those that
/// its app leaves out make some five; works of frames eight apart say little of each other.
constexpr std::size_t kRun = 8;
constexpr std::size_t kLeastRuns = 4;
constexpr std::size_t kHalvings = 100;
constexpr std::size_t kLotsOfFixed = 20;

/// The lot, the same everywhere: std's distributions differ between libraries.
std::size_t draw(std::mt19937_64& random, std::size_t below) { return random() % below; }

/// From `begin` to before `end`, of one half.
struct Run {
  std::size_t begin;
  std::size_t end;
  bool known;
};

/// Of every two runs the first is known; or the second, where `second` says so of the pair.
template <class Second>
std::vector<Run> halve(std::size_t frames, Second&& second) {
  std::vector<Run> runs;
  bool swapped = false;
  for (std::size_t begin = 0; begin < frames; begin += kRun) {
    const std::size_t number = begin / kRun;
    swapped = number % 2 == 0 ? second(number / 2) : swapped;
    const bool known = (number % 2 == 0) != swapped;
    const std::size_t end = std::min(begin + kRun, frames);
    if (!runs.empty() && runs.back().known == known) {
      runs.back().end = end;
    } else {
      runs.push_back({begin, end, known});
    }
  }
  return runs;
}

/// One app's frames as they were, and as the plant makes others of them.
class ForwardApp {
 public:
  ForwardApp(Workload alone, const DeviceModel& phone)
      : workload_(std::move(alone)), replayer_(workload_, phone) {
    const std::vector<FittedFrame>& own = replayer_.fitted().frames;
    const std::vector<PipelineFrame> done = replayer_.replay(own).frames;
    for (std::size_t i = 0; i < own.size(); ++i) {
      // Stages take the time that they took at the recorded frequencies: the phone's governor
      // answered this frame's work, and would not have given it another's speed.
      FittedFrame& frame = timed_.emplace_back(own[i]);
      frame.ui_fixed = own[i].ui_work + own[i].ui_fixed > 0 ? done[i].ui_done - done[i].start : 0;
      frame.render_fixed = done[i].render_done - done[i].draw_start;
      frame.ui_work = frame.render_work = 0;
      frame.ui_wait = frame.render_wait = {};
      const double vsync = own[i].vsync;
      to_next_.push_back(i + 1 < own.size() ? own[i + 1].vsync - vsync : own[i].interval);
    }
  }

  [[nodiscard]] std::size_t size() const { return timed_.size(); }
  [[nodiscard]] bool late(std::size_t i) const {
    return workload_.frames[i].ready > workload_.frames[i].deadline;
  }
  [[nodiscard]] double generation(std::size_t i) const {
    return to_ms(workload_.frames[i].ready - workload_.frames[i].vsync);
  }

  /// The frames with those of unknown `runs` drawn.
  [[nodiscard]] std::vector<PipelineFrame> predict(const std::vector<Run>& runs,
                                                   std::mt19937_64& random) const {
    std::vector<FittedFrame> frames;
    double vsync = timed_.front().vsync;
    const auto append = [&](std::size_t from) {
      FittedFrame frame = timed_[from];
      frame.deadline += vsync - frame.vsync;
      frame.vsync = vsync;
      vsync += to_next_[from];
      frames.push_back(frame);
    };
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Run& run = runs[r];
      for (std::size_t at = run.begin; at < run.end;) {
        std::size_t first = at;
        std::size_t count = run.end - at;
        if (!run.known) {
          const bool before = r > 0 && (r + 1 == runs.size() || draw(random, 2) == 0);
          const Run& from = runs[before ? r - 1 : r + 1];
          count = std::min({count, from.end - from.begin, kRun});
          first = from.begin + draw(random, from.end - from.begin - count + 1);
        }
        for (std::size_t i = 0; i < count; ++i) {
          append(first + i);
        }
        at += count;
      }
    }
    return replayer_.replay(std::move(frames)).frames;
  }

 private:
  Workload workload_;
  RecordedReplayer replayer_;
  std::vector<FittedFrame> timed_;  ///< stages as the time that they took
  std::vector<double> to_next_;     ///< from its vsync to the one that the next frame had
};

/// As it is recorded: a game's frame counts from when it has its buffer.
double counted_ms(const PipelineFrame& frame) {
  return frame.load.surface ? (frame.ready - frame.draw_start) / 1e6 : generation_ms(frame);
}

/// Frames of one half, of all apps.
class HalfSum {
 public:
  void add(double ms, bool late) {
    times_.push_back(ms);
    late_ += late ? 1U : 0U;
  }
  [[nodiscard]] Halving::Half half() const {
    return {times_.empty() ? 0 : static_cast<double>(late_) / static_cast<double>(times_.size()),
            quantile(times_, 0.95)};
  }

 private:
  std::vector<double> times_;
  std::size_t late_ = 0;
};

template <class Second>
Halving predict_half(const std::vector<ForwardApp>& apps, std::mt19937_64& random,
                     Second&& second) {
  HalfSum recorded;
  HalfSum predicted;
  HalfSum known;
  for (const ForwardApp& app : apps) {
    const std::vector<Run> runs = halve(app.size(), second);
    const std::vector<PipelineFrame> frames = app.predict(runs, random);
    for (const Run& run : runs) {
      for (std::size_t i = run.begin; i < run.end; ++i) {
        (run.known ? known : recorded).add(app.generation(i), app.late(i));
        if (!run.known) {
          predicted.add(counted_ms(frames[i]), frames[i].ready > frames[i].load.deadline);
        }
      }
    }
  }
  return {recorded.half(), predicted.half(), known.half()};
}

Halving mean_of(const std::vector<Halving>& halvings) {
  Halving mean;
  const auto count = static_cast<double>(halvings.size());
  for (const Halving& each : halvings) {
    for (Halving::Half Halving::*half :
         {&Halving::recorded, &Halving::predicted, &Halving::known}) {
      (mean.*half).late += (each.*half).late / count;
      (mean.*half).p95_ms += (each.*half).p95_ms / count;
    }
  }
  return mean;
}

}  // namespace

Halving ForwardValidation::mean() const { return mean_of(drawn); }

ForwardValidation::Range ForwardValidation::range(double (Halving::*what)() const) const {
  std::vector<double> values;
  for (const Halving& each : drawn) {
    values.push_back((each.*what)());
  }
  return {quantile(values, 0.05), quantile(values, 0.95)};
}

Result<ForwardValidation> validate_forward(const Workload& workload, const DeviceModel& power) {
  FRAMEGOV_TRY_STATUS(require_work(workload));
  FRAMEGOV_TRY(const auto phone, recorded_phone(workload, power));
  std::map<std::uint32_t, std::vector<WorkloadFrame>> by_app;
  for (const WorkloadFrame& frame : workload.frames) {
    if (is_known(frame.ready) && frame.ready > frame.vsync) {
      by_app[frame.app].push_back(frame);
    }
  }
  ForwardValidation result;
  std::vector<ForwardApp> apps;
  for (auto& [app, frames] : by_app) {
    if (frames.size() >= kLeastRuns * kRun) {
      Workload alone = workload;
      alone.frames = std::move(frames);
      result.frames += alone.frames.size();
      apps.emplace_back(std::move(alone), phone);
    }
  }
  if (apps.empty()) {
    return fail(ExitCode::kBadInput, workload.source + ": too few frames to predict half of them",
                "validate a longer trace of a running app");
  }
  std::mt19937_64 random(1);
  std::vector<Halving> lots;
  for (std::size_t lot = 0; lot < kLotsOfFixed; ++lot) {
    lots.push_back(predict_half(apps, random, [](std::size_t) { return false; }));
  }
  result.fixed = mean_of(lots);
  for (std::size_t i = 0; i < kHalvings; ++i) {
    result.drawn.push_back(
        predict_half(apps, random, [&](std::size_t) { return draw(random, 2) == 0; }));
  }
  return result;
}

void print_forward(std::ostream& out, const ForwardValidation& forward) {
  const auto words = [](const Halving& halving) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << "late " << 100 * halving.predicted.late
         << " %, recorded " << 100 * halving.recorded.late << " %; p95 " << std::setprecision(2)
         << halving.predicted.p95_ms << " ms, recorded " << halving.recorded.p95_ms << " ms ("
         << std::setprecision(1) << std::showpos << 100 * halving.p95_error() << " %)";
    return text.str();
  };
  const ForwardValidation::Range late = forward.range(&Halving::late_between);
  const ForwardValidation::Range p95 = forward.range(&Halving::p95_between);
  std::ostringstream text;
  text << "forward, half of " << forward.frames << " frames from the other half, mean of "
       << forward.drawn.size() << " halvings: " << words(forward.mean())
       << "\n  every other run of " << kRun << " frames: " << words(forward.fixed)
       << "\n  the halves themselves differ by " << std::fixed << std::setprecision(1)
       << std::showpos << 100 * late.from << " to " << 100 * late.to << " points late, "
       << 100 * p95.from << " to " << 100 * p95.to << " % at p95 (nine in ten halvings)\n";
  out << text.str();
}

nlohmann::json to_json(const ForwardValidation& forward) {
  const auto of = [](const Halving& halving) {
    return nlohmann::json{
        {"late", {{"recorded", halving.recorded.late}, {"predicted", halving.predicted.late}}},
        {"p95_ms",
         {{"recorded", halving.recorded.p95_ms}, {"predicted", halving.predicted.p95_ms}}}};
  };
  nlohmann::json object = of(forward.mean());
  object["frames"] = forward.frames;
  object["every_other"] = of(forward.fixed);
  const ForwardValidation::Range p95 = forward.range(&Halving::p95_between);
  object["halves_p95"] = {p95.from, p95.to};
  return object;
}

}  // namespace framegov::sim
