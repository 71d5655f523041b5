// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/actuator.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "governor/cpufreq/node_holders.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/saved_limits.h"

namespace framegov {

namespace {

constexpr Duration kRefreshEvery = std::chrono::milliseconds{100};
constexpr Duration kLookForCalibrationEvery = std::chrono::seconds{1};

std::string name_of(const ClusterLimiter& limiter) {
  return "policy" + std::to_string(limiter.cpufreq_id());
}

std::string words_for(int error) { return std::generic_category().message(error); }

}  // namespace

Actuator::Actuator(CpufreqTree tree, StateDir state_dir, std::string boot_id, Log& log,
                   const char* saved_file)
    : tree_(std::move(tree)),
      state_dir_(std::move(state_dir)),
      boot_id_(std::move(boot_id)),
      log_(log),
      saved_file_(saved_file) {}

Actuator::~Actuator() {
  if (const Status restored = restore(); !restored) {
    log_.error("restore-failed", restored.error().to_string());
  }
}

Result<std::unique_ptr<Actuator>> Actuator::create(CpufreqTree tree, const CpuTopology& topology,
                                                   StateDir state_dir, std::string boot_id,
                                                   Log& log, const char* saved_file) {
  std::unique_ptr<Actuator> actuator(
      new Actuator(std::move(tree), std::move(state_dir), std::move(boot_id), log, saved_file));
  int last_error = 0;
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    const Cluster& cluster = topology.clusters[i];
    const auto& clusters = actuator->tree_.clusters();
    const auto dir = std::find_if(clusters.begin(), clusters.end(), [&](const ClusterDir& each) {
      return each.id == cluster.cpufreq_id;
    });
    if (dir == clusters.end()) {
      return fail(ExitCode::kFailure, "policy" + std::to_string(cluster.cpufreq_id) +
                                          " of the topology is not in " +
                                          actuator->tree_.root().string());
    }
    actuator->limits_.push_back({cluster.min_frequency(), cluster.max_frequency()});
    ClusterLimiter limiter(actuator->tree_.fd(), *dir, cluster);
    if (const int error = limiter.observe(); error != 0) {
      last_error = error;
      log.warning("cluster-unread",
                  dir->name() + " is left alone: its limits cannot be read: " + words_for(error));
      continue;
    }
    actuator->limits_.back() = limiter.limits();
    actuator->controlled_.push_back({std::move(limiter)});
    actuator->cluster_of_.push_back(i);
  }
  actuator->current_.resize(topology.clusters.size());
  if (actuator->controlled_.empty()) {
    return fail_errno(last_error,
                      actuator->tree_.root().string() +
                          ": no policy has a scaling_max_freq and scaling_min_freq to govern",
                      "run as root on a kernel with cpufreq");
  }
  return actuator;
}

void Actuator::apply(const ClusterPlans& plan, Instant now) {
  if (aside_) {
    return;
  }
  bool settled = true;
  for (std::size_t i = 0; i < controlled_.size(); ++i) {
    const std::size_t cluster = cluster_of_[i];
    controlled_[i].limiter.want(cluster < plan.size() ? plan[cluster] : ClusterPlan{});
    settled = settled && controlled_[i].limiter.settled();
  }
  if (settled) {
    return;
  }
  for (Controlled& each : controlled_) {
    if (each.limiter.meets_writer(now)) {
      give_way(each, now);
    }
  }
  if (!ensure_saved()) {
    return;
  }
  for (std::size_t i = 0; i < controlled_.size(); ++i) {
    // Saving may have widened the base that a plan is measured against.
    const std::size_t cluster = cluster_of_[i];
    controlled_[i].limiter.want(cluster < plan.size() ? plan[cluster] : ClusterPlan{});
    apply_one(i, now);
  }
}

void Actuator::apply_one(std::size_t i, Instant now) {
  Controlled& which = controlled_[i];
  if (const int error = which.limiter.apply(now); error != 0 && !which.failure_told) {
    tell_failure(which, error);
  }
  if (const int error = which.limiter.floor_refused(); error != 0 && !which.no_floor_told) {
    which.no_floor_told = true;
    log_.warning("no-floor", name_of(which.limiter) +
                                 " takes no floor: scaling_min_freq: " + words_for(error) +
                                 "; caps alone govern it, and floors are tried again");
  }
  limits_[cluster_of_[i]] = which.limiter.limits();
}

bool Actuator::limits_stand() const {
  return std::any_of(controlled_.begin(), controlled_.end(),
                     [](const Controlled& each) { return each.limiter.altered(); });
}

Instant Actuator::retry_at() const {
  Instant first;
  for (const Controlled& each : controlled_) {
    const Instant at = each.limiter.retry_at();
    if (is_known(at) && (!is_known(first) || at < first)) {
      first = at;
    }
  }
  return first;
}

void Actuator::refresh(Instant now) {
  if (aside_ || (is_known(refreshed_at_) && now - refreshed_at_ < kRefreshEvery)) {
    return;
  }
  refreshed_at_ = now;
  for (std::size_t i = 0; i < controlled_.size(); ++i) {
    Controlled& which = controlled_[i];
    // While it is left alone, what it does is of no interest; what stands then is taken over later.
    if (which.limiter.read_back(now) && !which.limiter.yielding(now)) {
      give_way(which, now);
    }
    which.limiter.insist(now);
    limits_[cluster_of_[i]] = which.limiter.limits();
  }
  clusters_have_come_ = clusters_have_come_ || tree_.has_grown();
}

void Actuator::on_resumed(Instant now) {
  for (Controlled& each : controlled_) {
    each.limiter.on_resumed(now);
  }
}

std::span<const Frequency> Actuator::read_current() {
  for (std::size_t i = 0; i < controlled_.size(); ++i) {
    const NodeReading reading = controlled_[i].limiter.read_current();
    current_[cluster_of_[i]] = reading.ok() ? reading.value : Frequency{};
  }
  return current_;
}

Status Actuator::save(Phase phase) const {
  SavedLimits saved{boot_id_, phase == Phase::kUnmasking, {}};
  for (const Controlled& each : controlled_) {
    saved.clusters.push_back(
        {each.limiter.cpufreq_id(), each.limiter.base().min, each.limiter.base().max});
  }
  return state_dir_.write_file(saved_file_, to_text(saved));
}

bool Actuator::ensure_saved() {
  if (saved_ != Saved::kNotYet) {
    return saved_ == Saved::kYes;
  }
  bool masked = false;
  for (Controlled& each : controlled_) {
    each.limiter.widen_base();
    masked = masked || each.limiter.masked();
  }
  Status saved = save(masked ? Phase::kUnmasking : Phase::kSettled);
  if (saved && masked) {
    for (Controlled& each : controlled_) {
      each.limiter.unmask_base(each.limiter.hardware_max());
    }
    saved = save(Phase::kSettled);
  }
  if (!saved) {
    log_.error("limits-unsaved",
               "the limits cannot be saved, so none will be changed: " + saved.error().to_string());
    saved_ = Saved::kFailed;
    return false;
  }
  saved_ = Saved::kYes;
  return true;
}

Status Actuator::restore() {
  Status result;
  for (Controlled& each : controlled_) {
    const Frequency before = each.limiter.base().max;
    const int error = each.limiter.restore();
    tell_if_lowered(each, before);
    if (error != 0 && result) {
      result = fail_errno(error, name_of(each.limiter) + ": limits could not be put back",
                          "framegovd --restore tries again");
    }
  }
  if (result && saved_ == Saved::kYes) {
    result = state_dir_.remove_file(saved_file_);
    saved_ = result ? Saved::kNotYet : Saved::kYes;
  }
  return result;
}

Status Actuator::stand_aside() {
  if (!aside_) {
    FRAMEGOV_TRY_STATUS(restore());
    aside_ = true;
  }
  return {};
}

void Actuator::come_back(Instant now) {
  if (!aside_ || now < come_back_at_) {
    return;
  }
  come_back_at_ = now + kLookForCalibrationEvery;
  if (state_dir_.is_claimed(kCalibrationLock)) {
    return;
  }
  if (const auto done = recover_calibration(tree_, state_dir_, boot_id_, log_); !done) {
    log_.error("restore-failed", done.error().to_string());
  }
  for (std::size_t i = 0; i < controlled_.size(); ++i) {
    controlled_[i].limiter.observe_anew(now);
    limits_[cluster_of_[i]] = controlled_[i].limiter.limits();
  }
  come_back_at_ = Instant{};
  aside_ = false;
}

void Actuator::put_back_in_handler() {
  for (Controlled& each : controlled_) {
    (void)each.limiter.restore();  // nobody is left to be told
  }
}

WriteCounters Actuator::counters() const {
  WriteCounters sum;
  for (const Controlled& each : controlled_) {
    sum += each.limiter.counters();
  }
  return sum;
}

void Actuator::tell_failure(Controlled& which, int error) {
  which.failure_told = true;
  log_.warning("limit-unset", name_of(which.limiter) + " cannot be set: " + words_for(error) +
                                  "; trying again with growing delay");
}

void Actuator::give_way(Controlled& which, Instant now) {
  const bool touched = which.limiter.touched();
  const Frequency before = which.limiter.base().max;
  if (const int error = which.limiter.yield(now); error != 0) {
    if (!which.failure_told) {
      tell_failure(which, error);
    }
    return;
  }
  if (saved_ == Saved::kYes) {
    // The kernel may have come down at the same moment; what is taken for the other's would stay.
    if (which.limiter.base().max < before && save(Phase::kUnmasking)) {
      which.limiter.unmask_base(before);
    }
    // The other's value is what a restart shall find; the old file would do, if this one fails.
    (void)save(Phase::kSettled);
  }
  tell_if_lowered(which, before);
  if (touched && !which.other_writer_told) {
    tell_other_writer(which);
  }
}

void Actuator::tell_if_lowered(const Controlled& which, Frequency before) {
  const Frequency now = which.limiter.base().max;
  if (now < before) {
    log_.warning(
        "maximum-lowered",
        "another program has set the maximum of " + name_of(which.limiter) + " to " +
            std::to_string(now.count() / 1000) + " MHz, below the " +
            std::to_string(before.count() / 1000) +
            " MHz that were there before: framegov stays below that too and leaves it there");
  }
}

void Actuator::tell_other_writer(Controlled& which) {
  which.other_writer_told = true;
  which.writer_to_be_named = !proc_root_.empty();
  log_.warning("other-writer", "another program sets the limits of " + name_of(which.limiter) +
                                   " too; it takes precedence for a time that grows each time");
}

void Actuator::name_other_writers() {
  for (Controlled& each : controlled_) {
    if (!std::exchange(each.writer_to_be_named, false)) {
      continue;
    }
    const std::string name = name_of(each.limiter);
    const std::string holders = holders_of_cluster(proc_root_, tree_.root(), name);
    if (!holders.empty()) {
      log_.warning("limits-held-open",
                   "the limits of " + name + " are kept open for writing by " + holders);
    }
  }
}

}  // namespace framegov
