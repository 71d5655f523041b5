// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_text.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/text.h"
#include "cli/text_line.h"

namespace framegov::cli {

namespace {

constexpr std::size_t kWide = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kHealthWidth = 10;
constexpr std::size_t kIdWidth = 12;

Style style_of(Health health) {
  switch (health) {
    case Health::kOk:
      return Style::kGood;
    case Health::kDegraded:
      return Style::kAccent;
    case Health::kMissing:
      break;
  }
  return Style::kBad;
}

std::string styled(std::string_view text, Style style, bool colour) {
  return TextLine(kWide, colour).add(text, style).text();
}

/// Needed and missing before all; then as bad as it is.
int gravity(const DoctorFinding& finding) {
  return (finding.needed && finding.health == Health::kMissing ? 10 : 0) +
         static_cast<int>(finding.health);
}

std::string verdict(const DoctorReport& report, std::size_t wrong, bool colour) {
  std::string text = styled(
      report.can_govern ? "framegov can govern this phone" : "framegov cannot govern this phone",
      report.can_govern ? Style::kGood : Style::kBad, colour);
  if (wrong == 0) {
    return text + ". Everything is well.\n";
  }
  return text + (wrong == 1 ? ". One thing is not well:\n"
                            : ". " + std::to_string(wrong) + " things are not well:\n");
}

std::string finding_text(const DoctorFinding& finding, bool colour) {
  std::string health(name_of(finding.health));
  health.resize(std::max(health.size() + 1, kHealthWidth), ' ');
  std::string id = finding.id;
  id.resize(std::max(id.size() + 1, kIdWidth), ' ');
  std::string text =
      styled(health, style_of(finding.health), colour) + id + printable(finding.what) + "\n";
  const std::string indent(kHealthWidth + kIdWidth, ' ');
  if (!finding.meaning.empty()) {
    text += indent + printable(finding.meaning) + "\n";
  }
  if (!finding.action.empty()) {
    text += indent + styled("-> " + printable(finding.action), Style::kBold, colour) + "\n";
  }
  return text;
}

}  // namespace

std::string doctor_text(const DoctorReport& report, bool colour) {
  std::vector<DoctorFinding> findings = report.findings;
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return gravity(a) > gravity(b); });
  const auto well = std::find_if(findings.begin(), findings.end(),
                                 [](const auto& each) { return each.health == Health::kOk; });
  std::string text = verdict(report, static_cast<std::size_t>(well - findings.begin()), colour);
  for (auto each = findings.begin(); each != findings.end(); ++each) {
    if (each == well && each != findings.begin()) {
      text += "\n";
    }
    text += finding_text(*each, colour);
  }
  return text;
}

}  // namespace framegov::cli
