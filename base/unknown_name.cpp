// SPDX-License-Identifier: Apache-2.0
#include "base/unknown_name.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>

#include "base/text.h"

namespace framegov {

namespace {

/// Levenshtein distance, O(a x b) time and O(b) memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// Whether `name` begins `whole` or a part of it: "of" begins "off", "fps" a part of "target_fps".
bool begins_a_part(std::string_view name, std::string_view whole) {
  constexpr std::size_t kLeast = 2;
  if (name.size() < kLeast) {
    return false;
  }
  for (std::size_t at = whole.find(name); at != std::string_view::npos;
       at = whole.find(name, at + 1)) {
    if (at == 0 || std::isalnum(static_cast<unsigned char>(whole[at - 1])) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string list_of(const Names& names) {
  std::string list;
  for (const std::string_view name : names) {
    list += list.empty() ? "" : ", ";
    list += name;
  }
  return list;
}

std::optional<std::string_view> nearest(std::string_view name, const Names& known) {
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest) {
    return std::nullopt;
  }
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance =
        begins_a_part(name, candidate) ? 0 : edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const Names& known, std::string_view separator,
                         std::string_view prefix) {
  const auto near = nearest(name, known);
  return near ? std::string(separator) + "did you mean '" + std::string(prefix) +
                    std::string(*near) + "'?"
              : std::string();
}

std::string unknown_name(std::string_view what, std::string_view name, const Names& known) {
  return "no " + std::string(what) + " is called '" + printable(std::string(name)) + "'" +
         did_you_mean(name, known, ": ");
}

tl::unexpected<Error> fail_unknown(ExitCode code, std::string_view what, std::string_view name,
                                   const Names& known, std::string_view more) {
  const std::string hint = "there are " + list_of(known);
  return fail(code, unknown_name(what, name, known),
              more.empty() ? hint : hint + "; " + std::string(more));
}

}  // namespace framegov
