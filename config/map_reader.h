// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace framegov {

/// Problems found in one file, in the order of the file. More than kMost are not collected: the
/// reader of the message stops long before.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// Adds "file:line: text"; lines count from 1.
  void add(const YAML::Mark& mark, const std::string& text);

  [[nodiscard]] bool empty() const { return lines_.empty(); }
  /// More would not be told: no need to look for them.
  [[nodiscard]] bool full() const { return lines_.size() == kMost; }
  /// "file:line".
  [[nodiscard]] std::string where(const YAML::Mark& mark) const;
  /// One problem a line.
  [[nodiscard]] std::string to_string() const;

 private:
  static constexpr std::size_t kMost = 20;
  std::string file_;
  std::vector<std::string> lines_;
};

/// Reads one YAML mapping key by key into plain values.
///
/// A key that is absent leaves the value alone; a value that is wrong is a problem and leaves the
/// value alone. finish() reports keys that nobody asked for, with the nearest known one or all, and
/// keys that stand twice. Values must be scalars of the wanted kind: nothing is converted silently.
class MapReader {
 public:
  /// `path`: dotted name of the mapping for messages, empty at the top.
  MapReader(const YAML::Node& node, std::string path, Problems& problems);

  void number(std::string_view key, double low, double high, double& value);
  void integer(std::string_view key, int low, int high, int& value);
  void text(std::string_view key, const std::vector<std::string_view>& allowed, std::string& value);
  /// Free text without white space, of 1 to `longest` bytes.
  void word(std::string_view key, std::size_t longest, std::string& value);
  void duration(std::string_view key, Duration low, Duration high, Duration& value);
  void path(std::string_view key, std::filesystem::path& value);
  /// A list: a program by its absolute path, and its arguments.
  void command(std::string_view key, std::vector<std::string>& value);
  void paths(std::string_view key, std::vector<std::filesystem::path>& value);

  void flag(std::string_view key, bool& value);
  /// "10%" or 0.1.
  void part(std::string_view key, double low, double high, double& value);

  /// Every key of a mapping whose keys are free names; finish() is not to be called then. More than
  /// `most` are a problem, and none is returned.
  [[nodiscard]] std::vector<std::string> names(std::size_t most);

  [[nodiscard]] bool has(std::string_view key) { return find(key).IsDefined(); }
  /// "file:line" of the value at `key`; kBuiltIn's text when there is none.
  [[nodiscard]] std::string origin(std::string_view key);
  /// What stands at `key`, undefined when there is nothing, for values of a kind of their own.
  [[nodiscard]] YAML::Node value(std::string_view key) { return find(key); }
  /// Tells that the value at `key` is wrong: "'name' text".
  void problem(std::string_view key, const std::string& text);
  [[nodiscard]] const Problems& problems() const { return problems_; }

  /// The mapping under `key`; an empty one when the key is absent or is no mapping.
  [[nodiscard]] MapReader child(std::string_view key);

  /// To be called last.
  void finish();

 private:
  /// The scalar at `key`, or null with a problem when it is something else.
  const std::string* scalar(std::string_view key, std::string_view wanted);
  [[nodiscard]] YAML::Node find(std::string_view key);
  [[nodiscard]] std::vector<std::string_view> known() const;
  [[nodiscard]] std::string named(std::string_view key) const;
  [[nodiscard]] std::string full_name(std::string_view key) const;

  YAML::Node node_;
  std::string path_;
  Problems& problems_;
  std::vector<std::string_view> known_;
};

/// A file's own text in a message: quoted, and not more than a few words of it.
[[nodiscard]] std::string in_quotes(const std::string& text, std::size_t most = 40);

}  // namespace framegov
