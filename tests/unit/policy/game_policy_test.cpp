// SPDX-License-Identifier: Apache-2.0
// Policies and games: frames that follow one another, told by their buffers.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string_view>

#include "policy/policy_factory.h"
#include "tests/support/phone_topology.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using namespace std::chrono_literals;
using test::kBig;

constexpr Duration kPace = 16ms;
constexpr Duration kBlocked = 5ms;

/// A game that waits kBlocked for each buffer and then works, on average for half its pace at a
/// speed between the slowest and the fastest.
class Game {
 public:
  explicit Game(std::string_view policy)
      : policy_(*make_policy(policy, test::phone_topology(), PolicySettings{})) {}
  /// Its threads are placed.
  static Game placed() {
    PolicySettings settings;
    settings.mpc.placement = 1;
    Game game("mpc");
    game.policy_ = *make_policy("mpc", test::phone_topology(), settings);
    game.levers_ = {.placement = true, .clamps = true, .headroom = 1.25};
    return game;
  }

  /// `time` from having a buffer until the deadline; `starts`: they are told; `asleep`: as long as
  /// it works.
  void play(int frames, Duration time, bool starts, bool asleep = false) {
    for (int i = 0; i < frames; ++i) {
      if (starts) {
        begin(queued_, time, false);
        at_start_ = begin(queued_ + kBlocked, time, true);
      }
      Frame frame;
      frame.app = AppId{1};
      frame.add(FramePart::kSurface);
      if (starts) {
        frame.add(FramePart::kStart);
      }
      frame.start = queued_;
      frame.blocked = kBlocked;
      frame.render_cpu_time = Duration{static_cast<Duration::rep>(times_ * work_(random_))};
      frame.ready = queued_ = frame.began() + frame.render_cpu_time;
      frame.render_cpu_time /= asleep ? 2 : 1;
      frame.deadline = frame.began() + time;
      frame.pace = frame.interval = kPace;
      frame.frequency = khz(1'400'000);
      frame.cluster = static_cast<std::int8_t>(kBig);
      frame.deadline_edge = DeadlineEdge::kTargetRate;
      PolicyInput input;
      input.event = PolicyEvent::kFrameEnd;
      input.app = AppId{1};
      input.now = frame.ready;
      input.frame = &frame;
      input.levers = levers_;
      at_end_ = policy_->step(input);
    }
  }
  /// From now on frames have so many times the work.
  void set_work(double times) { times_ = times; }
  /// No frame until the policy takes the screen for still.
  void rest() {
    PolicyInput input;
    input.event = PolicyEvent::kTimer;
    input.app = AppId{1};
    input.levers = levers_;
    while (is_known(policy_->wake_at())) {
      input.now = policy_->wake_at();
      at_end_ = policy_->step(input);
    }
    queued_ = input.now + 1s;
  }
  /// The plans when the last frame had its buffer, and when it ended.
  [[nodiscard]] const FrequencyPlan& at_start() const { return at_start_; }
  [[nodiscard]] const FrequencyPlan& at_end() const { return at_end_; }

 private:
  const FrequencyPlan& begin(Instant at, Duration time, bool again) {
    FrameStart start;
    start.app = AppId{1};
    start.at = at;
    start.deadline = at + time;
    start.cluster = static_cast<std::int8_t>(kBig);
    start.replaces_last = again;
    PolicyInput input;
    input.event = PolicyEvent::kFrameStart;
    input.app = AppId{1};
    input.now = at;
    input.start = &start;
    input.levers = levers_;
    return policy_->step(input);
  }

  std::unique_ptr<Policy> policy_;
  ThreadLevers levers_;
  double times_ = 1;
  std::mt19937 random_{1};
  std::lognormal_distribution<double> work_{std::log(11e6), 0.15};
  Instant queued_ = instant_from_ns(1'000'000'000);
  FrequencyPlan at_start_;
  FrequencyPlan at_end_;
};

TEST(MpcOnAGame, SpeedsStepUpOnceItsFramesAreToldToBegin) {
  Game game("mpc");
  game.play(200, kPace, true);
  EXPECT_FALSE(game.at_start().steps.empty());
  EXPECT_LT(game.at_start().clusters[kBig].cap, game.at_start().steps.back().limits.cap);
  Game unseen("mpc");
  unseen.play(200, kPace, false);
  EXPECT_GT(unseen.at_end().clusters[kBig].cap, game.at_start().clusters[kBig].cap);
}

TEST(MpcOnAGame, OneSpeedIsHeldForAThreadThatSleepsNobodyKnowsWhen) {
  Game game("mpc");
  game.play(200, kPace, true, true);
  EXPECT_TRUE(game.at_start().steps.empty());
  EXPECT_GT(game.at_start().clusters[kBig].cap, Frequency{});
}

TEST(MpcOnAGame, ItsClustersDoNotRestBetweenFramesThatFollowOneAnother) {
  Game game("mpc");
  game.play(200, kPace, true);
  EXPECT_GT(game.at_end().clusters[kBig].floor, Frequency{});
}

TEST(MpcOnAGame, ItsPlacedThreadsWaitForTheNextFrameWhereItBegins) {
  Game game = Game::placed();
  game.play(200, kPace, true);
  ASSERT_FALSE(game.at_start().thread_steps.empty());
  ASSERT_EQ(game.at_end().threads.size(), 2U);
  EXPECT_EQ(game.at_end().threads[kUiThread], game.at_start().threads[kUiThread])
      << "the frame that has ended takes no step any more";
  EXPECT_TRUE(game.at_end().thread_steps.empty());
}

TEST(MpcOnAGame, HoldingMayNotPayAnyMoreOnAStillScreen) {
  Game game = Game::placed();
  bool held = false;
  bool let_go = false;
  for (int round = 0; round < 12; ++round) {
    game.set_work(1.2);  // first frames are heavy: the next ones are planned for so much
    game.play(3, kPace, false, true);
    game.set_work(0.05);
    game.play(60, kPace, false, true);
    const bool before = !game.at_end().threads.empty();
    game.rest();
    held = held || before;
    let_go = let_go || (before && game.at_end().threads.empty());
  }
  EXPECT_TRUE(held);
  EXPECT_TRUE(let_go);
}

TEST(MpcOnAGame, TheBufferThatWaitsIsTimeForItsHeavyFrames) {
  Game strict("mpc");
  strict.play(200, kPace, true);
  Game ahead("mpc");
  ahead.play(200, 2 * kPace, true);
  EXPECT_LT(ahead.at_start().clusters[kBig].cap, strict.at_start().clusters[kBig].cap);
}

TEST(PidOnAGame, ItsFramesFillTheirPaceAndAreNotRaisedWithin) {
  Game game("pid");
  game.play(200, 2 * kPace, true);
  EXPECT_TRUE(game.at_start().steps.empty());
  Game strict("pid");
  strict.play(200, kPace, false);
  EXPECT_EQ(game.at_end().clusters[kBig].floor, strict.at_end().clusters[kBig].floor);
}

}  // namespace
}  // namespace framegov
