// SPDX-License-Identifier: Apache-2.0
#include "governor/state/state_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

class StateDirTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "state";
};

TEST_F(StateDirTest, FilesArePrivateAndWhole) {
  const auto dir = StateDir::open(path_);
  ASSERT_TRUE(dir) << dir.error().to_string();
  ASSERT_TRUE(dir->write_file("file", "first"));
  ASSERT_TRUE(dir->write_file("file", "second"));
  const auto content = dir->read_file("file");
  ASSERT_TRUE(content && *content);
  EXPECT_EQ(**content, "second");
  EXPECT_EQ(mode_of(path_), 0700U);
  EXPECT_EQ(mode_of(path_ / "file"), 0600U);
  EXPECT_FALSE(std::filesystem::exists(path_ / "file.new"));
}

TEST_F(StateDirTest, AnOpenFolderIsClosed) {
  std::filesystem::create_directory(path_);
  ::chmod(path_.c_str(), 0777);
  ASSERT_TRUE(StateDir::open(path_));
  EXPECT_EQ(mode_of(path_), 0700U);
}

TEST_F(StateDirTest, NoFileIsNotAnError) {
  const auto dir = StateDir::open(path_);
  ASSERT_TRUE(dir);
  const auto content = dir->read_file("none");
  ASSERT_TRUE(content);
  EXPECT_FALSE(*content);
  EXPECT_TRUE(dir->remove_file("none"));
}

TEST_F(StateDirTest, SymbolicLinksAreNotFollowed) {
  const std::filesystem::path elsewhere = folder_.path() / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, path_);
  EXPECT_FALSE(StateDir::open(path_));

  std::filesystem::remove(path_);
  const auto dir = StateDir::open(path_);
  ASSERT_TRUE(dir);
  std::ofstream(elsewhere / "victim") << "untouched";
  std::filesystem::create_symlink(elsewhere / "victim", path_ / "file");
  std::filesystem::create_symlink(elsewhere / "victim", path_ / "file.new");
  EXPECT_FALSE(dir->read_file("file"));
  ASSERT_TRUE(dir->write_file("file", "ours"));
  std::string content;
  std::getline(std::ifstream(elsewhere / "victim"), content);
  EXPECT_EQ(content, "untouched");
}

TEST_F(StateDirTest, AHugeFileIsRefused) {
  const auto dir = StateDir::open(path_);
  ASSERT_TRUE(dir);
  std::ofstream(path_ / "file") << std::string(70000, 'x');
  EXPECT_FALSE(dir->read_file("file"));
}

TEST_F(StateDirTest, ThereIsOnlyOne) {
  auto first = StateDir::open(path_);
  auto second = StateDir::open(path_);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->lock()->is_this_process);
  const auto holder = second->lock();
  ASSERT_TRUE(holder);
  EXPECT_FALSE(holder->is_this_process);
  EXPECT_EQ(holder->other_id, std::to_string(::getpid()));
  *first = StateDir{*std::move(second)};  // the first one ends
  EXPECT_TRUE(first->lock()->is_this_process);
}

TEST_F(StateDirTest, ALockTakenAgainIsNotWrittenAgain) {
  ASSERT_TRUE(StateDir::open(path_)->lock()->is_this_process);
  const auto lock = path_ / "lock";
  const auto long_ago = std::filesystem::last_write_time(lock) - std::chrono::hours{1};
  std::filesystem::last_write_time(lock, long_ago);
  ASSERT_TRUE(StateDir::open(path_)->lock()->is_this_process);
  EXPECT_EQ(std::filesystem::last_write_time(lock), long_ago);
  std::ofstream(lock) << "123456789\n";  // another process's
  ASSERT_TRUE(StateDir::open(path_)->lock()->is_this_process);
  EXPECT_EQ(folder_.read(lock), std::to_string(::getpid()) + "\n");
}

TEST_F(StateDirTest, AnUnusablePathIsNamed) {
  const auto dir = StateDir::open(folder_.path() / "no" / "where");
  ASSERT_FALSE(dir);
  EXPECT_THAT(dir.error().message, HasSubstr("no/where"));
}

}  // namespace
}  // namespace framegov
