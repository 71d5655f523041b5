// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/explain_text.h"
#include "cli/json_read.h"
#include "cli/status_text.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kIndent = 1;
constexpr std::size_t kLeastHistogram = 3;
constexpr std::size_t kMostHistogram = 24;
constexpr std::size_t kLeastMinute = 5;
constexpr std::size_t kMostMinute = 16;
constexpr std::size_t kSeconds = 60;
constexpr std::size_t kMinuteAxis = 8;
constexpr std::array<std::string_view, 8> kEighths{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string integer(double value) { return formatted("%.0f", value); }
std::string mhz_column(double khz) {
  return khz > 0 ? formatted("%5.0f", khz / 1000) : std::string("    -");
}

std::size_t bins_to_deadline(const Json& frames) {
  return static_cast<std::size_t>(std::clamp(number_in(frames, "bins_to_deadline"), 1.0, 100.0));
}

/// Columns of one bin.
std::size_t bin_width(std::size_t columns, std::size_t bins) {
  const std::size_t room = columns > kIndent + 1 ? columns - kIndent - 1 : 0;
  return bins == 0 ? 1 : std::max<std::size_t>(1, room / bins);
}

/// The end of a name that is too long for `room`, but always enough of it to be known.
std::string shortened(const std::string& name, std::size_t room) {
  constexpr std::size_t kLeast = 12;
  const std::size_t most = std::max(room, kLeast);
  return name.size() <= most ? name : ".." + name.substr(name.size() - (most - 2));
}

double bin_value(const Json& bins, std::size_t i) {
  return i < bins.size() && bins[i].is_number() ? bins[i].get<double>() : 0;
}

}  // namespace

std::vector<std::string> WatchView::render(const Json& status, std::size_t columns,
                                           std::size_t rows) const {
  constexpr std::size_t kDecisionRows = 3;
  Lines above;
  add_heading(status, columns, above);
  add_verdict(status, columns, above);
  add_frames(status, columns, above);
  Lines below;
  below.emplace_back();
  add_clusters(at(status, "clusters"), columns, below);
  below.emplace_back();
  add_decision(status, columns, kDecisionRows, below);
  add_costs(status, columns, below);
  // The histogram takes the rows that are left: its bars and two of axis.
  std::size_t fixed = above.size() + below.size() + 2;
  const bool minute = columns >= kWide && !at(status, "seconds").empty();
  if (minute && rows >= fixed + kLeastHistogram + kLeastMinute + 2) {
    // Half of the room, and the histogram has the other half.
    const std::size_t height = std::min((rows - fixed - 2) / 2, kMostMinute);
    add_minute(status, columns, height, above);
    fixed += height + 2;
  }
  if (rows >= fixed + kLeastHistogram) {
    add_histogram(at(status, "frames"), columns, std::min(rows - fixed, kMostHistogram), above);
  }
  above.insert(above.end(), below.begin(), below.end());
  above.resize(std::min(above.size(), rows));
  return above;
}

void WatchView::add_heading(const Json& status, std::size_t columns, Lines& lines) const {
  const std::string app = text_in(status, "app");
  const std::string own = text_in(status, "app_mode");
  const std::string mode = own.empty() ? text_in(status, "mode") : own;
  const std::string how = "  " +
                          texts_.text("cli_policyIs", {{"policy", text_in(status, "policy")}}) +
                          (mode.empty() ? "" : "  " + texts_.text("cli_modeIs", {{"mode", mode}})) +
                          "  " + texts_.text("cli_source") + " ";
  const std::string source = text_in(status, "source");
  const std::string up =
      "  " + texts_.text("cli_up", {{"time", duration_text(number_in(status, "uptime_s"))}});
  const std::string name = app.empty() ? texts_.text("cli_noApp") : app;
  const std::size_t others = columns_of(how) + columns_of(source) + columns_of(up);
  const std::size_t room = columns > others ? columns - others : 0;
  TextLine out = line(columns);
  const std::string ours = "framegov ";
  if (ours.size() + columns_of(name) <= room) {
    out.add(ours, Style::kDim);
  }
  // Where there is no room the app's name gives way too: its end tells most.
  out.add(shortened(name, room), Style::kBold);
  out.add(how).add(source, Style::kAccent).add(up, Style::kDim);
  lines.push_back(out.text());
}

void WatchView::add_verdict(const Json& status, std::size_t columns, Lines& lines) const {
  const bool paused = at(status, "paused").is_object();
  for (const std::string& each : wrapped(verdict_text(status, texts_), columns, 2)) {
    lines.push_back(line(columns).add(each, paused ? Style::kBad : Style::kBold).text());
  }
}

void WatchView::add_minute(const Json& status, std::size_t columns, std::size_t height,
                           Lines& lines) const {
  std::array<const Json*, kSeconds> seconds{};
  double budget = 0;
  const double now = number_in(status, "now_ns");
  for (const Json& second : at(status, "seconds")) {
    const double ago = (now - number_in(second, "begin_ns")) / 1e9;
    if (ago >= 0 && ago < kSeconds) {
      seconds.at(kSeconds - 1 - static_cast<std::size_t>(ago)) = &second;
    }
    budget = std::max(budget, number_in(second, "budget_ms"));
  }
  const double top = budget > 0 ? 2 * budget : 50;
  const std::size_t width = (columns - kMinuteAxis) / kSeconds;
  const double row_ms = top / static_cast<double>(height);
  lines.push_back(line(columns)
                      .add("ms", Style::kDim)
                      .pad_to(kMinuteAxis)
                      .add(texts_.text("cli_minuteTitle"), Style::kDim)
                      .text());
  for (std::size_t row = 0; row < height; ++row) {
    const double high = top - static_cast<double>(row) * row_ms;
    const double low = high - row_ms;
    const bool deadline = budget > low && budget <= high;
    TextLine out = line(columns);
    out.add(deadline || row == 0 ? formatted("%6.1f", deadline ? budget : top) : "",
            deadline ? Style::kAccent : Style::kDim);
    out.pad_to(kMinuteAxis);
    for (const Json* second : seconds) {
      const double longest = second == nullptr ? 0 : number_in(*second, "longest_ms");
      const double shortest = second == nullptr ? 0 : number_in(*second, "shortest_ms");
      const double mean = second == nullptr ? 0 : number_in(*second, "mean_ms");
      const bool above = row == 0 && longest > top;
      const bool band = longest > low && shortest <= high;
      const bool at_mean = band && mean > low && mean <= high;
      const std::string_view filled = at_mean ? (ascii_ ? "#" : "█") : (ascii_ ? ":" : "▒");
      const std::string_view empty = deadline ? (ascii_ ? "-" : "╌") : " ";
      for (std::size_t column = 0; column < width; ++column) {
        const bool gap = column + 1 == width && width > 1;
        if ((above || band) && !gap) {
          out.cell(filled, low >= budget && budget > 0 ? Style::kBad : Style::kGood);
        } else {
          out.cell(empty, Style::kAccent);
        }
      }
    }
    lines.push_back(out.text());
  }
  TextLine labels = line(columns);
  labels.pad_to(kMinuteAxis).add(texts_.text("minuteAgo"), Style::kDim);
  const std::string now_label = texts_.text("now_");
  labels.pad_to(kMinuteAxis + kSeconds * width - columns_of(now_label)).add(now_label, Style::kDim);
  lines.push_back(labels.text());
}

void WatchView::add_frames(const Json& status, std::size_t columns, Lines& lines) const {
  const Json& frames = at(status, "frames");
  const double misses = number_in(frames, "misses");
  const double lost = number_in(at(status, "totals"), "lost");
  TextLine out = line(columns);
  if (number_in(frames, "count") <= 0) {
    out.add(texts_.text("cli_noFrames"), Style::kDim);
  } else {
    out.add(formatted("%.0f fps", number_in(frames, "fps")), Style::kBold);
    out.add("  " + texts_.text("cli_late") + " ");
    out.add(texts_.text("cli_lateOf", {{"late", integer(misses)},
                                       {"frames", integer(number_in(frames, "count"))}}),
            misses > 0 ? Style::kBad : Style::kGood);
    out.add(formatted("  p50 %.1f", number_in(frames, "p50_ms")));
    out.add(formatted(" p95 %.1f", number_in(frames, "p95_ms")));
    out.add(formatted(" max %.1f", number_in(frames, "longest_ms")));
    const double budget = number_in(frames, "budget_ms");
    out.add(" " + (budget > 0 ? texts_.text("cli_ofMs", {{"ms", formatted("%.1f", budget)}})
                              : std::string("ms")));
  }
  out.add("  " + texts_.text("cli_lost") + " ")
      .add(integer(lost), lost > 0 ? Style::kBad : Style::kPlain);
  lines.push_back(out.text());
}

std::string WatchView::histogram_row(const Json& frames, std::size_t columns, std::size_t row,
                                     std::size_t height) const {
  const Json& bins = at(frames, "histogram");
  double most = 1;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    most = std::max(most, bin_value(bins, i));
  }
  const std::size_t width = bin_width(columns, bins.size());
  const std::size_t deadline = bins_to_deadline(frames);
  TextLine out = line(columns);
  out.pad_to(kIndent);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (i == deadline) {
      out.cell(ascii_ ? "|" : "│", Style::kAccent);
    }
    // In eighths of a row; anything at all is seen.
    const double share = bin_value(bins, i) / most * static_cast<double>(height) * 8;
    const auto eighths = static_cast<std::size_t>(share > 0 ? std::max(1.0, std::round(share)) : 0);
    const std::size_t below = (height - 1 - row) * 8;
    const std::size_t filled = eighths > below ? std::min<std::size_t>(8, eighths - below) : 0;
    const std::string_view glyph = filled == 0 ? " " : ascii_ ? "#" : kEighths.at(filled - 1);
    for (std::size_t column = 0; column < width; ++column) {
      const bool gap = width > 1 && column + 1 == width;
      out.cell(gap ? " " : glyph, i >= deadline ? Style::kBad : Style::kGood);
    }
  }
  return out.text();
}

void WatchView::add_histogram(const Json& frames, std::size_t columns, std::size_t height,
                              Lines& lines) const {
  const Json& bins = at(frames, "histogram");
  for (std::size_t row = 0; row < height; ++row) {
    lines.push_back(histogram_row(frames, columns, row, height));
  }
  const std::size_t width = bin_width(columns, bins.size());
  TextLine axis = line(columns);
  axis.pad_to(kIndent);
  for (std::size_t i = 0; i < bins.size() * width + 1; ++i) {
    const bool deadline = i == bins_to_deadline(frames) * width;
    axis.cell(deadline ? (ascii_ ? "+" : "┴") : (ascii_ ? "-" : "─"),
              deadline ? Style::kAccent : Style::kDim);
  }
  lines.push_back(axis.text());
  const double budget = number_in(frames, "budget_ms");
  const std::string label =
      texts_.text("cli_deadline") + (budget > 0 ? formatted(" %.1f ms", budget) : "");
  const std::size_t middle = kIndent + bins_to_deadline(frames) * width;
  TextLine labels = line(columns);
  labels.pad_to(kIndent).add("0 ms", Style::kDim);
  const std::size_t half = columns_of(label) / 2;
  labels.pad_to(middle > half ? middle - half : 0);
  labels.add(label, Style::kAccent);
  lines.push_back(labels.text());
}

void WatchView::add_clusters(const Json& clusters, std::size_t columns, Lines& lines) const {
  // MHz: four numbers, then where they stand between the cluster's slowest and fastest.
  TextLine heading = line(columns);
  heading.add(texts_.text("cli_cluster"), Style::kDim).pad_to(10);
  heading.add(texts_.text("cli_cpus"), Style::kDim);
  for (const auto& [end, key] :
       {std::pair(22U, "cli_floor"), std::pair(28U, "cli_cap"), std::pair(34U, "cli_current")}) {
    const std::string word = texts_.text(key);
    heading.pad_to(end - columns_of(word)).add(word, Style::kDim);
  }
  heading.add("  MHz", Style::kDim);
  lines.push_back(heading.text());
  for (const Json& cluster : clusters) {
    TextLine out = line(columns);
    out.add("policy" + integer(number_in(cluster, "policy")));
    out.pad_to(10).add(text_in(cluster, "cpus"));
    out.pad_to(17).add(mhz_column(number_in(cluster, "floor_khz")));
    out.pad_to(23).add(mhz_column(number_in(cluster, "cap_khz")));
    out.pad_to(29).add(mhz_column(number_in(cluster, "current_khz")), Style::kBold);
    out.pad_to(36);
    const double low = number_in(cluster, "min_khz");
    const double high = std::max(number_in(cluster, "max_khz"), low + 1);
    const double cap = number_in(cluster, "cap_khz") > 0 ? number_in(cluster, "cap_khz") : high;
    const double floor = std::max(number_in(cluster, "floor_khz"), low);
    const std::size_t width = out.room() > 1 ? out.room() - 1 : 0;
    const auto place = [&](double khz) {
      const double share = std::clamp((khz - low) / (high - low), 0.0, 1.0);
      return static_cast<std::size_t>(std::lround(share * static_cast<double>(width - 1)));
    };
    for (std::size_t i = 0; i < width; ++i) {
      const bool now =
          cluster.contains("current_khz") && i == place(number_in(cluster, "current_khz"));
      const bool allowed = i >= place(floor) && i <= place(cap);
      if (now) {
        out.cell(ascii_ ? "O" : "●", Style::kBold);
      } else if (allowed) {
        out.cell(ascii_ ? "=" : "━", Style::kAccent);
      } else {
        out.cell(ascii_ ? "." : "·", Style::kDim);
      }
    }
    lines.push_back(out.text());
  }
}

void WatchView::add_decision(const Json& status, std::size_t columns, std::size_t most,
                             Lines& lines) const {
  const Json& decision = at(status, "decision");
  const std::string text =
      decision.is_object() ? sentence(decision, texts_) : texts_.text("cli_nothingDecided");
  for (const std::string& each : wrapped(text, columns, most)) {
    lines.push_back(each);
  }
}

void WatchView::add_costs(const Json& status, std::size_t columns, Lines& lines) const {
  const Json& process = at(status, "process");
  const double up = std::max(number_in(status, "uptime_s"), 0.001);
  TextLine out = line(columns);
  out.add(texts_.text("cli_costs",
                      {{"power", formatted("%.0f", number_in(at(status, "frames"), "power_mw"))},
                       {"energy", formatted("%.1f", number_in(status, "energy_mj") / 1000)},
                       {"cpu", formatted("%.2f", 100 * number_in(process, "cpu_s") / up)},
                       {"memory", formatted("%.1f", number_in(process, "rss_kib") / 1024)}}));
  lines.push_back(out.text());
}

}  // namespace framegov::cli
