// SPDX-License-Identifier: Apache-2.0
#include "config/map_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "base/text.h"
#include "base/unknown_name.h"
#include "config/profiles.h"

namespace framegov {

namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr std::array<Unit, 4> kTimeUnits = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

/// "500ms", "2s", "4000us", "10ns", "1.5s": a number and its unit, nothing else. A bare number is
/// refused, because nobody can see its unit.
std::optional<Duration> parse_duration(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& each : kTimeUnits) {
    const double ns = number * each.ns;
    if (unit == each.name && ns < 1e18) {
      return Duration{std::llround(ns)};
    }
  }
  return std::nullopt;
}

/// Names may be as long as they get by themselves, but not as long as somebody makes them.
constexpr std::size_t kMostName = 300;

std::string to_text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <class Number>
std::optional<Number> whole_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string in_quotes(const std::string& text, std::size_t most) {
  return "'" + (text.size() > most ? text.substr(0, most) + "..." : text) + "'";
}

std::string Problems::where(const YAML::Mark& mark) const {
  return file_ + ":" + std::to_string(mark.line + 1);
}

void Problems::add(const YAML::Mark& mark, const std::string& text) {
  if (full()) {
    return;
  }
  // A problem is one line, whatever the file holds.
  lines_.push_back(printable(where(mark) + ": " + text));
}

std::string Problems::to_string() const {
  std::string all;
  for (const std::string& line : lines_) {
    all += all.empty() ? "" : "\n";
    all += line;
  }
  return all;
}

MapReader::MapReader(const YAML::Node& node, std::string path, Problems& problems)
    : node_(node), path_(std::move(path)), problems_(problems) {
  if (node_.IsDefined() && !node_.IsNull() && !node_.IsMap()) {
    problems_.add(node_.Mark(), (path_.empty() ? "the file" : in_quotes(path_, kMostName)) +
                                    " must be a mapping of keys to values");
    node_ = YAML::Node(YAML::NodeType::Map);
  }
}

std::string MapReader::named(std::string_view key) const {
  return in_quotes(full_name(key), kMostName);
}

std::string MapReader::full_name(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

YAML::Node MapReader::find(std::string_view key) {
  known_.push_back(key);
  if (node_.IsMap()) {
    for (const auto& entry : node_) {
      if (entry.first.IsScalar() && entry.first.Scalar() == key) {
        return entry.second;
      }
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

const std::string* MapReader::scalar(std::string_view key, std::string_view wanted) {
  const YAML::Node value = find(key);
  if (!value.IsDefined()) {
    return nullptr;
  }
  if (!value.IsScalar()) {
    problems_.add(value.Mark(), named(key) + " must be " + std::string(wanted));
    return nullptr;
  }
  return &value.Scalar();
}

void MapReader::problem(std::string_view key, const std::string& text) {
  problems_.add(find(key).Mark(), named(key) + " " + text);
}

void MapReader::number(std::string_view key, double low, double high, double& value) {
  const std::string* text = scalar(key, "a number");
  if (text == nullptr) {
    return;
  }
  const auto parsed = whole_number<double>(*text);
  if (!parsed || !std::isfinite(*parsed) || *parsed < low || *parsed > high) {
    problem(key, "must be a number from " + to_text(low) + " to " + to_text(high) + ", not " +
                     in_quotes(*text));
    return;
  }
  value = *parsed;
}

void MapReader::integer(std::string_view key, int low, int high, int& value) {
  const std::string* text = scalar(key, "a whole number");
  if (text == nullptr) {
    return;
  }
  const auto parsed = whole_number<int>(*text);
  if (!parsed || *parsed < low || *parsed > high) {
    problem(key, "must be a whole number from " + std::to_string(low) + " to " +
                     std::to_string(high) + ", not " + in_quotes(*text));
    return;
  }
  value = *parsed;
}

void MapReader::text(std::string_view key, const std::vector<std::string_view>& allowed,
                     std::string& value) {
  const std::string* text = scalar(key, "one of " + list_of(allowed));
  if (text == nullptr) {
    return;
  }
  if (std::find(allowed.begin(), allowed.end(), *text) == allowed.end()) {
    problem(key, "must be one of " + list_of(allowed) + ", not " + in_quotes(*text) +
                     did_you_mean(*text, allowed));
    return;
  }
  value = *text;
}

void MapReader::word(std::string_view key, std::size_t longest, std::string& value) {
  const std::string* text = scalar(key, "a word");
  if (text == nullptr) {
    return;
  }
  const bool spaced = std::any_of(text->begin(), text->end(),
                                  [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (text->empty() || text->size() > longest || spaced) {
    problem(key, "must be a word of 1 to " + std::to_string(longest) + " bytes, not " +
                     in_quotes(*text));
    return;
  }
  value = *text;
}

void MapReader::duration(std::string_view key, Duration low, Duration high, Duration& value) {
  const std::string* text = scalar(key, "a time such as 500ms");
  if (text == nullptr) {
    return;
  }
  const auto parsed = parse_duration(*text);
  if (!parsed) {
    problem(key, "must be a time with its unit (ns, us, ms or s), such as 500ms, not " +
                     in_quotes(*text));
  } else if (*parsed < low || *parsed > high) {
    problem(key, "must be from " + to_text(to_ms(low)) + "ms to " + to_text(to_ms(high)) +
                     "ms, not " + in_quotes(*text));
  } else {
    value = *parsed;
  }
}

void MapReader::path(std::string_view key, std::filesystem::path& value) {
  const std::string* text = scalar(key, "an absolute path");
  if (text == nullptr) {
    return;
  }
  if (text->empty() || text->front() != '/') {
    problem(key, "must be an absolute path, not " + in_quotes(*text));
    return;
  }
  value = *text;
}

void MapReader::paths(std::string_view key, std::vector<std::filesystem::path>& value) {
  const YAML::Node list = find(key);
  if (!list.IsDefined()) {
    return;
  }
  if (!list.IsSequence()) {
    problems_.add(list.Mark(), named(key) + " must be a list of absolute paths");
    return;
  }
  std::vector<std::filesystem::path> parsed;
  for (const auto& item : list) {
    if (!item.IsScalar() || item.Scalar().empty() || item.Scalar().front() != '/') {
      problems_.add(item.Mark(), named(key) + " must hold absolute paths only");
      return;
    }
    parsed.emplace_back(item.Scalar());
  }
  value = std::move(parsed);
}

void MapReader::command(std::string_view key, std::vector<std::string>& value) {
  const YAML::Node list = find(key);
  if (!list.IsDefined()) {
    return;
  }
  const std::string name = named(key);
  if (!list.IsSequence() || list.size() == 0) {
    problems_.add(list.Mark(), name + " must be a list: a program and its arguments");
    return;
  }
  std::vector<std::string> parsed;
  for (const auto& item : list) {
    if (!item.IsScalar()) {
      problems_.add(item.Mark(), name + " must hold plain words only");
      return;
    }
    parsed.push_back(item.Scalar());
  }
  if (!parsed.front().starts_with('/')) {
    problems_.add(list[0].Mark(),
                  name + " must begin with an absolute path, not " + in_quotes(parsed.front()));
    return;
  }
  value = std::move(parsed);
}

void MapReader::flag(std::string_view key, bool& value) {
  const std::string* text = scalar(key, "true or false");
  if (text == nullptr) {
    return;
  }
  if (*text != "true" && *text != "false") {
    problem(key, "must be true or false, not " + in_quotes(*text));
    return;
  }
  value = *text == "true";
}

void MapReader::part(std::string_view key, double low, double high, double& value) {
  const std::string* text = scalar(key, "a part such as 10%");
  if (text == nullptr) {
    return;
  }
  const bool percent = text->ends_with('%');
  auto parsed = whole_number<double>(percent ? text->substr(0, text->size() - 1) : *text);
  if (parsed && percent) {
    *parsed /= 100;
  }
  if (!parsed || !std::isfinite(*parsed) || *parsed < low || *parsed > high) {
    problem(key, "must be from " + to_text(low * 100) + "% to " + to_text(high * 100) + "% (or " +
                     to_text(low) + " to " + to_text(high) + "), not " + in_quotes(*text));
    return;
  }
  value = *parsed;
}

std::vector<std::string> MapReader::names(std::size_t most) {
  std::vector<std::string> found;
  if (!node_.IsMap()) {
    return found;
  }
  if (node_.size() > most) {
    problems_.add(node_.Mark(), in_quotes(path_, kMostName) + " has more than " +
                                    std::to_string(most) + " entries");
    return found;
  }
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) {
      problems_.add(entry.first.Mark(), "keys must be plain words");
    } else if (!seen.insert(entry.first.Scalar()).second) {
      problems_.add(entry.first.Mark(), named(entry.first.Scalar()) + " stands twice");
    } else {
      found.push_back(entry.first.Scalar());
    }
  }
  return found;
}

std::string MapReader::origin(std::string_view key) {
  const YAML::Node value = find(key);
  return value.IsDefined() ? problems_.where(value.Mark()) : kBuiltIn;
}

MapReader MapReader::child(std::string_view key) { return {find(key), full_name(key), problems_}; }

std::vector<std::string_view> MapReader::known() const {
  std::vector<std::string_view> once;
  for (const std::string_view key : known_) {
    if (std::find(once.begin(), once.end(), key) == once.end()) {
      once.push_back(key);
    }
  }
  return once;
}

void MapReader::finish() {
  if (!node_.IsMap()) {
    return;
  }
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (problems_.full()) {
      return;
    }
    if (!entry.first.IsScalar()) {
      problems_.add(entry.first.Mark(), "keys must be plain words");
      continue;
    }
    const std::string& key = entry.first.Scalar();
    if (!seen.insert(key).second) {
      problems_.add(entry.first.Mark(), named(key) + " stands twice");
    }
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      const std::string guess = did_you_mean(key, known_, ": ", full_name(""));
      problems_.add(entry.first.Mark(),
                    "unknown key " + named(key) +
                        (guess.empty() ? "; there are " + list_of(known()) : guess));
    }
  }
}

}  // namespace framegov
