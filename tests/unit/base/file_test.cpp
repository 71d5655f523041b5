// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace framegov {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  ~FileTest() override { fs::remove_all(folder_); }
  fs::path with(const std::string& text) {
    const fs::path path = folder_ / "file";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  const fs::path folder_ = [] {
    std::string name = fs::path(::testing::TempDir()) / "file-XXXXXX";
    return fs::path(::mkdtemp(name.data()));
  }();
};

TEST_F(FileTest, IsReadWhole) {
  const std::string text = std::string(70'000, 'x') + '\0' + "end";
  EXPECT_EQ(read_file(with(text), ""), text);
  EXPECT_EQ(read_file(with(""), ""), "");
}

TEST_F(FileTest, ThatCannotBeReadSaysWhyAndWhatToDo) {
  for (const auto& [path, why] :
       {std::pair{folder_ / "none", "No such file"}, std::pair{folder_, "Is a directory"}}) {
    const auto text = read_file(path, "name another");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ExitCode::kBadInput);
    EXPECT_THAT(text.error().to_string(), HasSubstr(why));
    EXPECT_THAT(text.error().to_string(), HasSubstr("name another"));
  }
}

TEST_F(FileTest, APipeIsRefusedAtOnce) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        ::alarm(10);  // ends a test that waits for a writer
        const auto text = read_file(pipe, "name another");
        const bool write = static_cast<bool>(open_file(pipe, O_WRONLY));
        std::fputs(text ? "read" : text.error().to_string().c_str(), stderr);
        ::_exit(write ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "pipe is not a regular file \\(name another\\)");
}

TEST_F(FileTest, ThatIsTooLargeIsRefused) {
  const auto path = with(std::string((1U << 20U) + 1, '#'));
  EXPECT_TRUE(read_file(path, "", 2U << 20U));
  const auto text = read_file(path, "is this the right file?", 1U << 20U);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().to_string(), HasSubstr("larger than 1 MiB"));
}

TEST_F(FileTest, AFoldersEntriesOrWhyThereAreNone) {
  std::error_code error;
  (void)with("");
  EXPECT_THAT(entries_of(folder_, error), ::testing::ElementsAre(folder_ / "file"));
  EXPECT_FALSE(error);
  EXPECT_TRUE(entries_of(folder_ / "file", error).empty());
  EXPECT_EQ(error, std::errc::not_a_directory);
}

}  // namespace
}  // namespace framegov
