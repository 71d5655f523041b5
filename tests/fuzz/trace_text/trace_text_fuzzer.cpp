// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines of trace_pipe.
#include "base/text.h"
#include "probes/context/gpu_work.h"
#include "probes/sources/trace_text.h"
#include "tests/fuzz/invariants.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

bool is_part(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = text_of(data, size);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (parse_lost_events(line)) {
      need(line.starts_with("CPU:"), "only the kernel's own lines speak of loss");
    }
    const auto parsed = parse_trace_line(line);
    if (const auto period = parse_gpu_work_period(line)) {
      need(parsed && period->end == parsed->at, "of a line that is understood");
      need(period->length > Duration{} && period->length < std::chrono::seconds{2}, "its length");
      need(period->active >= Duration{} && period->active <= period->length, "worked within it");
    }
    if (!parsed) {
      continue;
    }
    need(parsed->tid >= 0, "no thread is below zero");
    need(parsed->cpu >= 0, "no CPU is below zero");
    need(parsed->at >= Instant{}, "no time is before the beginning");
    need(!parsed->event.empty(), "an event has a name");
    need(is_part(parsed->event, line) && is_part(parsed->arguments, line), "views into the line");
    for (const char* name : {"surface", "result", "destination", "state", "w0", ""}) {
      static_cast<void>(trace_argument(parsed->arguments, name));
    }
  }
  return 0;
}
