// SPDX-License-Identifier: Apache-2.0
// Reads a plan from YAML. yaml-cpp throws; nothing of that leaves this file.
#include "sim/sweep/sweep_plan.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/unknown_name.h"
#include "base/yaml/load_yaml.h"
#include "policy/policy_factory.h"
#include "sim/devices/content_hash.h"
#include "sim/sweep/sweep_key.h"
#include "sim/sweep/sweep_world.h"

namespace framegov::sim {

namespace {

constexpr std::size_t kMostEntries = 10'000'000;  ///< of one list
/// Worlds, or policies, with all choices of their values: each is held whole.
constexpr std::size_t kMostChoices = 100'000;

struct BadPlan : std::runtime_error {
  BadPlan(const YAML::Mark& at, const Error& why)
      : std::runtime_error(why.message), line(at.line + 1), hint(why.hint) {}
  BadPlan(const YAML::Mark& at, const std::string& what, std::string next = {})
      : std::runtime_error(what), line(at.line + 1), hint(std::move(next)) {}
  int line;
  std::string hint;
};

template <class T>
T unwrap_at(const YAML::Node& node, Result<T> result) {
  if (!result) {
    throw BadPlan(node.Mark(), result.error());
  }
  if constexpr (!std::is_void_v<T>) {
    return *std::move(result);
  }
}

std::string word(const YAML::Node& node, const std::string& what) {
  if (!node.IsScalar() || node.Scalar().empty()) {
    throw BadPlan(node.Mark(), what + " is one word");
  }
  return node.Scalar();
}

double number_at(const YAML::Node& node, const std::string& what, double low, double high) {
  const std::string text = word(node, what);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() ||
      !(value >= low && value <= high)) {
    std::ostringstream range;
    range << what << " is a number from " << low << " to " << high;
    throw BadPlan(node.Mark(), range.str());
  }
  return value;
}

bool yes_or_no(const YAML::Node& node, const std::string& what) {
  try {
    return node.as<bool>();
  } catch (const YAML::Exception&) {
    throw BadPlan(node.Mark(), what + " is yes or no");
  }
}

template <class T>
T one_of_words(const YAML::Node& node, const std::string& what,
               const std::vector<std::pair<std::string, T>>& words) {
  const std::string wanted = word(node, what);
  Names known;
  for (const auto& [name, value] : words) {
    if (name == wanted) {
      return value;
    }
    known.emplace_back(name);
  }
  throw BadPlan(node.Mark(), fail_unknown(ExitCode::kBadInput, what, wanted, known).value());
}

/// The entries of a list; what is no list is its own only entry.
std::vector<YAML::Node> entries(const YAML::Node& node, const std::string& what) {
  std::vector<YAML::Node> all;
  if (!node.IsSequence()) {
    all.push_back(node);
  }
  for (std::size_t i = 0; node.IsSequence() && i < node.size(); ++i) {
    all.push_back(node[i]);
  }
  if (all.empty() || node.IsNull()) {
    throw BadPlan(node.Mark(), what + " is empty", "list one at least");
  }
  return all;
}

using Settings = std::vector<std::pair<std::string, YAML::Node>>;

/// "NAME", or "NAME: {...}": the settings of that name; anything else is an error.
std::pair<std::string, YAML::Node> named(const YAML::Node& node, const std::string& what) {
  if (node.IsMap() && node.size() == 1) {
    const auto only = node.begin();
    return {word(only->first, what), only->second};
  }
  return {word(node, what), YAML::Node()};
}

void need_few(const YAML::Node& node, const std::string& what, std::size_t count) {
  if (count > kMostChoices) {
    throw BadPlan(node.Mark(), what + " more choices than " + std::to_string(kMostChoices),
                  "split the plan");
  }
}

/// Every choice of one value for each key; values that change first are those of the last key.
std::vector<Settings> every_choice(const YAML::Node& map, const std::string& what) {
  std::vector<Settings> choices{{}};
  if (map.IsNull()) {
    return choices;
  }
  if (!map.IsMap()) {
    throw BadPlan(map.Mark(), what + " takes a map of names to values");
  }
  for (const auto& pair : map) {
    const std::string key = word(pair.first, "a name");
    const std::vector<YAML::Node> values = entries(pair.second, key);
    need_few(pair.second, what + " has", choices.size() * values.size());
    std::vector<Settings> longer;
    for (const Settings& choice : choices) {
      for (const YAML::Node& value : values) {
        longer.push_back(choice);
        longer.back().emplace_back(key, value);
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

void append_setting(std::string& text, const std::string& key, const std::string& value) {
  text += (text.empty() ? "" : " ") + key + '=' + value;
}

// Inputs -----------------------------------------------------------------------------------------

std::string without_wildcards(const std::string& path) {
  std::string escaped;
  for (const char letter : path) {
    escaped += std::string_view("*?[\\").find(letter) != std::string_view::npos ? "\\" : "";
    escaped += letter;
  }
  return escaped;
}

void add_recordings(std::vector<SweepInput>& inputs, const YAML::Node& node,
                    const std::filesystem::path& folder) {
  const std::string& pattern = node.Scalar();
  const bool absolute = std::filesystem::path(pattern).is_absolute();
  const std::string from = absolute || folder.empty() ? "" : folder.string() + '/';
  ::glob_t found{};
  const int failed = ::glob((without_wildcards(from) + pattern).c_str(), 0, nullptr, &found);
  for (std::size_t i = 0; failed == 0 && i < found.gl_pathc; ++i) {
    const std::string path = found.gl_pathv[i];
    const std::string name = path.substr(from.size());
    inputs.push_back({std::filesystem::path(name).lexically_normal().string(), path, {}});
  }
  ::globfree(&found);
  if (failed != 0) {
    throw BadPlan(node.Mark(), "no file matches '" + pattern + "'",
                  "paths begin in the plan's folder");
  }
}

/// A generator with statistics of the plan's own.
SweepInput generated_input(const std::string& name, const YAML::Node& map) {
  if (!map.IsMap() || !map["scene"] || !map["hz"] || !map["seconds"]) {
    throw BadPlan(map.Mark(), "a generated input needs scene, hz and seconds",
                  "write NAME: {scene: fling, hz: 120, seconds: 60}");
  }
  using Scene = SyntheticSettings::Scene;
  SyntheticSettings made = SyntheticSettings::at(number_at(map["hz"], "hz", 1, 480));
  struct Statistic {
    const char* name;
    double SyntheticSettings::*member;
    double low, high;
  };
  static constexpr double kMonth = 30 * 24 * 3600.0;
  static constexpr std::array<Statistic, 9> kStatistics{{
      {"hz", &SyntheticSettings::refresh_hz, 1, 480},
      {"seconds", &SyntheticSettings::seconds, 0.001, kMonth},
      {"median-ms", &SyntheticSettings::median_ms, 0.01, 1000},
      {"deviation", &SyntheticSettings::deviation, 0, 3},
      {"correlation", &SyntheticSettings::correlation, 0, 0.999},
      {"first-frame", &SyntheticSettings::first_frame, 0.1, 100},
      {"skipped", &SyntheticSettings::skipped, 0, 0.99},
      {"ui-share", &SyntheticSettings::ui_share, 0.05, 0.95},
      {"ui-share-deviation", &SyntheticSettings::ui_share_deviation, 0, 0.5},
  }};
  for (const auto& pair : map) {
    const std::string key = word(pair.first, "a name");
    if (key == "scene") {
      made.scene = one_of_words<Scene>(pair.second, "scene",
                                       {{"scroll", Scene::kScroll},
                                        {"fling", Scene::kFling},
                                        {"still", Scene::kStill},
                                        {"mixed", Scene::kMixed}});
      continue;
    }
    Names known{"scene"};
    const Statistic* wanted = nullptr;
    for (const Statistic& each : kStatistics) {
      known.emplace_back(each.name);
      wanted = key == each.name ? &each : wanted;
    }
    if (wanted == nullptr) {
      throw BadPlan(pair.first.Mark(),
                    fail_unknown(ExitCode::kBadInput, "statistic", key, known).value());
    }
    made.*(wanted->member) = number_at(pair.second, key, wanted->low, wanted->high);
  }
  return {"synthetic:" + name, {}, made};
}

std::vector<SweepInput> parse_inputs(const YAML::Node& node, const std::filesystem::path& folder) {
  std::vector<SweepInput> all;
  std::set<std::string> generators;
  for (const YAML::Node& each : entries(node, "inputs")) {
    const auto [name, settings] = named(each, "an input");
    if (!settings.IsNull()) {
      all.push_back(generated_input(name, settings));
      if (!generators.insert(name).second) {
        throw BadPlan(each.Mark(), "two generated inputs are called '" + name + "'");
      }
    } else if (is_synthetic(name)) {
      all.push_back({name, {}, unwrap_at(each, parse_synthetic(name))});
    } else {
      add_recordings(all, each, folder);
    }
    if (all.size() > kMostEntries) {
      throw BadPlan(each.Mark(), "more than " + std::to_string(kMostEntries) + " inputs");
    }
  }
  std::set<std::string> names;
  std::erase_if(all, [&](const SweepInput& input) { return !names.insert(input.name).second; });
  return all;
}

// The rest ---------------------------------------------------------------------------------------

/// "NAME", or "NAME: SHA256" for a phone that has to be the very one.
void add_device(std::vector<DeviceModel>& devices, const YAML::Node& node,
                const DeviceCatalog& catalog) {
  const auto [name, hash] = named(node, "a phone");
  const DeviceModel& device = *unwrap_at(node, catalog.find(name));
  if (!hash.IsNull() && word(hash, "a SHA-256") != device.sha256) {
    throw BadPlan(hash.Mark(), device.name + " is not the phone that the plan was made for",
                  "its file has SHA-256 " + device.sha256);
  }
  if (std::none_of(devices.begin(), devices.end(),
                   [&](const DeviceModel& each) { return each.name == device.name; })) {
    devices.push_back(device);
  }
}

std::vector<DeviceModel> parse_devices(const YAML::Node& node, const DeviceCatalog& catalog) {
  if (node.IsScalar() && node.Scalar() == "all") {
    return catalog.devices();
  }
  std::vector<DeviceModel> devices;
  for (const YAML::Node& each : entries(node, "devices")) {
    add_device(devices, each, catalog);
  }
  return devices;
}

std::vector<SweepWorld> parse_worlds(const YAML::Node& node) {
  std::vector<SweepWorld> worlds;
  for (const YAML::Node& each : entries(node, "worlds")) {
    const auto [name, factors] = named(each, "a world");
    if (name != "phone" && name != "ideal") {
      throw BadPlan(each.Mark(),
                    fail_unknown(ExitCode::kBadInput, "world", name, {"phone", "ideal"}).value());
    }
    for (const Settings& choice : every_choice(factors, name)) {
      SweepWorld world{"", name == "phone" ? World::phone() : World::ideal()};
      for (const auto& [factor, value] : choice) {
        unwrap_at(value, set_factor(world.world, factor, word(value, factor)));
        append_setting(world.name, factor, value.Scalar());
      }
      world.name = name + (world.name.empty() ? "" : " ") + world.name;
      worlds.push_back(std::move(world));
    }
    need_few(each, "worlds have", worlds.size());
  }
  return worlds;
}

void set_parameter(SweepPolicy& policy, const std::string& name, const YAML::Node& value) {
  const PolicyKind* const kind = policy_kind(policy.entry.name);
  if (kind == nullptr) {
    throw BadPlan(value.Mark(), policy.entry.name + " has no parameters");
  }
  const PolicyParameter* const parameter = kind->parameter(name);
  if (parameter == nullptr) {
    Names known;
    for (const PolicyParameter& each : kind->parameters) {
      known.emplace_back(each.name);
    }
    throw BadPlan(value.Mark(), fail_unknown(ExitCode::kBadInput,
                                             "parameter of " + policy.entry.name, name, known)
                                    .value());
  }
  const double number = number_at(value, name, parameter->low, parameter->high);
  parameter->set(policy.settings, number);
  append_setting(policy.parameters, name, shortest(number));
}

std::vector<SweepPolicy> parse_policies(const YAML::Node& node) {
  std::vector<SweepPolicy> policies;
  if (node.IsScalar() && node.Scalar() == "all") {
    for (const PolicyEntry& entry : policy_registry()) {
      policies.push_back({entry});
    }
    return policies;
  }
  for (const YAML::Node& each : entries(node, "policies")) {
    const auto [name, parameters] = named(each, "a policy");
    const PolicyEntry& entry = *unwrap_at(each, find_policy(name));
    for (const Settings& choice : every_choice(parameters, name)) {
      SweepPolicy policy{entry};
      for (const auto& [parameter, value] : choice) {
        set_parameter(policy, parameter, value);
      }
      policies.push_back(std::move(policy));
    }
    need_few(each, "policies have", policies.size());
  }
  std::set<std::string> names;
  std::erase_if(policies,
                [&](const SweepPolicy& policy) { return !names.insert(policy.name()).second; });
  return policies;
}

std::uint64_t seed_of(const YAML::Node& node, std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    throw BadPlan(node.Mark(), "a seed is a whole number, or FIRST..LAST");
  }
  return seed;
}

std::vector<std::uint64_t> parse_seeds(const YAML::Node& node) {
  std::vector<std::uint64_t> seeds;
  for (const YAML::Node& each : entries(node, "seeds")) {
    const std::string text = word(each, "a seed");
    const std::size_t dots = text.find("..");
    const std::uint64_t first = seed_of(each, std::string_view(text).substr(0, dots));
    const std::uint64_t last =
        dots == std::string::npos ? first : seed_of(each, std::string_view(text).substr(dots + 2));
    if (last < first || last - first >= kMostEntries - seeds.size()) {
      throw BadPlan(each.Mark(), "seeds run from the smaller to the greater, at most " +
                                     std::to_string(kMostEntries));
    }
    for (std::uint64_t seed = first; seed - first <= last - first; ++seed) {
      seeds.push_back(seed);
    }
  }
  return seeds;
}

using Reader = std::function<void(SweepPlan&, const YAML::Node&)>;

SweepPlan parse(const YAML::Node& root, const std::filesystem::path& folder,
                const DeviceCatalog& catalog) {
  if (!root.IsMap()) {
    throw BadPlan(root.Mark(), "a plan is a map of inputs, devices, policies and more");
  }
  const std::vector<std::pair<std::string, Reader>> readers{
      {"inputs", [&](auto& plan, auto& node) { plan.inputs = parse_inputs(node, folder); }},
      {"devices", [&](auto& plan, auto& node) { plan.devices = parse_devices(node, catalog); }},
      {"policies", [](auto& plan, auto& node) { plan.policies = parse_policies(node); }},
      {"worlds", [](auto& plan, auto& node) { plan.worlds = parse_worlds(node); }},
      {"seeds", [](auto& plan, auto& node) { plan.seeds = parse_seeds(node); }},
      {"deadline",
       [](auto& plan, auto& node) {
         plan.deadline = one_of_words<DeadlineMode>(node, "deadline",
                                                    {{"strict", DeadlineMode::kStrict},
                                                     {"buffered", DeadlineMode::kBuffered},
                                                     {"recorded", DeadlineMode::kRecorded}});
       }},
      {"late",
       [](auto& plan, auto& node) {
         plan.drop_late = one_of_words<bool>(node, "late", {{"queue", false}, {"drop", true}});
       }},
      {"bounds", [](auto& plan, auto& node) { plan.bounds = yes_or_no(node, "bounds"); }},
      {"recorded-on", [](auto& plan, auto& node) { plan.recorded_on = word(node, "recorded-on"); }},
  };
  SweepPlan plan;
  plan.worlds = {{"phone", World::phone()}};
  plan.seeds = {1};
  Names known;
  for (const auto& [key, reader] : readers) {
    known.emplace_back(key);
  }
  for (const auto& pair : root) {
    const std::string key = word(pair.first, "a key");
    const auto found = std::find_if(readers.begin(), readers.end(),
                                    [&](const auto& each) { return each.first == key; });
    if (found == readers.end()) {
      throw BadPlan(pair.first.Mark(),
                    fail_unknown(ExitCode::kBadInput, "key of a plan", key, known).value());
    }
    found->second(plan, pair.second);
  }
  const std::array<std::pair<const char*, bool>, 3> needed{{{"inputs", plan.inputs.empty()},
                                                            {"devices", plan.devices.empty()},
                                                            {"policies", plan.policies.empty()}}};
  for (const auto& [key, missing] : needed) {
    if (missing) {
      throw BadPlan(root.Mark(), std::string("'") + key + "' is missing");
    }
  }
  double runs = static_cast<double>(plan.variants());
  for (const std::size_t part :
       {plan.inputs.size(), plan.devices.size(), plan.worlds.size(), plan.seeds.size()}) {
    runs *= static_cast<double>(part);
  }
  if (runs > static_cast<double>(kMostSweepRuns)) {
    throw BadPlan(root.Mark(), "the plan has " + shortest(runs) + " runs",
                  "split it: a plan has at most " + std::to_string(kMostSweepRuns));
  }
  return plan;
}

}  // namespace

SweepScene SweepPlan::scene(std::size_t number) const {
  SweepScene scene;
  scene.seed = seeds[number % seeds.size()];
  number /= seeds.size();
  scene.world = number % worlds.size();
  number /= worlds.size();
  scene.device = number % devices.size();
  scene.input = number / devices.size();
  return scene;
}

bool SweepPlan::has(const SweepUnit& unit) const {
  if (unit.number >= units() || unit.runs == 0) {
    return false;
  }
  const std::size_t there = variants() - unit.first_variant(units_of_a_scene());
  return there >= kUnitRuns || (unit.runs >> there) == 0;
}

std::vector<std::size_t> SweepPlan::variants_of(const SweepUnit& unit) const {
  std::vector<std::size_t> variants;
  for (std::size_t i = 0; i < kUnitRuns; ++i) {
    if ((unit.runs >> i & 1U) != 0) {
      variants.push_back(unit.first_variant(units_of_a_scene()) + i);
    }
  }
  return variants;
}

std::string SweepPlan::sha256() const {
  std::ostringstream text;
  for (const SweepInput& input : inputs) {
    text << "input " << input.name << ' '
         << (input.is_generated() ? generator_text(input.generated) : "") << '\n';
  }
  for (const DeviceModel& device : devices) {
    text << "device " << device.name << ' ' << device.sha256 << '\n';
  }
  for (const SweepWorld& world : worlds) {
    text << "world " << world.name << ' ' << exact_factors(world.world) << '\n';
  }
  for (const std::uint64_t seed : seeds) {
    text << "seed " << seed << '\n';
  }
  for (const SweepPolicy& policy : policies) {
    text << "policy " << policy.name() << '\n';
  }
  text << deadline_name(deadline) << ' ' << drop_late << ' ' << bounds << ' ' << recorded_on;
  return sha256_hex(text.str());
}

Result<SweepPlan> parse_sweep_plan(const std::string& yaml, const std::string& name,
                                   const std::filesystem::path& folder,
                                   const DeviceCatalog& catalog) {
  try {
    return parse(load_yaml(yaml).value_or(YAML::Node()), folder, catalog);
  } catch (const BadPlan& error) {
    return fail(ExitCode::kBadInput, name + ':' + std::to_string(error.line) + ": " + error.what(),
                error.hint.empty() ? "docs/sweep.md describes plans" : error.hint);
  } catch (const YAML::Exception& error) {
    return fail(ExitCode::kBadInput,
                name + ':' + std::to_string(error.mark.line + 1) + ": " + error.msg,
                "docs/sweep.md describes plans");
  }
}

}  // namespace framegov::sim
