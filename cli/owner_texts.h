// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace framegov::cli {

/// The words of one language, for a terminal: the same file that the page reads
/// (init/module/webroot/texts, docs/translating.md), compiled in. Where a file has no word, the
/// program's own English ones stand.
class OwnerTexts {
 public:
  /// A word of `text()` in braces, and what takes its place.
  using Value = std::pair<std::string_view, std::string>;

  /// Of a locale as systems write it: "zh_CN.UTF-8", "zh-Hans-CN", "de". English for any other.
  explicit OwnerTexts(std::string_view locale);

  /// English is the language of the program itself.
  [[nodiscard]] bool is_english() const { return language_ == "en"; }
  [[nodiscard]] const std::string& language() const { return language_; }
  /// Of all words, for tests.
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] bool has(std::string_view key) const { return words_.contains(key); }
  /// The words for `key`; the key itself where there are none.
  [[nodiscard]] std::string text(std::string_view key,
                                 std::initializer_list<Value> values = {}) const;

 private:
  std::string language_;
  std::map<std::string, std::string, std::less<>> words_;
};

/// The words for one of framegov's own codes, such as "heat_" and "moderate"; spaces of a code are
/// dashes in the key. The code itself where there are none.
[[nodiscard]] std::string code_words(std::string_view prefix, const std::string& code,
                                     const OwnerTexts& texts);

/// The locale that an owner has chosen: of LC_ALL, LC_MESSAGES and LANG the first that is set, or
/// else the phone's own.
[[nodiscard]] std::string owner_locale();

/// Of this process: looked up once.
[[nodiscard]] const OwnerTexts& owner_texts();
[[nodiscard]] const OwnerTexts& english_texts();

}  // namespace framegov::cli
