// SPDX-License-Identifier: Apache-2.0
// A tree like /sys/class/thermal out of any bytes.
#include "probes/context/thermal_sensors.h"
#include "tests/fuzz/fuzz_tree.h"
#include "tests/fuzz/invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  const FuzzTree tree(text_of(data, size));
  const ThermalSensors sensors(tree.root());
  const ThermalReading reading = sensors.read();
  need_within(reading.cooling, 0, 1, "a share is from 0 to 1");
  need(!reading.headroom || std::abs(*reading.headroom) <= 200'000, "no chip is that far away");
  need(!sensors.empty() || (reading.cooling == 0 && !reading.headroom), "nothing tells nothing");
  need(level_of(reading) <= ThermalLevel::kSevere, "the kernel knows no more");
  return 0;
}
