// SPDX-License-Identifier: Apache-2.0
#include "cli/own_profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/yaml/load_yaml.h"
#include "cli/option_values.h"
#include "cli/output_file.h"
#include "config/load.h"

namespace framegov::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The map at `key`; what stands there and is none makes way.
YAML::Node map_at(YAML::Node node, const std::string& key) {
  if (!node[key].IsMap()) {
    node[key] = YAML::Node(YAML::NodeType::Map);
  }
  return node[key];
}

constexpr int kDeepest = 32;

/// Without going any deeper itself.
bool is_deeper_than(const Json& value, int levels) {
  return value.is_structured() &&
         (levels == 0 || std::any_of(value.begin(), value.end(), [levels](const Json& each) {
            return is_deeper_than(each, levels - 1);
          }));
}

/// A user's file may say a key more than once.
void remove_all(YAML::Node map, const std::string& key) {
  while (map.remove(key)) {
  }
}

void merge_into(YAML::Node node, const Json& patch) {
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      remove_all(node, key);
    } else if (value.is_object()) {
      YAML::Node child = map_at(node, key);
      merge_into(child, value);
      if (child.size() == 0) {
        remove_all(node, key);
      }
    } else {
      node[key] = YAML::Load(value.dump());  // JSON is YAML
    }
  }
}

/// The same without aliases: a change of one place is a change of no other.
YAML::Node plain_copy(const YAML::Node& node, int depth) {
  if (depth > kDeepest) {
    throw YAML::Exception(node.Mark(), "is too deep");
  }
  if (node.IsMap()) {
    YAML::Node map(YAML::NodeType::Map);
    for (const auto& each : node) {
      map.force_insert(each.first.Scalar(), plain_copy(each.second, depth + 1));
    }
    return map;
  }
  if (node.IsSequence()) {
    YAML::Node list(YAML::NodeType::Sequence);
    for (const auto& each : node) {
      list.push_back(plain_copy(each, depth + 1));
    }
    return list;
  }
  return YAML::Clone(node);
}

bool is_hollow(const YAML::Node& node) {
  return !node || node.IsNull() ||
         (node.IsMap() && std::all_of(node.begin(), node.end(),
                                      [](const auto& each) { return is_hollow(each.second); }));
}

Json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    Json map = Json::object();
    for (const auto& each : node) {
      map[each.first.Scalar()] = json_of(each.second);
    }
    return map;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const auto& each : node) {
      list.push_back(json_of(each));
    }
    return list;
  }
  return node.IsScalar() ? Json(node.Scalar()) : Json(nullptr);
}

}  // namespace

std::string OwnProfile::file_name(std::string package) {
  // What a file name cannot hold, or what would hide it, becomes a dash.
  std::replace_if(
      package.begin(), package.end(),
      [](char c) { return c == '*' || c == '?' || c == '/' || c == ':'; }, '-');
  return "app-" + package + ".yaml";
}

Result<OwnProfile> OwnProfile::load(const fs::path& folder, const std::string& package) {
  const fs::path file = folder / file_name(package);
  std::error_code error;
  if (!fs::exists(file, error)) {
    return OwnProfile(YAML::Node(YAML::NodeType::Map), package);
  }
  FRAMEGOV_TRY(auto text, read_small_file(file));
  try {
    const YAML::Node root = load_yaml(text).value_or(YAML::Node());
    return OwnProfile(root.IsMap() ? plain_copy(root, 0) : YAML::Node(YAML::NodeType::Map),
                      package);
  } catch (const YAML::Exception& mistake) {
    return fail(ExitCode::kBadInput, file.string() + ": " + mistake.what(),
                "correct it, or remove it with framegov profile drop " + package);
  }
}

Result<OwnProfile> OwnProfile::shared(const std::string& yaml, const std::string& name) {
  const auto refuse = [&name](const std::string& what) {
    return fail(ExitCode::kBadInput, name + ": " + what,
                "framegov profile share APP prints one as it has to be");
  };
  try {
    const auto read = load_yaml(yaml);
    YAML::Node only = read && read->IsMap() ? plain_copy(*read, 0) : YAML::Node();
    for (const std::string key : {"profiles", "apps"}) {
      if (!only.IsMap() || only.size() != 1 || only.begin()->first.Scalar() != key) {
        return refuse("a shared profile has profiles: apps: PACKAGE: and nothing besides");
      }
      only.reset(YAML::Clone(only.begin()->second));
    }
    if (!only.IsMap() || only.size() != 1) {
      return refuse("a shared profile is of one app");
    }
    const std::string package = only.begin()->first.Scalar();
    // A glob would change other apps too.
    if (!is_package_name(package) || package.find_first_of("*?") != std::string::npos) {
      return refuse("'" + printable(package) + "' is not a package name");
    }
    if (!only.begin()->second.IsMap() || is_hollow(only.begin()->second)) {
      return refuse("it says nothing of " + package);
    }
    YAML::Node root(YAML::NodeType::Map);
    map_at(root, "profiles")["apps"] = only;
    return OwnProfile(root, package);
  } catch (const YAML::Exception& mistake) {
    return refuse(printable(mistake.what()));
  }
}

void OwnProfile::take(const OwnProfile& other) {
  map_at(map_at(root_, "profiles"), "apps")[package_] = YAML::Clone(other.entry());
}

YAML::Node OwnProfile::entry() const {
  // Looked up without making what is not there: yaml-cpp's operator[] of a const node.
  // Of anything but a map it throws.
  const auto value = [](const YAML::Node& map, const std::string& key) {
    return map.IsMap() && map[key] ? map[key] : YAML::Node();
  };
  return value(value(value(root_, "profiles"), "apps"), package_);
}

Status OwnProfile::merge(const Json& patch) {
  if (is_deeper_than(patch, kDeepest)) {
    return fail(ExitCode::kUsage, "the values nest deeper than any setting does");
  }
  YAML::Node apps = map_at(map_at(root_, "profiles"), "apps");
  YAML::Node entry = map_at(apps, package_);
  merge_into(entry, patch);
  if (entry.size() == 0) {
    remove_all(apps,
               package_);  // an entry without a word would stand before a glob that fits the app
  }
  return {};
}

void OwnProfile::clear() { remove_all(map_at(map_at(root_, "profiles"), "apps"), package_); }

bool OwnProfile::is_empty() const { return is_hollow(root_); }

std::string OwnProfile::to_yaml() const {
  YAML::Emitter out;
  out << YAML::Comment(
             "Kept by `framegov profile put`, which changes the keys it is given and no others.")
      << YAML::Newline << root_;
  return std::string(out.c_str()) + "\n";
}

Json OwnProfile::to_json() const {
  const YAML::Node found = entry();
  return found.IsMap() ? json_of(found) : Json(nullptr);
}

Status write_own_profile(const fs::path& file, const std::optional<std::string>& yaml) {
  constexpr const char* kAsRoot = "run it as root";
  std::error_code error;
  if (!yaml) {
    fs::remove(file, error);
    return error ? fail_errno(error.value(), file.string(), kAsRoot) : Status{};
  }
  const fs::path folder = file.parent_path();
  if (fs::create_directories(folder, error)) {
    fs::permissions(folder, fs::perms::owner_all, error);
  }
  const fs::path part = file.string() + ".part";
  FRAMEGOV_TRY_STATUS(write_file(part, *yaml));
  fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write, error);
  if (!error) {
    fs::rename(part, file, error);
  }
  return error ? fail_errno(error.value(), file.string(), kAsRoot) : Status{};
}

}  // namespace framegov::cli
