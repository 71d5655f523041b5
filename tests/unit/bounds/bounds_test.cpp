// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "sim/bounds/work_corridor.h"
#include "tests/support/allocation_counter.h"

namespace framegov::sim {
namespace {

/// Cubic power over five levels, in units that keep numbers readable.
std::vector<RunLevel> cubic_levels(int count = 5) {
  std::vector<RunLevel> levels;
  for (int i = 1; i <= count; ++i) {
    const double speed = static_cast<double>(i) / count;
    levels.push_back({speed, 1000 * speed * speed * speed});
  }
  return levels;
}

std::vector<BoundFrame> random_frames(std::mt19937& random, int count, double heaviest) {
  std::uniform_real_distribution<double> work(0.05, heaviest);
  std::vector<BoundFrame> frames;
  double vsync = 0;
  for (int i = 0; i < count; ++i) {
    vsync += 1 + static_cast<double>(random() % 3 == 0 ? random() % 3 : 0);
    frames.push_back({vsync, vsync + 1, work(random), 0});
  }
  return frames;
}

TEST(EnergyHull, DropsLevelsThatTimeSharingBeats) {
  const std::vector<RunLevel> levels = {{1, 10}, {2, 30}, {3, 31}};
  const EnergyHull hull(levels, 0);
  EXPECT_NEAR(hull.power_at(2), 10 + 21 / 2.0, 1e-9);
  EXPECT_NEAR(hull.power_at(0.5), 5, 1e-9);
  EXPECT_NEAR(hull.power_at(99), 31, 1e-9);
  EXPECT_EQ(hull.corners().size(), 3U);
}

TEST(EnergyHull, IsTheSameInAnyOrderAndOfEqualSpeedsKeepsTheCheapest) {
  std::vector<RunLevel> levels = {{2, 9}, {1, 5}, {3, 31}, {2, 8}, {1, 4}, {2, 30}, {3, 20}};
  const auto corners = [&] {
    const EnergyHull hull(levels, 0);
    std::vector<std::pair<double, double>> all;
    for (const RunLevel& corner : hull.corners()) {
      all.emplace_back(corner.speed, corner.power_mw);
    }
    return all;
  };
  const std::vector<std::pair<double, double>> wanted = {{0, 0}, {2, 8}, {3, 20}};
  EXPECT_EQ(corners(), wanted);
  std::sort(levels.begin(), levels.end(), [](const RunLevel& a, const RunLevel& b) {
    return a.speed != b.speed ? a.speed < b.speed : a.power_mw > b.power_mw;
  });
  EXPECT_EQ(corners(), wanted);
}

TEST(OracleStrict, PicksTheLeastEnergyLevelThatIsInTime) {
  const std::vector<RunLevel> levels = {{1, 10}, {2, 16}, {4, 100}};
  const std::vector<BoundFrame> frames = {{0, 1, 0.5, 0}, {1, 2, 3, 0}, {2, 3, 5, 0}};
  const BoundResult result = oracle_strict(frames, levels);
  EXPECT_EQ(result.feasible, 2U);
  EXPECT_EQ(result.missed, 1U);
  EXPECT_NEAR(result.energy_mj, 0.25 * 16 + 0.75 * 100 + 1.25 * 100, 1e-9);
}

TEST(OracleStrict, FixedTimeShrinksTheWindow) {
  const std::vector<RunLevel> levels = {{1, 10}, {2, 100}};
  EXPECT_NEAR(oracle_strict({{BoundFrame{0, 1, 0.9, 0}}}, levels).energy_mj, 9, 1e-9);
  EXPECT_NEAR(oracle_strict({{BoundFrame{0, 1, 0.9, 0.2}}}, levels).energy_mj, 45, 1e-9);
}

TEST(OracleBuffered, EvenLoadRunsAtOneSpeed) {
  std::vector<BoundFrame> frames;
  for (int i = 0; i < 10; ++i) {
    frames.push_back({static_cast<double>(i), i + 1.0, i % 2 == 0 ? 0.2 : 0.6, 0});
  }
  // With one buffered frame the mean, 0.4, can nearly be held from start to end.
  const auto levels = cubic_levels();
  const double strict = oracle_strict(frames, levels).energy_mj;
  const double buffered = oracle_buffered(frames, levels, 1).energy_mj;
  EXPECT_LT(buffered, strict);
  EXPECT_GE(buffered, 10 * EnergyHull(levels, 0).power_at(0.4) * 0.8);
}

/// Least energy over piecewise-constant speeds on a fine time grid, by dynamic programming over
/// work done: an independent solution of the same problem.
double brute_force_buffered(const std::vector<BoundFrame>& frames,
                            const std::vector<RunLevel>& levels, double buffered) {
  constexpr int kStepsPerUnit = 8;
  constexpr int kWorkSteps = 160;  // per unit of work
  const EnergyHull hull(levels, 0);
  double total = 0;
  double end = 0;
  for (const BoundFrame& frame : frames) {
    total += frame.work;
    end = std::max(end, frame.deadline + buffered);
  }
  const auto cells = static_cast<int>(std::lround(total * kWorkSteps));
  const double dt = 1.0 / kStepsPerUnit;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> best(static_cast<std::size_t>(cells) + 1, kInfinity);
  best[0] = 0;
  for (int t = 0; t < static_cast<int>(std::lround(end * kStepsPerUnit)); ++t) {
    double arrived = 0;
    double due = 0;
    for (const BoundFrame& frame : frames) {
      arrived += frame.arrival <= t * dt + 1e-9 ? frame.work : 0;
      due += frame.deadline + buffered <= (t + 1) * dt + 1e-9 ? frame.work : 0;
    }
    std::vector<double> next(best.size(), kInfinity);
    for (int from = 0; from <= cells; ++from) {
      if (best[static_cast<std::size_t>(from)] == kInfinity) {
        continue;
      }
      for (int to = from; to <= cells; ++to) {
        const double speed = static_cast<double>(to - from) / kWorkSteps / dt;
        const double done = static_cast<double>(to) / kWorkSteps;
        if (speed > hull.max_speed() + 1e-9 || done > arrived + 1e-9) {
          break;
        }
        if (done < due - 1e-9) {
          continue;
        }
        double& slot = next[static_cast<std::size_t>(to)];
        slot = std::min(slot, best[static_cast<std::size_t>(from)] + hull.power_at(speed) * dt);
      }
    }
    best = next;
  }
  return best[static_cast<std::size_t>(cells)];
}

TEST(OracleBuffered, AgreesWithBruteForceOnSmallCases) {
  std::mt19937 random(3);
  const auto levels = cubic_levels(4);
  for (int round = 0; round < 40; ++round) {
    std::vector<BoundFrame> frames = random_frames(random, 4, 0.9);
    for (BoundFrame& frame : frames) {
      frame.work = std::round(frame.work * 160) / 160;
    }
    const double exact = oracle_buffered(frames, levels, 1).energy_mj;
    const double grid = brute_force_buffered(frames, levels, 1);
    // The grid can only be worse, and only by its coarseness.
    EXPECT_LE(exact, grid * (1 + 1e-9)) << round;
    EXPECT_GE(exact, grid * 0.93) << round;
  }
}

TEST(Bounds, AreOrderedOnAHundredThousandRandomWorkloads) {
  std::mt19937 random(5);
  const auto levels = cubic_levels();
  std::uniform_int_distribution<int> length(1, 12);
  for (int round = 0; round < 100'000; ++round) {
    const auto frames = random_frames(random, length(random), 0.95);
    const BoundResult strict = oracle_strict(frames, levels);
    const BoundResult none = oracle_buffered(frames, levels, 0);
    const BoundResult one = oracle_buffered(frames, levels, 1);
    ASSERT_EQ(strict.missed, 0U);
    ASSERT_EQ(none.missed, 0U);
    ASSERT_LE(none.energy_mj, strict.energy_mj * (1 + 1e-9)) << round;
    ASSERT_LE(one.energy_mj, none.energy_mj * (1 + 1e-9)) << round;
    // No schedule beats the cheapest way to do that much work.
    double work = 0;
    for (const BoundFrame& frame : frames) {
      work += frame.work;
    }
    ASSERT_GE(one.energy_mj, work * EnergyHull(levels, 0).cheapest_energy_per_work() * (1 - 1e-9));
  }
}

TEST(WorkCorridor, WaitsForACheaperTimeAsLongAsTheDeadlineAllows) {
  const EnergyHull dear({{RunLevel{1, 10}}}, 0);
  const EnergyHull cheap({{RunLevel{1, 4}}}, 0);
  WorkCorridor corridor;
  corridor.pass(1, dear, 1.5);
  corridor.pass(1, cheap, 1.5);
  corridor.due(1.5);
  EXPECT_NEAR(corridor.energy_mj(), 1 * 4 + 0.5 * 10, 1e-12);
}

TEST(WorkCorridor, DoesNothingBeforeItHasArrived) {
  const EnergyHull dear({{RunLevel{1, 10}}}, 0);
  const EnergyHull cheap({{RunLevel{1, 4}}}, 0);
  WorkCorridor corridor;
  corridor.pass(1, cheap, 0.25);
  corridor.pass(1, dear, 1);
  corridor.due(1);
  EXPECT_NEAR(corridor.energy_mj(), 0.25 * 4 + 0.75 * 10, 1e-12);
}

TEST(WorkCorridor, KeepsTimeOfOnePriceTogether) {
  const EnergyHull hull({{RunLevel{1, 1}, RunLevel{2, 4}}}, 0);
  WorkCorridor corridor;
  corridor.pass(1, hull, 1e9);
  const std::uint64_t before = test::allocations();
  for (int i = 1; i < 10'000; ++i) {
    corridor.pass(1, hull, 1e9);
  }
  EXPECT_EQ(test::allocations(), before);
  corridor.due(12'000);
  EXPECT_NEAR(corridor.energy_mj(), 10'000 * 1 + 2'000 * 3, 1e-6);
}

/// Cubic power; a level that is kept costs a share of it. Others' part changes from frame to frame.
LevelsOfFrame cubic_levels_beside_others(int count, double kept_share, unsigned seed) {
  return [=](std::size_t frame, std::vector<FrameLevel>& levels) {
    levels.clear();
    const double others = static_cast<double>((frame * 7 + seed) % 5) / 5;
    for (const RunLevel& level : cubic_levels(count)) {
      levels.push_back({level.speed, level.power_mw * (1 + others),
                        kept_share * others * (level.power_mw + 100 * (1 - level.speed))});
    }
  };
}

/// Every choice of a level for each frame and of whether it stays until the next one or the
/// cheapest to keep does.
double brute_force_levels(const std::vector<BoundFrame>& frames, const LevelsOfFrame& levels_of,
                          double buffered, const SwitchingCost& switching) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::vector<FrameLevel>> levels(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    levels_of(i, levels[i]);
  }
  const std::function<void(std::size_t, std::size_t, double, double)> walk =
      [&](std::size_t i, std::size_t from, double now, double energy) {
        if (i == frames.size()) {
          best = std::min(best, energy);
          return;
        }
        const BoundFrame& frame = frames[i];
        for (std::size_t to = 0; to < levels[i].size(); ++to) {
          double work = frame.work;
          double time = std::max(now, frame.arrival);
          double cost = energy;
          if (to != from) {
            const double slow = std::min(switching.latency_seconds, work / levels[i][from].speed);
            time += slow;
            cost += slow * levels[i][from].run_mw + switching.energy_mj;
            work -= slow * levels[i][from].speed;
          }
          time += work / levels[i][to].speed;
          cost += work / levels[i][to].speed * levels[i][to].run_mw;
          if (time > frame.deadline + buffered + 1e-9) {
            continue;
          }
          const double rest =
              i + 1 < frames.size() ? std::max(0.0, frames[i + 1].arrival - time) : 0;
          walk(i + 1, to, time, cost + rest * levels[i][to].kept_mw);
          std::size_t kept = 0;
          for (std::size_t other = 1; other < levels[i].size(); ++other) {
            kept = levels[i][other].kept_mw < levels[i][kept].kept_mw ? other : kept;
          }
          if (rest > 0 && kept != to) {
            const double slow = std::min(rest, switching.latency_seconds);
            walk(i + 1, kept, time,
                 cost + switching.energy_mj + slow * levels[i][to].kept_mw +
                     (rest - slow) * levels[i][kept].kept_mw);
          }
        }
      };
  for (std::size_t first = 0; first < levels.front().size(); ++first) {
    walk(0, first, 0, 0);
  }
  return best;
}

TEST(OracleDp, EqualsBruteForceWithoutABuffer) {
  std::mt19937 random(11);
  const SwitchingCost switching{5, 0.05};
  for (unsigned round = 0; round < 2000; ++round) {
    const auto frames = random_frames(random, 4, 0.9);
    const auto levels = cubic_levels_beside_others(3, round % 2 == 0 ? 0 : 0.5, round);
    const double expected = brute_force_levels(frames, levels, 0, switching);
    const BoundResult result = oracle_dp(frames, levels, 0, switching);
    if (std::isfinite(expected)) {
      ASSERT_NEAR(result.energy_mj, expected, 1e-6) << round;
      ASSERT_EQ(result.missed, 0U) << round;
    } else {
      ASSERT_GT(result.missed, 0U) << round;
    }
  }
}

TEST(OracleDp, WithABufferIsCloseToBruteForceAndNeverBelow) {
  std::mt19937 random(12);
  const SwitchingCost switching{5, 0.02};
  for (unsigned round = 0; round < 500; ++round) {
    const auto frames = random_frames(random, 4, 0.9);
    const auto levels = cubic_levels_beside_others(2, 0, round);
    const double expected = brute_force_levels(frames, levels, 1, switching);
    ASSERT_TRUE(std::isfinite(expected));
    constexpr std::size_t kGrid = 64;
    const BoundResult result = oracle_dp(frames, levels, 1, switching, kGrid);
    ASSERT_GE(result.energy_mj, expected * (1 - 1e-9)) << round;
    // Rounding the backlog up costs at most a cell a frame: no worse than with that much less room.
    const double less_room = 1 - static_cast<double>(frames.size()) / kGrid;
    ASSERT_LE(result.energy_mj,
              brute_force_levels(frames, levels, less_room, switching) * (1 + 1e-9))
        << round;
  }
}

TEST(OracleDp, PaysForEachSwitchAndForWhatIsLeftInForce) {
  // A heavy frame, a pause of three, a light one. Two levels.
  const std::vector<BoundFrame> frames = {{0, 1, 0.9, 0}, {4, 5, 0.2, 0}};
  const auto levels = [](double kept) {
    return [kept](std::size_t, std::vector<FrameLevel>& out) {
      out = {{0.5, 100, 0}, {1, 1000, kept}};
    };
  };
  // 0.9 s at the top; then lowered in time, for the price of one switch.
  EXPECT_NEAR(oracle_dp(frames, levels(10), 0, {5, 0}).energy_mj, 900 + 5 + 0.4 * 100, 1e-9);
  // Dear switches: kept over the pause of 3.1 s, and the light frame runs at the top too.
  EXPECT_NEAR(oracle_dp(frames, levels(10), 0, {500, 0}).energy_mj, 900 + 3.1 * 10 + 200, 1e-9);
  // The switch takes 0.5 s, in which the kept level is paid for.
  EXPECT_NEAR(oracle_dp(frames, levels(10), 0, {5, 0.5}).energy_mj, 900 + 5 + 5 + 40, 1e-9);
}

TEST(Bounds, AnInfeasibleFrameIsCountedAndDoesNotPoisonTheRest) {
  const auto levels = cubic_levels();
  const std::vector<BoundFrame> frames = {{0, 1, 0.2, 0}, {1, 2, 1.5, 0}, {3, 4, 0.2, 0}};
  EXPECT_EQ(oracle_strict(frames, levels).missed, 1U);
  EXPECT_EQ(oracle_buffered(frames, levels, 0).missed, 1U);
  EXPECT_EQ(oracle_dp(frames, cubic_levels_beside_others(5, 0, 0), 0, {}).missed, 1U);
  EXPECT_EQ(oracle_buffered(frames, levels, 1).missed, 0U);
}

}  // namespace
}  // namespace framegov::sim
