// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace framegov {

/// A number with a unit that the compiler checks. Quantities of one unit add and scale; different
/// units do not mix except through the named operations below.
template <class Tag, class Rep>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}

  [[nodiscard]] constexpr Rep count() const { return count_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  // Through <=>, which has to ask for NaN, GCC makes three branches of one comparison.
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.count_ < b.count_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.count_ > b.count_; }

  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity{a.count_ + b.count_};
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity{a.count_ - b.count_};
  }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return Quantity{static_cast<Rep>(static_cast<double>(a.count_) * factor)};
  }
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.count_) / static_cast<double>(b.count_);
  }

 private:
  Rep count_{};
};

/// CPU frequency in kHz, the unit of every cpufreq node. Zero means "none" or "not known".
using Frequency = Quantity<struct FrequencyTag, std::int64_t>;

/// How fast a core works, in cycles of the reference core per second. The reference core is the
/// fastest core of the device; its speed at its top OPP equals its frequency in Hz. A core of
/// capacity c (of 1024) at its top OPP has c/1024 of that speed.
using Speed = Quantity<struct SpeedTag, double>;

/// Cycles at the reference core: what a frame costs, whichever core ran it.
using Work = Quantity<struct WorkTag, double>;

/// Power in mW.
using Power = Quantity<struct PowerTag, double>;

/// Energy in mJ.
using Energy = Quantity<struct EnergyTag, double>;

[[nodiscard]] constexpr Frequency khz(std::int64_t value) { return Frequency{value}; }
[[nodiscard]] constexpr Frequency mhz(std::int64_t value) { return Frequency{value * 1000}; }
[[nodiscard]] constexpr double to_mhz(Frequency frequency) {
  return static_cast<double>(frequency.count()) / 1e3;
}

/// Seconds that `work` takes at `speed`.
[[nodiscard]] constexpr double seconds_for(Work work, Speed speed) {
  return work.count() / speed.count();
}

/// Work that `seconds` at `speed` gets done.
[[nodiscard]] constexpr Work work_in(double seconds, Speed speed) {
  return Work{seconds * speed.count()};
}

/// Energy that `seconds` at `power` take: mW x s = mJ.
[[nodiscard]] constexpr Energy energy_for(Power power, double seconds) {
  return Energy{power.count() * seconds};
}

}  // namespace framegov
