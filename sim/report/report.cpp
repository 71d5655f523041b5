// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report.h"
#include "base/json_text.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace framegov::embedded {

extern const std::string_view report_html;
extern const std::string_view report_css;
extern const std::string_view report_js;
extern const std::string_view uplot_css;
extern const std::string_view uplot_js;

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
  const std::array<std::pair<std::string_view, std::string_view>, 5> parts = {{
      {"{{uplot_css}}", embedded::uplot_css},
      {"{{report_css}}", embedded::report_css},
      {"{{uplot_js}}", embedded::uplot_js},
      {"{{data}}", json},
      {"{{report_js}}", embedded::report_js},
  }};
  std::string page;
  std::string_view rest = embedded::report_html;
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
