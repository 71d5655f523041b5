// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/time.h"
#include "probes/bpf/wire.h"

namespace framegov::fuzz {

/// Bytes, taken one after the other; zeros when there are no more.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

  [[nodiscard]] bool empty() const { return left_.empty(); }
  std::uint8_t take() {
    if (left_.empty()) {
      return 0;
    }
    const std::uint8_t byte = left_.front();
    left_ = left_.subspan(1);
    return byte;
  }

 private:
  std::span<const std::uint8_t> left_;
};

/// A record as it comes from the kernel.
struct WireRecord {
  std::int64_t time_ns{};
  std::size_t size{};
  alignas(8) std::array<std::byte, sizeof(wire_frame_finished)> bytes{};

  [[nodiscard]] Instant at() const { return instant_from_ns(time_ns); }
  template <class Record>
  void hold(const Record& record) {
    std::memcpy(bytes.data(), &record, sizeof record);
    size = sizeof record;
  }
};

/// What a script asks for next.
enum class Ask : std::uint8_t {
  kRecord,  ///< `record` is there
  kDrain,   ///< the records so far are read
  kTimer,   ///< and the policies' timers go off
  kHeat,    ///< the phone is at another thermal level
  kSwitch,  ///< another app comes to the front
};

/// Bytes -> records, by a small grammar: two bytes say kind, thread and time since the record
/// before; some kinds take another for their fields. Most records are plausible, some are not in
/// one field, few are any bytes.
class WireScript {
 public:
  explicit WireScript(Bytes& bytes) : bytes_(bytes) {}

  [[nodiscard]] Ask next(WireRecord& record);
  /// Time of the newest plausible record.
  [[nodiscard]] std::int64_t clock() const { return clock_; }

 private:
  void frame_info(WireRecord& record, unsigned variant);
  void queue_buffer(WireRecord& record, unsigned variant);
  void dequeue_buffer(WireRecord& record, unsigned variant);
  void frame_finished(WireRecord& record, unsigned variant);
  void hint_target(WireRecord& record);
  void any_bytes(WireRecord& record);
  [[nodiscard]] std::int64_t odd_time(unsigned choice) const;

  Bytes& bytes_;
  wire_header header_{};
  bool render_thread_ = false;
  std::int64_t clock_ = 1'000'000'000'000;
};

}  // namespace framegov::fuzz
