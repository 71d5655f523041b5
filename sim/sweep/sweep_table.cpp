// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "sim/results/scorecard.h"

namespace framegov::sim {

namespace {

using nlohmann::json;

constexpr std::array<const char*, 7> kWho{"input", "device", "world",     "deadline",
                                          "seed",  "policy", "parameters"};
constexpr const char* kError = "error";

void flatten(const json& from, const std::string& prefix, json& to) {
  for (const auto& [key, value] : from.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + '.', to);
    } else {
      to[prefix + key] = value;
    }
  }
}

/// The columns behind kWho: all figures that any run has.
const std::vector<std::string>& figure_columns() {
  static const std::vector<std::string> kColumns = [] {
    json flat;
    flatten(to_json(score({RunResult{}}, {}))["runs"][0], "", flat);
    std::vector<std::string> columns;
    for (const auto& [key, value] : flat.items()) {
      if (std::find(kWho.begin(), kWho.end(), key) == kWho.end()) {
        columns.push_back(key);
      }
    }
    columns.emplace_back(kError);
    return columns;
  }();
  return kColumns;
}

std::optional<double> number_in(const json& figures, const char* key) {
  const auto found = figures.find(key);
  return found != figures.end() && found->is_number() ? std::optional(found->get<double>())
                                                      : std::nullopt;
}

std::uint64_t count_in(const json& figures, const char* key) {
  return static_cast<std::uint64_t>(number_in(figures, key).value_or(0));
}

/// figures[to] = figures[of] / over[by]; null where either is not there.
void add_ratio(json& figures, const char* to, const char* of, const json& over, const char* by) {
  const auto mine = number_in(figures, of);
  const auto theirs = number_in(over, by);
  figures[to] = mine && theirs && *theirs > 0 ? json(*mine / *theirs) : json(nullptr);
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char letter : text) {
    quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  }
  return quoted + '"';
}

std::string field(const json& value) {
  return value.is_null() ? "" : value.is_string() ? field(value.get<std::string>()) : value.dump();
}

/// The fields of the line that `csv` begins with, which is taken off it.
std::vector<std::string> take_fields(std::string_view& csv) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  while (!csv.empty()) {
    const char letter = csv.front();
    csv.remove_prefix(1);
    if (letter == '"' && quoted && csv.starts_with('"')) {
      fields.back() += letter;
      csv.remove_prefix(1);
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      fields.emplace_back();
    } else if (letter == '\n' && !quoted) {
      break;
    } else {
      fields.back() += letter;
    }
  }
  return fields;
}

json value_of(const std::string& column, const std::string& text) {
  if (text.empty()) {
    return nullptr;
  }
  if (column == kError) {
    return text;
  }
  return json::parse(text, nullptr, false);
}

/// One scene's rows.
struct SceneRows {
  std::vector<std::optional<json>> runs;  ///< by variant
  std::size_t missing = 0;
};

Result<SceneRows> rows_of(const SweepPlan& plan, const FiguresOf& figures, std::size_t scene) {
  SceneRows rows;
  for (std::size_t variant = 0; variant < plan.variants(); ++variant) {
    FRAMEGOV_TRY(const std::optional<std::string> text, figures(scene, variant));
    if (!text) {
      ++rows.missing;
      rows.runs.emplace_back();
      continue;
    }
    json flat = json::object();
    flatten(json::parse(*text, nullptr, false), "", flat);
    rows.runs.emplace_back(std::move(flat));
  }
  return rows;
}

}  // namespace

Result<SweepCount> for_each_row(const SweepPlan& plan, const FiguresOf& figures,
                                const std::function<void(const SweepRow&)>& row) {
  const auto stock =
      std::find_if(plan.policies.begin(), plan.policies.end(),
                   [](const SweepPolicy& each) { return each.name() == kStockPolicy; });
  SweepCount count;
  for (std::size_t number = 0; number < plan.scenes(); ++number) {
    FRAMEGOV_TRY(const SceneRows rows, rows_of(plan, figures, number));
    count.missing += rows.missing;
    const SweepScene scene = plan.scene(number);
    const auto found = [&](std::size_t variant) {
      return variant < rows.runs.size() ? rows.runs[variant].value_or(json::object())
                                        : json::object();
    };
    const json stocks = found(static_cast<std::size_t>(stock - plan.policies.begin()));
    const json bounds = plan.bounds ? found(plan.policies.size()) : json::object();
    for (std::size_t variant = 0; variant < plan.policies.size(); ++variant) {
      if (!rows.runs[variant]) {
        continue;
      }
      const SweepPolicy& policy = plan.policies[variant];
      SweepRow each{plan.inputs[scene.input].name,
                    plan.devices[scene.device].name,
                    plan.worlds[scene.world].name,
                    std::string(deadline_name(plan.deadline)),
                    scene.seed,
                    policy.entry.name,
                    policy.parameters,
                    *rows.runs[variant]};
      if (!each.failed()) {
        add_ratio(each.figures, "vs_strict", "energy_mj", bounds, "strict_mj");
        add_ratio(each.figures, "vs_buffered", "energy_mj", bounds, "buffered_mj");
        add_ratio(each.figures, "frames_vs_bound", "energy_parts_mj.frames", bounds, "frames_mj");
        if (stock != plan.policies.end()) {
          add_ratio(each.figures, "vs_stock", "energy_mj", stocks, "energy_mj");
          add_ratio(each.figures, "others.vs_stock", "others.finish_ms.p90", stocks,
                    "others.finish_ms.p90");
        }
      }
      ++count.rows;
      count.failed += each.failed() ? 1U : 0U;
      row(each);
    }
  }
  return count;
}

std::string sweep_csv_head() {
  std::string line;
  for (const char* column : kWho) {
    line += std::string(line.empty() ? "" : ",") + column;
  }
  for (const std::string& column : figure_columns()) {
    line += ',' + column;
  }
  return line + '\n';
}

std::string sweep_csv_line(const SweepRow& row) {
  std::string line = field(row.input) + ',' + field(row.device) + ',' + field(row.world) + ',' +
                     row.deadline + ',' + std::to_string(row.seed) + ',' + field(row.policy) + ',' +
                     field(row.parameters);
  for (const std::string& column : figure_columns()) {
    const auto found = row.figures.find(column);
    line += ',' + (found == row.figures.end() ? "" : field(*found));
  }
  return line + '\n';
}

Result<std::vector<SweepRow>> read_sweep_csv(std::string_view csv, const std::string& name) {
  const auto bad = [&](std::size_t line, const std::string& what) {
    return fail(ExitCode::kBadInput, name + ':' + std::to_string(line) + ": " + what,
                "it has to be as the program wrote it");
  };
  std::string head = sweep_csv_head();
  if (!csv.starts_with(head)) {
    return bad(1, "these are not the columns of a sweep");
  }
  csv.remove_prefix(head.size());
  const std::vector<std::string>& columns = figure_columns();
  std::vector<SweepRow> rows;
  while (!csv.empty()) {
    const std::vector<std::string> fields = take_fields(csv);
    if (fields.size() != kWho.size() + columns.size()) {
      return bad(rows.size() + 2, std::to_string(fields.size()) + " fields");
    }
    SweepRow row{fields[0], fields[1], fields[2], fields[3], 0, fields[5], fields[6], {}};
    const std::string& seed = fields[4];
    const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), row.seed);
    if (error != std::errc{} || end != seed.data() + seed.size()) {
      return bad(rows.size() + 2, "'" + printable(seed) + "' is no seed");
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      json value = value_of(columns[i], fields[kWho.size() + i]);
      if (value.is_discarded() || (!value.is_primitive())) {
        return bad(rows.size() + 2, columns[i] + " is no number");
      }
      if (columns[i] != kError || !value.is_null()) {
        row.figures[columns[i]] = std::move(value);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

RankedRun ranked_run(const SweepRow& row) {
  const bool varies = is_synthetic(row.input);
  RankedRun run;
  run.policy = row.policy + (row.parameters.empty() ? "" : " ") + row.parameters;
  run.input = row.input + (varies ? '#' + std::to_string(row.seed) : "");
  run.frames = count_in(row.figures, "frames");
  run.feasible = count_in(row.figures, "feasible_frames");
  run.missed = count_in(row.figures, "missed_deadlines");
  run.avoidable = number_in(row.figures, "avoidable_misses")
                      ? count_in(row.figures, "avoidable_misses")
                      : run.missed;
  run.writes = count_in(row.figures, "writes");
  run.vs_strict = number_in(row.figures, "vs_strict");
  run.vs_buffered = number_in(row.figures, "vs_buffered");
  run.vs_stock = number_in(row.figures, "vs_stock");
  run.frames_vs_bound = number_in(row.figures, "frames_vs_bound");
  run.others_vs_stock = number_in(row.figures, "others.vs_stock");
  return run;
}

}  // namespace framegov::sim
