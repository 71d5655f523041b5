// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/saved_threads.h"

#include <gmock/gmock.h>

#include <fstream>

#include "governor/threads/thread_recovery.h"
#include "tests/unit/threads/steered_app.h"

namespace framegov::test {
namespace {

using ::testing::HasSubstr;

SavedThreads example() {
  SavedThreads saved{"this-boot", 500, 7300, {}, {}};
  saved.asked.cpus.push_back(kLittle);
  saved.asked.floors.push_back(0);
  saved.asked.caps.push_back(256);
  saved.threads.push_back({500, 7201, kEveryCpu, {}});
  saved.threads.push_back({512, 7205, 0x3c, {100, 600}});
  return saved;
}

std::string text_of(const SavedThreads& saved) {
  std::string text;
  write_text(saved, text);
  return text;
}

std::string error_of(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  const auto parsed = parse_saved_threads(text);
  return parsed ? "taken" : parsed.error().message;
}

TEST(SavedThreadsTest, WhatIsWrittenIsRead) {
  const std::string text = text_of(example());
  EXPECT_EQ(text,
            "framegov saved threads 1\nboot this-boot\nprocess 500 since 7300\ncpus f\nfloors 0\n"
            "caps 256\nthread 500 born 7201 cpus ffffffffffffffff clamp 0 1024\n"
            "thread 512 born 7205 cpus 3c clamp 100 600\nend\n");
  const auto parsed = parse_saved_threads(text + "\n\n");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(text_of(*parsed), text);
  EXPECT_EQ(parsed->threads, example().threads);
  EXPECT_EQ(parsed->asked, example().asked);
}

TEST(SavedThreadsTest, WhatIsDamagedIsRefusedByItsLine) {
  const std::string text = text_of(example());
  EXPECT_EQ(error_of(text, "threads 1", "threads 2"),
            "saved_threads:1: not 'framegov saved threads 1'");
  EXPECT_THAT(error_of(text, "boot", "root"), HasSubstr("saved_threads:2: "));
  EXPECT_THAT(error_of(text, "process 500", "process 0"), HasSubstr("saved_threads:3: "));
  EXPECT_THAT(error_of(text, "cpus f", "cpus f f"), HasSubstr("saved_threads:4: "));
  EXPECT_THAT(error_of(text, "thread 500", "thread -1"), HasSubstr("saved_threads:7: "));
  EXPECT_THAT(error_of(text, "clamp 100 600", "clamp 100 60"), HasSubstr("saved_threads:8: "));
  EXPECT_THAT(error_of(text, "clamp 100 600", "clamp 100 1025"), HasSubstr("saved_threads:8: "));
  EXPECT_THAT(error_of(text, "thread 512", "thread 500"), HasSubstr("stands there already"));
  EXPECT_THAT(error_of(text, "thread 512", "thread 0512"), HasSubstr("not written as the service"));
  EXPECT_THAT(error_of(text, "end\n", ""), HasSubstr("saved_threads:9: "));
}

TEST(SavedThreadsTest, MostOfItFitsInAPage) {
  SavedThreads saved = example();
  saved.threads.clear();
  saved.asked = {};
  for (std::int16_t i = 0; i < 128; ++i) {
    ASSERT_TRUE(saved.asked.add(UtilClamp{i, static_cast<std::int16_t>(kFullUtil - i)}));
  }
  EXPECT_FALSE(saved.asked.add(UtilClamp{200, 300}));
  for (std::uint64_t i = 0; i < 32; ++i) {
    ASSERT_TRUE(saved.asked.add(kEveryCpu >> i));
  }
  EXPECT_FALSE(saved.asked.add(kEveryCpu << 1U));
  for (std::int32_t i = 1; i <= 2; ++i) {
    saved.threads.push_back({4000000 + i, kEveryCpu, kEveryCpu, {}});
  }
  EXPECT_LE(text_of(saved).size(), 4096U);
}

/// What a killed service leaves: the file, and threads as it had them.
class ThreadRecovery : public SteeredApp {
 protected:
  void steer_and_die() {
    ASSERT_TRUE(apply(plans({on(1, 128e6, 256e6), on(2)})));
    const std::string text = saved_text();
    // Its end would put everything back.
    left_ = threads_->copy();
    actuator_.reset();
    std::ofstream(state_path_ / kSavedThreadsFile) << text;
  }
  Status recover(const char* boot = "this-boot") {
    return recover_threads(*left_, *StateDir::open(state_path_), boot, *log_);
  }

  std::unique_ptr<FakeThreads> left_;
};

TEST_F(ThreadRecovery, NothingToDo) {
  left_ = std::make_unique<FakeThreads>(0xff);
  EXPECT_TRUE(recover());
  std::ofstream(state_path_ / kSavedThreadsFile) << "";
  EXPECT_TRUE(recover());
  EXPECT_FALSE(saved_file_is_there());
}

TEST_F(ThreadRecovery, WhatAKilledServiceLeftIsPutBack) {
  steer_and_die();
  left_->start_from(kUi, 600);
  ASSERT_EQ(left_->cpus(600), kLittle);
  EXPECT_TRUE(recover());
  for (const std::int32_t tid : {kUi, kRender, 600}) {
    EXPECT_EQ(left_->at(tid).asked, kEveryCpu) << tid;
    EXPECT_EQ(left_->clamp(tid), UtilClamp{}) << tid;
  }
  EXPECT_FALSE(saved_file_is_there());
}

TEST_F(ThreadRecovery, WhatTheServiceHasNotAskedForStays) {
  steer_and_die();
  ASSERT_EQ(left_->write_cpus(kUi, 0x11), 0);
  left_->at(kUi).clamp = {300, 700};
  EXPECT_TRUE(recover());
  EXPECT_EQ(left_->at(kUi).asked, 0x11U);
  EXPECT_EQ(left_->clamp(kUi), (UtilClamp{300, 700}));
  EXPECT_EQ(left_->at(kRender).asked, kEveryCpu);
}

TEST_F(ThreadRecovery, AThreadThatHasGotTheNumberOfAnotherStays) {
  steer_and_die();
  left_->end(kUi);
  left_->add(900, kUi);
  ASSERT_EQ(left_->write_cpus(kUi, kLittle), 0);
  EXPECT_TRUE(recover());
  EXPECT_EQ(left_->at(kUi).asked, kLittle);
}

TEST_F(ThreadRecovery, AFileFromBeforeARebootIsIgnored) {
  steer_and_die();
  EXPECT_TRUE(recover("another-boot"));
  EXPECT_EQ(left_->cpus(kUi), kLittle);
  EXPECT_FALSE(saved_file_is_there());
}

TEST_F(ThreadRecovery, ADamagedFileIsOneErrorAndGone) {
  steer_and_die();
  std::ofstream(state_path_ / kSavedThreadsFile) << "rubbish\n";
  EXPECT_TRUE(recover());
  EXPECT_THAT(log_text(), HasSubstr("saved_threads:1: not 'framegov saved threads 1'"));
  EXPECT_FALSE(saved_file_is_there());
}

TEST_F(ThreadRecovery, AFailureKeepsTheFile) {
  steer_and_die();
  left_->fail_cpus = EPERM;
  EXPECT_FALSE(recover());
  EXPECT_TRUE(saved_file_is_there());
  left_->fail_cpus = 0;
  EXPECT_TRUE(recover());
  EXPECT_EQ(left_->at(kUi).asked, kEveryCpu);
}

}  // namespace
}  // namespace framegov::test
