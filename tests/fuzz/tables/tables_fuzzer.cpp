// SPDX-License-Identifier: Apache-2.0
// Any bytes as a folder of a workload's tables. What is read must come out of its own tables again.
#include <string>
#include <vector>

#include "sim/import/csv_workload.h"
#include "tests/fuzz/fuzz_tree.h"
#include "tests/fuzz/invariants.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;
using namespace framegov::sim;

std::string tree_text(const std::vector<WorkloadTable>& tables) {
  std::string text;
  for (const WorkloadTable& table : tables) {
    text.append("@").append(table.file).append("\n").append(table.text);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto workload = read_workload_tables(FuzzTree(text_of(data, size)).root());
  if (!workload) {
    need_one_line(workload.error().message);
    return 0;
  }
  for (const WorkloadFrame& frame : workload->frames) {
    need(frame.app < workload->apps.size(), "a frame is of an app that there is");
  }
  const std::string tables = tree_text(workload_tables(*workload));
  const auto again = read_workload_tables(FuzzTree(tables).root());
  need(again.has_value(), "what is written can be read");
  need(tree_text(workload_tables(*again)) == tables, "and is the same workload");
  return 0;
}
