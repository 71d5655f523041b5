// SPDX-License-Identifier: Apache-2.0
#include "sim/tune/tune_space.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <variant>

#include "base/unknown_name.h"

namespace framegov::sim {

namespace {

constexpr double kDecades = 100;  ///< a range's ends are this far apart: it is logarithmic
constexpr int kDigits = 3;

double rounded(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::scientific, kDigits - 1);
  double back{};
  std::from_chars(text.data(), end.ptr, back);
  return back;
}

template <class T>
bool is_a(const PolicyParameter& parameter) {
  PolicySettings settings;
  return std::holds_alternative<T*>(parameter.place(settings));
}

}  // namespace

TuneRange::TuneRange(const PolicyParameter& parameter)
    : parameter_(parameter),
      whole_(is_a<int>(parameter)),
      time_(is_a<Duration>(parameter)),
      logarithmic_(!whole_ && parameter.low > 0 && parameter.high / parameter.low >= kDecades) {}

double TuneRange::value_at(double place) const {
  const double at = std::clamp(place, 0.0, 1.0);
  const double low = parameter_.low;
  const double high = parameter_.high;
  if (whole_) {
    return std::min(low + std::floor(at * (high - low + 1)), high);
  }
  const double value = logarithmic_ ? low * std::pow(high / low, at) : low + at * (high - low);
  return std::clamp(rounded(value), low, high);
}

bool TuneRange::has(double value) const {
  return value >= parameter_.low && value <= parameter_.high &&
         (!whole_ || value == std::floor(value));
}

double TuneRange::place_of(double value) const {
  const double low = parameter_.low;
  const double high = parameter_.high;
  if (whole_) {
    constexpr double kMiddle = 0.5;
    return (value - low + kMiddle) / (high - low + 1);
  }
  return logarithmic_ ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

std::string TuneRange::text(double value) const {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end) + (time_ ? "ms" : "");
}

Result<TuneSpace> TuneSpace::of(std::string_view policy, const std::vector<std::string>& names) {
  const PolicyKind* const kind = policy_kind(policy);
  if (kind == nullptr) {
    return fail_unknown(ExitCode::kUsage, "policy with parameters", policy, policy_names());
  }
  Names known;
  for (const PolicyParameter& each : kind->parameters) {
    known.push_back(each.name);
  }
  if (known.empty()) {
    return fail(ExitCode::kUsage, std::string(policy) + " declares no parameters",
                "tune another policy");
  }
  TuneSpace space;
  space.policy_ = kind->name;
  for (const std::string_view name : names.empty() ? known : Names(names.begin(), names.end())) {
    const PolicyParameter* const parameter = kind->parameter(name);
    if (parameter == nullptr) {
      return fail_unknown(ExitCode::kUsage, "parameter of " + space.policy_, name, known);
    }
    if (std::any_of(space.ranges_.begin(), space.ranges_.end(),
                    [name](const TuneRange& each) { return each.parameter().name == name; })) {
      return fail(ExitCode::kUsage, "parameter '" + std::string(name) + "' is named twice",
                  "name each once");
    }
    space.ranges_.emplace_back(*parameter);
  }
  return space;
}

TuneValues TuneSpace::defaults() const {
  TuneValues values;
  for (const TuneRange& range : ranges_) {
    values.push_back(range.parameter().in({}));
  }
  return values;
}

bool TuneSpace::has(const TuneValues& values) const {
  return std::equal(ranges_.begin(), ranges_.end(), values.begin(), values.end(),
                    [](const TuneRange& range, double value) { return range.has(value); });
}

TuneValues TuneSpace::values_at(const TunePlaces& places) const {
  TuneValues values;
  for (std::size_t i = 0; i < size(); ++i) {
    values.push_back(ranges_[i].value_at(places[i]));
  }
  return values;
}

TunePlaces TuneSpace::places_of(const TuneValues& values) const {
  TunePlaces places;
  for (std::size_t i = 0; i < size(); ++i) {
    places.push_back(ranges_[i].place_of(values[i]));
  }
  return places;
}

PolicySettings TuneSpace::settings(const TuneValues& values) const {
  PolicySettings settings;
  for (std::size_t i = 0; i < size(); ++i) {
    ranges_[i].parameter().set(settings, values[i]);
  }
  return settings;
}

}  // namespace framegov::sim
