// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace framegov::ab {

/// Mean and sample standard deviation.
struct SampleMoments {
  double mean = 0;
  double deviation = 0;  ///< zero of fewer than two values
};
[[nodiscard]] SampleMoments moments_of(std::span<const double> values);

/// What differences within pairs say about the mean difference. docs/ab.md says why this test.
struct PairedTest {
  std::size_t pairs = 0;
  double mean = 0;
  double deviation = 0;   ///< of one difference (sample standard deviation)
  double half_width = 0;  ///< mean +- this is the 95 % interval (Student's t)
  double p = 1;           ///< of the sign-flip permutation test, two-sided

  /// Both tests exclude that there is no difference.
  [[nodiscard]] bool significant() const;
};

/// Fewer pairs cannot reach p <= 0.05: 2 of 2^pairs sign patterns are as extreme as any.
inline constexpr std::size_t kFewestPairs = 6;

/// Exact up to 16 pairs; beyond that 20 000 sign patterns drawn with a fixed seed, so that the same
/// differences always get the same answer.
[[nodiscard]] PairedTest paired_test(std::span<const double> differences);

/// The number of pairs with which a true difference is found four times out of five, when single
/// differences vary by `deviation`. At least kFewestPairs.
[[nodiscard]] double pairs_needed(double deviation, double difference);

/// The 97.5 % quantile of Student's t, from the normal's by Abramowitz and Stegun 26.7.5; good to
/// three digits from 4 degrees of freedom on.
[[nodiscard]] double t_quantile(double degrees_of_freedom);

}  // namespace framegov::ab
