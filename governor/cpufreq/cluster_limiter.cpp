// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/cluster_limiter.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace framegov {

namespace {

constexpr Duration kFirstRetry = std::chrono::milliseconds{10};
/// Steps within a frame are not each read back: it costs two system calls, and a limit that
/// somebody else holds is in force whatever we know of it.
constexpr Duration kReadBackEvery = WitnessedTime::kMost;
/// The kernel has mostly taken another program's write over by then.
constexpr Duration kLookAgain = std::chrono::milliseconds{2};
constexpr Duration kLongestRetry = std::chrono::seconds{1};
/// A minimum that is refused is asked for again after so long, twice as long each time.
constexpr Duration kFirstWithoutFloor = std::chrono::seconds{1};
constexpr Duration kLongestWithoutFloor = std::chrono::seconds{64};
constexpr Duration kFirstYield = std::chrono::seconds{1};
constexpr Duration kLongestYield = std::chrono::seconds{64};
/// Two ticks of the slowest timer that phones have (HZ=100).
constexpr Duration kTwoTicks = std::chrono::milliseconds{20};
constexpr Duration kFirstInsistence = std::chrono::milliseconds{100};
constexpr Duration kLongestInsistence = std::chrono::seconds{64};
/// A writer that was not seen for so long is a new one.
constexpr Duration kForgetWriter = std::chrono::minutes{1};

}  // namespace

WriteCounters& WriteCounters::operator+=(const WriteCounters& other) {
  writes += other.writes;
  failed += other.failed;
  overwritten += other.overwritten;
  return *this;
}

ClusterLimiter::ClusterLimiter(int root_fd, const ClusterDir& dir, const Cluster& cluster)
    : cluster_(cluster), nodes_(root_fd, dir) {}

int ClusterLimiter::observe() {
  nodes_.watch();
  const LimitReading found = nodes_.read();
  if (found.ok()) {
    base_ = found.limits;
    base_.min = std::min(base_.min, base_.max);  // two reads are not one moment
    requested_ = wanted_ = base_;
  }
  return found.error;
}

void ClusterLimiter::observe_anew(Instant now) {
  (void)nodes_.others_wrote_max();  // whatever they did: it is what counts from now on
  const Instant seen = witnessed_.at(now);
  if (requested_.max != base_.max) {
    recent_max_.replaced(requested_.max, seen);
  }
  if (requested_.min != base_.min) {
    recent_min_.replaced(requested_.min, seen);
  }
  if (const LimitReading found = nodes_.read(); found.ok()) {
    const auto late = [&](const RecentRequests& recent, Frequency there) {
      return recent.held(there, seen, RecentRequests::kLongestTakeOver);
    };
    base_.max = late(recent_max_, found.limits.max) ? base_.max : found.limits.max;
    base_.min = late(recent_min_, found.limits.min) ? base_.min : found.limits.min;
    base_.min = std::min(base_.min, base_.max);
  }
  requested_ = wanted_ = base_;
  ceiling_ = others_floor_ = Frequency{};
  written_ = false;
}

void ClusterLimiter::widen_base() {
  if (const LimitReading found = nodes_.read(); found.ok()) {
    base_.min = std::min(base_.min, found.limits.min);
    base_.max = std::max(base_.max, found.limits.max);
    requested_ = base_;
  }
}

void ClusterLimiter::unmask_base(Frequency up_to) {
  if (base_.max >= up_to) {
    return;
  }
  const ClusterLimits found = base_;
  const bool touched = touched_;
  if (nodes_.write({found.min, up_to}, requested_, counters_.writes) != 0) {
    return;
  }
  touched_ = true;
  const LimitReading now =
      nodes_.read_until([&](const ClusterLimits& there) { return there.max > found.max; });
  if (nodes_.others_wrote_max()) {
    // Its request stands where ours was: no ceiling has shown itself, and nothing of ours is there.
    requested_ = found;
    touched_ = touched;
    return;
  }
  if (!now.ok() || now.limits.max > found.max) {
    if (nodes_.write(found, requested_, counters_.writes) != 0) {
      ++counters_.failed;
      return;
    }
    touched_ = touched;  // nothing of ours is there
    return;
  }
  ceiling_ = now.limits.max;
  base_.max = up_to;
}

void ClusterLimiter::want(const ClusterPlan& plan) {
  wanted_ = base_;
  if (plan.cap.count() > 0) {
    const Frequency cap = cluster_.opps[cluster_.opp_at_most(plan.cap)].frequency;
    wanted_.max = std::clamp(cap, base_.min, base_.max);
  }
  if (plan.floor.count() > 0) {
    const Frequency floor = cluster_.opps[cluster_.opp_at_least(plan.floor)].frequency;
    wanted_.min = std::clamp(floor, base_.min, wanted_.max);
  }
  if (plan.pinned() && min_above_max_) {
    wanted_.min = base_.max;
  }
  if (floor_refused_ != 0) {
    wanted_.min = base_.min;
  }
  respect_ceiling();
}

void ClusterLimiter::respect_ceiling() {
  if (ceiling_.count() > 0 && wanted_.min <= wanted_.max) {
    wanted_.min = std::min(wanted_.min, std::max(ceiling_, base_.min));
  }
}

int ClusterLimiter::apply(Instant now) {
  if (floor_refused_ != 0 && now >= floor_again_at_) {
    floor_refused_ = 0;  // from the next plan on
  }
  if (settled()) {
    retry_at_ = Instant{};
    backoff_ = Duration{};
    return 0;
  }
  if (now < retry_at_ || yielding(now)) {
    return 0;
  }
  if (written_) {
    // A write of ours would hide what another program wanted.
    retry_at_ = now + kLookAgain;
    return 0;
  }
  int error = write_wanted(now);
  if (error == 0 && now - witnessed_.looked_at() >= kReadBackEvery) {
    read_back(now);
    respect_ceiling();
    if (!settled()) {
      // Somebody holds the maximum lower than we knew: the floor comes down to it.
      error = write_wanted(now);
    }
  }
  if (error != 0 && requested_.max == wanted_.max && requested_.min == base_.min) {
    // The cap stands and nothing of ours is in the minimum: caps alone work.
    ++counters_.failed;
    floor_refused_ = error;
    without_floor_ = std::clamp(without_floor_ * 2, kFirstWithoutFloor, kLongestWithoutFloor);
    floor_again_at_ = now + without_floor_;
    wanted_.min = base_.min;
    error = 0;
  }
  if (error != 0) {
    ++counters_.failed;
    backoff_ = std::clamp(backoff_ * 2, kFirstRetry, kLongestRetry);
    retry_at_ = now + backoff_;
    return error;
  }
  retry_at_ = Instant{};
  backoff_ = Duration{};
  return 0;
}

int ClusterLimiter::write_wanted(Instant now) {
  const int error = write_changes(now);
  if (error != EINVAL || wanted_.min <= wanted_.max) {
    return error;
  }
  min_above_max_ = false;
  wanted_.min = wanted_.max;
  respect_ceiling();
  return write_changes(now);
}

int ClusterLimiter::write_changes(Instant now) {
  const ClusterLimits before = requested_;
  writing_ = true;
  const int error = nodes_.write(wanted_, requested_, counters_.writes);
  if (before.max != requested_.max) {
    recent_max_.replaced(before.max, witnessed_.at(now));
  }
  if (before.min != requested_.min) {
    recent_min_.replaced(before.min, witnessed_.at(now));
  }
  touched_ = touched_ || !same(before, requested_);
  writing_ = false;
  return error;
}

void ClusterLimiter::note_writer(Instant now) {
  if (nodes_.others_wrote_max() && !written_) {
    written_ = true;
    written_at_ = witnessed_.at(now);
  }
}

bool ClusterLimiter::meets_writer(Instant now) {
  if (settled() || yielding(now)) {
    return false;
  }
  note_writer(now);
  return written_ && read_back(now);
}

bool ClusterLimiter::read_back(Instant now) {
  note_writer(now);
  witnessed_.look(now);
  const Instant seen = witnessed_.at(now);
  const LimitReading found = nodes_.read();
  written_ = written_ && found.ok();  // where nothing can be read, a write of ours will fail too
  const bool clamped = found.ok() && found.limits.min == found.limits.max;
  if (!found.ok() || (clamped && recent_min_.held(base_.max, seen, RecentRequests::kTakeOver)) ||
      (found.limits.max != requested_.max &&
       recent_max_.held(found.limits.max, seen, RecentRequests::kTakeOver)) ||
      (found.limits.min != requested_.min &&
       recent_min_.held(found.limits.min, seen, RecentRequests::kTakeOver))) {
    return false;
  }
  const ClusterLimits& there = found.limits;
  in_force_ = there;
  if (is_known(overwritten_until_) && !written_) {
    return false;
  }
  const bool lowered = is_lowered(there);
  const bool raised = LimitNodes::is_foreign_max(there, requested_);
  if (!lowered && !raised && seen - written_at_ >= RecentRequests::kTakeOver) {
    written_ = false;  // it was our own value, or one above what the kernel holds
  }
  if (there.max < requested_.max) {
    ceiling_ = lowered ? Frequency{} : there.max;
  } else if (requested_.max > ceiling_) {
    // At a lower request than the ceiling nothing can be said of it.
    ceiling_ = Frequency{};
  }
  others_floor_ = there.min > requested_.min ? there.min : Frequency{};
  const bool overwritten = lowered || raised || LimitNodes::is_foreign_min(there, requested_);
  counters_.overwritten += overwritten ? 1U : 0U;
  return overwritten;
}

void ClusterLimiter::insist(Instant now) {
  if (now < overwritten_until_) {
    return;
  }
  const bool resumed = is_known(std::exchange(overwritten_until_, Instant{}));
  if (!touched_ || !settled() || yielding(now) || written_) {
    return;
  }
  if (!(resumed && !same(in_force_, requested_)) && !runs_faster(now)) {
    return;
  }
  const ClusterLimits request = wanted_;
  wanted_ = other_limits();
  const int changed = write_changes(now);
  wanted_ = request;
  const int back = write_changes(now);  // what fails is tried again by apply()
  counters_.failed += changed != 0 || back != 0 ? 1U : 0U;
}

/// Asked rarely where it stays so: of a cluster that idles it says nothing.
bool ClusterLimiter::runs_faster(Instant now) {
  if (now < insist_at_ || requested_.max >= base_.max || in_force_.max != requested_.max) {
    return false;
  }
  const NodeReading current = nodes_.read_current();
  const Frequency allowed =
      std::max(requested_.max, recent_max_.highest(witnessed_.at(now), kTwoTicks));
  if (!current.ok() || current.value <= allowed) {
    insist_pause_ = Duration{};
    return false;
  }
  insist_pause_ = std::clamp(insist_pause_ * 2, kFirstInsistence, kLongestInsistence);
  insist_at_ = now + insist_pause_;
  return true;
}

/// What differs from requested_ in the maximum, and in the minimum where another is in force.
ClusterLimits ClusterLimiter::other_limits() const {
  const auto& opps = cluster_.opps;
  const auto other = [&](Frequency request) {
    const std::size_t opp = cluster_.opp_at_most(request);
    return opps[opp > 0 ? opp - 1 : std::min<std::size_t>(1, opps.size() - 1)].frequency;
  };
  ClusterLimits limits{requested_.min, other(requested_.max)};
  if (in_force_.min != requested_.min) {
    limits.min = std::min(other(requested_.min), limits.max);
  }
  return limits;
}

int ClusterLimiter::yield(Instant now) {
  const LimitReading found = nodes_.read();
  if (!found.ok()) {
    return found.error;
  }
  const ClusterLimits& there = found.limits;
  if (is_lowered(there)) {
    base_.max = there.max;
    base_.min = std::min(base_.min, base_.max);
  }
  // An overloaded kernel may be very late with a request of ours; that must not become the owner's
  // will. Nor may what it still has in store: the base is written even where it stands.
  ClusterLimits ours = requested_;
  const Instant seen = witnessed_.at(now);
  if (there.max == base_.max ||
      (!written_ && recent_max_.held(there.max, seen, RecentRequests::kLongestTakeOver))) {
    ours.max = std::max(ours.max, there.max);
  }
  if (there.min == base_.min ||
      recent_min_.held(there.min, seen, RecentRequests::kLongestTakeOver)) {
    ours.min = std::min(ours.min, there.min);
  }
  if (touched_) {
    if (const int error = nodes_.put_back(there, base_, ours); error != 0) {
      return error;
    }
    recent_max_.replaced(requested_.max, seen);
    recent_min_.replaced(requested_.min, seen);
    const bool again = is_known(resume_at_) && now - resume_at_ < kForgetWriter;
    yield_ = again ? std::min(yield_ * 2, kLongestYield) : kFirstYield;
    resume_at_ = now + yield_;
  }
  // While somebody in the kernel holds the maximum too, what the other wrote cannot be read.
  if (LimitNodes::is_foreign_max(there, ours) && (ceiling_.count() == 0 || there.max > base_.max)) {
    base_.max = there.max;
  }
  if (LimitNodes::is_foreign_min(there, ours)) {
    base_.min = there.min;
  }
  base_.min = std::min(base_.min, base_.max);
  requested_ = wanted_ = base_;
  touched_ = false;
  written_ = false;
  retry_at_ = Instant{};
  return 0;
}

int ClusterLimiter::restore() {
  if (!touched_ && !writing_) {
    return 0;
  }
  respect_last_writer();
  ClusterLimits ours = requested_;
  if (writing_) {
    ours = {std::min(ours.min, wanted_.min), std::max(ours.max, wanted_.max)};
  }
  if (const LimitReading found = nodes_.read(); found.ok()) {
    // However late the kernel is: nothing more will be read, and a cap of ours must not stay.
    ours.max = recent_max_.held(found.limits.max) ? std::max(ours.max, found.limits.max) : ours.max;
    ours.min = recent_min_.held(found.limits.min) ? std::min(ours.min, found.limits.min) : ours.min;
  }
  const int error = nodes_.restore(base_, ours);
  touched_ = error != 0;
  return error;
}

void ClusterLimiter::respect_last_writer() {
  written_ = nodes_.others_wrote_max() || written_;
  if (!written_) {
    return;
  }
  const LimitReading found = nodes_.read_until([&](const ClusterLimits& there) {
    return there.max != requested_.max && !recent_max_.held(there.max);
  });
  written_ = false;
  // Neither ours nor the kernel's: after that time it is what was written.
  if (found.ok() && found.limits.max != requested_.max && found.limits.max != ceiling_) {
    base_.max = found.limits.max;
    base_.min = std::min(base_.min, base_.max);
  }
}

ClusterLimits ClusterLimiter::limits() const {
  return {others_floor_.count() > 0 ? others_floor_ : base_.min,
          ceiling_.count() > 0 ? std::min(ceiling_, base_.max) : base_.max};
}

}  // namespace framegov
