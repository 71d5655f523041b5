// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sim/run/full_speed.h"
#include "sim/run/replay.h"
#include "sim/sweep/sweep_plan.h"

namespace framegov::sim {

/// A run of a sweep, done.
struct SweepResult {
  std::size_t scene{};
  std::size_t variant{};
  std::string key;  ///< sweep_key()
  /// JSON on one line: the figures of one of `runs` in docs/results.schema.json, those of the
  /// scene's bounds, or {"error": why the input holds nothing to replay}.
  std::string figures;
};

/// What was read as an input, and how to see that its file is the same still.
struct InputStamp {
  std::int64_t bytes = -1;  ///< of a file; a folder's stay -1 and match nothing
  std::int64_t changed_ns = 0;
  std::string sha256;

  [[nodiscard]] bool same_file(const InputStamp& other) const {
    return bytes >= 0 && bytes == other.bytes && changed_ns == other.changed_ns;
  }
};
/// All but the hash. Error: there is no such file.
[[nodiscard]] Result<InputStamp> stamp_of(const std::filesystem::path& path);

/// What a unit came to.
struct SweepUnitResults {
  InputStamp input;  ///< without a hash where it is generated
  std::vector<SweepResult> results;
};

/// Does units of a plan, one after the other. It keeps the input, the phones and the scene that it
/// has used last. Of one thread; the plan must outlive it.
class SweepWorker {
 public:
  explicit SweepWorker(const SweepPlan& plan) : plan_(&plan) {}

  /// Error: the recording cannot be read. One that can, but holds nothing to replay, is a result.
  [[nodiscard]] Result<SweepUnitResults> run(const SweepUnit& unit);

 private:
  struct Scene {
    Scene(const ReplayInput& input, const ReplayDevice& device, const ReplaySettings& settings)
        : replay(input, device, settings.deadline, settings.world()) {}
    ReplayScene replay;
    FullSpeed full_speed;
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  Status load(std::size_t input);
  const ReplayDevice& device(std::size_t device, EnergyModel power);
  std::string figures(std::size_t scene, std::size_t variant, const ReplaySettings& settings);

  const SweepPlan* plan_;
  std::size_t loaded_ = kNone;
  InputStamp stamp_;
  std::string input_error_;  ///< why it holds nothing to replay; empty: it does
  ReplayInput input_;
  std::map<std::pair<std::size_t, EnergyModel>, ReplayDevice> devices_;
  std::size_t fitted_ = kNone;
  std::unique_ptr<Scene> scene_;
};

}  // namespace framegov::sim
