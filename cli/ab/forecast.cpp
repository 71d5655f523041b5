// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "cli/ab/paired_test.h"
#include "sim/run/on_threads.h"

namespace framegov::ab {

namespace {

/// Of the difference, as a part: what a replay is off by where its powers are right.
constexpr double kReplayError = 0.1;
/// Quantile of the normal that a 95 % interval's half width is, in standard deviations.
constexpr double kNormal95 = 1.96;
/// Parts of a recording, s, and how many there are at most: neighbours are then taken together,
/// as what is done on a phone lasts.
constexpr double kPartSeconds = 5;
constexpr std::size_t kMostParts = 12;
/// Fewer say too little of how use varies.
constexpr std::size_t kFewestParts = 5;
constexpr double kNsPerSecond = 1e9;

constexpr double square(double value) { return value * value; }

/// What has been drawn when each part of a recording begins, by when its first frame comes.
class PartMeter final : public sim::PlantObserver {
 public:
  struct Part {
    std::size_t number{};
    double begin_ns{};
    double energy_mj{};
  };

  explicit PartMeter(const sim::Plant& plant) : plant_(&plant) {}

  void on_frame(const sim::PipelineFrame& frame, sim::FrameVerdict /*verdict*/) override {
    if (first_ < 0) {
      first_ = frame.load.vsync;
    }
    const double since = std::max(frame.load.vsync - first_, 0.0);
    const auto part = static_cast<std::size_t>(since / (kPartSeconds * kNsPerSecond));
    if (parts_.empty() || part > parts_.back().number) {
      parts_.push_back({part, frame.load.vsync, plant_->energy_mj(frame.ready)});
    }
  }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  const sim::Plant* plant_;
  double first_ = -1;
  std::vector<Part> parts_;
};

/// One replay: its mean power, and that of the parts between the first frames of two.
struct Replayed {
  double mw = 0;
  double seconds = 0;
  double late_percent = 0;
  std::vector<double> part_mw;
};

Replayed replayed(const sim::ReplayScene& scene, const sim::PolicyEntry& policy,
                  const sim::ReplaySettings& settings) {
  sim::OpenReplay open(scene, policy, settings);
  PartMeter meter(open.plant());
  const sim::PlantTotals totals = open.plant().run(&meter);
  Replayed result;
  result.seconds = totals.seconds;
  result.mw = totals.mean_power();
  if (totals.frames > 0) {
    result.late_percent =
        100 * static_cast<double>(totals.late) / static_cast<double>(totals.frames);
  }
  for (std::size_t i = 0; i + 1 < meter.parts().size(); ++i) {
    const PartMeter::Part& part = meter.parts()[i];
    const PartMeter::Part& next = meter.parts()[i + 1];
    result.part_mw.push_back((next.energy_mj - part.energy_mj) /
                             ((next.begin_ns - part.begin_ns) / kNsPerSecond));
  }
  return result;
}

/// A draw's two replays.
struct Draw {
  Replayed stock;
  Replayed framegov;

  [[nodiscard]] double difference() const { return framegov.mw - stock.mw; }
};

Draw make_draw(const ForecastInput& input, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  sim::ReplaySettings settings = input.settings;
  settings.plant.world.seed = seed;
  // Nobody knows what was drawn.
  const sim::ReplayDevice phone(drawn_phone(input.phone, input.doubt, random), input.phone,
                                settings.world().power);
  const sim::ReplayScene scene(input.recording, phone, settings.deadline, settings.world());
  return {replayed(scene, input.stock, settings), replayed(scene, input.framegov, settings)};
}

/// Parts that all replays have.
std::size_t parts_of(const std::vector<Draw>& draws) {
  std::size_t parts = draws.front().stock.part_mw.size();
  for (const Draw& draw : draws) {
    parts = std::min({parts, draw.stock.part_mw.size(), draw.framegov.part_mw.size()});
  }
  return parts;
}

/// A variance of the mean difference, and how well it is known.
struct Uncertainty {
  double variance = 0;
  double degrees_of_freedom = 0;
};

Uncertainty of_phone_and_world(const std::vector<Draw>& draws) {
  std::vector<double> differences;
  for (const Draw& draw : draws) {
    differences.push_back(draw.difference());
  }
  const auto count = static_cast<double>(draws.size());
  return {square(moments_of(differences).deviation) * (1 + 1 / count), count - 1};
}

/// The recording's `parts` are a sample of what the app is used for.
Uncertainty of_use(const std::vector<Draw>& draws, std::size_t parts) {
  const std::size_t groups = std::min(parts, kMostParts);
  std::vector<std::vector<double>> differences(groups);
  for (const Draw& draw : draws) {
    for (std::size_t part = 0; part < parts; ++part) {
      differences[part * groups / parts].push_back(draw.framegov.part_mw[part] -
                                                   draw.stock.part_mw[part]);
    }
  }
  std::vector<double> means;
  for (const std::vector<double>& group : differences) {
    means.push_back(moments_of(group).mean);
  }
  const auto count = static_cast<double>(groups);
  return {square(moments_of(means).deviation) / count, count - 1};
}

/// Half of the 95 % interval of what varies by all of `parts` and by `known`, a variance.
double half_width_of(std::span<const Uncertainty> parts, double known) {
  double sum = known;
  double weighted = 0;
  for (const Uncertainty& part : parts) {
    sum += part.variance;
    weighted += square(part.variance) / part.degrees_of_freedom;
  }
  return weighted > 0 ? t_quantile(square(sum) / weighted) * std::sqrt(sum)
                      : kNormal95 * std::sqrt(sum);
}

}  // namespace

PowerDoubt power_doubt(const sim::DeviceModel& phone,
                       const std::vector<std::vector<sim::PowerInterval>>& intervals) {
  PowerDoubt doubt;
  for (std::size_t c = 0; c < phone.clusters.size(); ++c) {
    const auto& opps = phone.clusters[c].opps;
    if (c >= intervals.size() || intervals[c].size() != opps.size()) {
      return {.cluster = kOtherPhone, .opp = {}};
    }
    std::vector<double>& cluster = doubt.opp.emplace_back();
    for (std::size_t i = 0; i < opps.size(); ++i) {
      const double busy = opps[i].busy().count();
      // A low end may have been cut off at zero.
      const double half = std::max((intervals[c][i].high - intervals[c][i].low).count() / 2,
                                   intervals[c][i].high.count() - busy);
      cluster.push_back(busy > 0 ? half / kNormal95 / busy : 0);
    }
  }
  return doubt;
}

sim::DeviceModel drawn_phone(sim::DeviceModel phone, const PowerDoubt& doubt,
                             std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  // Of mean 1.
  const auto factor = [&](double deviation) {
    return std::exp(deviation * normal(random) - deviation * deviation / 2);
  };
  for (std::size_t c = 0; c < phone.clusters.size(); ++c) {
    const double cluster = factor(doubt.cluster);
    if (phone.rail && phone.rail->cluster == c) {
      for (double& mw : phone.rail->shared_mw) {
        mw *= cluster;
      }
    }
    for (std::size_t i = 0; i < phone.clusters[c].opps.size(); ++i) {
      const bool known = c < doubt.opp.size() && i < doubt.opp[c].size();
      const double both = cluster * factor(known ? doubt.opp[c][i] : 0);
      sim::DeviceOpp& opp = phone.clusters[c].opps[i];
      opp.active = opp.active * both;
      opp.static_power = opp.static_power * both;
      opp.idle = opp.idle * both;
      if (phone.rail && phone.rail->cluster == c) {
        for (auto* rows : {&phone.rail->active_mw, &phone.rail->static_mw}) {
          for (double& mw : (*rows)[i]) {
            mw *= both;
          }
        }
      }
    }
  }
  return phone;
}

Result<Forecast> make_forecast(const ForecastInput& input, std::size_t draws, std::size_t jobs,
                               std::atomic<std::size_t>& done) {
  constexpr std::size_t kFewestDraws = 5;
  std::vector<Draw> all(std::max(draws, kFewestDraws));
  sim::on_threads(all.size(), jobs, [&](std::size_t i) {
    all[i] = make_draw(input, i + 1);
    ++done;
  });
  const std::size_t parts = parts_of(all);
  if (parts < kFewestParts) {
    return fail(ExitCode::kBadInput,
                input.recording.name + ": too short for a forecast, which needs frames over 30 s",
                "record for longer: framegov record FILE --seconds 60");
  }
  Forecast forecast;
  forecast.seconds = all.front().stock.seconds;
  const auto count = static_cast<double>(all.size());
  for (const Draw& draw : all) {
    forecast.stock += draw.stock.mw / count;
    forecast.framegov += draw.framegov.mw / count;
    forecast.stock_late_percent += draw.stock.late_percent / count;
    forecast.framegov_late_percent += draw.framegov.late_percent / count;
  }
  forecast.half_width = half_width_of(std::array{of_phone_and_world(all), of_use(all, parts)},
                                      square(kReplayError * forecast.difference()));
  if (!std::isfinite(forecast.half_width)) {
    return fail(ExitCode::kBadInput,
                input.phone.name + ": its powers are too unsure for a forecast",
                "framegov calibrate measures them anew");
  }
  return forecast;
}

ForecastVerdict judge(const Forecast& forecast, const Measure& power_mw) {
  if (!std::isfinite(power_mw.test.half_width) || power_mw.test.pairs < kFewestPairs) {
    return ForecastVerdict::kUnknown;
  }
  const double noise = power_mw.test.half_width;
  const double off = power_mw.test.mean - forecast.difference();
  if (std::abs(off) > std::hypot(forecast.half_width, noise)) {
    return off > 0 ? ForecastVerdict::kMore : ForecastVerdict::kLess;
  }
  // What is measured so coarsely agrees with anything.
  return noise > std::max(std::abs(forecast.difference()), forecast.half_width)
             ? ForecastVerdict::kUnknown
             : ForecastVerdict::kHeld;
}

}  // namespace framegov::ab
