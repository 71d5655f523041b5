// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/recovery.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/unique_fd.h"
#include "governor/cpufreq/limit_nodes.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/state/open_inside.h"

namespace framegov {

namespace {

constexpr const char* kRetryHint = "framegovd --restore tries again";

std::optional<Frequency> hardware_limit(const CpufreqTree& tree, const std::string& node) {
  const auto text = tree.read(node);
  const auto numbers = text ? parse_numbers(*text) : std::vector<std::int64_t>{};
  return numbers.empty() ? std::nullopt : std::optional(khz(numbers.front()));
}

/// Every cluster of `tree` that can be read at its hardware limits: what is safe when nothing is
/// known.
SavedLimits hardware_limits(const CpufreqTree& tree) {
  SavedLimits limits;
  for (const ClusterDir& dir : tree.clusters()) {
    const auto min = hardware_limit(tree, dir.path + "/cpuinfo_min_freq");
    const auto max = hardware_limit(tree, dir.path + "/cpuinfo_max_freq");
    if (min && max) {
      limits.clusters.push_back({dir.id, *min, *max});
    }
  }
  return limits;
}

/// Makes a cluster's limits writable for its own lifetime. sysfs refuses even root what a node's
/// mode forbids, and some tools lock limits by mode; ours must not stay locked in.
class Unlocked {
 public:
  Unlocked(const CpufreqTree& tree, const ClusterDir& dir) {
    for (const char* name : {"/scaling_max_freq", "/scaling_min_freq"}) {
      UniqueFd node{open_inside(tree.fd(), (dir.path + name).c_str(), O_RDONLY, Links::kInside)};
      struct stat status {};
      if (node && ::fstat(node.get(), &status) == 0 && (status.st_mode & S_IWUSR) == 0 &&
          ::fchmod(node.get(), status.st_mode | S_IWUSR) == 0) {
        modes_.push_back({std::move(node), status.st_mode});
      }
    }
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    for (const auto& [node, mode] : modes_) {
      ::fchmod(node.get(), mode);
    }
  }

 private:
  std::vector<std::pair<UniqueFd, mode_t>> modes_;
};

tl::unexpected<Error> offline(const std::string& name) {
  return fail_errno(EBUSY, name + ": limits could not be put back while its CPUs are offline",
                    kRetryHint);
}

Status put_back(const CpufreqTree& tree, const SavedLimit& limit, bool unmasking, Log& log) {
  const std::string name = "policy" + std::to_string(limit.cpufreq_id);
  const auto is_meant = [&](const ClusterDir& each) { return each.id == limit.cpufreq_id; };
  const auto& left_out = tree.left_out();
  if (std::any_of(left_out.begin(), left_out.end(), is_meant)) {
    return offline(name);
  }
  const auto& clusters = tree.clusters();
  const auto dir = std::find_if(clusters.begin(), clusters.end(), is_meant);
  if (dir == clusters.end()) {
    log.warning("saved-gone", name + " was saved but is not there");
    return {};
  }
  const ClusterLimits range{limit.min, limit.max};
  const Frequency top = hardware_limit(tree, dir->path + "/cpuinfo_max_freq").value_or(limit.max);
  const ClusterLimits ours{limit.min, unmasking ? std::max(limit.max, top) : limit.max};
  const Unlocked unlocked(tree, *dir);
  const int error = LimitNodes(tree.fd(), *dir).restore(range, ours);
  return error == 0 ? Status{}
                    : fail_errno(error, name + ": limits could not be put back", kRetryHint);
}

/// Puts back what it can; the rest stays in `saved`. The first error.
Status put_back(const CpufreqTree& tree, SavedLimits& saved, Log& log) {
  Status result;
  const auto all = std::exchange(saved.clusters, {});
  for (const SavedLimit& limit : all) {
    if (Status done = put_back(tree, limit, saved.unmasking, log); !done) {
      saved.clusters.push_back(limit);
      if (result) {
        result = std::move(done);
      }
    }
  }
  return result;
}

}  // namespace

std::string read_boot_id(const std::filesystem::path& proc_root) {
  std::istringstream file(read_node(proc_root / "sys/kernel/random/boot_id"));
  std::string id;
  return file >> id ? id : "unknown";
}

Result<Recovery> recover_limits(const CpufreqTree& tree, const StateDir& state_dir,
                                std::string_view boot_id, Log& log, const char* file) {
  const auto text = state_dir.read_file(file);
  if (text && !*text) {
    return Recovery::kNothing;
  }
  auto saved = text ? parse_saved_limits(**text, file) : tl::unexpected(text.error());
  Recovery outcome = Recovery::kRestored;
  if (!saved) {
    log.error("saved-unread", state_dir.path().string() + ": " + saved.error().message +
                                  ": every cluster is set to its hardware limits");
    saved = hardware_limits(tree);
    saved->boot_id = boot_id;
    outcome = Recovery::kFallback;
  } else if (saved->boot_id != boot_id) {
    outcome = Recovery::kStale;
  }
  if (outcome != Recovery::kStale) {
    const std::size_t owed = saved->clusters.size();
    Status done = put_back(tree, *saved, log);
    // Which of those that cannot be read are capped only the file could have told.
    const bool all_known = outcome != Recovery::kFallback || tree.left_out().empty();
    if (done && !all_known) {
      done = offline(tree.left_out().front().name());
    }
    if (!done) {
      // The others are anybody's from now on: the next attempt must not write them again. Where
      // the file cannot be written the old one stays, as a cap that stays is worse.
      if (all_known && saved->clusters.size() < owed) {
        (void)state_dir.write_file(file, to_text(*saved));
      }
      return tl::unexpected(done.error());
    }
  }
  FRAMEGOV_TRY_STATUS(state_dir.remove_file(file));
  if (outcome == Recovery::kRestored) {
    log.info(
        "limits-restored",
        "an earlier " +
            std::string(file == std::string_view(kSavedLimitsFile) ? "service" : "calibration") +
            " was killed or crashed: the limits that it had saved are restored");
  }
  return outcome;
}

Status recover_calibration(const CpufreqTree& tree, const StateDir& state_dir,
                           std::string_view boot_id, Log& log) {
  if (const auto there = state_dir.read_file(kCalibrationLimitsFile); there && !*there) {
    return {};
  }
  FRAMEGOV_TRY(const UniqueFd claim, state_dir.claim_file(kCalibrationLock));
  if (claim) {
    FRAMEGOV_TRY_STATUS(recover_limits(tree, state_dir, boot_id, log, kCalibrationLimitsFile));
  }
  return {};
}

}  // namespace framegov
