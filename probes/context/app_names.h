// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/frame.h"

namespace framegov {

/// The number of a package: FNV-1a of its name, never kUnknown. The same on every phone and boot.
[[nodiscard]] AppId app_id_of(std::string_view package);

/// Package names by their number. Bounded: the name added longest ago gives way to a new one.
class AppNames {
 public:
  static constexpr std::size_t kMost = 64;

  /// Adds a name (once) and returns its number; kUnknown for an empty name.
  AppId add(std::string_view package);

  /// Empty when not known.
  [[nodiscard]] std::string_view name(AppId app) const;

 private:
  struct Entry {
    AppId app{};
    std::string name;
  };
  std::array<Entry, kMost> entries_;
  std::size_t next_ = 0;
};

}  // namespace framegov
