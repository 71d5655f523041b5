// SPDX-License-Identifier: Apache-2.0
#include "cli/world_options.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "cli/option_values.h"

namespace framegov::cli {

namespace {

constexpr const char* kWorldGroup = "World";

/// A part of `most` % at most, as a number of percent; empty text: none of `words`.
CLI::Validator percent_or(const std::vector<std::string>& words, double most) {
  std::string list;
  for (const std::string& word : words) {
    list += word + " or ";
  }
  const std::string range = list + "PERCENT up to " + CLI::detail::to_string(most);
  const auto number = number_between<double>(0, most);
  const auto check = [=](std::string text) {
    if (std::find(words.begin(), words.end(), text) != words.end() || number(text).empty()) {
      return std::string();
    }
    return "'" + text + "' is not " + range;
  };
  return {check, range};
}

double percent_of(const std::string& text) {
  double value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value / 100;
}

}  // namespace

void WorldOptions::add_to(CLI::App& command) {
  add_words<bool>(command, "--world", ideal_, {{"phone", false}, {"ideal", true}},
                  "How hard the replay is: as a phone, or without what phones have beside the "
                  "frames. Each of the following changes one factor of it")
      ->group(kWorldGroup);
  const auto add = [&](const char* name, const char* description, CLI::Validator check,
                       const std::function<void(sim::World&, const std::string&)>& set) {
    command
        .add_option_function<std::string>(
            name,
            [this, set](const std::string& text) {
              changes_.emplace_back([set, text](sim::World& world) { set(world, text); });
            },
            description)
        ->check(std::move(check))
        ->group(kWorldGroup);
  };
  const auto add_choice = [&](const char* name, auto sim::World::*member, const auto& words,
                              const char* description) {
    std::vector<std::string> names;
    for (const auto& [word, meaning] : words) {
      names.push_back(word);
    }
    add(name, description, one_of(names), [=](sim::World& world, const std::string& text) {
      for (const auto& [word, meaning] : words) {
        if (word == text) {
          world.*member = meaning;
        }
      }
    });
  };
  using Placements = std::vector<std::pair<std::string, sim::PlacementKind>>;
  add_choice("--placement", &sim::World::placement,
             Placements{{"pinned", sim::PlacementKind::kPinned},
                        {"eas-5.4", sim::PlacementKind::kEas54},
                        {"eas-6.1", sim::PlacementKind::kEas61},
                        {"eas-6.12", sim::PlacementKind::kEas612},
                        {"walt", sim::PlacementKind::kWalt},
                        {"device", sim::PlacementKind::kDevice}},
             "Where threads run: in the recorded cluster, where that kernel's scheduler puts "
             "them, or where the phone's own kernel does");
  using Limits = std::vector<std::pair<std::string, sim::LimitsKind>>;
  add_choice("--limits", &sim::World::limits,
             Limits{{"instant", sim::LimitsKind::kInstant},
                    {"fast-switch", sim::LimitsKind::kFastSwitch},
                    {"work-item", sim::LimitsKind::kWorkItem}},
             "When a written limit is in force: at once, at the cluster's next update of "
             "utilisation, or when a kernel worker has run");
  using Knowledge = std::vector<std::pair<std::string, sim::EnergyModel>>;
  add_choice("--power-knowledge", &sim::World::power,
             Knowledge{{"exact", sim::EnergyModel::kExact},
                       {"table", sim::EnergyModel::kTable},
                       {"energy-model", sim::EnergyModel::kKernel},
                       {"coefficients", sim::EnergyModel::kCoefficients}},
             "Power table that policies see: the device's own, that of another phone of its SoC, "
             "the kernel's, or C f V^2");
  add("--work-noise", "Deviation of the work that policies see, or CPU times read at ticks",
      percent_or({"ticks"}, 50), [](sim::World& world, const std::string& text) {
        world.work_at_ticks = text == "ticks";
        world.work_noise = world.work_at_ticks ? 0 : percent_of(text);
      });
  add("--event-latency", "Mean of what events come late, hidden from the policy, us",
      number_between<std::int64_t>(0, 10'000), [](sim::World& world, const std::string& text) {
        world.event_latency = std::chrono::microseconds{std::stol(text)};
      });
  add("--tail",
      "What a recorder cut off a scene's heaviest frames comes back: not at all, as the "
      "scene's quantiles tell, or exponential with this mean",
      percent_or({"as-recorded", "fitted"}, 200), [](sim::World& world, const std::string& text) {
        world.tail = text == "fitted"        ? sim::kFittedTail
                     : text == "as-recorded" ? 0
                                             : percent_of(text);
      });
  using Switch = std::vector<std::pair<std::string, bool>>;
  add_choice("--split", &sim::World::split, Switch{{"on", true}, {"off", false}},
             "Frames of scenes that tell one stage get UI and RenderThread shares");
}

sim::World WorldOptions::chosen(std::uint64_t seed) const {
  sim::World world = ideal_ ? sim::World::ideal() : sim::World::phone();
  for (const Change& change : changes_) {
    change(world);
  }
  world.seed = seed;
  return world;
}

const std::vector<const char*>& WorldOptions::names() {
  static const std::vector<const char*> kNames{
      "--world",      "--placement",     "--limits", "--power-knowledge",
      "--work-noise", "--event-latency", "--tail",   "--split"};
  return kNames;
}

}  // namespace framegov::cli
