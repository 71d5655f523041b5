// SPDX-License-Identifier: Apache-2.0
#include "governor/control/loop_calls.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

namespace framegov {
namespace {

using namespace std::chrono_literals;

TEST(LoopCalls, AreMadeByTheLoopAndAnswered) {
  LoopCalls calls;
  calls.run();  // nothing waits
  std::thread::id where;
  auto outcome = std::async(std::launch::async, [&] {
    return calls.make(
        [&]() -> Status {
          where = std::this_thread::get_id();
          return fail(ExitCode::kBadInput, "no");
        },
        5s);
  });
  while (outcome.wait_for(1ms) != std::future_status::ready) {
    calls.run();
  }
  EXPECT_EQ(outcome.get().error().message, "no");
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(LoopCalls, ALoopThatDoesNotAnswerIsAnErrorAndNothingDangles) {
  LoopCalls calls;
  int made = 0;
  const auto count = std::make_shared<int>(0);
  const auto call = [count]() -> Status {
    ++*count;
    return {};
  };
  EXPECT_FALSE(calls.make(call, 1ms));
  EXPECT_FALSE(calls.make(call, 1ms));  // replaces the first
  calls.run();
  calls.run();
  made = *count;
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace framegov
