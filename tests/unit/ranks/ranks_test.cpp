// SPDX-License-Identifier: Apache-2.0
// Work that ranks share over sockets: each unit counts once, whoever is lost or does not belong.
#include "cli/ranks/ranks.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/ranks/queue_share.h"

namespace framegov::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The work here: numbers to be squared, by ranks 1 and 2.
struct Squared {
  int unit{};
  int square{};
};

class RanksTest : public ::testing::Test {
 protected:
  static constexpr int kNumbers = 200;

  RanksTest() {
    std::vector<int> numbers(kNumbers);
    std::iota(numbers.begin(), numbers.end(), 0);
    queue_.add(numbers);
    listener_ = *RankListener::open(rank(0), meeting_);
  }

  static Rank rank(std::size_t number) { return {number, 3, true, "7"}; }

  void serve() {
    server_.emplace(rank(0), *std::move(listener_), "squares",
                    shares_of(SharedQueue<int, Squared>{
                        &queue_,
                        [](const std::vector<int>& numbers) {
                          return json{{"numbers", numbers}};
                        },
                        [](const json& message) {
                          return std::optional(Squared{message["number"], message["square"]});
                        },
                        [this](const Squared& done) {
                          squares_[done.unit] = done.square;
                          ++taken_;
                          return true;
                        }}));
  }
  /// `answer` is what becomes of a number; nothing: the rank goes away.
  using Answer = std::function<std::optional<json>(int number)>;
  static std::optional<json> squared(int number) {
    return json{{"number", number}, {"square", number * number}};
  }
  [[nodiscard]] Status work_as(std::size_t number, const std::string& work = "squares",
                               std::size_t jobs = 1, const Answer& answer = squared) const {
    return work_for_rank_0(rank(number), meeting_, work, jobs, [&] {
      return [&](const json& message, const RankSend& send) {
        for (const int each : message["numbers"]) {
          const auto done = answer(each);
          if (!done || !send(*done)) {
            return false;
          }
        }
        return true;
      };
    });
  }
  /// Rank 0 does nothing itself here.
  std::vector<std::size_t> lost_when_all_is_done() {
    while (taken_ < kNumbers) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return server_->end();
  }
  void expect_each_once() const {
    EXPECT_EQ(taken_.load(), kNumbers);
    for (int number = 0; number < kNumbers; ++number) {
      EXPECT_EQ(squares_.at(number), number * number);
    }
  }

  std::filesystem::path meeting_ =
      std::filesystem::path(::testing::TempDir()) / ("ranks-" + std::to_string(::getpid()));
  sim::WorkQueue<int> queue_{3};
  std::optional<RankListener> listener_;
  std::map<int, int> squares_;
  std::atomic<int> taken_{0};
  std::optional<RankServer> server_;
};

TEST_F(RanksTest, AllThreadsOfAllRanksShareTheWorkAndComeBeforeRank0IsReady) {
  Status one;
  Status two;
  // More than there may be strangers.
  std::jthread first([&] { one = work_as(1, "squares", 40); });
  std::jthread second([&] { two = work_as(2); });
  EXPECT_TRUE(std::filesystem::exists(meeting_));
  std::this_thread::sleep_for(std::chrono::milliseconds{100});  // most wait then
  serve();
  EXPECT_THAT(lost_when_all_is_done(), IsEmpty());
  first.join();
  second.join();
  EXPECT_TRUE(one && two);
  expect_each_once();
  EXPECT_FALSE(std::filesystem::exists(meeting_)) << "nothing is left behind";
}

TEST_F(RanksTest, WhatALostRankHadIsDoneAgain) {
  serve();
  int left = 3;
  const Status lost = work_as(
      1, "squares", 1, [&](int number) { return left-- > 0 ? squared(number) : std::nullopt; });
  EXPECT_FALSE(lost);
  Status other;
  std::jthread second([&] { other = work_as(2); });
  EXPECT_THAT(lost_when_all_is_done(), ElementsAre(1));
  second.join();
  EXPECT_TRUE(other);
  expect_each_once();
}

TEST_F(RanksTest, ARankWithOtherWorkIsSentAwayWithOneError) {
  serve();
  const Status sent_away = work_as(1, "cubes", 2);
  ASSERT_FALSE(sent_away);
  EXPECT_EQ(sent_away.error().code, ExitCode::kBadInput);
  EXPECT_THAT(sent_away.error().to_string(), HasSubstr("start all ranks with the same"));
  Status other;
  std::jthread second([&] { other = work_as(2); });
  EXPECT_THAT(lost_when_all_is_done(), ElementsAre(1));
  second.join();
  expect_each_once();
}

TEST_F(RanksTest, ResultsOfWhatARankWasNotGivenEndIt) {
  serve();
  EXPECT_FALSE(work_as(1, "squares", 1, [](int) { return squared(kNumbers); }));
  Status other;
  std::jthread second([&] { other = work_as(2); });
  EXPECT_THAT(lost_when_all_is_done(), ElementsAre(1));
  second.join();
  expect_each_once();
  EXPECT_FALSE(squares_.contains(kNumbers));
}

TEST_F(RanksTest, WithNothingLeftAllEnd) {
  while (!queue_.take_now().empty()) {
  }
  Status one;
  Status two;
  std::jthread first([&] { one = work_as(1); });
  std::jthread second([&] { two = work_as(2, "squares", 3); });
  serve();
  EXPECT_THAT(server_->end(), IsEmpty());
  first.join();
  second.join();
  EXPECT_TRUE(one && two);
}

}  // namespace
}  // namespace framegov::cli
