// SPDX-License-Identifier: Apache-2.0
#include "config/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/effective_profile.h"
#include "config/load.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/phone_topology.h"
#include "tests/unit/config/problem_in.h"

namespace framegov {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Settings settings_of(const std::string& yaml) {
  auto settings = parse_settings(yaml, "f.yaml");
  EXPECT_TRUE(settings) << settings.error().message;
  return settings ? *std::move(settings) : Settings{};
}

using test::problem_in;

/// Four layers that all set eps, for one app; `without` names one that is left out.
Settings layers(const std::string& without) {
  std::string yaml = "profiles:\n";
  const auto add = [&](const std::string& name, const std::string& line) {
    yaml += name == without ? "" : line;
  };
  add("defaults", "  defaults: {eps: 0.01, margin: 1%}\n");
  yaml += "  modes: {parent: {eps: 0.015}, day: {inherit: parent}}\n";
  yaml += "  kinds: {toy: {eps: 0.02, modes: {day: {eps: 0.03}}}}\n";
  yaml += "  apps:\n    com.a: {kind: toy";
  add("app", ", eps: 0.04");
  add("app in mode", ", modes: {day: {eps: 0.05}}");
  return settings_of(yaml + "}\n");
}

TEST(EffectiveProfile, TheMoreExactPlaceHolds) {
  EXPECT_DOUBLE_EQ(effective_profile(layers(""), "day", "com.a").eps.value, 0.05);
  EXPECT_DOUBLE_EQ(effective_profile(layers("app in mode"), "day", "com.a").eps.value, 0.04);
  EXPECT_DOUBLE_EQ(effective_profile(layers(""), "parent", "com.a").eps.value, 0.04);
  const Settings bare = settings_of(
      "profiles:\n"
      "  defaults: {eps: 0.01}\n"
      "  modes: {parent: {eps: 0.015}, day: {inherit: parent}}\n"
      "  kinds: {toy: {eps: 0.02, modes: {day: {eps: 0.03}}}}\n"
      "  apps: {com.a: {kind: toy}, com.b: {}}\n");
  EXPECT_DOUBLE_EQ(effective_profile(bare, "day", "com.a").eps.value, 0.03);
  EXPECT_DOUBLE_EQ(effective_profile(bare, "balance", "com.a").eps.value, 0.02);
  EXPECT_DOUBLE_EQ(effective_profile(bare, "day", "com.b").eps.value, 0.015);
  EXPECT_DOUBLE_EQ(effective_profile(bare, "balance", "com.b").eps.value, 0.01);
}

TEST(EffectiveProfile, ValuesSayWhereTheyComeFrom) {
  const Settings settings = settings_of(
      "policy: mpc\n"
      "mpc:\n"
      "  eps: 0.004\n"
      "profiles:\n"
      "  apps:\n"
      "    com.a:\n"
      "      margin: 3%\n"
      "      ceilings:\n"
      "        big: 1.5GHz\n");
  const EffectiveProfile app = effective_profile(settings, "powersave", "com.a");
  EXPECT_EQ(app.entry.value, "com.a");
  EXPECT_EQ(app.entry.origin, "f.yaml:7");
  EXPECT_EQ(app.policy.origin, "f.yaml:1");
  EXPECT_EQ(app.margin.origin, "f.yaml:7");
  EXPECT_THAT(app.eps.origin, HasSubstr("shipped profiles:"));
  EXPECT_EQ(app.ceilings.at("big").origin, "f.yaml:9");
  EXPECT_EQ(app.enabled.origin, kBuiltIn);
  EXPECT_EQ(effective_profile(settings, "balance", "com.a").eps.origin, "f.yaml:3");
}

TEST(EffectiveProfile, WithoutProfilesTheSectionsOfThePoliciesHold) {
  const Settings settings;
  const EffectiveProfile app = effective_profile(settings, "balance", "com.a");
  EXPECT_TRUE(app.enabled.value);
  EXPECT_EQ(app.policy.value, settings.policy);
  EXPECT_DOUBLE_EQ(app.eps.value, settings.policies.mpc.eps);
  const PolicySettings policies = policy_settings(app, settings);
  EXPECT_DOUBLE_EQ(policies.pid.margin, settings.policies.pid.margin);
  const PolicyBounds bounds = policy_bounds(app, test::phone_topology());
  EXPECT_THAT(bounds.target_fps, IsEmpty());
  for (const ClusterBound& bound : bounds.clusters) {
    EXPECT_EQ(bound, ClusterBound{});
  }
}

PolicySettings policies_of(const Settings& settings, const char* app) {
  return policy_settings(effective_profile(settings, "balance", app), settings);
}

TEST(EffectiveProfile, MarginGoesToThePolicyThatIsUsed) {
  const Settings settings = settings_of(
      "pid: {margin: 0.2}\n"
      "profiles: {apps: {a: {policy: pid}, b: {policy: pid, margin: 0.3}, c: {margin: 0.3}}}\n");
  EXPECT_DOUBLE_EQ(policies_of(settings, "a").pid.margin, 0.2);
  EXPECT_DOUBLE_EQ(policies_of(settings, "b").pid.margin, 0.3);
  EXPECT_DOUBLE_EQ(policies_of(settings, "b").mpc.margin, 0);
  EXPECT_DOUBLE_EQ(policies_of(settings, "c").mpc.margin, 0.3);
  EXPECT_DOUBLE_EQ(policies_of(settings, "c").pid.margin, 0.2);
}

TEST(EffectiveProfile, TheBackgroundFloorGoesToThePolicyThatIsUsed) {
  const Settings settings = settings_of(
      "mpc: {background_floor: 0.3}\n"
      "profiles: {apps: {a: {background_floor: 60%}, b: {policy: pid, background_floor: 0.2}}}\n");
  EXPECT_DOUBLE_EQ(policies_of(settings, "a").mpc.background_floor, 0.6);
  EXPECT_DOUBLE_EQ(policies_of(settings, "b").pid.background_floor, 0.2);
  EXPECT_DOUBLE_EQ(policies_of(settings, "b").mpc.background_floor, 0.3);
  EXPECT_DOUBLE_EQ(policies_of(settings, "c").mpc.background_floor, 0.3);
  EXPECT_EQ(effective_profile(settings, "balance", "c").background_floor.origin, "f.yaml:1");
}

TEST(EffectiveProfile, TheSourceThatAnAppAsksFor) {
  const Settings settings = settings_of(
      "profiles:\n"
      "  defaults: {source: uprobes}\n"
      "  apps: {a: {source: surfaceflinger}, b: {source: none}, c: {}, d: {source: auto}}\n");
  const auto suited_by = [&](const char* app, SourceKind source) {
    return suits(effective_profile(settings, "balance", app).source.value, source);
  };
  for (const SourceKind uprobes :
       {SourceKind::kBpfRingBuffer, SourceKind::kBpfPerfBuffer, SourceKind::kTracefs}) {
    EXPECT_FALSE(suited_by("a", uprobes));
    EXPECT_FALSE(suited_by("b", uprobes));
    EXPECT_TRUE(suited_by("c", uprobes));
    EXPECT_TRUE(suited_by("d", uprobes));
  }
  EXPECT_TRUE(suited_by("a", SourceKind::kSurfaceFlinger));
  EXPECT_FALSE(suited_by("b", SourceKind::kSurfaceFlinger));
  EXPECT_FALSE(suited_by("c", SourceKind::kSurfaceFlinger));
  EXPECT_TRUE(suited_by("d", SourceKind::kSurfaceFlinger));
  EXPECT_EQ(effective_profile(settings, "balance", "c").source.origin, "f.yaml:2");
  EXPECT_THAT(problem_in("profiles: {defaults: {source: ebpf}}"),
              HasSubstr("f.yaml:1: 'profiles.defaults.source' must be one of auto, uprobes"));
}

TEST(FindApp, TheNameItselfThenTheMostLetters) {
  const Settings settings = settings_of(
      "profiles: {apps: {'*': {}, 'com.*': {}, 'com.a?': {}, '*.game': {}, com.ab: {}}}\n");
  const auto found = [&](const char* package) {
    const auto* entry = find_app(settings.profiles, package);
    return entry == nullptr ? std::string("none") : entry->first;
  };
  EXPECT_EQ(found("com.ab"), "com.ab");
  EXPECT_EQ(found("com.ac"), "com.a?");
  EXPECT_EQ(found("com.xyz"), "com.*");
  EXPECT_EQ(found("com.game"), "*.game");  // five letters against four
  EXPECT_EQ(found("org.x"), "*");
}

TEST(FindApp, EqualGlobsGoByTheAlphabet) {
  const Settings settings = settings_of("profiles: {apps: {'*ab': {}, 'ab*': {}}}\n");
  EXPECT_EQ(find_app(settings.profiles, "ab")->first, "*ab");
}

TEST(Glob, Matches) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("a*b*c", "aXbbYc"));
  EXPECT_FALSE(glob_matches("a*b*c", "aXbbY"));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_TRUE(glob_matches("com.?*", "com.x"));
  EXPECT_FALSE(glob_matches("com.?*", "com."));
  // No exponential search.
  EXPECT_FALSE(glob_matches("*a*a*a*a*a*a*a*a*a*a*a*ab", std::string(100, 'a')));
}

TEST(ClusterBounds, TheMoreExactNameHolds) {
  const CpuTopology phone = test::phone_topology();
  const Settings settings = settings_of(
      "profiles: {defaults: {ceilings: {all: 50%, big: 1GHz, policy0: 300MHz, cluster0: 400MHz},\n"
      "                      floors: {little: 100%, mid: none}}}\n");
  const PolicyBounds bounds = policy_bounds(effective_profile(settings, "balance", "com.a"), phone);
  ASSERT_EQ(bounds.clusters.size(), phone.clusters.size());
  EXPECT_EQ(bounds.clusters[0].ceiling, mhz(300));
  EXPECT_EQ(bounds.clusters[0].floor, mhz(300));  // gives way to the ceiling
  EXPECT_EQ(bounds.clusters[1].ceiling, phone.clusters[1].max_frequency() * 0.5);
  EXPECT_EQ(bounds.clusters[1].floor, Frequency{});
  EXPECT_EQ(bounds.clusters[2].ceiling, mhz(1000));
}

TEST(ClusterBounds, AFloorBetweenTwoOperatingPointsIsTheUpperOne) {
  const CpuTopology phone = test::phone_topology();
  const auto& opps = phone.clusters[2].opps;
  const double between =
      0.5 * static_cast<double>((opps[1].frequency + opps[2].frequency).count()) / 1e3;
  const Settings settings =
      settings_of("profiles: {defaults: {floors: {big: " + std::to_string(between) + "MHz}}}\n");
  const PolicyBounds bounds = policy_bounds(effective_profile(settings, "balance", "com.a"), phone);
  EXPECT_EQ(bounds.clusters[2].floor, opps[2].frequency);
}

TEST(Profiles, ShippedOnesAreSound) {
  const Settings settings = settings_of("");
  EXPECT_EQ(settings.profiles.mode.value, "balance");
  for (const char* mode : {"powersave", "balance", "performance", "fast"}) {
    EXPECT_TRUE(settings.profiles.modes.contains(mode)) << mode;
  }
  for (const char* kind : {"game", "video", "reader", "map", "browser"}) {
    EXPECT_TRUE(settings.profiles.kinds.contains(kind)) << kind;
  }
  EXPECT_EQ(effective_profile(settings, "balance", "com.supercell.clashofclans").kind.value,
            "game");
  // The mode in which nothing is chosen is the policy's own section.
  const EffectiveProfile other = effective_profile(settings, "balance", "org.example");
  EXPECT_EQ(other.eps.origin, kBuiltIn);
  EXPECT_THAT(other.ceilings, IsEmpty());
}

TEST(Profiles, AFileGoesOverTheShippedOnesKeyByKey) {
  const Settings settings = settings_of(
      "profiles:\n"
      "  modes: {powersave: {eps: 0.1}}\n"
      "  apps: {com.netflix.mediaclient: {margin: 7%}}\n");
  const EffectiveProfile app = effective_profile(settings, "powersave", "com.netflix.mediaclient");
  EXPECT_EQ(app.kind.value, "video");
  EXPECT_EQ(app.margin.origin, "f.yaml:3");
  EXPECT_EQ(app.eps.origin, "f.yaml:2");
  EXPECT_TRUE(app.ceilings.contains("big"));
}

TEST(Profiles, TargetRates) {
  const Settings settings = settings_of(
      "profiles: {defaults: {target_fps: [60, 24.5]}, apps: {a: {target_fps: auto}}}\n");
  EXPECT_THAT(effective_profile(settings, "fast", "b").target_fps.value, ElementsAre(24.5, 60));
  EXPECT_THAT(effective_profile(settings, "fast", "a").target_fps.value, IsEmpty());
}

TEST(Profiles, WhatIsWrongIsNamedWithItsLine) {
  const auto with = [](const std::string& values) {
    return problem_in("profiles:\n  defaults:\n    " + values + "\n");
  };
  EXPECT_THAT(with("enabled: yes"),
              HasSubstr("f.yaml:3: 'profiles.defaults.enabled' must be true"));
  EXPECT_THAT(with("policy: turbo"), HasSubstr("must be one of pid, mpc"));
  EXPECT_THAT(with("target_fps: 60"), HasSubstr("auto or a list"));
  EXPECT_THAT(with("target_fps: [60, 60fps]"), HasSubstr("f.yaml:3"));
  EXPECT_THAT(with("target_fps: [0]"), HasSubstr("f.yaml:3"));
  EXPECT_THAT(with("margin: 10"), HasSubstr("0% to 50%"));
  EXPECT_THAT(with("margin: 60%"), HasSubstr("0% to 50%"));
  EXPECT_THAT(with("eps: 0.9"), HasSubstr("0.0001 to 0.2"));
  EXPECT_THAT(with("ceilings: {big: 1800}"), HasSubstr("with its unit"));
  EXPECT_THAT(with("ceilings: {big: 1.8ghz}"), HasSubstr("with its unit"));
  EXPECT_THAT(with("ceilings: {big: 120%}"), HasSubstr("with its unit"));
  EXPECT_THAT(with("ceilings: {large: 80%}"), HasSubstr("is not a cluster"));
  EXPECT_THAT(with("ceilings: 80%"), HasSubstr("must be a mapping"));
  EXPECT_THAT(with("ceiling: {big: 80%}"), HasSubstr("did you mean 'profiles.defaults.ceilings'?"));
  EXPECT_THAT(with("zebra: 1"), HasSubstr("there are enabled, policy, source"));
  EXPECT_THAT(problem_in("profiles: {apps: {a: {}, a: {}}}"), HasSubstr("stands twice"));
  EXPECT_THAT(problem_in("profiles: {apps: {'a b': {}}}"), HasSubstr("package name"));
  EXPECT_THAT(problem_in("profiles: {apps: {\"a\\nb\": {}}}"), HasSubstr("f.yaml:1"));
}

TEST(Profiles, NamesThatAreUsedMustBeThere) {
  EXPECT_EQ(problem_in("profiles:\n  mode: balanc\n"),
            "f.yaml:2: no mode is called 'balanc': did you mean 'balance'?");
  EXPECT_THAT(problem_in("profiles: {when: {battery_saver: zzz}}"), HasSubstr("no mode"));
  EXPECT_THAT(problem_in("profiles: {apps: {a: {kind: gmae}}}"), HasSubstr("did you mean 'game'"));
  EXPECT_THAT(problem_in("profiles: {apps: {a: {modes: {xx: {}}}}}"),
              HasSubstr("f.yaml:1: no mode"));
  EXPECT_THAT(problem_in("profiles: {modes: {a: {inherit: b}, b: {inherit: a}}}"),
              HasSubstr("laid over itself"));
  EXPECT_THAT(problem_in("profiles: {modes: {a: {inherit: a}}}"), HasSubstr("laid over itself"));
  EXPECT_THAT(problem_in("profiles: {modes: {a: {inherit: b}}}"), HasSubstr("no mode"));
}

TEST(Profiles, BombsAreRefusedInBoundedTime) {
  // Every entry an alias of one mapping with many wrong keys.
  std::string wide = "x: &x {";
  for (int i = 0; i < 20000; ++i) {
    wide += "k" + std::to_string(i) + ": 1, ";
  }
  wide += "z: 1}\nprofiles:\n  apps:\n";
  for (int i = 0; i < 1500; ++i) {
    wide += "    a" + std::to_string(i) + ": *x\n";
  }
  EXPECT_THAT(problem_in(wide), HasSubstr("too large with its aliases followed"));
  std::string many = "profiles:\n  apps:\n";
  for (int i = 0; i < 5000; ++i) {
    many += "    a" + std::to_string(i) + ": {}\n";
  }
  EXPECT_THAT(problem_in(many), HasSubstr("more than 2000 entries"));
}

TEST(Profiles, TheExampleInTheDocumentationHolds) {
  std::ifstream file(std::string(FRAMEGOV_SOURCE_DIR) + "/docs/profiles.md");
  std::string yaml;
  for (std::string line; std::getline(file, line) && (yaml.empty() || !line.empty());) {
    if (!yaml.empty() || line == "    profiles:") {
      yaml += line.substr(4) + "\n";
    }
  }
  const Settings settings = settings_of(yaml);
  EXPECT_EQ(effective_profile(settings, "night", "com.example.shooter").kind.value, "game");
  EXPECT_FALSE(effective_profile(settings, "balance", "com.example.other").enabled.value);
}

TEST(Profiles, FilesOfTheFolderAreLaidOverByTheirNames) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
  };
  std::filesystem::create_directory(folder.path() / "profiles");
  write("f.yaml", "service: {state_dir: " + folder.path().string() + "}\n" +
                      "profiles: {defaults: {eps: 0.1, margin: 1%}}\n");
  write("profiles/2.yaml", "profiles: {defaults: {eps: 0.02}}\n");
  write("profiles/1.yaml", "profiles: {defaults: {eps: 0.01, margin: 2%}}\n");
  write("profiles/.3.yaml", "nonsense: 1\n");
  const auto settings = load_settings(folder.path() / "f.yaml");
  ASSERT_TRUE(settings) << settings.error().message;
  const EffectiveProfile app = effective_profile(*settings, "balance", "org.example");
  EXPECT_DOUBLE_EQ(app.eps.value, 0.02);
  EXPECT_THAT(app.eps.origin, HasSubstr("profiles/2.yaml:1"));
  EXPECT_DOUBLE_EQ(app.margin.value, 0.02);

  write("profiles/2.yaml", "policy: pid\n");
  write("profiles/1.yaml", "profiles: {mode: nowhere}\n");
  const auto refused = load_settings(folder.path() / "f.yaml");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("2.yaml:1: unknown key 'policy'"));
}

}  // namespace
}  // namespace framegov
