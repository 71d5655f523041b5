// SPDX-License-Identifier: Apache-2.0
// Any bytes as the journal from which a calibration goes on, and what is planned and estimated with
// it.
#include "cli/calibrate/journal.h"
#include "cli/calibrate/plan.h"
#include "tests/fuzz/invariants.h"

namespace {

using namespace framegov;
using namespace framegov::calibrate;
using namespace framegov::fuzz;

void need_possible(const Load& load, const std::vector<ClusterShape>& shapes) {
  need(load.busy == 0 ||
           (load.cluster < shapes.size() && load.opp < shapes[load.cluster].mhz.size() &&
            load.busy <= shapes[load.cluster].cpus),
       "a load is one of the phone's");
}

/// A round of a small one: the estimate of a large one takes long.
void go_on(const Journal& journal) {
  constexpr std::size_t kMostSegments = 40;
  if (journal.shapes.empty() || journal.segments.size() > kMostSegments ||
      journal.next_session() > 20) {
    return;
  }
  for (const Segment& segment : journal.segments) {
    if (segment.at_s > 3600) {
      return;  // many knots
    }
  }
  const Plan plan(journal.shapes, journal.quick ? Plan::quick() : Plan::Goal{});
  for (const Load& load : plan.next_round(journal.segments, {})) {
    need_possible(load, journal.shapes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto journal = parse_journal(text_of(data, size));
  if (!journal) {
    need_one_line(journal.error().to_string());
    return 0;
  }
  for (const Segment& segment : journal->segments) {
    need_possible(segment.load, journal->shapes);
    need_within(segment.mean_mw, -1e5, 1e5, "a power of a phone");
    need_within(segment.at_s, 0, 2e5, "a time of a session");
  }
  for (const Load& load : journal->given_up) {
    need_possible(load, journal->shapes);
  }
  const auto again = parse_journal(to_text(*journal));
  need(again.has_value(), "what is written reads back");
  need(to_text(*again) == to_text(*journal), "and is the same");
  go_on(*journal);
  return 0;
}
