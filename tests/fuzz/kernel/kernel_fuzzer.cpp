// SPDX-License-Identifier: Apache-2.0
// Trees like /proc and /sys out of any bytes, for what the kernel can do and whose PMUs count.
#include "probes/context/cycle_counter.h"
#include "probes/context/kernel_features.h"
#include "tests/fuzz/fuzz_tree.h"
#include "tests/fuzz/invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  const std::string_view text = text_of(data, size);
  const FuzzTree tree(text);
  const KernelFeatures features =
      detect_kernel_features({tree.root() / "proc", tree.root() / "sys"});
  need(features.release.major >= 0 && features.release.minor >= 0, "versions count from zero");
  need(features.config.empty() || features.config.size() == 6, "all options or none");
  need(!features.tracefs.empty() || !(features.uprobe_events || features.trace_instances),
       "tracefs is somewhere or has nothing");
  for (const CycleEvent& event : find_cycle_events(tree.root() / "sys/bus/event_source/devices")) {
    need(event.type != 0 && event.config != 0, "a PMU that counts has a number");
  }
  return 0;
}
