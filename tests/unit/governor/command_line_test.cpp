// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/command_line.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <string>

#include "tests/support/mistake_told.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What `framegovd LINE` says of a mistake; empty where there is none.
std::string mistake_in(const std::string& line) {
  CLI::App app;
  ServiceOptions options;
  add_service_options(app, options);
  return test::mistake_told(app, line);
}

TEST(ServiceCommandLine, WhatDoesOneThingAndEndsStandsAlone) {
  EXPECT_THAT(mistake_in("--restore --enable"),
              HasSubstr("framegovd: --restore excludes --enable"));
  EXPECT_THAT(mistake_in("--no-supervise --restore"), HasSubstr("excludes"));
  EXPECT_THAT(mistake_in("--enable --no-supervise"), HasSubstr("excludes"));
  for (const char* option : {"--restore", "--enable", "--no-supervise"}) {
    EXPECT_THAT(mistake_in(std::string("--config f.yaml ") + option), IsEmpty());
  }
}

TEST(ServiceCommandLine, AWordThatNobodyKnowsIsNamed) {
  EXPECT_EQ(mistake_in("--restor"),
            "framegovd: no option '--restor'; did you mean '--restore'?\n"
            "  framegovd --help lists what there is\n");
  EXPECT_THAT(mistake_in("start"), HasSubstr("framegovd: unexpected 'start'\n"));
}

TEST(ServiceCommandLine, HasAVersion) {
  CLI::App app;
  ServiceOptions options;
  add_service_options(app, options);
  EXPECT_THROW(app.parse("--version"), CLI::CallForVersion);
}

}  // namespace
}  // namespace framegov
