// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/perfetto_fields.h"

namespace framegov {

/// The fields that every TracePacket may have; its bytes must outlive it.
struct TracePacket {
  std::uint32_t sequence_id = 0;
  std::uint32_t machine_id = 0;  ///< 0: the one that recorded
  bool has_timestamp = false;
  std::int64_t timestamp = 0;
  std::uint32_t clock_id = 0;  ///< 0: not given
  std::uint64_t flags = 0;
  bool dropped_before = false;      ///< packets of its sequence are missing, or it is the first one
  bool events_lost_before = false;  ///< ftrace: its CPU's events before it are among those
  perfetto::Field data_tag = 0;
  std::string_view data;
  std::string_view interned;
  std::string_view defaults;
  int depth = 0;  ///< 1: it was among compressed ones

  /// Throws protozero::exception on malformed bytes.
  [[nodiscard]] static TracePacket parse(std::string_view bytes, int depth);
};

}  // namespace framegov
