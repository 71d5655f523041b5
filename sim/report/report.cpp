// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_text.h"
#include "sim/report/run_timeline.h"

namespace framegov::embedded {

extern const std::string_view kReportHtml;
extern const std::string_view kReportCss;
extern const std::string_view kFrontChartJs;
extern const std::string_view kRunChartJs;
extern const std::string_view kReportJs;
extern const std::string_view kUplotCss;
extern const std::string_view kUplotJs;

}  // namespace framegov::embedded

namespace framegov::sim {

namespace {

/// JSON that may stand inside a script element: no sequence in it can end the element.
std::string script_safe(const nlohmann::json& data) {
  const std::string text = json_line(data);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string render_report(const nlohmann::json& data) {
  const std::string json = script_safe(data);
  const std::string most_frames = std::to_string(RunTimeline::kMostFrames);
  const std::string most_mib = std::to_string(kMostTimelineBytes >> 20U);
  const std::array<std::pair<std::string_view, std::string_view>, 9> parts = {{
      {"{{uplot_css}}", embedded::kUplotCss},
      {"{{report_css}}", embedded::kReportCss},
      {"{{most_frames}}", most_frames},
      {"{{most_mib}}", most_mib},
      {"{{uplot_js}}", embedded::kUplotJs},
      {"{{data}}", json},
      {"{{front_chart_js}}", embedded::kFrontChartJs},
      {"{{run_chart_js}}", embedded::kRunChartJs},
      {"{{report_js}}", embedded::kReportJs},
  }};
  std::string page;
  std::string_view rest = embedded::kReportHtml;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = rest.find(mark);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + mark.size());
  }
  page += rest;
  return page;
}

}  // namespace framegov::sim
