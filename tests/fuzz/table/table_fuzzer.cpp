// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table of probe sites found by hand.
#include "probes/locate/probe_table.h"
#include "tests/fuzz/invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  const auto table = ProbeTable::parse(std::string(text_of(data, size)), "input");
  if (!table) {
    need_one_line(table.error().to_string());
    need(table.error().message.starts_with("input:"), "an error names its line");
    return 0;
  }
  need(table->fingerprint().size() == 40, "a table has a fingerprint");
  if (const ProbeTable::Row* row = table->find(std::string(40, 'a'), "ab")) {
    need(row->call < row->return_offset, "a call returns");
    need(row->destination_register >= 0 && row->destination_register <= 30, "there is a register");
  }
  return 0;
}
