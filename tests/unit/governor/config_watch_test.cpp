// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/config_watch.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

class ConfigWatchTest : public ::testing::Test {
 protected:
  void open() {
    auto watch = ConfigWatch::open(file_, profiles_);
    ASSERT_TRUE(watch) << watch.error().to_string();
    watch_ = std::make_unique<ConfigWatch>(*std::move(watch));
  }
  static void write(const fs::path& path) { std::ofstream(path) << "x"; }
  [[nodiscard]] bool readable() const {
    pollfd waiting{watch_->fd(), POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 1;
  }

  test::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "etc" / "framegov.yaml";
  fs::path profiles_ = folder_.path() / "etc" / "profiles";
  std::unique_ptr<ConfigWatch> watch_;
};

TEST_F(ConfigWatchTest, SeesAFileSavedInPlaceOrByARename) {
  fs::create_directories(profiles_);
  write(file_);
  open();
  EXPECT_FALSE(readable());
  EXPECT_FALSE(watch_->changed());
  write(file_);
  EXPECT_TRUE(readable());
  EXPECT_TRUE(watch_->changed());
  EXPECT_FALSE(watch_->changed());
  write(file_.string() + ".new");
  EXPECT_FALSE(watch_->changed());
  fs::rename(file_.string() + ".new", file_);
  EXPECT_TRUE(watch_->changed());
}

TEST_F(ConfigWatchTest, AFileThatIsBeingWrittenIsLeftAlone) {
  fs::create_directories(profiles_);
  open();
  std::ofstream half(profiles_ / "a.yaml");
  half << "half" << std::flush;
  EXPECT_FALSE(watch_->changed());
  half.close();
  EXPECT_TRUE(watch_->changed());
}

TEST_F(ConfigWatchTest, OnlyProfilesCountInTheirFolder) {
  fs::create_directories(profiles_);
  open();
  write(profiles_ / ".a.yaml.swp");
  write(profiles_ / ".hidden.yaml");
  write(profiles_ / "notes.txt");
  write(folder_.path() / "etc" / "log");
  EXPECT_FALSE(watch_->changed());
  write(profiles_ / "a.yaml");
  EXPECT_TRUE(watch_->changed());
  fs::remove(profiles_ / "a.yaml");
  EXPECT_TRUE(watch_->changed());
}

TEST_F(ConfigWatchTest, AFileThatIsGoneChangesNothing) {
  fs::create_directories(profiles_);
  write(file_);
  open();
  fs::remove(file_);
  EXPECT_FALSE(watch_->changed());
}

TEST_F(ConfigWatchTest, FoldersMayComeLater) {
  open();
  fs::create_directories(profiles_);
  EXPECT_TRUE(watch_->changed());
  write(profiles_ / "a.yaml");
  EXPECT_TRUE(watch_->changed());
  write(file_);
  EXPECT_TRUE(watch_->changed());
}

TEST_F(ConfigWatchTest, FoldersMayBeReplaced) {
  fs::create_directories(profiles_);
  open();
  for (int i = 0; i < 100; ++i) {
    fs::rename(profiles_, folder_.path() / ("old" + std::to_string(i)));
    EXPECT_TRUE(watch_->changed()) << i;
    fs::create_directories(profiles_);
    EXPECT_TRUE(watch_->changed()) << i;
    write(profiles_ / "a.yaml");
    EXPECT_TRUE(watch_->changed()) << i;
    write(folder_.path() / ("old" + std::to_string(i)) / "b.yaml");
    EXPECT_FALSE(watch_->changed()) << i;
  }
}

TEST_F(ConfigWatchTest, WithoutAFileTheFolderCounts) {
  file_.clear();
  fs::create_directories(profiles_);
  open();
  write(profiles_ / "a.yaml");
  EXPECT_TRUE(watch_->changed());
}

}  // namespace
}  // namespace framegov
