// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace framegov::cli {

/// A finite number from `least` to `most`, whole where T is. CLI11's own Range lets "nan" pass, and
/// its reading turns -1 into the greatest number that there is.
template <class T>
[[nodiscard]] CLI::Validator number_between(T least, T most) {
  const std::string kind = std::is_integral_v<T> ? "a whole number" : "a number";
  const std::string range =
      most == std::numeric_limits<T>::max()
          ? "from " + CLI::detail::to_string(least)
          : "from " + CLI::detail::to_string(least) + " to " + CLI::detail::to_string(most);
  const auto check = [=](const std::string& text) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    // CLI11 reads a whole number that begins with a zero as an octal one.
    const bool octal = std::is_integral_v<T> && text.size() > 1 && text.front() == '0';
    const bool good =
        error == std::errc{} && stopped == end && !octal && value >= least && value <= most;
    return good ? std::string() : "'" + text + "' is not " + kind + " " + range;
  };
  // Without words, which would be of one language.
  const std::string bounds =
      CLI::detail::to_string(least) + ".." +
      (most == std::numeric_limits<T>::max() ? std::string() : CLI::detail::to_string(most));
  return {check, bounds};
}

/// Any whole number that `T` holds.
template <class T>
[[nodiscard]] CLI::Validator whole_number() {
  return number_between<T>(0, std::numeric_limits<T>::max());
}

/// A package name, or a glob of them: what a profile may be kept for.
[[nodiscard]] bool is_package_name(std::string_view name);
[[nodiscard]] CLI::Validator package_name();

/// Not "", which an unset shell variable leaves: it would count as not given.
[[nodiscard]] CLI::Validator file_name();

/// One of `words`; what is none is told with the nearest of them.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& words);

/// An option whose value is one of `words`, each with what it stands for. CLI11's own maps take the
/// values beside the words and print them, whatever bytes they are.
template <class T>
CLI::Option* add_words(CLI::App& command, const std::string& name, T& value,
                       const std::vector<std::pair<std::string, T>>& words,
                       const std::string& description) {
  std::vector<std::string> names;
  std::string usual;
  for (const auto& [word, meaning] : words) {
    names.push_back(word);
    usual = meaning == value ? word : usual;
  }
  const auto choose = [&value, words](const std::string& given) {
    value = std::find_if(words.begin(), words.end(), [&](const auto& each) {
              return each.first == given;
            })->second;
  };
  return command.add_option_function<std::string>(name, choose, description)
      ->default_str(usual)
      ->check(one_of(names));
}

}  // namespace framegov::cli
