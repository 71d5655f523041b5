// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "governor/doctor/findings.h"
#include "governor/engines/engine_switches.h"

namespace framegov {

namespace {

std::string list_of_marks(const FoundEngine& found) {
  std::string text;
  for (const std::string& mark : found.marks) {
    text += (text.empty() ? "" : ", ") + mark;
  }
  return text;
}

DoctorFinding finding_of(const FoundEngine& found, bool by_framegov) {
  const FrameEngine& engine = *found.engine;
  const std::string name(engine.name);
  const std::string what = name + " (" + std::string(engine.whose) + "), ";
  switch (found.state()) {
    case EngineState::kOn:
      return {.id = "engine",
              .health = Health::kDegraded,
              .what = what + "on: " + list_of_marks(found),
              .meaning = std::string(engine.asks),
              .action = "framegov engine " + name + " off switches it off until the next boot; " +
                        "framegov ab --engine " + name + " measures which of the two is better"};
    case EngineState::kOff:
      return {.id = "engine",
              .health = Health::kOk,
              .what = what + "off" + (by_framegov ? " by framegov: " : ": ") + list_of_marks(found),
              .action = by_framegov ? "framegov engine " + name + " on puts it back" : ""};
    case EngineState::kThere:
      break;
  }
  return {.id = "engine",
          .health = Health::kOk,
          .what = what + "no switch of it is known: " + list_of_marks(found),
          .meaning = std::string(engine.asks)};
}

}  // namespace

std::vector<DoctorFinding> examine_engines(const ServiceSettings& settings) {
  const EngineRoots roots(settings);
  const SavedEngines saved = look_at_saved_engines(roots, settings.state_dir);
  std::vector<DoctorFinding> findings;
  for (const FoundEngine& found : find_engines(roots)) {
    findings.push_back(finding_of(found, saved.has(*found.engine)));
  }
  if (findings.empty()) {
    findings.push_back(
        {.id = "engine", .health = Health::kOk, .what = "no other frame engine was found"});
  }
  return findings;
}

}  // namespace framegov
