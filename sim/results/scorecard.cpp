// SPDX-License-Identifier: Apache-2.0
#include "sim/results/scorecard.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

namespace framegov::sim {

namespace {

constexpr double kOthersQuantile = 0.9;

std::optional<double> ratio(double energy, double over) {
  return over > 0 ? std::optional(energy / over) : std::nullopt;
}

/// In the run queue, a burst's mean.
double waited_ms(const OthersDelay::Totals& others) {
  return others.bursts > 0 ? others.waited_ns / static_cast<double>(others.bursts) / 1e6 : 0.0;
}

nlohmann::json quantiles(const GenerationHistogram& times) {
  return {{"p50", times.quantile_ms(0.50)},
          {"p95", times.quantile_ms(0.95)},
          {"p99", times.quantile_ms(0.99)}};
}

nlohmann::json or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

std::string or_dash(const std::optional<double>& value) {
  if (!value) {
    return "-";
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << *value;
  return text.str();
}

bool same_scene(const RunResult& a, const RunResult& b) {
  return a.input == b.input && a.device == b.device && a.deadline == b.deadline;
}

const SceneBounds* bounds_of(const RunResult& run, const std::vector<SceneBounds>& bounds) {
  const auto found = std::find_if(bounds.begin(), bounds.end(), [&](const SceneBounds& each) {
    return each.input == run.input && each.device == run.device;
  });
  return found == bounds.end() ? nullptr : &*found;
}

/// A line like a policy's, of one who knows every frame beforehand and misses no feasible one.
void add_clairvoyant(std::ostream& out, const char* name, double mj, const SceneBounds& bounds,
                     double seconds) {
  out << "  " << std::left << std::setw(18) << name << std::right << std::setw(8) << 0
      << std::setw(7) << "" << std::setw(28) << "" << std::setw(7) << std::setprecision(0)
      << (seconds > 0 ? mj / seconds : 0) << std::setw(8) << "" << std::setw(11)
      << or_dash(ratio(mj, bounds.strict_mj)) << std::setw(13)
      << or_dash(ratio(mj, bounds.buffered_mj)) << '\n';
}

void add_clairvoyants(std::ostream& out, const SceneBounds* bounds, double seconds) {
  if (bounds != nullptr && bounds->strict_mj > 0) {
    add_clairvoyant(out, "oracle-strict", bounds->strict_mj, *bounds, seconds);
    add_clairvoyant(out, "oracle-buffered", bounds->buffered_mj, *bounds, seconds);
    if (bounds->dp_mj > 0) {
      add_clairvoyant(out, "oracle-dp", bounds->dp_mj, *bounds, seconds);
    }
  }
}

}  // namespace

std::vector<ScoredRun> score(const std::vector<RunResult>& runs,
                             const std::vector<SceneBounds>& bounds) {
  std::vector<ScoredRun> scored;
  for (const RunResult& run : runs) {
    ScoredRun result{run, {}, {}, {}, {}, {}};
    const double energy = run.totals.energy_mj();
    if (const SceneBounds* bound = bounds_of(run, bounds)) {
      result.vs_strict = ratio(energy, bound->strict_mj);
      result.vs_buffered = ratio(energy, bound->buffered_mj);
      result.frames_vs_bound = ratio(run.totals.frames_mj, bound->frames_mj);
    }
    const auto stock = std::find_if(runs.begin(), runs.end(), [&](const RunResult& each) {
      return each.policy == kStockPolicy && same_scene(each, run);
    });
    if (stock != runs.end()) {
      result.vs_stock = ratio(energy, stock->totals.energy_mj());
      result.others_vs_stock = ratio(run.totals.others.finish.quantile_ms(kOthersQuantile),
                                     stock->totals.others.finish.quantile_ms(kOthersQuantile));
    }
    scored.push_back(std::move(result));
  }
  return scored;
}

nlohmann::json to_json(const std::vector<ScoredRun>& runs) {
  nlohmann::json list = nlohmann::json::array();
  for (const ScoredRun& each : runs) {
    const PlantTotals& totals = each.run.totals;
    list.push_back({{"input", each.run.input},
                    {"device", each.run.device},
                    {"policy", each.run.policy},
                    {"world", each.run.world},
                    {"deadline", deadline_name(each.run.deadline)},
                    {"frames", totals.frames},
                    {"feasible_frames", totals.feasible},
                    {"missed_deadlines", totals.missed},
                    {"avoidable_misses", each.run.avoidable ? nlohmann::json(*each.run.avoidable)
                                                            : nlohmann::json(nullptr)},
                    {"miss_rate", totals.miss_rate()},
                    {"late_frames", totals.late},
                    {"stuffed_frames", totals.stuffed},
                    {"janky_frames", totals.janky},
                    {"dropped_frames", totals.dropped},
                    {"energy_mj", totals.energy_mj()},
                    {"energy_parts_mj",
                     {{"frames", totals.frames_mj},
                      {"others", totals.others_mj()},
                      {"rail", totals.shared_mj},
                      {"own", totals.service_mj}}},
                    {"others",
                     {{"finish_ms",
                       {{"p50", totals.others.finish.quantile_ms(0.5)},
                        {"p90", totals.others.finish.quantile_ms(kOthersQuantile)}}},
                      {"waited_ms", waited_ms(totals.others)},
                      {"left", totals.others.left_part()},
                      {"vs_stock", or_null(each.others_vs_stock)}}},
                    {"frames_vs_bound", or_null(each.frames_vs_bound)},
                    {"mean_power_mw", totals.mean_power()},
                    {"generation_ms", quantiles(totals.generation)},
                    {"busy_ms", quantiles(totals.busy)},
                    {"vs_strict", or_null(each.vs_strict)},
                    {"vs_buffered", or_null(each.vs_buffered)},
                    {"vs_stock", or_null(each.vs_stock)},
                    {"writes", totals.writes + totals.thread_writes},
                    {"transitions", totals.transitions}});
  }
  return {{"runs", list}};
}

nlohmann::json world_json(const World& world) {
  return {{"name", world.name()}, {"factors", world.factors()}};
}

void print_table(std::ostream& out, const std::vector<ScoredRun>& runs,
                 const std::vector<SceneBounds>& bounds) {
  std::ostringstream text;
  text << std::fixed;
  const RunResult* scene = nullptr;
  for (const ScoredRun& each : runs) {
    const RunResult& run = each.run;
    const PlantTotals& totals = run.totals;
    if (scene == nullptr || !same_scene(*scene, run)) {
      text << (scene == nullptr ? "" : "\n") << run.input << " on " << run.device << ", "
           << deadline_name(run.deadline) << " deadlines, " << run.world
           << " world: " << totals.frames << " frames, " << totals.feasible << " feasible, "
           << std::setprecision(1) << totals.seconds << " s\n"
           << "  policy              missed      %  avoidable  stuffed   janky     mW  frames  vs "
              "strict  "
              "vs buffered  "
              "vs stock  others' p90   p50    p95    p99 ms  writes  mJ: frames   others  rail   "
              "own\n";
      add_clairvoyants(text, bounds_of(run, bounds), totals.seconds);
      scene = &run;
    }
    text << "  " << std::left << std::setw(18) << run.policy << std::right << std::setw(8)
         << totals.missed << std::setw(7) << std::setprecision(2) << 100 * totals.miss_rate()
         << std::setw(11) << (each.run.avoidable ? std::to_string(*each.run.avoidable) : "-")
         << std::setw(9) << totals.stuffed << std::setw(8) << totals.janky << std::setw(7)
         << std::setprecision(0) << totals.mean_power() << std::setw(8)
         << or_dash(each.frames_vs_bound) << std::setw(11) << or_dash(each.vs_strict)
         << std::setw(13) << or_dash(each.vs_buffered) << std::setw(10) << or_dash(each.vs_stock)
         << std::setw(13) << or_dash(each.others_vs_stock) << std::setprecision(1) << std::setw(6)
         << totals.generation.quantile_ms(0.50) << std::setw(7)
         << totals.generation.quantile_ms(0.95) << std::setw(7)
         << totals.generation.quantile_ms(0.99) << std::setw(11)
         << totals.writes + totals.thread_writes << std::setprecision(0) << std::setw(12)
         << totals.frames_mj << std::setw(9) << totals.others_mj() << std::setw(6)
         << totals.shared_mj << std::setw(6) << totals.service_mj << '\n';
  }
  out << text.str();
}

}  // namespace framegov::sim
