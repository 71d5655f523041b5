// SPDX-License-Identifier: Apache-2.0
// The schema that editors are given, and what the loader takes, are one thing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "config/load.h"
#include "config/profile_schema.h"

namespace framegov {
namespace {

using Json = nlohmann::json;

const Json& schema() {
  static const Json kKschema = profile_schema();
  return kKschema;
}

std::set<std::string> keys_of(const Json& properties) {
  std::set<std::string> keys;
  for (const auto& [key, value] : properties.items()) {
    keys.insert(key);
  }
  return keys;
}

/// The keys that the loader knows where `%` stands in `yaml`: it tells them when it meets one that
/// is like none of them.
std::set<std::string> keys_at(std::string yaml) {
  yaml.replace(yaml.find('%'), 1, "zzzzzzzzzzzzzzzzz: 1");
  const auto settings = parse_settings(yaml, "f.yaml");
  EXPECT_FALSE(settings);
  const std::string& said = settings.error().message;
  const std::string before = "; there are ";
  EXPECT_NE(said.find(before), std::string::npos) << said;
  std::istringstream list(said.substr(said.find(before) + before.size()));
  std::set<std::string> keys;
  for (std::string key; list >> key;) {
    keys.insert(key.ends_with(',') ? key.substr(0, key.size() - 1) : key);
  }
  return keys;
}

TEST(ProfileSchema, HasTheKeysThatTheLoaderKnows) {
  const Json& definitions = schema()["definitions"];
  const Json& section = schema()["properties"]["profiles"]["properties"];
  EXPECT_EQ(keys_at("profiles: {%}"), keys_of(section));
  EXPECT_EQ(keys_at("profiles: {when: {%}}"), keys_of(section["when"]["properties"]));
  EXPECT_EQ(keys_at("profiles: {defaults: {%}}"), keys_of(definitions["values"]["properties"]));
  EXPECT_EQ(keys_at("profiles: {modes: {m: {%}}}"), keys_of(definitions["mode"]["properties"]));
  EXPECT_EQ(keys_at("profiles: {kinds: {k: {%}}}"), keys_of(definitions["kind"]["properties"]));
  EXPECT_EQ(keys_at("profiles: {apps: {a: {%}}}"), keys_of(definitions["app"]["properties"]));
  EXPECT_EQ(keys_at("profiles: {apps: {a: {modes: {fast: {%}}}}}"),
            keys_of(definitions["values"]["properties"]));
}

TEST(ProfileSchema, HasThePoliciesThatTheLoaderTakes) {
  const Json& policies = schema()["definitions"]["values"]["properties"]["policy"]["enum"];
  EXPECT_EQ(policies.size(), policy_names().size());
  for (const Json& name : policies) {
    EXPECT_TRUE(parse_settings("profiles: {defaults: {policy: " + name.get<std::string>() + "}}",
                               "f.yaml"));
  }
}

TEST(ProfileSchema, HasTheSourcesThatTheLoaderTakes) {
  const Json& sources = schema()["definitions"]["values"]["properties"]["source"]["enum"];
  EXPECT_EQ(sources.size(), kSourcePreferences.size());
  for (const Json& name : sources) {
    EXPECT_TRUE(parse_settings("profiles: {defaults: {source: " + name.get<std::string>() + "}}",
                               "f.yaml"));
  }
}

}  // namespace
}  // namespace framegov
