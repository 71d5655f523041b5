// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/surface_flinger_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "base/text.h"

namespace framegov {
namespace {

/// FrameTracker::NUM_FRAME_RECORDS is 128; the one being filled is not shown.
constexpr std::size_t kRows = 127;
constexpr std::int64_t kPending = std::numeric_limits<std::int64_t>::max();
constexpr Duration kLongestPeriod = std::chrono::seconds{1};

constexpr std::array<std::string_view, 9> kNotApps{
    "Background for ", "Bounds for ",          "ActivityRecord{", "Task=",    "InputMethod",
    "WindowToken{",    "com.android.systemui", "Splash Screen ",  "Wallpaper"};

/// The next line without the blanks that it may end in.
std::string_view take_trimmed_line(std::string_view& text) {
  const std::string_view line = take_line(text);
  return line.substr(0, line.find_last_not_of("\r ") + 1);
}

std::string_view layer_name(std::string_view line) {
  constexpr std::string_view kState = "RequestedLayerState{";
  if (line.starts_with(kState)) {
    line.remove_prefix(kState.size());
    line = line.substr(0, line.find(" parentId="));
  }
  return line;
}

/// "SurfaceView[com.x/com.x.Main](BLAST)#2" -> "com.x"; empty when there is none.
std::string_view package_of(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  const std::string_view before = name.substr(0, slash);
  const std::size_t start = before.find_last_of("[ {");
  const std::string_view package =
      start == std::string_view::npos ? before : before.substr(start + 1);
  return package.find('.') == std::string_view::npos ? std::string_view{} : package;
}

bool is_app_layer(std::string_view name) {
  return std::none_of(kNotApps.begin(), kNotApps.end(), [&](std::string_view not_app) {
    return name.find(not_app) != std::string_view::npos;
  });
}

/// The numbers of a row; nothing when there are not exactly N.
template <std::size_t N>
std::optional<std::array<std::int64_t, N>> parse_row(std::string_view line) {
  std::array<std::int64_t, N> row{};
  for (std::int64_t& value : row) {
    while (line.starts_with(' ') || line.starts_with('\t')) {
      line.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc{}) {
      return std::nullopt;
    }
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return line.empty() ? std::optional(row) : std::nullopt;
}

}  // namespace

std::vector<AppLayer> parse_layer_list(std::string_view text, std::size_t limit) {
  std::vector<AppLayer> layers;
  while (!text.empty()) {
    const std::string_view name = layer_name(take_trimmed_line(text));
    const std::string_view package = package_of(name);
    if (!package.empty() && is_app_layer(name) &&
        std::none_of(name.begin(), name.end(), is_control)) {
      layers.push_back({std::string(name), std::string(package)});
    }
  }
  std::stable_partition(layers.begin(), layers.end(), [](const AppLayer& layer) {
    return layer.name.starts_with("SurfaceView");
  });
  layers.resize(std::min(layers.size(), limit));
  return layers;
}

Result<LayerLatency> parse_layer_latency(std::string_view text, Instant now) {
  LayerLatency latency;
  const auto period = parse_row<1>(take_trimmed_line(text));
  if (!period || (*period)[0] <= 0 || Duration{(*period)[0]} > kLongestPeriod) {
    return fail(ExitCode::kBadInput,
                "dumpsys SurfaceFlinger --latency: the first line is no refresh period");
  }
  latency.refresh_period = Duration{(*period)[0]};
  while (!text.empty()) {
    const std::string_view line = take_trimmed_line(text);
    if (line.empty()) {
      continue;
    }
    const auto row = parse_row<3>(line);
    if (!row) {
      ++latency.rejected;
      continue;
    }
    const std::int64_t ready = (*row)[2];
    if (ready == 0) {
      continue;
    }
    if (ready == kPending) {
      ++latency.pending;
    } else if (ready < 0 || ready > to_ns(now) ||
               (!latency.ready.empty() && ready < to_ns(latency.ready.back()))) {
      ++latency.rejected;
    } else {
      latency.ready.push_back(instant_from_ns(ready));
    }
  }
  latency.full = latency.ready.size() + latency.pending >= kRows;
  return latency;
}

}  // namespace framegov
