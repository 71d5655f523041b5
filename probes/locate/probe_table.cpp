// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/probe_table.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/file.h"
#include "base/yaml/load_yaml.h"
#include "probes/locate/hex.h"
#include "probes/locate/shipped_probe_sites.h"

namespace framegov {

namespace {

constexpr std::size_t kMaxTableSize = std::size_t{1} << 20U;
constexpr std::size_t kSha1Digits = 40;

/// Thrown inside this file only; parse() turns it into an Error.
struct BadRow {
  YAML::Mark mark;
  std::string what;
};

std::uint64_t parse_number(const YAML::Node& node, const std::string& key) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number, hex ? 16 : 10);
  if (error != std::errc{} || stop != end) {
    throw BadRow{node.Mark(), "'" + key + "' is not a number: " + in_quotes(text)};
  }
  return number;
}

std::string parse_hex(const YAML::Node& node, const std::string& key) {
  std::string text = node.IsScalar() ? node.Scalar() : "";
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool digits = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (text.empty() || !digits || (key == "sha1" && text.size() != kSha1Digits)) {
    throw BadRow{node.Mark(), "'" + key + "' is no " +
                                  (key == "sha1" ? "SHA-1 (40 hex digits)" : "build id (hex)") +
                                  ": " + in_quotes(text)};
  }
  return text;
}

ProbeTable::Row parse_row(const YAML::Node& node) {
  if (!node.IsMap()) {
    throw BadRow{node.Mark(), "a row must be a map with sha1 or build_id, call, register, return"};
  }
  ProbeTable::Row row;
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const YAML::Node& value = entry.second;
    if (key == "sha1") {
      row.sha1 = parse_hex(value, key);
    } else if (key == "build_id") {
      row.build_id = parse_hex(value, key);
    } else if (key == "call") {
      row.call = parse_number(value, key);
    } else if (key == "return") {
      row.return_offset = parse_number(value, key);
    } else if (key == "register") {
      const std::uint64_t number = parse_number(value, key);
      constexpr std::uint64_t kLastRegister = 30;
      if (number > kLastRegister) {
        throw BadRow{value.Mark(), "'register' must be 0 to 30"};
      }
      row.destination_register = static_cast<int>(number);
    } else if (key != "note") {
      throw BadRow{entry.first.Mark(), "unknown key " + in_quotes(key)};
    }
  }
  for (const char* key : {"call", "register", "return"}) {
    if (!node[key]) {
      throw BadRow{node.Mark(), "the row has no '" + std::string(key) + "'"};
    }
  }
  if (row.sha1.empty() && row.build_id.empty()) {
    throw BadRow{node.Mark(), "the row has neither 'sha1' nor 'build_id'"};
  }
  if (row.return_offset <= row.call) {
    throw BadRow{node.Mark(), "'return' must come after 'call'"};
  }
  return row;
}

std::string place(const std::string& name, const YAML::Mark& mark) {
  return name + ":" + std::to_string(mark.line + 1);
}

}  // namespace

Result<ProbeTable> ProbeTable::shipped() {
  return parse(kShippedProbeSites, "config/probe_sites.yaml");
}

Result<ProbeTable> ProbeTable::parse(const std::string& yaml, const std::string& name) {
  try {
    ProbeTable table;
    const YAML::Node root = load_yaml(yaml).value_or(YAML::Node());
    if (root.IsNull()) {
      return table;
    }
    if (!root.IsMap() || !root["sites"] || root.size() != 1) {
      throw BadRow{root.Mark(), "expected one key, 'sites', with a list of rows"};
    }
    const YAML::Node sites = root["sites"];
    if (!sites.IsSequence() && !sites.IsNull()) {
      throw BadRow{sites.Mark(), "'sites' must be a list of rows"};
    }
    for (const YAML::Node& node : sites) {
      table.rows_.push_back(parse_row(node));
      table.rows_.back().origin = place(name, node.Mark());
    }
    return table;
  } catch (const BadRow& bad) {
    return fail(ExitCode::kBadInput, place(name, bad.mark) + ": " + bad.what);
  } catch (const YAML::Exception& error) {
    return fail(ExitCode::kBadInput, place(name, error.mark) + ": " + error.msg);
  }
}

Result<ProbeTable> ProbeTable::load(const std::filesystem::path& path) {
  FRAMEGOV_TRY(const auto text,
               read_file(path, "give a YAML file with a list under 'sites'", kMaxTableSize));
  return parse(text, path.string());
}

void ProbeTable::put_before(const ProbeTable& first) {
  rows_.insert(rows_.begin(), first.rows_.begin(), first.rows_.end());
}

const ProbeTable::Row* ProbeTable::find(std::string_view sha1, std::string_view build_id) const {
  const auto first_with = [&](auto matches) -> const Row* {
    const auto row = std::find_if(rows_.begin(), rows_.end(), matches);
    return row == rows_.end() ? nullptr : &*row;
  };
  if (const Row* row = first_with([&](const Row& r) { return r.sha1 == sha1; })) {
    return row;
  }
  return build_id.empty() ? nullptr
                          : first_with([&](const Row& r) { return r.build_id == build_id; });
}

std::string ProbeTable::fingerprint() const {
  std::ostringstream text;
  for (const Row& row : rows_) {
    text << row.sha1 << ' ' << row.build_id << ' ' << row.call << ' ' << row.destination_register
         << ' ' << row.return_offset << '\n';
  }
  const std::string rows = text.str();
  return sha1_hex(ByteView(std::as_bytes(std::span(rows))));
}

}  // namespace framegov
