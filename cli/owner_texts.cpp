// SPDX-License-Identifier: Apache-2.0
#include "cli/owner_texts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/phone_property.h"

namespace framegov::embedded {
extern const std::string_view kTextsEn;
extern const std::string_view kTextsDe;
extern const std::string_view kTextsZh;
}  // namespace framegov::embedded

namespace framegov::cli {

namespace {

struct Language {
  std::string_view name;
  const std::string_view* texts;
};

/// A language more: a line here and in cli/CMakeLists.txt.
constexpr std::array kLanguages = {Language{"en", &embedded::kTextsEn},
                                   Language{"de", &embedded::kTextsDe},
                                   Language{"zh", &embedded::kTextsZh}};

const Language& language_of(std::string_view locale) {
  const std::string_view name = locale.substr(0, locale.find_first_of("_-.@"));
  const auto* const found = std::find_if(kLanguages.begin(), kLanguages.end(),
                                         [&](const Language& each) { return each.name == name; });
  return found == kLanguages.end() ? kLanguages.front() : *found;
}

}  // namespace

OwnerTexts::OwnerTexts(std::string_view locale) {
  const Language& language = language_of(locale);
  language_ = language.name;
  const auto texts = nlohmann::json::parse(*language.texts);
  for (const auto& [key, words] : texts.items()) {
    words_[key] = words.get<std::string>();
  }
}

std::vector<std::string> OwnerTexts::keys() const {
  std::vector<std::string> keys;
  std::transform(words_.begin(), words_.end(), std::back_inserter(keys),
                 [](const auto& each) { return each.first; });
  return keys;
}

std::string OwnerTexts::text(std::string_view key, std::initializer_list<Value> values) const {
  const auto found = words_.find(key);
  if (found == words_.end()) {
    return std::string(key);
  }
  std::string text;
  std::string_view rest = found->second;
  while (!rest.empty()) {
    const std::size_t open = rest.find('{');
    const std::size_t close = rest.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      break;
    }
    text += rest.substr(0, open);
    const std::string_view name = rest.substr(open + 1, close - open - 1);
    const auto* const value = std::find_if(values.begin(), values.end(),
                                           [&](const Value& each) { return each.first == name; });
    text += value == values.end() ? std::string_view() : std::string_view(value->second);
    rest.remove_prefix(close + 1);
  }
  return text += rest;
}

std::string code_words(std::string_view prefix, const std::string& code, const OwnerTexts& texts) {
  std::string key = std::string(prefix) + code;
  std::replace(key.begin(), key.end(), ' ', '-');
  return texts.has(key) ? texts.text(key) : code;
}

std::string owner_locale() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return value;
    }
  }
  const std::string chosen = phone_property("persist.sys.locale");
  return chosen.empty() ? phone_property("ro.product.locale") : chosen;
}

const OwnerTexts& owner_texts() {
  static const OwnerTexts kTexts(owner_locale());
  return kTexts;
}

const OwnerTexts& english_texts() {
  static const OwnerTexts kTexts("en");
  return kTexts;
}

}  // namespace framegov::cli
