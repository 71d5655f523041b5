// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/published.h"
#include "base/text.h"

namespace framegov {

/// A line of the log, as other threads may read it.
struct LogLine {
  std::int64_t unix_ns{};
  FixedText<12> level;
  FixedText<488> text;
};

/// The last lines of the log.
using LogLines = PublishedRing<LogLine, 64>;

}  // namespace framegov
