// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace framegov {

/// How a packet sequence counts time on its own clocks: in units of so many ns, or from packet to
/// packet.
class SequenceClocks {
 public:
  /// A snapshot reads `clock` as `ns`; `unit`: ns of one tick; `incremental`: its packets tell the
  /// time since the one before them.
  void take(std::uint32_t clock, std::int64_t ns, std::int64_t unit, bool incremental) {
    if (unit != 1) {
      units_[clock] = unit;
    }
    if (incremental) {
      last_[clock] = ns;
    }
  }

  /// The time, in ns, of the sequence's next packet, whose timestamp on `clock` is `ticks`. Each
  /// packet that has a timestamp is to be asked for once, whatever is in it: the next goes on from
  /// there.
  std::int64_t next(std::uint32_t clock, std::int64_t ticks) {
    // Times of hostile traces may be anything: no undefined overflow.
    auto ns = static_cast<std::uint64_t>(ticks);
    if (const auto unit = units_.find(clock); unit != units_.end()) {
      ns *= static_cast<std::uint64_t>(unit->second);
    }
    if (const auto last = last_.find(clock); last != last_.end()) {
      ns += static_cast<std::uint64_t>(last->second);
      last->second = static_cast<std::int64_t>(ns);
    }
    return static_cast<std::int64_t>(ns);
  }

 private:
  std::unordered_map<std::uint32_t, std::int64_t> last_;
  std::unordered_map<std::uint32_t, std::int64_t> units_;
};

}  // namespace framegov
