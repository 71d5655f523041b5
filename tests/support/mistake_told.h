// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

namespace framegov::test {

/// What `app` says on stderr of a mistake in `line`; empty where there is none.
inline std::string mistake_told(CLI::App& app, const std::string& line) {
  ::testing::internal::CaptureStderr();
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    EXPECT_NE(app.exit(error), 0);
  }
  return ::testing::internal::GetCapturedStderr();
}

}  // namespace framegov::test
