// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/calibrate/segment.h"

namespace framegov::calibrate {

/// Name of the file, in the state folder, from which a measurement goes on.
inline constexpr const char* kJournalFile = "calibration";

/// All that was measured so far.
struct Journal {
  std::vector<ClusterShape> shapes;  ///< of the phone that it was measured on
  bool quick = false;
  std::vector<Segment> segments;
  std::set<Load> given_up;  ///< loads that got too hot, or at which the frequency was not held
  DropCounts dropped{};
  bool operator==(const Journal&) const = default;

  /// Of the next stretch of time.
  [[nodiscard]] int next_session() const;
};

/// The file's text: a line each.
[[nodiscard]] std::string to_text(const Journal& journal);

/// The inverse. Error (kBadInput) naming the line: another version, a malformed line, a load that
/// is none of the phone's, no end.
[[nodiscard]] Result<Journal> parse_journal(std::string_view text);

}  // namespace framegov::calibrate
