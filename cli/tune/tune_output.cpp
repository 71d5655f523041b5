// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_output.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "base/text.h"
#include "config/profile_fields.h"
#include "sim/results/scorecard.h"
#include "sim/sweep/sweep_key.h"

namespace framegov::cli {

namespace {

constexpr double kPercent = 100;

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string percent(double part) { return fixed(kPercent * part, 3); }

/// "energy 0.712 of schedutil-boost's (defaults 0.724), missed 0.310 % (0.330 %)"
std::string compared(const sim::TuneFigures& figures, const sim::TuneFigures& defaults) {
  return "energy " + fixed(figures.energy, 3) + " of " + std::string(sim::kStockPolicy) +
         "'s (defaults " + fixed(defaults.energy, 3) + "), missed " + percent(figures.missed) +
         " % (" + percent(defaults.missed) + " %)";
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + printable(name);
  }
  return text;
}

bool is_profile_number(std::string_view name) {
  bool found = false;
  for_each_profile_field([&](const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, NumberField>) {
      found = found || field.name == name;
    }
  });
  return found;
}

/// A line of the table: four figures, then each parameter below its name.
class TuneTable {
 public:
  TuneTable(std::ostream& out, const sim::TuneSpace& space) : out_(&out), space_(&space) {
    out << "          energy over " << sim::kStockPolicy << "  missed %\n"
        << "          in sample  left out  in sample  left out";
    for (const sim::TuneRange& range : space.ranges()) {
      out << "  " << std::setw(width(range)) << range.parameter().name;
    }
    out << '\n';
  }
  void row(const char* who, const sim::TuneFigures& in_sample, const sim::TuneFigures& left_out,
           const sim::TuneValues& values) {
    *out_ << std::left << std::setw(10) << who << std::right << std::setw(9)
          << fixed(in_sample.energy, 3) << std::setw(10) << fixed(left_out.energy, 3)
          << std::setw(11) << percent(in_sample.missed) << std::setw(10)
          << percent(left_out.missed);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const sim::TuneRange& range = space_->ranges()[i];
      *out_ << "  " << std::setw(width(range)) << range.text(values[i]);
    }
    *out_ << '\n';
  }

 private:
  static int width(const sim::TuneRange& range) {
    constexpr std::size_t kNumber = std::string_view("0.00123").size();
    return static_cast<int>(std::max(range.parameter().name.size(), kNumber));
  }

  std::ostream* out_;
  const sim::TuneSpace* space_;
};

nlohmann::json json_of(const sim::TuneFigures& figures) {
  return {{"energy", figures.energy},
          {"miss_rate", figures.missed},
          {"others", figures.others > 0 ? nlohmann::json(figures.others) : nlohmann::json()}};
}

nlohmann::json json_of(const sim::TuneSpace& space, const sim::TuneValues& values) {
  nlohmann::json parameters = nlohmann::json::object();
  for (std::size_t i = 0; i < space.size(); ++i) {
    parameters[std::string(space.ranges()[i].parameter().name)] = values[i];
  }
  return parameters;
}

}  // namespace

std::string tune_verdict(const sim::TuneResult& result, const TuneConditions& conditions) {
  const sim::TunePoint& chosen = result.front[result.chosen];
  const std::string folds =
      std::to_string(result.folds_held) + " of " + std::to_string(conditions.folds) + " folds";
  if (result.holds) {
    return "What was found holds on the recordings left out, in " + folds + ": " +
           compared(chosen.left_out, result.defaults) + ".";
  }
  if (chosen.in_sample.energy >= result.defaults.energy) {
    return "Nothing was found that takes less energy and misses no more than is allowed: the "
           "defaults stand.";
  }
  return "What was found does not hold on the recordings left out (it does in " + folds +
         "): " + compared(chosen.left_out, result.defaults) + "; the defaults stand.";
}

void print_tune(std::ostream& out, const sim::TuneSpace& space, const sim::TuneResult& result,
                const TuneConditions& conditions) {
  out << space.policy() << ", " << conditions.world << " world, " << conditions.deadline
      << " deadlines: " << conditions.recordings.size() << " recordings in " << conditions.folds
      << " folds on " << list(conditions.devices) << "\n"
      << result.searches << " searches of " << conditions.effort.choices() << " choices each, "
      << (conditions.effort.islands > 1
              ? std::to_string(conditions.effort.islands) + " islands, seed "
              : "seed ")
      << conditions.effort.seed << '\n';
  if (!conditions.lost_ranks.empty()) {
    std::string lost;
    for (const std::size_t rank : conditions.lost_ranks) {
      lost += (lost.empty() ? "" : ", ") + std::to_string(rank);
    }
    out << "lost ranks: " << lost << "; the others did their work\n";
  }
  out << '\n';
  TuneTable table(out, space);
  table.row("defaults", result.defaults, result.defaults, space.defaults());
  // A long front is shown in even steps, to its end.
  constexpr std::size_t kShown = 16;
  const std::size_t last = result.front.size() - 1;
  const std::size_t step = last / kShown + 1;
  for (std::size_t i = 0; i <= last; ++i) {
    if (i % step != 0 && i != result.chosen && i != last) {
      continue;
    }
    const sim::TunePoint& point = result.front[i];
    table.row(i == result.chosen ? "chosen" : "", point.in_sample, point.left_out, point.values);
  }
  if (step > 1) {
    out << "shown: 1 in " << step << " of " << last + 1 << " points; --json has all\n";
  }
  out << "\nleft out: the same choice, made in each fold without the recordings it is judged on\n\n"
      << tune_verdict(result, conditions) << '\n';
}

nlohmann::json tune_json(const sim::TuneSpace& space, const sim::TuneResult& result,
                         const TuneConditions& conditions) {
  nlohmann::json front = nlohmann::json::array();
  for (std::size_t i = 0; i < result.front.size(); ++i) {
    const sim::TunePoint& point = result.front[i];
    front.push_back({{"parameters", json_of(space, point.values)},
                     {"in_sample", json_of(point.in_sample)},
                     {"left_out", json_of(point.left_out)},
                     {"chosen", i == result.chosen}});
  }
  return {
      {"policy", space.policy()},
      {"reference", sim::kStockPolicy},
      {"world", conditions.world},
      {"deadline", conditions.deadline},
      {"recordings", conditions.recordings},
      {"devices", conditions.devices},
      {"folds", conditions.folds},
      {"folds_held", result.folds_held},
      {"generations", conditions.effort.generations},
      {"population", conditions.effort.population},
      {"islands", conditions.effort.islands},
      {"seed", conditions.effort.seed},
      {"lost_ranks", conditions.lost_ranks},
      {"allow_missed", conditions.allowance},
      {"simulator", sim::simulator_version()},
      {"defaults",
       {{"parameters", json_of(space, space.defaults())}, {"figures", json_of(result.defaults)}}},
      {"front", std::move(front)},
      {"holds", result.holds},
      {"verdict", tune_verdict(result, conditions)}};
}

bool fits_profiles(const sim::TuneSpace& space) {
  return std::all_of(space.ranges().begin(), space.ranges().end(), [](const sim::TuneRange& each) {
    return is_profile_number(each.parameter().name);
  });
}

std::string tune_profile(const sim::TuneSpace& space, const sim::TuneResult& result,
                         const TuneConditions& conditions) {
  const sim::TunePoint& chosen = result.front[result.chosen];
  const bool profile = fits_profiles(space);
  std::ostringstream yaml;
  yaml << "# Found by framegov tune (" << sim::simulator_version() << "), " << conditions.world
       << " world, " << conditions.deadline << " deadlines.\n"
       << "# Recordings: " << list(conditions.recordings) << "\n"
       << "# Phones: " << list(conditions.devices) << "\n"
       << "# Of " << sim::kStockPolicy
       << ", on recordings left out: " << compared(chosen.left_out, result.defaults) << "\n";
  yaml << (profile ? "profiles:\n  defaults:\n    policy: " : "policy: ") << space.policy() << '\n';
  if (!profile) {
    yaml << space.policy() << ":\n";
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    yaml << (profile ? "    " : "  ") << space.ranges()[i].parameter().name << ": "
         << space.ranges()[i].text(chosen.values[i]) << '\n';
  }
  return yaml.str();
}

}  // namespace framegov::cli
