// SPDX-License-Identifier: Apache-2.0
#include "tests/app/scene.h"

#include <algorithm>
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

/// Lognormal work of median 1 whose logarithm is a first-order autoregression.
class Variation {
 public:
  Variation(double sigma, double memory) : sigma_(sigma), memory_(memory) {}
  double next(Random& random) {
    log_ = memory_ * log_ + std::sqrt(1 - memory_ * memory_) * sigma_ * random.normal();
    return std::exp(log_);
  }

 private:
  double sigma_;
  double memory_;
  double log_ = 0;
};

/// How a kind of scene behaves; times in seconds, work in parts of an interval at top speed.
struct Shape {
  double median = 0.4;
  double sigma = 0.2;
  double memory = 0.7;
  double ui_share = 0.25;  ///< of the work: games spend most of it in the render thread
  double ui_share_sigma = 0;
  double active_min = 1.2, active_max = 2.0;
  double pause_min = 0.6, pause_max = 1.2;
  double first_frame = 1.0;  ///< factor on the first frame after a pause
  double spike_rate = 0;     ///< chance of a spike per frame
  double spike = 1;          ///< its factor
};

/// As lists and feeds were recorded on phones, for a big core of about 2021: the simulator's
/// generated scenes have the same figures and say where they come from (sim/workload/synthetic.h).
Shape fitted(int hz) {
  const bool fast = hz >= 75;
  return {.median = (fast ? 1.41e-3 : 2.03e-3) * hz,
          .sigma = fast ? 0.20 : 0.63,
          .memory = fast ? 0.21 : 0.67,
          .ui_share = 0.37,
          .ui_share_sigma = 0.10,
          .first_frame = 1.26};
}

Shape shape_of(SceneKind kind, int hz) {
  Shape shape = fitted(hz);
  switch (kind) {
    case SceneKind::kScroll:
      shape.active_min = 0.2, shape.active_max = 1.4;
      shape.pause_min = 0.06, shape.pause_max = 0.3;
      return shape;
    case SceneKind::kFling:
      shape.active_min = 0.8, shape.active_max = 1.6;
      shape.pause_min = 0.4, shape.pause_max = 1.2;
      return shape;
    case SceneKind::kJank:
      return {.median = 0.18, .spike_rate = 0.04, .spike = 2.0};
    case SceneKind::kGame:
      return {.median = 0.45, .sigma = 0.1, .memory = 0.95, .active_min = 1e9, .active_max = 1e9};
    case SceneKind::kStill:
      break;
  }
  return {.median = 0.2};
}

/// Neither thread is ever without work.
double share_of(const Shape& shape, Random& random) {
  return shape.ui_share_sigma > 0
             ? std::clamp(shape.ui_share + shape.ui_share_sigma * random.normal(), 0.05, 0.95)
             : shape.ui_share;
}

SceneStep step_with(double work, double ui_share, bool frame) {
  return {.frame = frame, .ui_work = ui_share * work, .render_work = (1 - ui_share) * work};
}

/// A blinking cursor: one frame every half second.
std::vector<SceneStep> make_still(const Options& options, std::size_t count) {
  Random random(options.seed);
  Variation variation(0.2, 0.5);
  const auto period = static_cast<std::size_t>(std::max(1, options.hz / 2));
  std::vector<SceneStep> steps;
  for (std::size_t i = 0; i < count; ++i) {
    steps.push_back(step_with(0.2 * variation.next(random), Shape{}.ui_share, i % period == 0));
  }
  return steps;
}

}  // namespace

std::vector<SceneStep> make_scene(const Options& options) {
  const auto count = static_cast<std::size_t>(options.seconds * options.hz) + 1;
  if (options.scene == SceneKind::kStill) {
    return make_still(options, count);
  }
  const Shape shape = shape_of(options.scene, options.hz);
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
      double work = shape.median * variation.next(random);
      if (i == 0) {
        work *= shape.first_frame;
      }
      if (random.uniform() < shape.spike_rate) {
        work *= shape.spike;
      }
      steps.push_back(step_with(work, share_of(shape, random), true));
    }
    steps[first].event = options.scene == SceneKind::kFling ? UserEvent::kBurst : UserEvent::kTouch;
    for (std::size_t i = 0; i < vsyncs(pause) && steps.size() < count; ++i) {
      steps.push_back(step_with(shape.median, shape.ui_share, false));
    }
  }
  return steps;
}

}  // namespace demo
