// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.h"

namespace framegov::cli {

/// An app's own profile: its entry in a file of its own in the profiles folder, which `framegov
/// profile put` changes and an owner may edit too.
class OwnProfile {
 public:
  /// The name of the file for `package` in the profiles folder.
  [[nodiscard]] static std::string file_name(std::string package);
  /// What the profiles folder has for it: a file that is not there is an empty profile. Error: it
  /// cannot be read, is no YAML, or has aliases that grow without end.
  [[nodiscard]] static Result<OwnProfile> load(const std::filesystem::path& folder,
                                               const std::string& package);

  /// Somebody else's profile of one app (`framegov profile share`): an entry of `profiles.apps` and
  /// nothing besides, since a mode or a kind would change other apps too. `name` stands for the
  /// file in messages. Whether the values are any good the reader of profiles says.
  [[nodiscard]] static Result<OwnProfile> shared(const std::string& yaml, const std::string& name);

  [[nodiscard]] const std::string& package() const { return package_; }

  /// The entry becomes that of `other`, for this app.
  void take(const OwnProfile& other);

  /// Changes the entry as a JSON merge patch (RFC 7396) does: null takes a key away, maps are
  /// merged key by key, anything else replaces. `patch` is an object. Error: it nests too deep.
  [[nodiscard]] Status merge(const nlohmann::json& patch);

  /// Takes the entry away.
  void clear();
  /// Nothing but empty maps is left in the file.
  [[nodiscard]] bool is_empty() const;

  /// The whole file. Comments that somebody wrote into it are lost.
  [[nodiscard]] std::string to_yaml() const;
  /// The entry with its scalars as the file has them, as strings; null when there is none.
  [[nodiscard]] nlohmann::json to_json() const;

 private:
  OwnProfile(const YAML::Node& root, std::string package)
      : root_(root), package_(std::move(package)) {}

  [[nodiscard]] YAML::Node entry() const;

  YAML::Node root_;
  std::string package_;
};

/// Puts `yaml` in the place of an app's own file, or takes the file away where it is nothing. The
/// service never reads half a file, and trusts only what nobody else may write.
[[nodiscard]] Status write_own_profile(const std::filesystem::path& file,
                                       const std::optional<std::string>& yaml);

}  // namespace framegov::cli
