// SPDX-License-Identifier: Apache-2.0
#include "governor/state/trusted_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "base/trusted_path.h"
#include "base/unique_fd.h"
#include "governor/state/open_inside.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TrustedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(profiles());
    std::ofstream(file()) << "service: {state_dir: " << folder().string() << "}\n";
    std::ofstream(profile()) << "profiles: {defaults: {policy: pid}}\n";
    for (const fs::path& each : {folder(), profiles()}) {
      ::chmod(each.c_str(), 0755);
    }
    for (const fs::path& each : {file(), profile()}) {
      ::chmod(each.c_str(), 0644);
    }
  }
  [[nodiscard]] fs::path folder() const { return temporary_.path() / "framegov"; }
  [[nodiscard]] fs::path file() const { return folder() / "framegov.yaml"; }
  [[nodiscard]] fs::path profiles() const { return folder() / "profiles"; }
  [[nodiscard]] fs::path profile() const { return profiles() / "games.yaml"; }
  /// Why the service would not start; empty: it would. Every refusal has exit code 4.
  [[nodiscard]] std::string refusal() const {
    const auto settings = load_trusted_settings(file());
    if (settings) {
      return "";
    }
    EXPECT_EQ(settings.error().code, ExitCode::kNoPermission);
    return settings.error().to_string();
  }
  test::TemporaryFolder temporary_;
};

TEST_F(TrustedFile, IsWritableByItsOwnerOnly) {
  EXPECT_EQ(refusal(), "");
  for (const fs::path& each : {file(), profile(), folder(), profiles()}) {
    fs::perms before = fs::status(each).permissions();
    for (const fs::perms more : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(each, more, fs::perm_options::add);
      EXPECT_THAT(refusal(), HasSubstr("others than its owner may write it"));
      EXPECT_THAT(refusal(), HasSubstr("chmod go-w " + each.string()));
      fs::permissions(each, before);
    }
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(TrustedFile, IsNotInAFolderWhereAnybodyMayMakeFiles) {
  for (const fs::path& each : {folder(), profiles()}) {
    ::chmod(each.c_str(), 01777);
    EXPECT_THAT(refusal(), HasSubstr("chmod go-w " + each.string()));
    ::chmod(each.c_str(), 0755);
  }
}

TEST_F(TrustedFile, IsWhereNobodyElseCanMoveAFolderOnTheWay) {
  ::chmod(temporary_.path().c_str(), 0777);
  EXPECT_THAT(refusal(), HasSubstr("chmod go-w " + temporary_.path().string()));
  ::chmod(temporary_.path().c_str(), 01777);
  EXPECT_EQ(refusal(), "");
}

TEST_F(TrustedFile, IsNobodyElses) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root: only it can give a file away";
  }
  for (const fs::path& each : {file(), profile(), folder(), profiles(), temporary_.path()}) {
    ASSERT_EQ(::chown(each.c_str(), 2000, 2000), 0);
    EXPECT_THAT(refusal(), HasSubstr(each.string() + ": belongs to user 2000"));
    ASSERT_EQ(::chown(each.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(TrustedFile, IsNoSymbolicLink) {
  for (const fs::path& each : {profile(), file()}) {
    const fs::path kept = temporary_.path() / "kept";
    fs::rename(each, kept);
    fs::create_symlink(kept, each);
    EXPECT_THAT(refusal(), HasSubstr(each.string() + ": is a symbolic link"));
    fs::rename(kept, each);
  }
}

TEST_F(TrustedFile, MayBeBehindALinkThatIsTrustedToo) {
  const fs::path link = temporary_.path() / "link";
  fs::create_directory_symlink("framegov", link);
  EXPECT_TRUE(check_trusted(link / "framegov.yaml"));
  if (::geteuid() == 0) {
    ASSERT_EQ(::lchown(link.c_str(), 2000, 2000), 0);
    EXPECT_FALSE(check_trusted(link / "framegov.yaml"));
  }
}

TEST_F(TrustedFile, TheScriptOfAHookIsOneToo) {
  const fs::path script = folder() / "hook.sh";
  std::ofstream(script) << "#!/bin/sh\n";
  std::ofstream(file(), std::ios::app)
      << "jank_hook: {command: [/bin/sh, " << script.string() << "]}\n";
  EXPECT_EQ(refusal(), "");
  ::chmod(script.c_str(), 0777);
  EXPECT_THAT(refusal(), HasSubstr("chmod go-w " + script.string()));
}

TEST_F(TrustedFile, ThatIsMissingIsNotItsBusiness) {
  fs::remove(file());
  EXPECT_TRUE(check_trusted(file()));
}

TEST_F(TrustedFile, APipeInItsPlaceIsRefusedAtOnce) {
  fs::remove(profile());
  ASSERT_EQ(::mkfifo(profile().c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        ::alarm(10);  // ends a test that waits for a writer
        const auto settings = load_trusted_settings(file());
        std::fputs(settings ? "read" : settings.error().to_string().c_str(), stderr);
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "games.yaml is not a regular file");
}

TEST_F(TrustedFile, WhatIsToBeRestoredIsFoundWhateverElseIsWrong) {
  std::ofstream(file(), std::ios::app) << "policy: nonsense\nno_such_section: 1\n";
  fs::remove(profile());
  ASSERT_EQ(::mkfifo(profile().c_str(), 0600), 0);
  const auto settings = load_restore_settings(file());
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->state_dir, folder());
}

class OpenInside : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root() / "policy0");
    std::ofstream(root() / "policy0" / "node") << "x";
    std::ofstream(folder_.path() / "secret") << "x";
    fs::create_directory_symlink("policy0", root() / "cpu0");
    fs::create_symlink("../../secret", root() / "policy0" / "link");
    fs::create_directory_symlink("..", root() / "up");
    fd_.reset(::open(root().c_str(), O_PATH | O_DIRECTORY));
  }
  [[nodiscard]] fs::path root() const { return folder_.path() / "root"; }
  [[nodiscard]] int error_of(const char* path, Links links) const {
    const UniqueFd file{open_inside(fd_.get(), path, O_RDONLY, links)};
    return file ? 0 : errno;
  }
  test::TemporaryFolder folder_;
  UniqueFd fd_;
};

TEST_F(OpenInside, FollowsLinksOnlyWhereTheyMayBe) {
  EXPECT_EQ(error_of("policy0/node", Links::kNone), 0);
  EXPECT_EQ(error_of("cpu0/node", Links::kInside), 0);
  EXPECT_EQ(error_of("cpu0/node", Links::kNone), ELOOP);
  EXPECT_EQ(error_of("policy0/link", Links::kInside), ELOOP);
}

TEST_F(OpenInside, DoesNotLeaveTheFolder) {
  EXPECT_EQ(error_of("up/secret", Links::kInside), EXDEV);
  EXPECT_EQ(error_of("../secret", Links::kInside), EXDEV);
}

TEST_F(OpenInside, RefusesWhatIsMountedOverIt) {
  const UniqueFd slash{::open("/", O_PATH | O_DIRECTORY)};
  const UniqueFd file{open_inside(slash.get(), "proc/self/status", O_RDONLY, Links::kInside)};
  EXPECT_FALSE(file);
  EXPECT_TRUE(errno == EXDEV || errno == ELOOP);
}

}  // namespace
}  // namespace framegov
