// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What ranks say to each other whatever their work is, one JSON object a message, and how messages
/// are read. What is read gives nothing where it is no such message.
///
/// A rank greets, then says {"next": true} when it wants work. Rank 0 answers with some, with
/// {"over": true} when nothing is left, or with {"other": true} to a rank that has other work.
namespace framegov::cli {

/// What rank 0 leaves in a file for the others: {"job", "host", "addresses", "port", "secret"}.
struct RankMeeting {
  std::string job;   ///< Rank::job
  std::string host;  ///< that rank 0 runs on
  std::vector<std::string> addresses;
  std::uint16_t port{};
  std::string secret;
};
[[nodiscard]] nlohmann::json to_json(const RankMeeting& meeting);
[[nodiscard]] std::optional<RankMeeting> meeting_in(const nlohmann::json& message);

/// A rank's first: {"secret", "rank", "work"}.
struct RankGreeting {
  std::string secret;  ///< RankMeeting::secret
  std::size_t rank{};
  std::string work;  ///< a hash of all that both sides have to mean the same by
};
[[nodiscard]] nlohmann::json to_json(const RankGreeting& greeting);
[[nodiscard]] std::optional<RankGreeting> greeting_in(const nlohmann::json& message);

/// What `read` makes of a message; nothing where a part of it is missing or of another type.
template <class Read>
auto read_or_nothing(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// A whole number that fits; json's own conversions cut it off. Throws as json does.
template <class Number>
Number number_at(const nlohmann::json& value) {
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Number>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
  if (!fits) {
    throw nlohmann::json::out_of_range::create(406, "no whole number that fits", &value);
  }
  return value.get<Number>();
}

/// Throws where it is something else: json's own loops take that for a list of one, or of none.
[[nodiscard]] const nlohmann::json& list_in(const nlohmann::json& list);

}  // namespace framegov::cli
