// SPDX-License-Identifier: Apache-2.0
#include "cli/phone_property.h"

#include <array>
#include <cstdio>
#include <memory>

#include "base/text.h"

namespace framegov::cli {

std::string phone_property(const char* name) {
  const std::string command = "getprop " + std::string(name) + " 2>/dev/null";
  struct Close {
    void operator()(std::FILE* file) const { ::pclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> output(::popen(command.c_str(), "r"));
  std::array<char, 128> line{};  // PROP_VALUE_MAX is 92
  if (!output || std::fgets(line.data(), line.size(), output.get()) == nullptr) {
    return {};
  }
  std::string_view text(line.data());
  return printable(std::string(take_line(text)));
}

std::string phone_in_words() {
  const std::string model = phone_property("ro.product.model");
  const std::string maker = phone_property("ro.product.manufacturer");
  const std::string soc = phone_property("ro.soc.model");
  std::string words = maker + (maker.empty() || model.empty() ? "" : " ") + model;
  if (!words.empty() && !soc.empty()) {
    words += " (" + soc + ")";
  }
  return words;
}

}  // namespace framegov::cli
