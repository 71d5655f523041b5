// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy_factory.h"

namespace framegov::sim {

/// Values of the parameters that are tuned, in the order of their space; of times: ms.
using TuneValues = std::vector<double>;
/// The same as places within their ranges, 0 to 1 each: what a search moves.
using TunePlaces = std::vector<double>;

/// A parameter's range as a search sees it.
class TuneRange {
 public:
  explicit TuneRange(const PolicyParameter& parameter);

  [[nodiscard]] const PolicyParameter& parameter() const { return parameter_; }
  /// Ranges of two decades and more are searched by their logarithm.
  [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }
  /// The value at `place` (0 to 1; outside of it the nearer end), to three digits: what is printed
  /// and written is what was tried. Whole numbers have equal parts of the range.
  [[nodiscard]] double value_at(double place) const;
  /// Whether a choice may have `value`.
  [[nodiscard]] bool has(double value) const;
  /// A place of `value`.
  [[nodiscard]] double place_of(double value) const;
  /// As a configuration has it, as short as can be: "0.002", "1.5ms".
  [[nodiscard]] std::string text(double value) const;

 private:
  PolicyParameter parameter_;
  bool whole_;
  bool time_;
  bool logarithmic_;
};

/// The parameters of one policy that are tuned.
class TuneSpace {
 public:
  /// `names`: which; all that the policy declares where there is none. Error: no such policy or
  /// parameter, a policy without any, or a name twice.
  [[nodiscard]] static Result<TuneSpace> of(std::string_view policy,
                                            const std::vector<std::string>& names);

  [[nodiscard]] const std::string& policy() const { return policy_; }
  [[nodiscard]] const std::vector<TuneRange>& ranges() const { return ranges_; }
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }
  /// As the policy has them where nobody says otherwise.
  [[nodiscard]] TuneValues defaults() const;
  [[nodiscard]] bool has(const TuneValues& values) const;
  [[nodiscard]] TuneValues values_at(const TunePlaces& places) const;
  [[nodiscard]] TunePlaces places_of(const TuneValues& values) const;
  /// `values`, and all else as it is by default.
  [[nodiscard]] PolicySettings settings(const TuneValues& values) const;

 private:
  std::string policy_;
  std::vector<TuneRange> ranges_;
};

}  // namespace framegov::sim
