// SPDX-License-Identifier: Apache-2.0
#include "governor/state/trusted_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

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
    fs::create_directory(folder());
    std::ofstream(file()) << "policy: pid\n";
    ::chmod(folder().c_str(), 0755);
    ::chmod(file().c_str(), 0644);
  }
  [[nodiscard]] fs::path folder() const { return temporary_.path() / "framegov"; }
  [[nodiscard]] fs::path file() const { return folder() / "framegov.yaml"; }
  [[nodiscard]] std::string refusal() const {
    const Status checked = check_trusted(file());
    return checked ? "" : checked.error().to_string();
  }
  test::TemporaryFolder temporary_;
};

TEST_F(TrustedFile, IsWritableByItsOwnerOnly) {
  EXPECT_EQ(refusal(), "");
  ::chmod(file().c_str(), 0664);
  EXPECT_THAT(refusal(), HasSubstr("other than its owner may write it"));
  ::chmod(file().c_str(), 0646);
  EXPECT_THAT(refusal(), HasSubstr("chmod go-w " + file().string()));
}

TEST_F(TrustedFile, IsInAFolderWhereNobodyElseCanReplaceIt) {
  ::chmod(folder().c_str(), 0777);
  EXPECT_THAT(refusal(), HasSubstr("chmod go-w " + folder().string()));
  ::chmod(folder().c_str(), 01777);
  EXPECT_EQ(refusal(), "");
}

TEST_F(TrustedFile, IsNobodyElses) {
  if (::chown(file().c_str(), 2000, 2000) != 0) {
    GTEST_SKIP() << "needs root: only it can give a file away";
  }
  EXPECT_THAT(refusal(), HasSubstr("belongs to user 2000"));
}

TEST_F(TrustedFile, ThatIsMissingIsNotItsBusiness) {
  fs::remove(file());
  EXPECT_EQ(refusal(), "");
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
