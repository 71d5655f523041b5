// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/paired_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace framegov::ab {

namespace {

constexpr double kLevel = 0.05;
constexpr double kNormalQuantile = 1.959963984540054;
constexpr double kPowerQuantile = 0.8416212335729143;  // 80 %
constexpr std::size_t kExactPairs = 16;
constexpr std::uint64_t kDraws = 20000;

/// |sum| of the differences with signs by `next_bits`, which gives 64 of them at a time.
template <class NextBits>
double flipped_sum(std::span<const double> differences, NextBits next_bits) {
  constexpr std::size_t kBits = 64;
  double sum = 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    bits = i % kBits == 0 ? next_bits() : bits >> 1U;
    sum += (bits & 1U) != 0 ? -differences[i] : differences[i];
  }
  return std::abs(sum);
}

/// Which arm of a pair came first was drawn by lot. Were there no difference, the other order would
/// have given the negative difference with equal chance: the p value is the share of sign patterns
/// whose sum is as far from zero as the one seen.
double sign_flip_p(std::span<const double> differences) {
  const auto as_seen = [] { return std::uint64_t{0}; };
  const double seen = flipped_sum(differences, as_seen) * (1 - 1e-12);
  std::uint64_t extreme = 0;
  if (differences.size() <= kExactPairs) {
    const std::uint64_t patterns = std::uint64_t{1} << differences.size();
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
      extreme += flipped_sum(differences, [bits] { return bits; }) >= seen ? 1U : 0U;
    }
    return static_cast<double>(extreme) / static_cast<double>(patterns);
  }
  std::mt19937_64 random(differences.size());
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    extreme += flipped_sum(differences, [&random] { return random(); }) >= seen ? 1U : 0U;
  }
  // The pattern that was seen counts among the drawn ones: p is never zero.
  return static_cast<double>(extreme + 1) / static_cast<double>(kDraws + 1);
}

}  // namespace

bool PairedTest::significant() const {
  return pairs >= kFewestPairs && p <= kLevel && std::abs(mean) > half_width;
}

SampleMoments moments_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  SampleMoments moments;
  for (const double value : values) {
    moments.mean += value / count;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - moments.mean) * (value - moments.mean);
  }
  moments.deviation = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return moments;
}

PairedTest paired_test(std::span<const double> differences) {
  PairedTest test;
  test.pairs = differences.size();
  const SampleMoments moments = moments_of(differences);
  test.mean = moments.mean;
  test.deviation = moments.deviation;
  if (test.pairs < 2) {
    test.half_width = std::numeric_limits<double>::infinity();
    return test;
  }
  const auto count = static_cast<double>(test.pairs);
  test.half_width = t_quantile(count - 1) * test.deviation / std::sqrt(count);
  test.p = sign_flip_p(differences);
  return test;
}

double pairs_needed(double deviation, double difference) {
  constexpr auto kFewest = static_cast<double>(kFewestPairs);
  if (deviation <= 0) {
    return kFewest;
  }
  if (difference == 0) {
    return std::numeric_limits<double>::infinity();
  }
  const double ratio = (kNormalQuantile + kPowerQuantile) * deviation / std::abs(difference);
  return std::max(kFewest, std::ceil(ratio * ratio));
}

double t_quantile(double n) {
  const double z = kNormalQuantile;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  const double z9 = z7 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
         (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

}  // namespace framegov::ab
