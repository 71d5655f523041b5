// SPDX-License-Identifier: Apache-2.0
#include "governor/service/library_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <fstream>

#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

class LibraryWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder());
    write("libhwui.so", "old");
    const std::vector<fs::path> files = {folder() / "libhwui.so", folder() / "libgui.so",
                                         "/nonexistent/folder/libgui.so"};
    auto watch = LibraryWatch::open(files);
    ASSERT_TRUE(watch) << watch.error().to_string();
    watch_ = *std::move(watch);
  }
  [[nodiscard]] fs::path folder() const { return folder_.path() / "lib64"; }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder() / name) << content;
  }
  [[nodiscard]] bool readable() const {
    pollfd wait{watch_->fd(), POLLIN, 0};
    return ::poll(&wait, 1, 0) == 1;
  }
  [[nodiscard]] std::string hwui() const { return (folder() / "libhwui.so").string(); }

  test::TemporaryFolder folder_;
  std::unique_ptr<LibraryWatch> watch_;
};

TEST_F(LibraryWatchTest, SaysNothingWhileNothingHappens) {
  EXPECT_FALSE(readable());
  EXPECT_EQ(watch_->changed(), "");
}

TEST_F(LibraryWatchTest, AnotherFileInTheFolderIsNoChange) {
  write("libutils.so", "new");
  EXPECT_TRUE(readable());
  EXPECT_EQ(watch_->changed(), "");
  EXPECT_FALSE(readable());  // it was taken in
}

TEST_F(LibraryWatchTest, ARenameOverItIsAChange) {
  write("libhwui.so.part", "new");
  fs::rename(folder() / "libhwui.so.part", hwui());
  EXPECT_TRUE(readable());
  EXPECT_EQ(watch_->changed(), hwui());
}

TEST_F(LibraryWatchTest, WritingOverItIsAChange) {
  write("libhwui.so", "newer");
  EXPECT_TRUE(readable());
  EXPECT_EQ(watch_->changed(), hwui());
}

TEST_F(LibraryWatchTest, RemovalIsAChange) {
  fs::remove(hwui());
  EXPECT_TRUE(readable());
  EXPECT_EQ(watch_->changed(), hwui());
}

TEST_F(LibraryWatchTest, ALibraryThatWasNotThereIsAChange) {
  write("libgui.so", "new");
  EXPECT_TRUE(readable());
  EXPECT_EQ(watch_->changed(), (folder() / "libgui.so").string());
}

TEST_F(LibraryWatchTest, AFolderThatGoesTakesTheLibraryAlong) {
  fs::rename(folder(), folder_.path() / "lib64.old");
  EXPECT_TRUE(readable());
  EXPECT_EQ(watch_->changed(), hwui());
}

}  // namespace
}  // namespace framegov
