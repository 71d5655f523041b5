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

std::string verdict(const DoctorReport& report, std::size_t wrong, const OwnerTexts& texts,
                    bool colour) {
  std::string text = styled(texts.text(report.can_govern ? "canGovern" : "cannotGovern"),
                            report.can_govern ? Style::kGood : Style::kBad, colour);
  if (wrong == 0) {
    return text + texts.text("cli_and") + texts.text("nothingWrong") + "\n";
  }
  return text + texts.text("cli_and") +
         texts.text(wrong == 1 ? "cli_oneWrong" : "cli_someWrong",
                    {{"count", std::to_string(wrong)}}) +
         "\n";
}

/// What a finding means and what to do, in an owner's language; empty: only English has words.
std::string translated(const DoctorFinding& finding, const OwnerTexts& texts) {
  const std::string id = finding.id.starts_with("policy") ? "policy" : finding.id;
  const std::string key = "doctor_" + id + "_" + std::string(name_of(finding.health));
  return texts.has(key) ? texts.text(key) : std::string();
}

std::string finding_text(const DoctorFinding& finding, const OwnerTexts& texts, bool colour) {
  const std::string health = padded(texts.text(name_of(finding.health)), kHealthWidth);
  std::string text = styled(health, style_of(finding.health), colour) +
                     padded(finding.id, kIdWidth) + printable(finding.what) + "\n";
  const std::string indent(kHealthWidth + kIdWidth, ' ');
  // The program's own words stand below: they are more exact, and whoever helps reads them.
  if (const std::string words = translated(finding, texts); !words.empty()) {
    text += indent + styled(words, Style::kBold, colour) + "\n";
  }
  if (!finding.meaning.empty()) {
    text += indent + printable(finding.meaning) + "\n";
  }
  if (!finding.action.empty()) {
    text += indent + styled("-> " + printable(finding.action), Style::kBold, colour) + "\n";
  }
  return text;
}

}  // namespace

std::string doctor_text(const DoctorReport& report, const OwnerTexts& texts, bool colour) {
  std::vector<DoctorFinding> findings = report.findings;
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return gravity(a) > gravity(b); });
  const auto well = std::find_if(findings.begin(), findings.end(),
                                 [](const auto& each) { return each.health == Health::kOk; });
  std::string text =
      verdict(report, static_cast<std::size_t>(well - findings.begin()), texts, colour);
  for (auto each = findings.begin(); each != findings.end(); ++each) {
    if (each == well && each != findings.begin()) {
      text += "\n";
    }
    text += finding_text(*each, texts, colour);
  }
  return text;
}

}  // namespace framegov::cli
