// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/site_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/elf_builder.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

class SiteCache : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_);
    write(test::small_library(test::ElfBuilder::Encoding::kRela).bytes);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::vector<std::byte>& bytes) const {
    std::ofstream out(library_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] Result<LibrarySites> find() const { return locate_cached(library_, cache_, {}); }
  [[nodiscard]] fs::path cache_file() const { return cache_ / "deadbeef.yaml"; }
  /// Changes the cached answer, so that a test can see whether it is used.
  void mark(const std::string& from, const std::string& to) const {
    std::ifstream in(cache_file());
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(cache_file()) << text.replace(at, from.size(), to);
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("framegov-cache-" + std::to_string(::getpid()));
  const fs::path library_ = root_ / "lib.so";
  const fs::path cache_ = root_ / "cache";
};

TEST_F(SiteCache, GivesTheSameAnswerAgain) {
  const auto first = find();
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(fs::exists(cache_file()));
  mark("jni-table: used", "from the cache");
  const auto second = find();
  ASSERT_TRUE(second);
  EXPECT_THAT(second->notes, Contains(HasSubstr("from the cache")));
  EXPECT_EQ(second->library, first->library);
  EXPECT_EQ(second->sha1, first->sha1);
  EXPECT_EQ(second->build_id, first->build_id);
  ASSERT_EQ(second->sites.size(), first->sites.size());
  EXPECT_EQ(second->sites[0].call, first->sites[0].call);
  EXPECT_EQ(second->sites[0].return_offset, first->sites[0].return_offset);
  EXPECT_EQ(second->sites[0].function, first->sites[0].function);
  EXPECT_EQ(second->sites[0].function_past_hints, first->sites[0].function_past_hints);
  EXPECT_EQ(second->sites[0].destination_register, first->sites[0].destination_register);
  EXPECT_DOUBLE_EQ(second->sites[0].confidence, first->sites[0].confidence);
}

TEST_F(SiteCache, AnotherLibraryWithTheSameBuildIdIsLookedAt) {
  ASSERT_TRUE(find());
  mark("jni-table: used", "from the cache");
  const auto other = test::small_library(test::ElfBuilder::Encoding::kRelr);
  write(other.bytes);
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sites[0].call, other.call);
  EXPECT_THAT(found->notes, Contains(HasSubstr("jni-table: used")));
}

TEST_F(SiteCache, WhatCannotBeReadIsFoundAnew) {
  const auto first = find();
  ASSERT_TRUE(first);
  for (const char* content : {"", "{", "key: 1", "[1, 2]", "key: {a: b}\nsites: 7"}) {
    std::ofstream(cache_file()) << content;
    const auto again = find();
    ASSERT_TRUE(again) << content;
    EXPECT_EQ(again->sites[0].call, first->sites[0].call);
    EXPECT_GT(fs::file_size(cache_file()), 100U) << "written anew";
  }
  mark("method: jni-table", "method: wishes");
  EXPECT_EQ(find()->sites[0].method, LocateMethod::kJniTable);
}

TEST_F(SiteCache, ATableThatChangedIsAsked) {
  ASSERT_TRUE(find());
  mark("jni-table: used", "from the cache");
  LocateOptions options;
  options.table = *ProbeTable::parse(
      "sites: [{build_id: deadbeef, call: 4, register: 4, return: 8}]", "t.yaml");
  const auto found = locate_cached(library_, cache_, options);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->notes, Contains(HasSubstr("t.yaml:1")));
}

TEST_F(SiteCache, NoPlaceForItIsOnlyNoted) {
  const auto found = locate_cached(library_, library_ / "below-a-file", {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->notes, Contains(HasSubstr("could not be cached")));
}

TEST_F(SiteCache, RefusalsAreNotKept) {
  write({std::byte{1}});
  EXPECT_FALSE(find());
  EXPECT_FALSE(fs::exists(cache_));
}

}  // namespace
}  // namespace framegov
