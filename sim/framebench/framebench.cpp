// SPDX-License-Identifier: Apache-2.0
#include "sim/framebench/framebench.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/json_text.h"
#include "sim/devices/content_hash.h"
#include "sim/results/scorecard.h"
#include "sim/sweep/sweep_key.h"

namespace framegov::embedded {
extern const std::string_view kFrameBench1;
}

namespace framegov::sim {

namespace {

// FrameBench 1's own, whatever rankings elsewhere come to use.
constexpr double kMostAvoidable = 0.001;
constexpr double kMostDelay = 1.10;

struct Hashes {
  std::string results;
  std::string reference;  ///< of the reference policy's lines alone: says which simulator it was
};

Hashes hashes_of(std::string_view csv, const std::vector<SweepRow>& rows) {
  std::string reference;
  for (const SweepRow& row : rows) {
    if (row.policy == kStockPolicy) {
      reference += sweep_csv_line(row);
    }
  }
  return {sha256_hex(csv), sha256_hex(reference)};
}

const char* verdict_text(FrameBenchVerdict verdict) {
  return verdict == FrameBenchVerdict::kMet            ? "on time"
         : verdict == FrameBenchVerdict::kDelaysOthers ? "delays others"
                                                       : "late";
}

std::string interval(double value, const Interval& range, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value << " (" << range.low << " to "
       << range.high << ')';
  return text.str();
}

}  // namespace

Result<FrameBench> FrameBench::load() {
  FRAMEGOV_TRY(const DeviceCatalog catalog, DeviceCatalog::load());
  FRAMEGOV_TRY(SweepPlan plan, parse_sweep_plan(std::string(embedded::kFrameBench1),
                                                "framebench_1.yaml", {}, catalog));
  for (SweepWorld& world : plan.worlds) {
    world.name = world.name.substr(0, world.name.find(' '));  // all factors are spelled out
  }
  return FrameBench{sha256_hex(embedded::kFrameBench1), std::move(plan)};
}

void FrameBench::add(SweepPolicy policy) {
  if (std::none_of(plan.policies.begin(), plan.policies.end(),
                   [&](const SweepPolicy& each) { return each.name() == policy.name(); })) {
    plan.policies.push_back(std::move(policy));
  }
}

FrameBenchRun::FrameBenchRun(const SweepPlan& plan) : plan_(&plan), figures_(plan.runs()) {}

void FrameBenchRun::run(std::size_t jobs, bool native) {
  SweepQueue queue(*plan_,
                   all_units(*plan_,
                             [&](std::size_t /*scene*/, std::size_t variant) {
                               return native == !plan_->policies[variant].on_device;
                             }),
                   std::max<std::size_t>(jobs, 1));
  work_off(*plan_, queue, jobs, [&](const SweepUnit& /*unit*/, Result<SweepUnitResults> unit) {
    for (SweepResult& each : unit->results) {  // generated inputs cannot fail to be read
      figures_[each.scene * plan_->variants() + each.variant] = std::move(each.figures);
      ++done_;
    }
    return true;
  });
}

void FrameBenchRun::run_native(std::size_t jobs) { run(jobs, true); }
void FrameBenchRun::run_others() { run(1, false); }

Result<std::string> FrameBenchRun::csv() const {
  std::string csv = sweep_csv_head();
  FRAMEGOV_TRY_STATUS(for_each_row(
      *plan_,
      [&](std::size_t scene, std::size_t variant) -> Result<std::optional<std::string>> {
        return figures_[scene * plan_->variants() + variant];
      },
      [&](const SweepRow& row) { csv += sweep_csv_line(row); }));
  return csv;
}

std::vector<FrameBenchScore> frame_bench_scores(const std::vector<SweepRow>& rows) {
  std::vector<std::pair<std::string, Ranking>> worlds;
  for (const SweepRow& row : rows) {
    auto found = std::find_if(worlds.begin(), worlds.end(),
                              [&](const auto& each) { return each.first == row.world; });
    if (found == worlds.end()) {
      worlds.emplace_back(row.world, Ranking());
      found = worlds.end() - 1;
    }
    found->second.add(ranked_run(row));
  }
  std::vector<FrameBenchScore> scores;
  for (const auto& [world, ranking] : worlds) {
    std::vector<FrameBenchScore> own;
    for (RankedPolicy& policy : ranking.policies()) {
      const auto verdict = policy.avoidable_rate > kMostAvoidable ? FrameBenchVerdict::kLate
                           : policy.others_vs_stock > kMostDelay  ? FrameBenchVerdict::kDelaysOthers
                                                                  : FrameBenchVerdict::kMet;
      own.push_back({world, verdict, std::move(policy)});
    }
    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) {
      return std::pair(a.verdict, a.figures.vs_stock) < std::pair(b.verdict, b.figures.vs_stock);
    });
    std::move(own.begin(), own.end(), std::back_inserter(scores));
  }
  return scores;
}

Result<std::string> frame_bench_table(const FrameBench& bench, std::string_view csv,
                                      const std::string& name) {
  FRAMEGOV_TRY(const std::vector<SweepRow> rows, read_sweep_csv(csv, name));
  const Hashes hashes = hashes_of(csv, rows);
  std::ostringstream text;
  text << FrameBench::name() << ", " << rows.size() << " runs\n" << std::fixed;
  std::string world;
  for (const FrameBenchScore& score : frame_bench_scores(rows)) {
    if (score.world != world) {
      world = score.world;
      text << '\n'
           << world << " world\n"
           << "  policy                verdict        avoidable %  missed % (95 %)            "
              "energy over stock (95 %)    others' p90\n";
    }
    const RankedPolicy& figures = score.figures;
    text << "  " << std::left << std::setw(22) << figures.policy << std::setw(15)
         << verdict_text(score.verdict) << std::right << std::setw(11) << std::setprecision(3)
         << 100 * figures.avoidable_rate << "  " << std::left << std::setw(27)
         << interval(100 * figures.miss_rate,
                     {100 * figures.miss_range.low, 100 * figures.miss_range.high}, 3)
         << std::setw(28) << interval(figures.vs_stock, figures.energy_range, 3) << std::right
         << std::setw(11) << figures.others_vs_stock << '\n';
  }
  text << "\ndefinition " << bench.definition_sha256 << "\nreference  " << hashes.reference
       << "\nresults    " << hashes.results << "\nsimulator  " << simulator_version() << '\n';
  return text.str();
}

Result<std::string> frame_bench_json(const FrameBench& bench, std::string_view csv,
                                     const std::string& name) {
  FRAMEGOV_TRY(const std::vector<SweepRow> rows, read_sweep_csv(csv, name));
  const Hashes hashes = hashes_of(csv, rows);
  nlohmann::json all{
      {"benchmark", FrameBench::name()},      {"definition_sha256", bench.definition_sha256},
      {"reference_sha256", hashes.reference}, {"results_sha256", hashes.results},
      {"simulator", simulator_version()},     {"runs", rows.size()},
      {"scores", nlohmann::json::array()}};
  for (const FrameBenchScore& score : frame_bench_scores(rows)) {
    const RankedPolicy& figures = score.figures;
    all["scores"].push_back({{"world", score.world},
                             {"policy", figures.policy},
                             {"verdict", verdict_text(score.verdict)},
                             {"avoidable_rate", figures.avoidable_rate},
                             {"miss_rate", figures.miss_rate},
                             {"miss_low", figures.miss_range.low},
                             {"miss_high", figures.miss_range.high},
                             {"vs_stock", figures.vs_stock},
                             {"energy_low", figures.energy_range.low},
                             {"energy_high", figures.energy_range.high},
                             {"others_vs_stock", figures.others_vs_stock}});
  }
  return json_line(all);
}

}  // namespace framegov::sim
