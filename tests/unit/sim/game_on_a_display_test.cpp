// SPDX-License-Identifier: Apache-2.0
// A game, a display and a GPU in a closed loop with a policy: whatever a policy gives the game of
// time, it must not make it slower than it is at full speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "policy/policy_factory.h"
#include "probes/games/game_surfaces.h"
#include "tests/support/phone_topology.h"

namespace framegov::sim {
namespace {

constexpr std::size_t kBigCluster = 2;
constexpr std::uint64_t kSurface = 9;

struct GameSetting {
  double hz;
  std::size_t buffers;
  double gpu_ms;
  double mcycles;  ///< of a frame, median
};

std::string told(const GameSetting& game) {
  return std::to_string(game.hz) + " Hz, " + std::to_string(game.buffers) + " buffers, GPU " +
         std::to_string(game.gpu_ms) + " ms, " + std::to_string(game.mcycles) + " Mcycles";
}

class GameOnADisplay {
 public:
  /// `policy`: nullptr for full speed.
  GameOnADisplay(const GameSetting& game, const char* policy)
      : game_(game), work_(std::log(game.mcycles * 1e6), 0.15) {
    if (policy != nullptr) {
      policy_ = *make_policy(policy, topology_, PolicySettings{});
    }
    plan_ = FrequencyPlan::uncapped(topology_.clusters.size(), ReasonCode::kStarting);
  }

  struct Played {
    double fps;
    double mean_speed;
  };
  Played play(double seconds) {
    const double begin = queued_;
    work_done_ = 0;
    busy_ = 0;
    int frames = 0;
    for (; queued_ < begin + seconds * 1e9; ++frames) {
      frame();
    }
    return {frames / ((queued_ - begin) / 1e9), work_done_ / (busy_ / 1e9)};
  }

 private:
  static Instant at(double ns) { return instant_from_ns(static_cast<std::int64_t>(ns)); }

  void frame() {
    // A buffer is free again when the one after it is shown.
    const std::size_t before = shown_.size();
    const double free = before + 1 >= game_.buffers ? shown_[before + 1 - game_.buffers] : 0;
    const double begins = std::max(queued_, free);
    games_.blocked(kSurface, at(queued_), at(begins));
    if (begins - queued_ >= to_seconds(GameSurfaces::kWaited) * 1e9) {
      tell_start(begins);
    }
    const double work = work_(random_);
    const double done = run(begins, work);
    end_frame(begins, done, work);
    show();
  }

  /// When `work` is done that begins now: the plan's steps count.
  double run(double now, double work) {
    while (true) {
      ClusterPlan limits = plan_.clusters[kBigCluster];
      double until = 1e30;
      for (const PlanStep& step : steps_) {
        const double due = from_ + static_cast<double>(step.after.count());
        if (step.cluster == kBigCluster && due <= now) {
          limits = step.limits;
        } else if (step.cluster == kBigCluster) {
          until = std::min(until, due);
        }
      }
      const Cluster& big = topology_.clusters[kBigCluster];
      const Frequency floor = limits.floor.count() > 0 ? limits.floor : big.max_frequency();
      const double speed = big.opps[big.opp_at_least(floor)].speed.count() / 1e9;
      if (now + work / speed <= until) {
        return now + work / speed;
      }
      work -= (until - now) * speed;
      now = until;
    }
  }

  void end_frame(double begins, double done, double work) {
    queued_ = done;
    work_done_ += work;
    busy_ += done - begins;
    Frame frame;
    if (!games_.queue(kSurface, at(done), Duration{}, frame)) {
      return;
    }
    frame.app = AppId{1};
    frame.cluster = static_cast<std::int8_t>(kBigCluster);
    frame.render_cpu_time = at(done) - at(begins);
    const Cluster& big = topology_.clusters[kBigCluster];
    frame.frequency =
        Frequency{static_cast<std::int64_t>(work / (done - begins) * 1e9 / big.max_speed().count() *
                                            static_cast<double>(big.max_frequency().count()))};
    PolicyInput input;
    input.event = PolicyEvent::kFrameEnd;
    input.frame = &frame;
    step(input, done);
    tell_start(done);
  }

  void tell_start(double now) {
    FrameStart start;
    if (!games_.begin(kSurface, start)) {
      return;
    }
    start.cluster = static_cast<std::int8_t>(kBigCluster);
    from_ = static_cast<double>(to_ns(start.at));
    PolicyInput input;
    input.event = PolicyEvent::kFrameStart;
    input.start = &start;
    step(input, now);
    if (policy_ != nullptr) {
      steps_.assign(plan_.steps.begin(), plan_.steps.end());
    }
  }

  void step(PolicyInput& input, double now) {
    if (policy_ == nullptr) {
      return;
    }
    input.app = AppId{1};
    input.now = at(now);
    plan_ = policy_->step(input);
    steps_.clear();
  }

  void show() {
    const double vsync = 1e9 / game_.hz;
    gpu_free_ = std::max(queued_, gpu_free_) + game_.gpu_ms * 1e6;
    const double next = vsync * std::ceil(gpu_free_ / vsync);
    shown_.push_back(shown_.empty() ? next : std::max(next, shown_.back() + vsync));
  }

  GameSetting game_;
  CpuTopology topology_ = test::phone_topology();
  std::unique_ptr<Policy> policy_;
  FrequencyPlan plan_;
  std::vector<PlanStep> steps_;
  double from_ = 0;
  GameSurfaces games_;
  std::mt19937 random_{1};
  std::lognormal_distribution<double> work_;
  double queued_ = 1e9;
  double gpu_free_ = 0;
  double work_done_ = 0;
  double busy_ = 0;
  std::vector<double> shown_;
};

class AGameOnADisplay : public ::testing::TestWithParam<GameSetting> {};

TEST_P(AGameOnADisplay, IsNoSlowerThanAtFullSpeed) {
  GameOnADisplay full(GetParam(), nullptr);
  full.play(10);
  const auto possible = full.play(20);
  for (const char* policy : {"mpc", "pid"}) {
    GameOnADisplay game(GetParam(), policy);
    game.play(10);
    const auto played = game.play(20);
    EXPECT_GT(played.fps, 0.97 * possible.fps) << policy << ", " << told(GetParam());
    EXPECT_LT(played.mean_speed, possible.mean_speed) << policy << ", " << told(GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, AGameOnADisplay,
                         ::testing::Values(GameSetting{60, 3, 0, 8}, GameSetting{60, 3, 14, 8},
                                           // The GPU is slower than the display.
                                           GameSetting{60, 3, 17.5, 8}, GameSetting{60, 3, 18, 12},
                                           GameSetting{60, 3, 22, 8}, GameSetting{60, 3, 30, 8},
                                           GameSetting{90, 3, 12, 5}, GameSetting{120, 3, 9, 5},
                                           // CPU and GPU take turns.
                                           GameSetting{60, 2, 0, 8}, GameSetting{60, 2, 3, 8},
                                           GameSetting{60, 2, 6, 12}, GameSetting{60, 2, 20, 8},
                                           GameSetting{120, 2, 3, 4}));

TEST(AGameWithABufferToSpare, IsGivenItsTime) {
  GameOnADisplay game({60, 3, 6, 8}, "mpc");
  game.play(10);
  const double all_its_pace = 8e6 * 60;  // all its pace for each frame
  EXPECT_LT(game.play(20).mean_speed, 1.5 * all_its_pace);
}

}  // namespace
}  // namespace framegov::sim
