// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "governor/control/control_feed.h"
#include "governor/control/control_listeners.h"
#include "governor/control/usage_history.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/log/log.h"
#include "governor/profiles/owner_switches.h"
#include "probes/context/gpu_nodes.h"
#include "probes/context/gpu_work.h"

namespace framegov {

/// What does not change while the service runs.
struct ControlFacts {
  std::string version;
  Instant started;
  std::string thread_means{};  ///< what the kernel lets threads be steered with; empty: not asked
};

/// What the owner may change; functions that are not set are refused.
struct OwnerActions {
  /// Empty: as the configuration says. The mode that holds then.
  std::function<Result<std::string>(std::string mode)> set_mode;
  std::function<Status(const AppSwitch&)> set_app;
  /// The same for one app; empty: as its profile says.
  std::function<Result<std::string>(std::string package, std::string mode)> set_app_mode;
  std::function<Result<std::string>(std::string package)> app_mode;
  /// Nothing: governing goes on.
  std::function<Status(const std::optional<Pause>&)> set_pause;
};

/// Answers the requests of the control socket. Knows nothing of sockets; used by the control thread
/// only, but for the feed and the log, which the loop fills.
class ControlDesk {
 public:
  ControlDesk(ControlFacts facts, const ControlFeed& feed, const LogLines& log,
              UsageHistory history, OwnerActions owner);

  /// The current frequencies are read here; without it they are left out.
  void read_frequencies_from(CpufreqTree tree) { tree_ = std::move(tree); }
  /// The GPU's load is read here; without it only what frames tell is said of the GPU.
  void read_gpu_from(GpuNodes gpu) { gpu_ = std::move(gpu); }
  /// The same where no node tells.
  void read_gpu_from(std::unique_ptr<GpuWork> gpu) { gpu_work_ = std::move(gpu); }
  /// Threads' names are read here (a tree like /proc), to say what draws the app on top; without it
  /// nothing is said of that.
  void read_threads_from(std::filesystem::path proc) { proc_ = std::move(proc); }

  /// Where clients can come from now on.
  void on_sockets(const ControlListeners& listeners);

  [[nodiscard]] nlohmann::json hello() const;
  [[nodiscard]] nlohmann::json status(Instant now) const;
  /// The same, and each second of the last minute.
  [[nodiscard]] nlohmann::json status_with_seconds(Instant now) const;
  /// The last `most` decisions, of `app` only unless it is empty.
  [[nodiscard]] nlohmann::json explain(std::string_view app, std::size_t most, Instant now) const;
  [[nodiscard]] nlohmann::json history(std::string_view today);
  [[nodiscard]] nlohmann::json mode() const;
  /// The pause as status has it; null: none.
  [[nodiscard]] nlohmann::json pause() const;
  [[nodiscard]] Result<std::string> set_mode(const std::string& mode) const;
  [[nodiscard]] Status set_app(const AppSwitch& app) const;
  [[nodiscard]] Result<std::string> app_mode(const std::string& package) const;
  [[nodiscard]] Result<std::string> set_app_mode(const std::string& package,
                                                 const std::string& mode) const;
  [[nodiscard]] Status set_pause(const std::optional<Pause>& pause) const;
  [[nodiscard]] const LogLines& log() const { return log_; }

  /// Takes over the usage that the loop has told of since, as of `today`.
  void collect(std::string_view today);
  /// collect(), then the file. Error: it cannot be written.
  [[nodiscard]] Status store(std::string_view today);

 private:
  /// Those of the last minute that had frames, oldest first.
  [[nodiscard]] std::vector<SecondRecord> last_minute(Instant now) const;
  [[nodiscard]] std::optional<GpuReading> read_gpu(Instant now) const;
  [[nodiscard]] nlohmann::json clusters(const ServiceSnapshot& snapshot) const;
  /// What draws the app on top, by its newest frame. Nothing: it made none, or nobody can say.
  [[nodiscard]] std::optional<FrameKind> frame_kind(const ServiceSnapshot& snapshot,
                                                    std::span<const FrameRecord> frames) const;

  ControlFacts facts_;
  const ControlFeed& feed_;
  const LogLines& log_;
  UsageHistory history_;
  OwnerActions owner_;
  std::optional<CpufreqTree> tree_;
  std::optional<GpuNodes> gpu_;
  std::unique_ptr<GpuWork> gpu_work_;  ///< null: none
  std::filesystem::path proc_;         ///< empty: none
  std::string name_taken_;             ///< the socket's name while another program has it
  std::string socket_file_;            ///< empty: none
  std::uint64_t slices_taken_ = 0;
  std::uint64_t slices_lost_ = 0;
};

/// The day of a time since the epoch, in UTC: "2026-11-21".
[[nodiscard]] std::string day_of(std::int64_t unix_seconds);

}  // namespace framegov
