// SPDX-License-Identifier: Apache-2.0
#include "sim/run/validate.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include "sim/run/recorded_replay.h"
#include "sim/workload/platform_label.h"
#include "sim/workload/recorded_phone.h"
#include "sim/workload/workload_source.h"

namespace framegov::sim {

namespace {

/// Every other frame of the recording is held out, whichever app's it is.
bool held_out(std::size_t index) { return index % 2 == 1; }

/// The phone's CPU rails that were sampled, and from when to when all of them were.
struct CpuRails {
  std::vector<std::uint32_t> ids;  // ascending
  Instant from, to;
};

/// Nothing where there are none, or no such time.
std::optional<CpuRails> cpu_rails(const Workload& workload) {
  CpuRails rails;
  const auto& samples = workload.rail_samples;
  for (std::uint32_t rail = 0; rail < workload.rails.size(); ++rail) {
    if (workload.rails[rail].find("CPU") == std::string::npos) {
      continue;
    }
    const auto of_rail = [&](const RailSample& sample) { return sample.rail == rail; };
    const auto first = std::find_if(samples.begin(), samples.end(), of_rail);
    if (first == samples.end()) {
      continue;
    }
    const auto last = std::find_if(samples.rbegin(), samples.rend(), of_rail);
    rails.from = rails.ids.empty() ? first->at : std::max(rails.from, first->at);
    rails.to = rails.ids.empty() ? last->at : std::min(rails.to, last->at);
    rails.ids.push_back(rail);
  }
  return rails.from < rails.to ? std::optional(std::move(rails)) : std::nullopt;
}

/// Cumulative counter of one rail at `at`, interpolated; within its samples.
double counter_at(const std::vector<RailSample>& samples, std::uint32_t rail, Instant at) {
  const RailSample* before = nullptr;
  for (const RailSample& sample : samples) {
    if (sample.rail != rail) {
      continue;
    }
    if (sample.at >= at) {
      if (before == nullptr) {
        return sample.mj;
      }
      const double share = to_seconds(at - before->at) / to_seconds(sample.at - before->at);
      return before->mj + (sample.mj - before->mj) * share;
    }
    before = &sample;
  }
  return before == nullptr ? 0 : before->mj;
}

/// Energy of `rails` over the time that they stand for.
void add_rails(const Workload& workload, const CpuRails& rails, Validation& result) {
  double sum = 0;
  for (const std::uint32_t rail : rails.ids) {
    sum += counter_at(workload.rail_samples, rail, rails.to) -
           counter_at(workload.rail_samples, rail, rails.from);
    result.rails += (result.rails.empty() ? "" : ", ") + workload.rails[rail];
  }
  result.rails_cpu_mj = sum;
}

/// Predicted CPU energy, and that of the rails over the same time: of the frames that were made
/// while these were sampled, if any were.
void compare_energy(Workload workload, const DeviceModel& phone, Validation& result) {
  std::optional<CpuRails> rails = cpu_rails(workload);
  if (rails) {
    std::vector<WorkloadFrame> within;
    std::copy_if(workload.frames.begin(), workload.frames.end(), std::back_inserter(within),
                 [&](const WorkloadFrame& frame) {
                   return frame.vsync >= rails->from &&
                          std::max(frame.ready, frame.vsync + frame.interval) <= rails->to;
                 });
    if (within.empty()) {
      rails.reset();
    } else {
      workload.frames = std::move(within);
    }
  }
  // The rails know no apps: all of them draw.
  const PlantTotals totals = replay_recorded(workload, phone).totals;
  result.seconds = totals.seconds;
  result.predicted_cpu_mj = totals.energy_mj() - totals.service_mj;
  if (rails) {
    rails->from = workload.frames.front().vsync;
    rails->to = std::min(rails->from + seconds_to_duration(totals.seconds), rails->to);
    add_rails(workload, *rails, result);
  }
}

bool shown_late(const PipelineFrame& frame) {
  return taken_after_its_turn(frame.latch, frame.load.latch_grid(), frame.load.interval,
                              frame.load.deadline);
}

/// The plant took the buffer at the vsync that the compositor did.
std::optional<bool> taken_as_recorded(const WorkloadFrame& frame, const PipelineFrame& predicted) {
  if (frame.taken_ns == 0) {
    return std::nullopt;
  }
  const Duration recorded = frame.ready - frame.vsync + Duration{frame.taken_ns};
  const double off =
      predicted.latch - predicted.as_recorded().vsync - static_cast<double>(recorded.count());
  return std::abs(off) < 0.5 * static_cast<double>(frame.interval.count());
}

double relative_error(double predicted_ms, const ValidatedFrame& frame) {
  return std::abs(predicted_ms - frame.recorded_ms) / frame.recorded_ms;
}

}  // namespace

double Validation::error(double q) const {
  std::vector<double> errors;
  for (const ValidatedFrame& frame : frames) {
    errors.push_back(relative_error(frame.predicted_ms, frame));
  }
  return quantile(std::move(errors), q);
}

std::optional<double> Validation::usual_start_error(double q) const {
  std::vector<double> errors;
  for (const ValidatedFrame& frame : frames) {
    if (frame.held_out) {
      errors.push_back(relative_error(frame.usual_start_ms, frame));
    }
  }
  return errors.empty() ? std::nullopt : std::optional(quantile(std::move(errors), q));
}

Validation::Counts Validation::counts() const {
  Counts counts;
  for (const ValidatedFrame& frame : frames) {
    counts.held_out += frame.held_out ? 1U : 0U;
    counts.late_as_recorded += frame.recorded_late == frame.predicted_late ? 1U : 0U;
    counts.labelled += frame.platform_late ? 1U : 0U;
    counts.late_as_labelled += frame.platform_late == frame.predicted_shown_late ? 1U : 0U;
    counts.buffers += frame.taken_as_recorded ? 1U : 0U;
    counts.taken_as_recorded += frame.taken_as_recorded.value_or(false) ? 1U : 0U;
  }
  return counts;
}

Result<Validation> validate(const Workload& workload, const DeviceModel& power) {
  FRAMEGOV_TRY_STATUS(require_work(workload));
  FRAMEGOV_TRY(const auto phone, recorded_phone(workload, power));
  Validation result;
  // Over the frames that may be used to fit.
  const Duration dispatch =
      median_dispatch(workload.frames, [](std::size_t index) { return !held_out(index); });
  result.dispatch_ms = to_ms(dispatch);

  // Apps have pipelines of their own: each is replayed alone.
  std::map<std::uint32_t, std::vector<std::size_t>> by_app;
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    by_app[workload.frames[i].app].push_back(i);
  }
  const Instant first = workload.frames.empty() ? Instant{} : workload.frames.front().vsync;
  for (const auto& [app, indices] : by_app) {
    Workload alone = workload;
    alone.dispatch = dispatch;
    alone.frames.clear();
    for (const std::size_t i : indices) {
      alone.frames.push_back(workload.frames[i]);
    }
    const RecordedReplay replayed = replay_recorded(alone, phone);
    const RecordedReplay usual_start =
        replay_recorded(alone, phone, FittedWorkload::Starts::kUsual);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const WorkloadFrame& frame = workload.frames[indices[i]];
      if (!is_known(frame.ready) || frame.ready <= frame.vsync) {
        continue;
      }
      const PipelineFrame& predicted = replayed.frames[i];
      result.frames.push_back(
          {.app = app < workload.apps.size() ? workload.apps[app].name : std::string(),
           .at_ms = to_ms(frame.vsync - first),
           .recorded_ms = to_ms(frame.ready - frame.vsync),
           .predicted_ms = generation_ms(predicted),
           .usual_start_ms = generation_ms(usual_start.frames[i]),
           .held_out = held_out(indices[i]),
           .recorded_late = frame.ready > frame.deadline,
           .predicted_late = predicted.ready > predicted.load.deadline,
           .predicted_shown_late = shown_late(predicted),
           .platform_late = labelled_late(frame.jank),
           .taken_as_recorded = taken_as_recorded(frame, predicted)});
    }
  }
  if (result.frames.empty()) {
    return fail(ExitCode::kBadInput, workload.source + ": no frame's generation time is recorded",
                "validate a trace of a running app");
  }
  std::sort(result.frames.begin(), result.frames.end(),
            [](const ValidatedFrame& a, const ValidatedFrame& b) { return a.at_ms < b.at_ms; });

  Workload whole = workload;
  whole.dispatch = dispatch;
  compare_energy(std::move(whole), phone, result);
  return result;
}

void print_validation(std::ostream& out, const Validation& validation) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2)
       << "      at ms  recorded ms  predicted ms    error  late  app\n";
  for (const ValidatedFrame& frame : validation.frames) {
    const double error = (frame.predicted_ms - frame.recorded_ms) / frame.recorded_ms;
    text << std::setw(11) << frame.at_ms << std::setw(13) << frame.recorded_ms << std::setw(14)
         << frame.predicted_ms << std::setw(8) << std::setprecision(1) << 100 * error << "%  "
         << (frame.recorded_late ? 'r' : '-') << (frame.predicted_late ? 'p' : '-') << "    "
         << frame.app << (frame.held_out ? "" : "  (fit)") << '\n'
         << std::setprecision(2);
  }
  const auto errors = [&](double middle, double most) {
    text << "generation time off by " << std::setprecision(1) << 100 * middle << " % (median), "
         << 100 * most << " % (p90)\n"
         << std::setprecision(2);
  };
  const Validation::Counts counts = validation.counts();
  text << "\nnothing fitted, " << validation.frames.size() << " frames: ";
  errors(validation.error(0.5), validation.error(0.9));
  if (const auto middle = validation.usual_start_error(0.5)) {
    text << "held out, " << counts.held_out << " frames, if all UI threads started "
         << validation.dispatch_ms << " ms after vsync (fitted on the other "
         << validation.frames.size() - counts.held_out << "): ";
    errors(*middle, *validation.usual_start_error(0.9));
  }
  text << "late: predicted as recorded for " << counts.late_as_recorded << " of "
       << validation.frames.size() << " frames";
  if (counts.labelled > 0) {
    text << ", as the platform's labels for " << counts.late_as_labelled << " of "
         << counts.labelled;
  }
  if (counts.buffers > 0) {
    text << "\nbuffers taken by the compositor at the recorded vsync: " << counts.taken_as_recorded
         << " of " << counts.buffers;
  }
  text << "\nCPU energy over " << std::setprecision(2) << validation.seconds << " s: predicted "
       << std::setprecision(0) << validation.predicted_cpu_mj << " mJ";
  if (validation.rails_cpu_mj) {
    text << ", rails " << *validation.rails_cpu_mj << " mJ (" << validation.rails
         << "): predicted / rails " << std::setprecision(2)
         << validation.predicted_cpu_mj / *validation.rails_cpu_mj;
  } else {
    text << "; the recording has no CPU power rails over the time of a frame";
  }
  out << text.str() << '\n';
}

nlohmann::json to_json(const Validation& validation) {
  const Validation::Counts counts = validation.counts();
  nlohmann::json object{
      {"frames", validation.frames.size()},
      {"seconds", validation.seconds},
      {"generation_error", {{"p50", validation.error(0.5)}, {"p90", validation.error(0.9)}}},
      {"usual_start", nullptr},
      {"late",
       {{"as_recorded", counts.late_as_recorded},
        {"labelled", counts.labelled},
        {"as_labelled", counts.late_as_labelled}}},
      {"buffers", {{"counted", counts.buffers}, {"taken_as_recorded", counts.taken_as_recorded}}},
      {"cpu_mj",
       {{"predicted", validation.predicted_cpu_mj},
        {"rails", nullptr},
        {"predicted_over_rails", nullptr}}}};
  if (const auto middle = validation.usual_start_error(0.5)) {
    object["usual_start"] = {
        {"frames", counts.held_out},
        {"dispatch_ms", validation.dispatch_ms},
        {"generation_error", {{"p50", *middle}, {"p90", *validation.usual_start_error(0.9)}}}};
  }
  if (validation.rails_cpu_mj) {
    object["cpu_mj"]["rails"] = *validation.rails_cpu_mj;
    object["cpu_mj"]["predicted_over_rails"] =
        validation.predicted_cpu_mj / *validation.rails_cpu_mj;
  }
  return object;
}

}  // namespace framegov::sim
