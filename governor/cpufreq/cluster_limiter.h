// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/cpu_topology.h"
#include "base/frequency_plan.h"
#include "base/time.h"
#include "governor/cpufreq/limit_nodes.h"
#include "governor/cpufreq/recent_requests.h"

namespace framegov {

/// Totals since the service began. A failed write counts as a write too.
struct WriteCounters {
  std::uint64_t writes{};       ///< of scaling_max_freq and scaling_min_freq
  std::uint64_t failed{};       ///< times that a cluster could not be set as planned
  std::uint64_t overwritten{};  ///< times that another program's value stood where ours was

  WriteCounters& operator+=(const WriteCounters& other);
};

/// Holds one cluster to what the plan asks, within what others leave.
///
/// What was found at first (`base`) is the owner's will: no cap is ever above its maximum and no
/// floor below its minimum, and a plan without cap and floor means exactly it. Requests are
/// compared with requests, never with what is in force, so that a limit held by somebody else costs
/// no write per frame. A failed write is tried again with a growing delay; another writer is given
/// way to for a growing time.
///
/// A pinned plan's minimum is the base's maximum: the kernel takes a minimum above the maximum for
/// the maximum, so that from pin to pin only the maximum is written. Kernels before 5.3 refuse such
/// a minimum; there it follows the maximum (docs/decisions/one-write-a-speed.md).
class ClusterLimiter {
 public:
  ClusterLimiter(int root_fd, const ClusterDir& dir, const Cluster& cluster);

  /// Takes what is there now as the base. 0 or an errno (then the cluster cannot be governed).
  [[nodiscard]] int observe();

  /// observe() after a time in which others had the cluster, and restore() before it. Where nothing
  /// can be read, or the kernel is late with a request of ours, the base stays.
  void observe_anew(Instant now);

  /// To be called before the first write: other programs may have widened the limits since.
  void widen_base();

  /// To be called when the base is saved. A maximum below `up_to` may be the owner's or thermal's,
  /// which a read does not tell apart; a write of `up_to` does, and the owner's is put back at
  /// once. Thermal's is a ceiling for now, not a part of the base: else the phone would stay slow
  /// when it has cooled down.
  void unmask_base(Frequency up_to);
  [[nodiscard]] Frequency hardware_max() const { return cluster_.max_frequency(); }
  /// Will unmask_base(hardware_max()) write?
  [[nodiscard]] bool masked() const { return base_.max < hardware_max(); }

  /// Sets what apply() will bring about.
  void want(const ClusterPlan& plan);
  [[nodiscard]] bool settled() const { return same(wanted_, requested_); }

  /// Writes what differs, unless an earlier failure makes it wait. 0 or an errno. No allocation.
  [[nodiscard]] int apply(Instant now);

  /// Why no floor is asked for: the errno of a minimum that was refused while the maximum was
  /// taken, as where a security policy knows one of the nodes only. Zero: floors work. They are
  /// tried again, less and less often.
  [[nodiscard]] int floor_refused() const { return floor_refused_; }

  /// When apply() is to be called again if nothing else happens; zero for never.
  [[nodiscard]] Instant retry_at() const { return settled() ? Instant{} : retry_at_; }

  /// Reads what is in force and learns what others hold. True when another program's value stands
  /// where ours was. A request of ours that the kernel has not replaced yet is nobody else's:
  /// nothing is concluded from it.
  bool read_back(Instant now);

  /// To be called when the phone has been suspended. Some kernels overwrite what user space has
  /// asked for on the way (Exynos 2100's 5.4), and what then stands is nobody's will.
  void on_resumed(Instant now) { overwritten_until_ = now + kResumes; }

  /// To be called after read_back(). Writes the request anew, behind another value, where the
  /// kernel does not go by it: after a resume, or when a cluster runs faster than its maximum two
  /// ticks after that was written. A request like the one that it remembers is no change to it; and
  /// LTS kernels of early 2025 look at a changed limit only when the utilisation changes too. No
  /// allocation.
  void insist(Instant now);

  /// To be called before a plan is written, which would replace what another program wrote: has one
  /// done so, so that yield() is to be called? All programs share one request per limit; that one
  /// below ours is a program's and not the kernel's own (thermal, say) only the write itself tells.
  /// While it is not known yet what was written, nothing of ours is.
  [[nodiscard]] bool meets_writer(Instant now);

  /// To be called when read_back() or meets_writer() has found another writer: what it wrote stays
  /// and is the base from now on. Where something of ours stood, that is withdrawn, and nothing is
  /// written for a second, and for twice as long each time it is found again within a minute. 0 or
  /// an errno.
  [[nodiscard]] int yield(Instant now);
  [[nodiscard]] bool yielding(Instant now) const { return now < resume_at_; }

  /// Puts the base back if anything was ever written. 0 or an errno. No allocation; a signal
  /// handler may call it where it has interrupted any other call, when nothing comes after it.
  [[nodiscard]] int restore();

  /// What others leave to us: the base, or less while somebody holds it.
  [[nodiscard]] ClusterLimits limits() const;
  [[nodiscard]] NodeReading read_current() { return nodes_.read_current(); }

  [[nodiscard]] const ClusterLimits& base() const { return base_; }
  [[nodiscard]] bool touched() const { return touched_; }
  /// Does something of ours stand there that is not the base?
  [[nodiscard]] bool altered() const { return touched_ && !same(requested_, base_); }
  [[nodiscard]] int cpufreq_id() const { return cluster_.cpufreq_id; }
  [[nodiscard]] const WriteCounters& counters() const { return counters_; }

 private:
  /// Drivers put their own limits back until about then.
  static constexpr Duration kResumes = std::chrono::milliseconds{500};

  [[nodiscard]] static bool same(const ClusterLimits& a, const ClusterLimits& b) {
    return a.min == b.min && a.max == b.max;
  }
  void respect_ceiling();
  void respect_last_writer();
  void note_writer(Instant now);
  /// Has another program brought the maximum below ours?
  [[nodiscard]] bool is_lowered(const ClusterLimits& there) const {
    return written_ && there.max < requested_.max && there.max != ceiling_;
  }
  [[nodiscard]] int write_wanted(Instant now);
  [[nodiscard]] int write_changes(Instant now);
  [[nodiscard]] bool runs_faster(Instant now);
  [[nodiscard]] ClusterLimits other_limits() const;

  Cluster cluster_;
  LimitNodes nodes_;
  ClusterLimits base_;
  ClusterLimits requested_;  ///< what our writes left there, as far as they succeeded
  ClusterLimits wanted_;
  WitnessedTime witnessed_;
  RecentRequests recent_max_;
  RecentRequests recent_min_;
  Frequency ceiling_;       ///< maximum that somebody else holds below ours; zero: none known
  Frequency others_floor_;  ///< minimum that somebody else holds above ours; zero: none known
  bool touched_ = false;
  bool writing_ = false;       ///< wanted_ may stand there, and nobody has noted it
  bool min_above_max_ = true;  ///< the kernel has not refused one yet
  bool written_ = false;       ///< another program wrote the maximum; what, is not known yet
  Instant written_at_;         ///< WitnessedTime's
  ClusterLimits in_force_;     ///< as read last
  Instant overwritten_until_;  ///< by the kernel, on a resume; zero: that is over and dealt with
  Instant insist_at_;          ///< not before: a cluster that idles shows what it last ran at
  Duration insist_pause_{};
  int floor_refused_ = 0;
  Duration without_floor_{};
  Instant floor_again_at_;
  Duration backoff_{};
  Duration yield_{};   ///< how long another writer was left alone last
  Instant resume_at_;  ///< nothing is written before
  Instant retry_at_;
  WriteCounters counters_;
};

}  // namespace framegov
