// SPDX-License-Identifier: Apache-2.0
#include "sim/run/forward_validation.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <sstream>
#include <vector>

#include "sim/run/recorded_replay.h"
#include "sim/workload/recorded_phone.h"

namespace framegov::sim {

namespace {

/// Frames on either side of an unknown one that its work is drawn from.
constexpr std::size_t kKnownAround = 8;
constexpr std::size_t kLots = 20;

/// `unknown` as `known` was: its own vsync, interval, deadline and compositor stay.
WorkloadFrame drawn_as(const WorkloadFrame& unknown, const WorkloadFrame& known) {
  WorkloadFrame frame = unknown;
  const Duration later = unknown.vsync - known.vsync;
  frame.ui = known.ui;
  frame.render = known.render;
  frame.gpu = known.gpu;
  frame.taken_late = known.taken_late;
  // The times that tell how late it was taken up, and for what it waited.
  frame.start = is_known(known.start) ? known.start + later : known.start;
  frame.ui_done = is_known(known.ui_done) ? known.ui_done + later : known.ui_done;
  frame.ready = is_known(known.ready) ? known.ready + later : known.ready;
  return frame;
}

/// As it is recorded: a game's frame counts from when it has its buffer.
double counted_ms(const PipelineFrame& frame) {
  return frame.load.surface ? (frame.ready - frame.draw_start) / 1e6 : generation_ms(frame);
}

}  // namespace

Result<ForwardValidation> validate_forward(const Workload& workload, const DeviceModel& power) {
  FRAMEGOV_TRY_STATUS(require_work(workload));
  FRAMEGOV_TRY(const auto phone, recorded_phone(workload, power));
  std::map<std::uint32_t, std::vector<WorkloadFrame>> by_app;
  for (const WorkloadFrame& frame : workload.frames) {
    if (is_known(frame.ready) && frame.ready > frame.vsync) {
      by_app[frame.app].push_back(frame);
    }
  }
  std::mt19937_64 random(1);
  std::vector<double> recorded;
  std::vector<double> predicted;
  std::size_t recorded_late = 0;
  std::size_t predicted_late = 0;
  for (const auto& [app, frames] : by_app) {
    if (frames.size() < 2) {
      continue;
    }
    for (std::size_t i = 1; i < frames.size(); i += 2) {
      recorded.push_back(to_ms(frames[i].ready - frames[i].vsync));
      recorded_late += frames[i].ready > frames[i].deadline ? 1U : 0U;
    }
    const std::size_t known_count = (frames.size() + 1) / 2;
    for (std::size_t lot = 0; lot < kLots; ++lot) {
      Workload alone = workload;
      alone.frames = frames;
      for (std::size_t i = 1; i < frames.size(); i += 2) {
        const std::size_t before = i / 2;  // number of the known frame before it
        const std::size_t first = before + 1 > kKnownAround ? before + 1 - kKnownAround : 0;
        const std::size_t last = std::min(known_count, before + 1 + kKnownAround);
        const std::size_t drawn = first + random() % (last - first);
        alone.frames[i] = drawn_as(frames[i], frames[2 * drawn]);
      }
      const RecordedReplay replayed = replay_recorded(alone, phone);
      for (std::size_t i = 1; i < replayed.frames.size(); i += 2) {
        const PipelineFrame& frame = replayed.frames[i];
        predicted.push_back(counted_ms(frame));
        predicted_late += frame.ready > frame.load.deadline ? 1U : 0U;
      }
    }
  }
  if (recorded.empty()) {
    return fail(ExitCode::kBadInput, workload.source + ": too few frames to predict half of them",
                "validate a longer trace of a running app");
  }
  const auto part = [](std::size_t some, std::size_t all) {
    return static_cast<double>(some) / static_cast<double>(all);
  };
  return ForwardValidation{.frames = recorded.size(),
                           .recorded_late = part(recorded_late, recorded.size()),
                           .predicted_late = part(predicted_late, predicted.size()),
                           .recorded_p95_ms = quantile(recorded, 0.95),
                           .predicted_p95_ms = quantile(predicted, 0.95)};
}

void print_forward(std::ostream& out, const ForwardValidation& forward) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << "forward: " << forward.frames
       << " frames predicted from those around them: late " << 100 * forward.predicted_late
       << " %, recorded " << 100 * forward.recorded_late << " %; 95 % are done in "
       << std::setprecision(2) << forward.predicted_p95_ms << " ms, recorded "
       << forward.recorded_p95_ms << " ms (" << std::setprecision(1) << std::showpos
       << 100 * forward.p95_error() << " %)\n";
  out << text.str();
}

nlohmann::json to_json(const ForwardValidation& forward) {
  return {
      {"frames", forward.frames},
      {"late", {{"recorded", forward.recorded_late}, {"predicted", forward.predicted_late}}},
      {"p95_ms", {{"recorded", forward.recorded_p95_ms}, {"predicted", forward.predicted_p95_ms}}}};
}

}  // namespace framegov::sim
