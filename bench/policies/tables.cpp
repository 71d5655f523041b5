// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/tables.h"

#include <cstdio>
#include <string>
#include <vector>

#include "bench/policies/grounds.h"
#include "bench/policies/known_works.h"

namespace framegov::sim {

void print_devices(const RunTable& strict, const RunTable& buffered) {
  std::printf(
      "mpc by phone   strict: missed %%  vs strict | buffered: missed %%  vs buffered | vs boost"
      "  vs schedutil | pid: missed %%  vs strict\n");
  const Ground& ground = strict.ground();
  for (std::size_t d = 0; d < ground.devices.size(); ++d) {
    const auto here = strict.on_device(d);
    std::printf("  %-12s %14.3f %10.3f | %18.3f %12.3f | %8.3f %13.3f | %13.3f %10.3f\n",
                ground.devices[d].name.c_str(), strict.missed_percent("mpc", here),
                strict.mean_ratio(strict.energy("mpc"), strict.strict_bound(), here),
                buffered.missed_percent("mpc", here),
                buffered.mean_ratio(buffered.energy("mpc"), buffered.buffered_bound(), here),
                strict.mean_ratio(strict.energy("mpc"), strict.energy("schedutil-boost"), here),
                strict.mean_ratio(strict.energy("mpc"), strict.energy("schedutil"), here),
                strict.missed_percent("pid", here),
                strict.mean_ratio(strict.energy("pid"), strict.strict_bound(), here));
  }
}

void print_gap(const RunTable& strict, const RunTable& frames) {
  const Ground& alone = frames.ground();
  std::printf(
      "mpc's gap by phone   whole: vs strict | frames alone: vs strict  (powersave) | service alone"
      " / bound | others' least / bound\n");
  for (std::size_t d = 0; d < alone.devices.size(); ++d) {
    const auto here = strict.on_device(d);
    const auto service = [&](std::size_t scene) { return frames.totals(scene, "mpc").service_mj; };
    const auto others = [&](std::size_t scene) { return strict.ground().bounds[scene].others_mj; };
    std::printf("  %-12s %23.3f | %21.3f %12.3f | %21.3f | %21.2f\n", alone.devices[d].name.c_str(),
                strict.mean_ratio(strict.energy("mpc"), strict.strict_bound(), here),
                frames.mean_ratio(frames.energy("mpc"), frames.strict_bound(), here),
                frames.mean_ratio(frames.energy("powersave"), frames.strict_bound(), here),
                frames.mean_ratio(service, frames.strict_bound(), here),
                strict.mean_ratio(others, strict.strict_bound(), here));
  }
}

void print_known_works(const RunTable& strict, const RunTable& frames) {
  constexpr std::size_t kAround[] = {kWorksAround / 8, kWorksAround, kAllFrames};
  const Ground& alone = frames.ground();
  struct Column {
    const RunTable* runs;
    RunTable::Energy energy;
  };
  std::vector<Column> columns;
  for (const std::size_t around : kAround) {
    columns.push_back({&frames, energy_with_known_works(alone, around, OthersWork::kMayWait)});
  }
  for (const OthersWork others : {OthersWork::kMayWait, OthersWork::kIsDone}) {
    for (const std::size_t around : kAround) {
      columns.push_back({&strict, energy_with_known_works(strict.ground(), around, others)});
    }
  }
  std::printf(
      "energy / strict bound of a scheduler that knows which works the frames around have (4, 32, "
      "all"
      "), not which frame has which\n"
      "  phone         frames alone: 4     32    all    mpc | others may wait: 4     32    all | "
      "their"
      " work is done: 4     32    all    mpc\n");
  const auto row = [&](const std::string& name, const RunTable::Filter& here) {
    const auto ratio = [&](std::size_t k) {
      const Column& column = columns[k];
      return column.runs->mean_ratio(column.energy, column.runs->strict_bound(), here);
    };
    std::printf(
        "  %-12s %16.3f %6.3f %6.3f %6.3f | %18.3f %6.3f %6.3f | %22.3f %6.3f %6.3f %6.3f\n",
        name.c_str(), ratio(0), ratio(1), ratio(2),
        frames.mean_ratio(frames.energy("mpc"), frames.strict_bound(), here), ratio(3), ratio(4),
        ratio(5), ratio(6), ratio(7), ratio(8),
        strict.mean_ratio(strict.energy("mpc"), strict.strict_bound(), here));
  };
  for (std::size_t d = 0; d < alone.devices.size(); ++d) {
    row(alone.devices[d].name, strict.on_device(d));
  }
  row("all", {});
}

void print_stock(const Ground& ground) {
  std::printf(
      "stock governors, strict      missed %%  vs strict  without util_est: missed %%  vs "
      "strict\n");
  const std::vector<std::string> stock = {"schedutil", "schedutil-boost"};
  ReplaySettings settings;
  const RunTable with(ground, stock, settings);
  settings.plant.util_est = false;
  const RunTable without(ground, stock, settings);
  for (const std::string& policy : stock) {
    std::printf("  %-24s %9.2f %10.3f %27.2f %10.3f\n", policy.c_str(), with.missed_percent(policy),
                with.mean_ratio(with.energy(policy), with.strict_bound()),
                without.missed_percent(policy),
                without.mean_ratio(without.energy(policy), without.strict_bound()));
  }
}

namespace {

struct Ablation {
  const char* name;
  const char* policy;
  void (*apply)(PolicySettings&);
};

constexpr Ablation kAblations[] = {
    {"mpc", "mpc", [](PolicySettings&) {}},
    {"  no quantile (mean work)", "mpc", [](PolicySettings& s) { s.mpc.left_out.quantile = true; }},
    {"  no slack horizon", "mpc", [](PolicySettings& s) { s.mpc.left_out.horizon = true; }},
    {"  one speed, then the top", "mpc", [](PolicySettings& s) { s.mpc.parts = 1; }},
    {"  no escalation", "mpc", [](PolicySettings& s) { s.mpc.left_out.escalation = true; }},
    {"  no floor", "mpc", [](PolicySettings& s) { s.mpc.left_out.floor = true; }},
    {"pid", "pid", [](PolicySettings&) {}},
    {"  no feed-forward", "pid", [](PolicySettings& s) { s.pid.left_out.feed_forward = true; }},
    {"  no escalation", "pid", [](PolicySettings& s) { s.pid.left_out.escalation = true; }},
    {"  no floor", "pid", [](PolicySettings& s) { s.pid.left_out.floor = true; }},
};

}  // namespace

void print_ablations(const Ground& ground) {
  std::printf(
      "%-28s strict: missed %%  vs strict  acts/frame | buffered: missed %%  vs buffered"
      "  acts/frame\n",
      "without a part");
  for (const Ablation& ablation : kAblations) {
    ReplaySettings in_time = with_deadline(DeadlineMode::kStrict);
    ReplaySettings one_late = with_deadline(DeadlineMode::kBuffered);
    ablation.apply(in_time.policy);
    ablation.apply(one_late.policy);
    const RunTable strict(ground, {ablation.policy}, in_time);
    const RunTable buffered(ground, {ablation.policy}, one_late);
    std::printf("%-28s %16.3f %10.3f %11.2f | %18.3f %12.3f %11.2f\n", ablation.name,
                strict.missed_percent(ablation.policy),
                strict.mean_ratio(strict.energy(ablation.policy), strict.strict_bound()),
                strict.acts_per_frame(ablation.policy), buffered.missed_percent(ablation.policy),
                buffered.mean_ratio(buffered.energy(ablation.policy), buffered.buffered_bound()),
                buffered.acts_per_frame(ablation.policy));
  }
}

}  // namespace framegov::sim
