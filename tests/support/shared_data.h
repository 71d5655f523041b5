// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace framegov::test {

/// Path of `relative` under the folder of recordings and measurements that stands beside a
/// developer's checkout (../shared/data, or $FRAMEGOV_DATA). Nothing when it is not there: the
/// test then skips with `missing_data_message`.
[[nodiscard]] std::optional<std::filesystem::path> shared_data(const std::string& relative);

[[nodiscard]] std::string missing_data_message(const std::string& relative);

}  // namespace framegov::test

/// Skips the running test, saying what is missing, when shared data is not there.
#define FRAMEGOV_REQUIRE_DATA(variable, relative)                        \
  const auto variable##_found = ::framegov::test::shared_data(relative); \
  if (!variable##_found) {                                               \
    GTEST_SKIP() << ::framegov::test::missing_data_message(relative);    \
  }                                                                      \
  const std::filesystem::path& variable = *variable##_found
