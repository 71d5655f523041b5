// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/plant/base_governor.h"
#include "sim/plant/buffer_queue.h"
#include "sim/plant/event_slots.h"
#include "sim/plant/generation_histogram.h"
#include "sim/plant/pelt.h"
#include "sim/plant/placement.h"
#include "sim/plant/probed_frame.h"
#include "sim/plant/thread_run.h"
#include "sim/workload/other_util.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

using test::kMs;
using test::two_speed_phone;

TEST(Pelt, DecayIsTheClosedForm) {
  double ns = 0;
  while (ns < 2e9) {
    EXPECT_NEAR(PeltSignal::decay(ns), std::exp2(-ns / 32e6), 1e-9);
    ns = ns * 1.3 + 1e3;
  }
  EXPECT_EQ(PeltSignal::decay(1e12), 0);
}

TEST(Pelt, HalfTheWayIn32Ms) {
  PeltSignal signal;
  signal.run(32 * kMs);
  EXPECT_NEAR(signal.value(), 0.5, 1e-9);
  signal.run(32 * kMs);
  EXPECT_NEAR(signal.value(), 0.75, 1e-9);
  signal.sleep(64 * kMs);
  EXPECT_NEAR(signal.value(), 0.1875, 1e-9);
}

TEST(Pelt, ThePeriodicLoadSettlesAtItsClosedForm) {
  // w of every p: the peak u solves u = 1 - (1 - u y^(p-w)) y^w, y = 2^(-1/32 ms).
  const double w = 4 * kMs;
  const double p = 16 * kMs;
  PeltSignal signal;
  for (int i = 0; i < 200; ++i) {
    signal.run(w);
    signal.sleep(p - w);
  }
  signal.run(w);
  const double peak = (1 - std::exp2(-w / 32e6)) / (1 - std::exp2(-p / 32e6));
  EXPECT_NEAR(signal.value(), peak, 1e-6);
}

TEST(ThreadRun, UtilisationDoesNotDependOnTheFrequency) {
  const auto peak = [](double inverse_speed) {
    ThreadRun thread;
    double now = 0;
    double util = 0;
    for (int i = 0; i < 100; ++i, now += 16 * kMs) {
      thread.start(4 * kMs, 0, inverse_speed, 0, now);
      thread.advance(thread.ends_at());
      util = thread.util(thread.ends_at());
      thread.finish(thread.ends_at());
    }
    return util;
  };
  EXPECT_NEAR(peak(1), peak(3), 1e-6);
}

TEST(ThreadRun, AnIdleCpuKeepsItsUtilisationUntilTheKernelLooks) {
  ThreadRun thread;
  thread.start(16e6, 0, 1, 0, 0);
  thread.finish(16e6);
  const double left = 1 - std::pow(2.0, -0.5);
  EXPECT_NEAR(thread.cpu_util(), left, 1e-9);
  EXPECT_NEAR(thread.util(48e6), left / 2, 1e-9);  // the thread's own goes down all the same
  EXPECT_NEAR(thread.cpu_util(), left, 1e-9);
  thread.refresh_cpu(48e6);
  EXPECT_NEAR(thread.cpu_util(), left / 2, 1e-9);
  thread.refresh_cpu(80e6);
  EXPECT_NEAR(thread.cpu_util(), left / 4, 1e-9);
  thread.start(1e6, 0, 1, 0, 80e6);
  EXPECT_NEAR(thread.cpu_util(), left / 4, 1e-9);
}

TEST(ThreadRun, ASpeedChangeSpreadsWhatIsLeft) {
  ThreadRun thread;
  thread.start(4 * kMs, 2 * kMs, 2, 0, 0);  // 10 ms at half speed
  EXPECT_DOUBLE_EQ(thread.ends_at(), 10 * kMs);
  thread.advance(5 * kMs);
  thread.set_speed(1);  // half of 6 ms is left
  EXPECT_DOUBLE_EQ(thread.ends_at(), 8 * kMs);
  EXPECT_NEAR(thread.running_part(), 4.0 / 6, 1e-12);
}

TEST(ThreadRun, AWaitComesInOnePieceAfterItsPartOfTheWork) {
  ThreadRun thread;
  thread.start(4 * kMs, 3 * kMs, 2, 0, 0, {.ns = 2e6F, .after = 0.25F});
  EXPECT_DOUBLE_EQ(thread.ends_at(), 2.25 * kMs);  // a quarter of 8 ms and of the other fixed ms
  EXPECT_TRUE(thread.go_on(2.25 * kMs));
  EXPECT_EQ(thread.running_part(), 0);
  thread.advance(3 * kMs);
  thread.set_speed(1);  // that the thread waits through
  EXPECT_DOUBLE_EQ(thread.ends_at(), 4.25 * kMs);
  EXPECT_TRUE(thread.go_on(4.25 * kMs));
  EXPECT_DOUBLE_EQ(thread.ends_at(), 8 * kMs);  // 3 ms of work and three quarters of a ms
  EXPECT_FALSE(thread.go_on(8 * kMs));
  thread.finish(8 * kMs);
  EXPECT_NEAR(thread.cpu_time(), 5 * kMs, 1e-3);
}

TEST(BufferQueue, OneBufferForEachVsyncAndThreeInAll) {
  BufferQueue queue;
  EXPECT_DOUBLE_EQ(queue.queue(0, 10 * kMs, 3 * kMs), 10 * kMs);
  EXPECT_LT(queue.dequeue_at(), 0);
  EXPECT_DOUBLE_EQ(queue.queue(0, 10 * kMs, 4 * kMs), 20 * kMs);  // the first vsync is taken
  // The third draws when the first is on screen.
  EXPECT_DOUBLE_EQ(queue.dequeue_at(), 10 * kMs);
  EXPECT_DOUBLE_EQ(queue.queue(20 * kMs, 10 * kMs, 41 * kMs), 50 * kMs);
  EXPECT_DOUBLE_EQ(queue.dequeue_at(), 20 * kMs);
}

TEST(BufferQueue, LatchesAsIfVsyncsWereCountedOneByOne) {
  BufferQueue queue;
  double last = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2000; ++i) {
    // Frames of two rates and phases, most of them before the buffer ahead is shown.
    const double interval = (i % 3 == 0 ? 8'333'333 : 16'666'667);
    const double vsync = i * 1'000'003.0;
    const double ready = vsync + (i * 7919 % 40) * kMs;
    double latch = BufferQueue::first_tick(vsync, interval, ready);
    while (latch < last + 0.5 * interval) {
      latch += interval;
    }
    ASSERT_EQ(queue.queue(vsync, interval, ready), latch) << i;
    last = latch;
  }
  // A vsync that is ages away, and one that no count would reach, end at once.
  EXPECT_DOUBLE_EQ(queue.queue(0, 1e18, 0), 1e18);
  EXPECT_GE(queue.queue(0, 1, 0), 1e18);
}

TEST(BufferQueue, AppsWithMoreBuffersMayBeAhead) {
  BufferQueue queue;
  for (int i = 0; i < 4; ++i) {  // each shown 24 ms after its vsync, not earlier
    EXPECT_DOUBLE_EQ(queue.queue((10 * i + 14) * kMs, 10 * kMs, (10 * i + 8) * kMs, 20 * kMs),
                     (10 * i + 24) * kMs);
  }
  // Of five buffers the fifth frame needs none back before the first one's, at 24 ms.
  EXPECT_DOUBLE_EQ(queue.dequeue_at(), 24 * kMs);
}

TEST(BufferQueue, ReadyAtTheVsyncIsInTime) {
  EXPECT_DOUBLE_EQ(BufferQueue::first_tick(0, 10 * kMs, 10 * kMs), 10 * kMs);
  EXPECT_DOUBLE_EQ(BufferQueue::first_tick(0, 10 * kMs, 12 * kMs), 20 * kMs);
  EXPECT_DOUBLE_EQ(BufferQueue::first_tick(0, 10 * kMs, -5 * kMs), 10 * kMs);
}

class GovernorTest : public ::testing::Test {
 protected:
  void settle(double now) {
    while (slots_.next().at <= now) {
      governor_.finish_transition(0, slots_.next().at);
    }
  }
  const DeviceTables tables_{two_speed_phone()};
  EventSlots slots_;
  BaseGovernor governor_{tables_, 1 * kMs, slots_};
};

TEST_F(GovernorTest, TakesTheLowestOppWithAQuarterToSpare) {
  governor_.update(0, 0.40, 0);  // 1.25 * 0.40 = 0.5: just fits
  settle(1 * kMs);
  EXPECT_EQ(governor_.opp(0), 0);
  governor_.update(0, 0.41, 2 * kMs);
  EXPECT_EQ(governor_.opp(0), 0);  // not before the transition's latency
  settle(2.4 * kMs);
  EXPECT_EQ(governor_.opp(0), 1);
}

TEST_F(GovernorTest, KeepsTheRateLimit) {
  governor_.update(0, 0.9, 0);
  settle(0.5 * kMs);
  governor_.update(0, 0.1, 0.9 * kMs);
  settle(2 * kMs);
  EXPECT_EQ(governor_.opp(0), 1);
  governor_.update(0, 0.1, 2 * kMs);
  settle(3 * kMs);
  EXPECT_EQ(governor_.opp(0), 0);
}

TEST_F(GovernorTest, LimitsActAtOnceAndCapBeatsFloor) {
  governor_.set_limits(0, {1, 1}, 0);
  settle(0.4 * kMs);
  EXPECT_EQ(governor_.opp(0), 1);
  governor_.set_limits(0, {1, 0}, 0.5 * kMs);
  settle(1 * kMs);
  EXPECT_EQ(governor_.opp(0), 0);
}

TEST_F(GovernorTest, ARaisedCapWaitsForTheNextUpdate) {
  governor_.set_limits(0, {0, 0}, 0);
  governor_.update(0, 0.9, 0);
  governor_.set_limits(0, {0, 1}, 1 * kMs);
  settle(5 * kMs);
  EXPECT_EQ(governor_.opp(0), 0);
  governor_.update(0, 0.9, 5 * kMs);
  settle(6 * kMs);
  EXPECT_EQ(governor_.opp(0), 1);
}

TEST(ProbedFrame, SaysTheMeanFrequencyOfAllItsThreadsOnTheCluster) {
  const DeviceTables tables(two_speed_phone());
  PipelineFrame frame;
  frame.load = test::frame_at(10, 2, 6);
  frame.ui_cpu_time = 4 * kMs;      // at 500 MHz
  frame.render_cpu_time = 6 * kMs;  // at 1000 MHz
  EXPECT_EQ(as_probed(frame, tables).frequency, mhz(800));
}

TEST(OtherUtil, IsWhatTheLoadsBeforeHaveLeft) {
  OtherUtil others;
  const FittedLoad first = others.next(0, 0.6, 0.4, 1, 0);
  EXPECT_EQ(first.total, 0.6);
  EXPECT_EQ(first.busiest, 0.4);
  EXPECT_EQ(first.util, 0);
  EXPECT_NEAR(others.next(0, 0, 0, 1, 32 * kMs).util, 0.2, 1e-9);
  EXPECT_NEAR(others.next(0, 2, 2, 1, 64 * kMs).util, 0.1, 1e-9);
  const FittedLoad after = others.next(0, 0.1, 0.1, 1, 96 * kMs);
  EXPECT_NEAR(after.util, 0.55, 1e-9) << "a CPU cannot be fuller than full";
  EXPECT_EQ(others.next(1, 0.1, 0.1, 1, 96 * kMs).util, 0) << "clusters stand alone";
}

TEST(OtherUtil, OfASilentClusterIsNothing) {
  OtherUtil others;
  (void)others.next(0, 0.5, 0.5, 1, 0);
  EXPECT_GT(others.next(0, 0, 0, 1, 32 * kMs).util, 0);
  (void)others.next(0, 0, 0, 1, 2000 * kMs);  // forgets
  EXPECT_EQ(others.next(0, 0, 0, 1, 2010 * kMs).util, 0);
}

TEST(EventSlots, OfTransitionsTheFirstComesFirst) {
  EventSlots slots;
  slots.set(PlantEvent::kTick, 5000);
  slots.begin_transition(2, 3000);
  slots.begin_transition(0, 4000);
  constexpr auto kFirst = static_cast<std::size_t>(PlantEvent::kTransition);
  EXPECT_EQ(slots.next().slot, kFirst + 2);
  EXPECT_EQ(slots.next().at, 3000);
  slots.end_transition(2);
  slots.begin_transition(2, 4000);
  EXPECT_EQ(slots.next().slot, kFirst) << "of transitions at one instant the lower cluster's";
  slots.set(PlantEvent::kTick, 4000);
  EXPECT_EQ(slots.next().slot, static_cast<std::size_t>(PlantEvent::kTick));
  slots.set(PlantEvent::kTick, EventSlots::kNever);
  slots.end_transition(0);
  slots.end_transition(2);
  EXPECT_EQ(slots.next().at, EventSlots::kNever);
}

TEST(GenerationHistogram, QuantilesAreWithinAHalfPercent) {
  GenerationHistogram histogram;
  for (int i = 1; i <= 10000; ++i) {
    histogram.add(i * 5e3);  // 5 us to 50 ms
  }
  EXPECT_NEAR(histogram.quantile_ms(0.5), 25, 25 * 0.005);
  EXPECT_NEAR(histogram.quantile_ms(0.95), 47.5, 47.5 * 0.005);
  EXPECT_NEAR(histogram.quantile_ms(0.99), 49.5, 49.5 * 0.005);
  EXPECT_EQ(GenerationHistogram{}.quantile_ms(0.5), 0);
}

/// Utilisation of a thread just woken from 500 ms of sleep after stages of 20, 20 and `last` ms.
double util_on_waking(bool estimate, double last_ms) {
  ThreadRun thread;
  thread.use_estimate(estimate);
  double now = 0;
  for (const double ms : {20.0, 20.0, last_ms}) {
    thread.start(ms * 1e6, 0, 1, 0, now);
    now = thread.ends_at();
    thread.finish(now);
    now += 500e6;
  }
  thread.start(1e6, 0, 1, 0, now);
  return thread.util(now);
}

TEST(ThreadRun, AnEstimateRemembersWhatSleepForgets) {
  const double after_20_ms = 1 - std::pow(2.0, -20.0 / 32);
  EXPECT_NEAR(util_on_waking(false, 20), 0, 1e-4);
  EXPECT_NEAR(util_on_waking(true, 20), after_20_ms, 1e-3);
  // A short stage takes it a quarter of the way down.
  const double after_2_ms = 1 - std::pow(2.0, -2.0 / 32);
  EXPECT_NEAR(util_on_waking(true, 2), 0.75 * after_20_ms + 0.25 * after_2_ms, 1e-3);
}

}  // namespace
}  // namespace framegov::sim
