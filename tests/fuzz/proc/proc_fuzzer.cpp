// SPDX-License-Identifier: Apache-2.0
// A tree like /proc out of any bytes, and the same bytes as a list of CPUs and of uprobes.
#include <algorithm>

#include "base/cpu_list.h"
#include "probes/context/process_info.h"
#include "probes/context/uprobe_owners.h"
#include "tests/fuzz/fuzz_tree.h"
#include "tests/fuzz/invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  const std::string_view text = text_of(data, size);
  const FuzzTree tree(text);
  const ProcessInfo processes(tree.root());
  for (const std::int32_t pid : {1, 71, 4242}) {
    const std::string package = processes.package(pid);
    need(package.find(':') == std::string::npos && package.find('\0') == std::string::npos,
         "a package ends where a colon or the argument does");
    need(package.empty() || !processes.starting(pid), "who has a name is not starting");
    if (const auto process = processes.process_of(pid)) {
      need(*process > 0, "a process's number is above zero");
    }
    static_cast<void>(processes.oom_score_adj(pid));
  }
  for (const std::int32_t pid : processes.find({"com.a", "com.b"})) {
    need(pid > 0, "a process's number is above zero");
  }
  if (const auto cpus = parse_cpu_list(text)) {
    need(*cpus != 0 && parse_cpu_list(cpu_list(*cpus)) == cpus, "a list of CPUs reads back");
  }
  for (const TracefsUprobe& uprobe : parse_uprobe_events(text)) {
    need(!uprobe.event.empty() && uprobe.file.starts_with('/'), "a uprobe has a name and a file");
  }
  return 0;
}
