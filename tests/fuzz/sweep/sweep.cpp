// SPDX-License-Identifier: Apache-2.0
// Any bytes as a sweep's plan.
#include "sim/sweep/sweep_plan.h"

#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"

namespace {

using namespace framegov;
using namespace framegov::sim;
using namespace framegov::fuzz;

void need_valid(const SweepPlan& plan) {
  need(!plan.inputs.empty() && !plan.devices.empty() && !plan.policies.empty(), "there is work");
  need(!plan.worlds.empty() && !plan.seeds.empty(), "there is a world and a seed");
  need(plan.runs() <= kMostSweepRuns, "runs can be counted");
  const SweepScene last = plan.scene(plan.scenes() - 1);
  need(last.input == plan.inputs.size() - 1 && last.device == plan.devices.size() - 1 &&
           last.world == plan.worlds.size() - 1 && last.seed == plan.seeds.back(),
       "scenes are found by their number");
  for (const SweepInput& input : plan.inputs) {
    if (input.is_generated()) {
      need_within(input.generated.refresh_hz, 1, 480, "a refresh rate");
      need_within(input.generated.seconds, 0.001, 1e7, "a length");
    }
  }
  need(plan.sha256().size() == 64, "a plan has a hash");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFolder kFolder;
  static const DeviceCatalog kCatalog = *DeviceCatalog::load();
  const std::string text(text_of(data, size));
  if (text.find("../") != std::string::npos || text.find("/*") != std::string::npos) {
    return 0;  // this machine's own files are not the input's
  }
  const auto plan = parse_sweep_plan(text, "input", kFolder.path(), kCatalog);
  if (!plan) {
    need_one_line(plan.error().to_string());
    need(plan.error().to_string().starts_with("input:"), "an error names its line");
    return 0;
  }
  need_valid(*plan);
  return 0;
}
