// SPDX-License-Identifier: Apache-2.0
#include "base/plan_words.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>

namespace framegov {

namespace {

struct Words {
  std::string_view name;
  std::string_view sentence;
};

/// In the order of ReasonCode.
constexpr Words kReasons[] = {
    {"none", "no reason given"},
    {"starting", "too few frames are known yet to cap anything"},
    {"tracking", "the frames' slack is followed"},
    {"rescue", "late, so raised at once"},
    {"still", "the screen is still: no floors, caps relaxed"},
    {"not-understood", "frames are not understood: uncapped until they are"},
    {"disabled",
     "left alone: governing is paused, this app is switched off, or its frames are not seen where "
     "its profile asks"},
    {"scheduled", "speeds step up within the frame"},
    {"fixed", "the policy is a fixed one"},
};
static_assert(std::size(kReasons) == static_cast<std::size_t>(ReasonCode::kFixed) + 1);

const Words& words_of(ReasonCode reason) {
  const auto index = static_cast<std::size_t>(reason);
  return kReasons[index < std::size(kReasons) ? index : 0];
}

std::string mhz_text(Frequency frequency) { return std::to_string(std::lround(to_mhz(frequency))); }

}  // namespace

std::string_view to_string(ReasonCode reason) { return words_of(reason).name; }

ReasonCode reason_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kReasons); ++i) {
    if (kReasons[i].name == name) {
      return static_cast<ReasonCode>(i);
    }
  }
  return ReasonCode::kNone;
}

std::string_view reason_words(ReasonCode reason) { return words_of(reason).sentence; }

std::string limits_words(const ClusterPlan& limits) {
  const bool cap = limits.cap.count() > 0;
  const bool floor = limits.floor.count() > 0;
  if (cap && floor) {
    return (limits.floor == limits.cap ? "" : mhz_text(limits.floor) + " to ") +
           mhz_text(limits.cap) + " MHz";
  }
  if (cap) {
    return "up to " + mhz_text(limits.cap) + " MHz";
  }
  return floor ? "from " + mhz_text(limits.floor) + " MHz" : "free";
}

std::string number_words(const PlanNumber& number, double value) {
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), "%.*f", number.shown_decimals,
                value * number.per_key_unit);
  return digits.data() + std::string(number.unit);
}

}  // namespace framegov
