// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.h"

#include <cctype>
#include <string_view>

#include "base/unknown_name.h"

namespace framegov::cli {

bool is_package_name(std::string_view name) {
  constexpr std::string_view kMore = "._:*?-";
  constexpr std::size_t kLongest = 128;
  return !name.empty() && name.size() <= kLongest && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [&](unsigned char c) {
           return std::isalnum(c) != 0 ||
                  kMore.find(static_cast<char>(c)) != std::string_view::npos;
         });
}

CLI::Validator package_name() {
  const auto check = [](const std::string& name) {
    return is_package_name(name) ? std::string() : "'" + name + "' is not a package name";
  };
  return {check, ""};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const std::string all = CLI::detail::generate_set(words);
  const auto check = [words, all](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end()
               ? std::string()
               : word + " not in " + all + did_you_mean(word, {words.begin(), words.end()});
  };
  return {check, all};
}

CLI::Validator file_name() {
  return {[](const std::string& name) { return std::string(name.empty() ? "names no file" : ""); },
          ""};
}

}  // namespace framegov::cli
