// SPDX-License-Identifier: Apache-2.0
// Any bytes as freqbench's figures (the file "csv") and as a copy of sysfs, for a new device file.
#include "sim/devices/device_import.h"
#include "sim/devices/device_model.h"
#include "tests/fuzz/fuzz_tree.h"
#include "tests/fuzz/invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::sim;
  using namespace framegov::fuzz;
  const FuzzTree tree(text_of(data, size));
  const auto yaml = import_device({.name = "phone",
                                   .sysfs = tree.root(),
                                   .freqbench = tree.root() / "csv",
                                   .soc = {},
                                   .run = {}});
  if (!yaml) {
    need_one_line(yaml.error().to_string());
    return 0;
  }
  need(parse_device(*yaml, "made").has_value(), "what is made can be used");
  return 0;
}
