// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace framegov {

/// How much heavier than usual the next frame is expected to be, by the one before it: a
/// first-order autoregression of the logarithm of work, x' = mean + rho (x - mean) + noise. Its
/// three moments are means over the last hundred frames or so.
class WorkTrend {
 public:
  void learn(double work) {
    if (!(work > 0) || !std::isfinite(work)) {
      return;
    }
    const double log_work = std::log(work);
    if (frames_ == 0) {
      mean_ = log_work;
    }
    const double before = last_ - mean_;
    weight_ = std::max(weight_ / (1 + weight_), kWeight);  // a plain mean at first
    mean_ += weight_ * (log_work - mean_);
    const double now = log_work - mean_;
    variance_ += weight_ * (now * now - variance_);
    if (frames_ > 0) {
      covariance_ += weight_ * (now * before - covariance_);
    }
    last_ = log_work;
    frames_ = std::min(frames_ + 1, kEnough);
  }

  /// The next frame's expected work over the usual; 1 while too little is known.
  [[nodiscard]] double factor() const {
    if (frames_ < kEnough || variance_ <= 0) {
      return 1;
    }
    const double rho = std::clamp(covariance_ / variance_, 0.0, kMostFollowed);
    return std::exp(std::clamp(rho * (last_ - mean_), -kFarthest, kFarthest));
  }

 private:
  static constexpr double kWeight = 1.0 / 128;
  static constexpr int kEnough = 32;
  static constexpr double kMostFollowed = 0.95;
  static constexpr double kFarthest = 1.5;

  double mean_ = 0;
  double variance_ = 0;
  double covariance_ = 0;
  double last_ = 0;
  double weight_ = 1;
  int frames_ = 0;
};

}  // namespace framegov
