// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder that others may write, in which they have put something for root to write through.
class PlantedOutputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root: others write through their own links";
    }
    ASSERT_TRUE(write_output_file(secret(), "root's"));
    fs::create_directory(shared());
    ::chmod(shared().c_str(), 01777);
  }
  ~PlantedOutputTest() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path secret() const { return folder_ / "secret"; }
  [[nodiscard]] fs::path shared() const { return folder_ / "shared"; }
  [[nodiscard]] fs::path out() const { return shared() / "out"; }
  [[nodiscard]] std::string refusal() const {
    const Status checked = check_output(out());
    const Status written = write_output_file(out(), "new");
    EXPECT_EQ(checked.has_value(), written.has_value());
    EXPECT_EQ(read_file(secret(), ""), "root's");
    return written ? "" : written.error().to_string();
  }

  const fs::path folder_ = [] {
    std::string name = fs::path(::testing::TempDir()) / "output-XXXXXX";
    return fs::path(::mkdtemp(name.data()));
  }();
};

TEST_F(PlantedOutputTest, ALinkIsNotFollowed) {
  fs::create_symlink(secret(), out());
  EXPECT_THAT(refusal(), HasSubstr("out: not a regular file, in a folder that others may write"));
  fs::remove(out());
  fs::create_symlink(folder_ / "not-there", out());
  EXPECT_THAT(refusal(), HasSubstr("not a regular file"));
  EXPECT_FALSE(fs::exists(folder_ / "not-there"));
}

TEST_F(PlantedOutputTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(out().c_str(), 0666), 0);
  EXPECT_THAT(refusal(), HasSubstr("not a regular file"));
}

TEST_F(PlantedOutputTest, AnotherNameOfAFileKeepsItsText) {
  fs::create_hard_link(secret(), out());
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(read_file(out(), ""), "new");
}

TEST_F(PlantedOutputTest, InAFolderOfItsOwnALinkIsTheOwners) {
  ::chmod(shared().c_str(), 0755);
  fs::create_symlink(folder_ / "elsewhere", out());
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(read_file(folder_ / "elsewhere", ""), "new");
}

TEST_F(PlantedOutputTest, DevicesTakeWhatIsWritten) {
  EXPECT_TRUE(check_output("/dev/null"));
  EXPECT_TRUE(write_output_file("/dev/null", "new"));
}

}  // namespace
}  // namespace framegov
