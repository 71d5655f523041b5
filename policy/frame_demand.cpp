// SPDX-License-Identifier: Apache-2.0
#include "policy/frame_demand.h"

#include <algorithm>
#include <cmath>

namespace framegov {

namespace {

/// Weight of the newest frame in a mean.
constexpr double kMeanWeight = 0.1;
/// The same where the mean is compared with bounds that rest on hundreds of frames.
constexpr double kTrendWeight = 1.0 / 64;
/// One frame in so many that was late for being moved to another cluster, for a deadline nearer
/// than usual, or for a hitch, is bad luck; more are a reason to hurry.
constexpr std::uint64_t kSeldom = 32;
/// The quantile of fixed time that is set aside, and how far one frame can move it, in intervals. A
/// frame that was kept waiting for long is no reason to hurry the next ones: what exceeds the
/// quantile is the margin's to answer for.
constexpr double kFixedQuantile = 0.8;
constexpr double kFixedStep = 0.01;
/// Of a game's: how much of what is missing one late frame adds, which may just have been unlucky,
/// and how much of what is too much one that slept less takes away.
constexpr double kBelieveFixed = 0.5;
constexpr double kForgetFixed = 0.02;
/// Frames after a still screen that are looked at on their own: a scroll begins with inflating,
/// uploading and cold caches.
constexpr int kBeginning = 3;
/// Where the first frames after a still screen have this much more work than others at this
/// quantile, the others are not to be ready for it.
constexpr double kHeavyBeginning = 2;
constexpr double kHeavyQuantile = 0.75;
constexpr std::size_t kEnoughToCompare = 32;
/// What the last frame tells has to bring the bound down by this much to be used.
constexpr double kCloser = 0.9;
/// So many frames tell enough of an app to be kept.
constexpr std::uint64_t kEnoughToKeep = 600;
/// No frame worth governing waits longer, seconds.
constexpr double kMostFixed = 0.1;

}  // namespace

FrameDemand::FrameDemand(double eps, bool mean_only)
    : eps_(eps),
      mean_only_(mean_only),
      beginning_(eps),
      going_(eps),
      tail_(eps),
      relative_tail_(eps) {}

void FrameDemand::learn(const Frame& frame, const Sample& sample) {
  judge_margin(frame.late(), sample);
  learn_fixed(frame, sample);
  learn_work(sample.work, sample.hitch);
  if (sample.ui_part) {
    const bool game = frame.has(FramePart::kSurface);
    const double slept = game && sample.busy_s > 0 ? 1.0 - sample.ran_s / sample.busy_s : 0.0;
    asleep_ += kMeanWeight * (slept - asleep_);
    ui_share_ += kMeanWeight * (*sample.ui_part - ui_share_);
  }
  ++since_still_;
  ++frames_;
}

void FrameDemand::on_front() {
  since_still_ = 0;
  launching_ = true;
}

void FrameDemand::forget() { *this = FrameDemand(eps_, mean_only_); }

FrameDemand::Phase FrameDemand::*FrameDemand::kind() const {
  return since_still_ < kBeginning ? &FrameDemand::beginning_ : &FrameDemand::going_;
}

void FrameDemand::judge_margin(bool late, const Sample& sample) {
  const double bound = full_load();
  if (sample.governed && bound > 0 && !sample.hopeless) {
    if ((sample.elsewhere || sample.nearer) && late && frames_ - late_by_luck_ > kSeldom) {
      late_by_luck_ = frames_;
      phase().margin.follow();  // the plan was for another cluster, or another deadline
    } else {
      phase().margin.update(late ? std::max(sample.work / bound, 1.0 + 1e-6) : 1.0, sample.decided);
    }
    began_late_ = late ? kind() : nullptr;
  } else if (!late || !sample.waited) {
    began_late_ = nullptr;
  } else if (began_late_ != nullptr) {
    (this->*began_late_).margin.follow();
  }
}

void FrameDemand::learn_fixed(const Frame& frame, const Sample& sample) {
  const double slept = std::max(0.0, sample.busy_s - sample.ran_s);
  if (frame.has(FramePart::kSurface)) {
    // What a game slept may have been to keep its pace. A late frame had no time to.
    const double known = std::min(slept, to_seconds(frame.period()));
    fixed_s_ += frame.late() ? kBelieveFixed * std::max(0.0, known - fixed_s_)
                             : kForgetFixed * std::min(0.0, slept - fixed_s_);
  } else if (!sample.waited) {  // waiting is not the frame's own fixed time
    const double above = slept > fixed_s_ ? 1.0 : 0.0;
    const double step = kFixedStep * to_seconds(frame.interval);
    fixed_s_ = std::max(0.0, fixed_s_ + step * (above - (1.0 - kFixedQuantile)));
  }
}

/// What full speed could not make in time is nothing to be ready for, unless it is usual.
void FrameDemand::learn_work(double work, bool hitch) {
  const bool unusual = hitch && frames_ - last_hitch_ > kSeldom;
  last_hitch_ = hitch ? frames_ : last_hitch_;
  if (!launching_ && !unusual) {
    phase().work.add(Work{work});
    if (kind() == &FrameDemand::going_) {
      const Work relative{work / expected_};
      relative_.add(relative);
      relative_tail_.add(relative);
      mean_expected_ += kTrendWeight * (expected_ - mean_expected_);
    }
    if (kind() == &FrameDemand::going_ || !beginnings_are_heavy() ||
        work <= going_.work.largest().count()) {
      tail_.add(Work{work});
    }
    mean_work_ = mean_work_ <= 0 ? work : mean_work_ + kMeanWeight * (work - mean_work_);
  }
  launching_ = false;
  trend_.learn(work);
  look_ahead();
}

void FrameDemand::look_ahead() {
  expected_ = trend_.factor();
  const double usual = tail_.bound().count();
  const double followed = relative_tail_.bound().count() * mean_expected_;
  follows_ = relative_.size() >= kEnoughToCompare && followed < kCloser * usual;
  const auto works = relative_.sorted();
  std::transform(works.begin(), works.end(), foretold_.begin(),
                 [&](double each) { return each * expected_; });
}

bool FrameDemand::beginnings_are_heavy() const {
  return going_.work.size() >= kEnoughToCompare &&
         beginning_.work.quantile(kHeavyQuantile) >
             going_.work.quantile(kHeavyQuantile) * kHeavyBeginning;
}

double FrameDemand::full_load() const {
  if (mean_only_) {
    return mean_work_;
  }
  Work heavy = follows() ? Work{relative_tail_.bound().count() * expected_} : tail_.bound();
  if (kind() == &FrameDemand::beginning_) {
    heavy = std::max(heavy, beginning_.work.largest());  // remembered for longer
  }
  return heavy.count() * phase().margin.factor();
}

double FrameDemand::full_load(double chance) const {
  const auto works = recent();
  const double exceed = eps_ * static_cast<double>(works.size());
  const double most = full_load();
  if (exceed <= chance || works.empty()) {
    return most;  // fewer than one of those that are remembered
  }
  const std::size_t left_out = chance * static_cast<double>(works.size()) > exceed
                                   ? static_cast<std::size_t>(exceed / chance)
                                   : works.size();
  return std::min(most, works[works.size() - left_out]);
}

std::span<const double> FrameDemand::recent() const {
  if (kind() == &FrameDemand::going_ && relative_.size() >= kEnoughToCompare) {
    return {foretold_.data(), relative_.size()};
  }
  return phase().work.empty() ? going_.work.sorted() : phase().work.sorted();
}

std::optional<Learned> FrameDemand::learned() const {
  if (frames_ < kEnoughToKeep) {
    return std::nullopt;
  }
  Learned learned{.frames = frames_,
                  .eps = eps_,
                  .beginning_margin = beginning_.margin.level(),
                  .going_margin = going_.margin.level(),
                  .fixed_s = fixed_s_,
                  .beginning_work = {}};
  const std::size_t works = std::min(beginning_.work.size(), Learned::kMostWorks);
  for (std::size_t i = 1; i <= works; ++i) {
    const double q = static_cast<double>(i) / static_cast<double>(works);
    learned.beginning_work.push_back(beginning_.work.quantile(q).count());
  }
  return learned;
}

void FrameDemand::recall(const Learned& learned) {
  if (learned.eps != eps_) {
    return;  // its margins aim at something else
  }
  frames_ = learned.frames;
  beginning_.margin.set_level(learned.beginning_margin);
  going_.margin.set_level(learned.going_margin);
  if (learned.fixed_s >= 0 && learned.fixed_s <= kMostFixed) {
    fixed_s_ = learned.fixed_s;
  }
  for (const double work : learned.beginning_work) {
    if (work > 0 && std::isfinite(work)) {
      beginning_.work.add(Work{work});
    }
  }
}

}  // namespace framegov
