// SPDX-License-Identifier: Apache-2.0
#include "sim/import/csv_workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "sim/import/csv_columns.h"

namespace framegov::sim {

namespace {

/// Performance that is believed, relative to a reference or CoreMark's; no less than its inverse.
constexpr double kMostPerMhz = 1000;

std::vector<std::string_view> split(std::string_view line) {
  constexpr std::size_t kMaxFields = 256;
  std::vector<std::string_view> fields;
  while (fields.size() < kMaxFields) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (field.starts_with(' ')) {
      field.remove_prefix(1);
    }
    while (field.ends_with(' ') || field.ends_with('\r')) {
      field.remove_suffix(1);
    }
    fields.push_back(field);
    if (comma == std::string_view::npos) {
      break;
    }
    line.remove_prefix(comma + 1);
  }
  return fields;
}

/// Whole numbers stay exact; others, such as 2.1e6, lose what is behind the point.
bool parse(std::string_view field, std::int64_t least, std::int64_t most, std::int64_t& value) {
  const char* const last = field.data() + field.size();
  if (const auto [end, error] = std::from_chars(field.data(), last, value);
      error != std::errc{} || end != last) {
    double number = 0;
    const auto [number_end, number_error] = std::from_chars(field.data(), last, number);
    if (number_error != std::errc{} || number_end != last ||
        !(number >= static_cast<double>(least) && number <= static_cast<double>(most))) {
      return false;
    }
    value = static_cast<std::int64_t>(number);
  }
  return value >= least && value <= most;
}

bool parse(std::string_view field, double& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && end == field.data() + field.size() && value >= 0 &&
         value <= static_cast<double>(csv::kMostTime);
}

/// Files of spreadsheets may begin with one.
std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

class CsvReader {
 public:
  Result<Workload> read(std::string_view text) {
    FRAMEGOV_TRY_STATUS(lines(text, ""));
    return finish();
  }

  /// Each table of `folder` that is there.
  Result<Workload> read_folder(const std::filesystem::path& folder) {
    for (const auto& [file, section] : kTables) {
      const std::filesystem::path path = folder / file;
      std::error_code error;
      if (section != "[frames]" && !std::filesystem::exists(path, error)) {
        continue;
      }
      FRAMEGOV_TRY(const std::string text, read_file(path, kFolder));
      section_ = section;
      columns_.clear();
      line_ = 0;
      FRAMEGOV_TRY_STATUS(lines(text, path.string() + ": "));
    }
    Result<Workload> workload = finish();
    if (!workload) {
      workload.error().message = folder.string() + ": " + workload.error().message;
    }
    return workload;
  }

 private:
  static constexpr const char* kFolder =
      "a folder is read as a workload's tables (docs/workload-csv.md)";
  static constexpr const char* kFormat = "docs/workload-csv.md describes the format";
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTables{
      {{csv::kDeviceTable, "[device]"},
       {csv::kClusterTable, "[clusters]"},
       {csv::kFrameTable, "[frames]"},
       {csv::kOtherTable, "[other]"},
       {csv::kTouchTable, "[touches]"},
       {csv::kBoostTable, "[boosts]"},
       {csv::kFrequencyTable, "[frequencies]"}}};

  /// `file` stands before the line's number in errors.
  Status lines(std::string_view text, const std::string& file) {
    text = without_byte_order_mark(text);
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++line_;
      if (line.empty()) {
        continue;
      }
      const bool read = line.starts_with('#')   ? comment(line)
                        : line.starts_with('[') ? section(line)
                        : columns_.empty()      ? header(line)
                                                : row(line);
      if (!read) {
        return fail(ExitCode::kBadInput, file + "line " + std::to_string(line_) + ": " + error_,
                    kFormat);
      }
    }
    return {};
  }

  bool wrong(std::string what) {
    error_ = std::move(what);
    return false;
  }

  bool section(std::string_view line) {
    section_ = line;
    columns_.clear();
    constexpr std::array<std::string_view, 5> kSections{"[frames]", "[other]", "[touches]",
                                                        "[boosts]", "[frequencies]"};
    return std::find(kSections.begin(), kSections.end(), line) != kSections.end() ||
           wrong("no section '" + std::string(line) + "'");
  }

  /// "# key = value"
  bool comment(std::string_view line) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) {
      return true;
    }
    const std::string_view key = line.substr(2, equals - 2);
    const std::string_view value = line.substr(equals + 3);
    const auto fields = split(value);
    if (key == "device") {
      workload_.device = value;
    } else if (key == "core_worth") {
      workload_.knows_core_worth = value != "unknown";
    } else if (key == "interval_ns") {
      std::int64_t ns = 0;
      if (!parse(value, kLeastRefreshInterval.count(), kMostRefreshInterval.count(), ns)) {
        return wrong("interval_ns is not from 1 ms to 1 s");
      }
      workload_.interval = Duration{ns};
    } else if (key == "reference") {
      std::int64_t max_khz = 0;
      if (fields.size() != 3 || !parse(fields[1], 0, csv::kMostKhz, max_khz) ||
          !parse(fields[2], workload_.reference.coremark_per_mhz) ||
          workload_.reference.coremark_per_mhz > kMostPerMhz) {
        return wrong("reference is not 'name, kHz, CoreMark per MHz'");
      }
      workload_.reference.name = fields[0];
      workload_.reference.max_frequency = khz(max_khz);
    } else if (key == "cluster") {
      WorkloadCluster cluster;
      std::int64_t policy = 0;
      std::int64_t cpus = 0;
      std::int64_t max_khz = 0;
      if (fields.size() != 4 || !parse(fields[0], 0, csv::kMostCpu, policy) ||
          !parse(fields[1], 0, std::numeric_limits<std::int64_t>::max(), cpus) ||
          !parse(fields[2], 0, csv::kMostKhz, max_khz) ||
          !parse(fields[3], cluster.relative_per_mhz) || workload_.clusters.size() >= 8) {
        return wrong("cluster is not 'policy, CPU mask, kHz, performance per MHz'");
      }
      if (cluster.relative_per_mhz < 1 / kMostPerMhz || cluster.relative_per_mhz > kMostPerMhz) {
        return wrong("a cluster's performance per MHz is not from 0.001 to 1000");
      }
      cluster.cpufreq_id = static_cast<int>(policy);
      cluster.cpus = static_cast<std::uint64_t>(cpus);
      cluster.max_frequency = khz(max_khz);
      workload_.clusters.push_back(cluster);
    } else if (key == "has_work") {
      workload_.has_work = value == "1";
    }
    return true;
  }

  bool header(std::string_view line) {
    for (const std::string_view name : split(line)) {
      columns_.emplace_back(name);
    }
    if (section_ == "[frames]" &&
        std::find(columns_.begin(), columns_.end(), csv::kFrameColumns[csv::kVsync].name) ==
            columns_.end()) {
      return wrong("the header has no vsync_ns column");
    }
    for (const auto& [section, wanted] :
         {std::pair{"[device]", csv::kDeviceHeader}, {"[clusters]", csv::kClusterHeader}}) {
      if (section_ == section && line != wanted) {
        return wrong("the header is not '" + std::string(wanted) + "'");
      }
    }
    return true;
  }

  bool row(std::string_view line) {
    const auto fields = split(line);
    if (fields.size() != columns_.size()) {
      return wrong(std::to_string(fields.size()) + " fields, the header has " +
                   std::to_string(columns_.size()));
    }
    if (section_ == "[frames]") {
      return frame(fields);
    }
    if (section_ == "[device]") {
      return device(fields);
    }
    if (section_ == "[clusters]") {
      return comment("# cluster = " + std::string(line));
    }
    std::array<double, 4> numbers{};
    if (fields.size() > numbers.size()) {
      return wrong("too many fields");
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!parse(fields[i], numbers[i])) {
        return wrong("'" + std::string(fields[i]) + "' is not a number");
      }
    }
    const auto instant = [&](std::size_t i) {
      return instant_from_ns(static_cast<std::int64_t>(numbers[i]));
    };
    if (section_ == "[touches]") {
      workload_.touches.push_back({instant(0), instant(1)});
    } else if (section_ == "[boosts]") {
      workload_.boosts.push_back({instant(0), instant(1)});
    } else if (section_ == "[frequencies]") {
      if (numbers[1] >= static_cast<double>(workload_.clusters.size())) {
        return wrong("no such cluster");
      }
      if (numbers[2] < 1 || numbers[2] > static_cast<double>(csv::kMostKhz)) {
        return wrong("no frequency in kHz");
      }
      workload_.frequencies.push_back({instant(0), static_cast<std::int8_t>(numbers[1]),
                                       khz(static_cast<std::int64_t>(numbers[2]))});
    } else {
      return other(numbers);
    }
    return true;
  }

  /// The row says what the comments of a single file do.
  bool device(const std::vector<std::string_view>& fields) {
    const auto is_taken = [&](const char* key, const std::string& value) {
      return comment(std::string("# ") + key + " = " + value);
    };
    const std::string comma = ", ";
    return is_taken("device", std::string(fields[0])) &&
           is_taken("interval_ns", std::string(fields[1])) &&
           is_taken("reference", std::string(fields[2]) + comma + std::string(fields[3]) + comma +
                                     std::string(fields[4])) &&
           is_taken("core_worth", fields[5] == "0" ? "unknown" : "known");
  }

  bool other(const std::array<double, 4>& numbers) {
    OtherLoadSeries& series = workload_.other;
    const auto at = instant_from_ns(static_cast<std::int64_t>(numbers[0]));
    series.clusters = workload_.clusters.size();
    const std::size_t row = series.loads.size();
    if (series.clusters == 0 || numbers[1] != static_cast<double>(row % series.clusters)) {
      return wrong("windows list each cluster in turn");
    }
    if (row == 0) {
      series.start = at;
    } else if (row == series.clusters) {
      series.window = at - series.start;
      if (series.window <= Duration{}) {
        return wrong("windows do not ascend");
      }
    }
    series.loads.push_back({static_cast<float>(numbers[2]), static_cast<float>(numbers[3])});
    return true;
  }

  bool frame(const std::vector<std::string_view>& fields) {
    std::array<std::int64_t, csv::kColumns> values{};
    values[csv::kUiCpu] = -1;
    values[csv::kRenderCpu] = -1;
    std::string_view app = "app";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto* const known =
          std::find_if(csv::kFrameColumns.begin(), csv::kFrameColumns.end(),
                       [&](const csv::ColumnInfo& each) { return each.name == columns_[i]; });
      if (known == csv::kFrameColumns.end()) {
        continue;
      }
      const auto column = static_cast<std::size_t>(known - csv::kFrameColumns.begin());
      if (fields[i].empty()) {
        if (column == csv::kVsync) {
          return wrong("vsync_ns is empty");
        }
      } else if (column == csv::kApp) {
        app = fields[i];
      } else if (!parse(fields[i], std::min<std::int64_t>(known->least, 0), known->most,
                        values[column]) ||
                 (values[column] != 0 && values[column] < known->least)) {
        return wrong(std::string(known->name) + " '" + std::string(fields[i]) +
                     "' is not a number from " + std::to_string(known->least) + " to " +
                     std::to_string(known->most));
      }
    }
    WorkloadFrame frame;
    frame.vsync = instant_from_ns(values[csv::kVsync]);
    frame.interval = Duration{values[csv::kInterval]};
    frame.deadline = instant_from_ns(values[csv::kDeadline]);
    frame.ui = stage(values, csv::kUiWork);
    frame.render = stage(values, csv::kRenderWork);
    frame.gpu = Duration{values[csv::kGpu]};
    frame.start = instant_from_ns(values[csv::kStart]);
    frame.ui_done = instant_from_ns(values[csv::kUiDone]);
    frame.ready = instant_from_ns(values[csv::kReady]);
    frame.jank = static_cast<std::uint16_t>(values[csv::kJank]);
    frame.deadline_edge = static_cast<DeadlineEdge>(values[csv::kEdge]);
    frame.pace = Duration{values[csv::kPace]};
    frame.compositor_ns = static_cast<std::uint32_t>(values[csv::kCompositor]);
    frame.taken_late = static_cast<std::uint8_t>(values[csv::kTakenLate]) & kMostTakenLate;
    frame.taken_ns = static_cast<std::uint32_t>(values[csv::kTaken]);
    frame.timestamped = values[csv::kTimestamped] != 0;
    any_work_ = any_work_ || values[csv::kUiWork] > 0 || values[csv::kRenderWork] > 0;
    const auto [known, is_new] =
        apps_.try_emplace(std::string(app), static_cast<std::uint32_t>(workload_.apps.size()));
    if (is_new) {
      workload_.apps.push_back({known->first, 0});
    }
    frame.app = known->second;
    workload_.frames.push_back(frame);
    return true;
  }

  /// `first` is the stage's first column; its others follow.
  StageLoad stage(const std::array<std::int64_t, csv::kColumns>& values, std::size_t first) {
    StageLoad stage;
    stage.work = Work{static_cast<double>(values[first])};
    stage.fixed = Duration{values[first + 1]};
    stage.cpu = static_cast<std::int16_t>(values[first + 2]);
    stage.frequency = khz(values[first + 3]);
    stage.wait_ns = static_cast<std::uint32_t>(values[first + 4]);
    stage.wait_after = static_cast<std::uint8_t>(values[first + 5]);
    for (std::size_t i = 0; i < workload_.clusters.size(); ++i) {
      if (stage.cpu >= 0 && stage.cpu < 64 &&
          ((workload_.clusters[i].cpus >> static_cast<unsigned>(stage.cpu)) & 1U) != 0) {
        stage.cluster = static_cast<std::int8_t>(i);
      }
    }
    return stage;
  }

  Result<Workload> finish() {
    if (workload_.frames.empty()) {
      return fail(ExitCode::kBadInput, "no frames in the CSV", "docs/workload-csv.md");
    }
    std::stable_sort(
        workload_.frames.begin(), workload_.frames.end(),
        [](const WorkloadFrame& a, const WorkloadFrame& b) { return a.vsync < b.vsync; });
    std::stable_sort(workload_.touches.begin(), workload_.touches.end(),
                     [](const Touch& a, const Touch& b) { return a.down < b.down; });
    std::stable_sort(workload_.boosts.begin(), workload_.boosts.end(),
                     [](const VendorBoost& a, const VendorBoost& b) { return a.from < b.from; });
    std::stable_sort(
        workload_.frequencies.begin(), workload_.frequencies.end(),
        [](const FrequencyChange& a, const FrequencyChange& b) { return a.at < b.at; });
    if (workload_.interval <= Duration{}) {
      const Duration first = workload_.frames.front().interval;
      workload_.interval = first > Duration{} ? first : Duration{1'000'000'000 / 60};
    }
    for (WorkloadFrame& frame : workload_.frames) {
      if (frame.interval <= Duration{}) {
        frame.interval = workload_.interval;
      }
      if (!is_known(frame.deadline)) {
        frame.deadline = frame.vsync + frame.interval;
        frame.deadline_edge = DeadlineEdge::kVsyncInterval;
      }
    }
    workload_.has_work = any_work_;
    for (const WorkloadCluster& cluster : workload_.clusters) {
      if (any_work_ && cluster.max_frequency <= Frequency{}) {
        return fail(ExitCode::kBadInput,
                    "the frequency of cluster " + std::to_string(cluster.cpufreq_id) + " is 0",
                    "docs/workload-csv.md describes the format");
      }
    }
    return std::move(workload_);
  }

  Workload workload_;
  std::map<std::string, std::uint32_t, std::less<>> apps_;
  std::string section_ = "[frames]";
  std::vector<std::string> columns_;
  std::size_t line_ = 0;
  std::string error_;
  bool any_work_ = false;
};

}  // namespace

bool is_workload_csv(std::string_view head) {
  head = without_byte_order_mark(head);
  if (head.starts_with(kCsvMagic)) {
    return true;
  }
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    if (line.empty() || line.starts_with('#') || line == "[frames]") {
      continue;
    }
    const auto names = split(line);
    return std::find(names.begin(), names.end(), csv::kFrameColumns[csv::kVsync].name) !=
           names.end();
  }
  return false;
}

Result<Workload> read_workload_csv(std::string_view text) { return CsvReader().read(text); }

Result<Workload> read_workload_tables(const std::filesystem::path& folder) {
  return CsvReader().read_folder(folder);
}

}  // namespace framegov::sim
