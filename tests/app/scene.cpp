// SPDX-License-Identifier: Apache-2.0
#include "tests/app/scene.h"

#include <cmath>
#include <numbers>
#include <random>

namespace demo {
namespace {

/// Random numbers that are the same with every standard library (its distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

/// Lognormal work around 1 whose logarithm is a first-order autoregression.
class Variation {
 public:
  Variation(double sigma, double memory) : sigma_(sigma), memory_(memory) {}
  double next(Random& random) {
    log_ = memory_ * log_ + std::sqrt(1 - memory_ * memory_) * sigma_ * random.normal();
    return std::exp(log_ - sigma_ * sigma_ / 2);
  }

 private:
  double sigma_;
  double memory_;
  double log_ = 0;
};

/// How a kind of scene behaves; times in seconds, work in parts of an interval at top speed.
struct Shape {
  double mean = 0.4;
  double sigma = 0.2;
  double memory = 0.7;
  double active_min = 1.2, active_max = 2.0;
  double pause_min = 0.6, pause_max = 1.2;
  double first_frames = 1.0;  ///< factor on the first frames after a pause
  double decay = 0;           ///< extra work at the start that fades over half a second
  double spike_rate = 0;      ///< chance of a spike per frame
  double spike = 1;           ///< its factor
};

Shape shape_of(SceneKind kind) {
  switch (kind) {
    case SceneKind::kScroll:
      return {.mean = 0.18, .first_frames = 1.3};
    case SceneKind::kFling:
      return {.mean = 0.20,
              .sigma = 0.25,
              .active_min = 0.7,
              .active_max = 1.3,
              .pause_min = 0.4,
              .pause_max = 1.0,
              .first_frames = 1.4,
              .decay = 0.3,
              .spike_rate = 0.08,
              .spike = 1.4};
    case SceneKind::kJank:
      return {.mean = 0.18, .spike_rate = 0.04, .spike = 2.0};
    case SceneKind::kGame:
      return {.mean = 0.45, .sigma = 0.1, .memory = 0.95, .active_min = 1e9, .active_max = 1e9};
    case SceneKind::kStill:
      break;
  }
  return {.mean = 0.2};
}

/// Share of the UI thread in a frame's work: feeds spend most of it in the render thread.
constexpr double kUiShare = 0.25;

SceneStep step_with(double work, bool frame) {
  return {.frame = frame, .ui_work = kUiShare * work, .render_work = (1 - kUiShare) * work};
}

/// A blinking cursor: one frame every half second.
std::vector<SceneStep> make_still(const Options& options, std::size_t count) {
  Random random(options.seed);
  Variation variation(0.2, 0.5);
  const auto period = static_cast<std::size_t>(std::max(1, options.hz / 2));
  std::vector<SceneStep> steps;
  for (std::size_t i = 0; i < count; ++i) {
    steps.push_back(step_with(0.2 * variation.next(random), i % period == 0));
  }
  return steps;
}

}  // namespace

std::vector<SceneStep> make_scene(const Options& options) {
  const auto count = static_cast<std::size_t>(options.seconds * options.hz) + 1;
  if (options.scene == SceneKind::kStill) {
    return make_still(options, count);
  }
  const Shape shape = shape_of(options.scene);
  Random random(options.seed);
  Variation variation(shape.sigma, shape.memory);
  std::vector<SceneStep> steps;
  steps.reserve(count);
  while (steps.size() < count) {
    const double active = random.uniform(shape.active_min, shape.active_max);
    const double pause = random.uniform(shape.pause_min, shape.pause_max);
    const auto vsyncs = [&](double seconds) {
      return static_cast<std::size_t>(std::min(seconds * options.hz, 1e9));
    };
    const std::size_t first = steps.size();
    for (std::size_t i = 0; i < vsyncs(active) && steps.size() < count; ++i) {
      const double t = static_cast<double>(i) / options.hz;
      double work = shape.mean * variation.next(random) * (1 + shape.decay * std::exp(-t / 0.25));
      if (i < 3) {
        work *= shape.first_frames;
      }
      if (random.uniform() < shape.spike_rate) {
        work *= shape.spike;
      }
      steps.push_back(step_with(work, true));
    }
    steps[first].event = options.scene == SceneKind::kFling ? UserEvent::kBurst : UserEvent::kTouch;
    for (std::size_t i = 0; i < vsyncs(pause) && steps.size() < count; ++i) {
      steps.push_back(step_with(shape.mean, false));
    }
  }
  return steps;
}

}  // namespace demo
