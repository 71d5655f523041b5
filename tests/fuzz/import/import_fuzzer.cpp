// SPDX-License-Identifier: Apache-2.0
// Any bytes as a recording: Perfetto, text, JSON or CSV, as they look. Whatever comes of them must
// be writable and readable again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "sim/import/csv_workload.h"
#include "sim/import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::sim;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool lenient : {false, true}) {
    auto source = bytes_in_memory(bytes);
    if (!source) {
      return 0;
    }
    ImportOptions options;
    options.frames_only = lenient;
    options.partial = lenient;
    options.max_events = 100'000;
    const auto imported = import_bytes(**source, "input", options);
    if (!imported) {
      if (imported.error().message.empty()) {
        std::abort();
      }
      continue;
    }
    if (imported->workload.has_value() == imported->no_workload.has_value()) {
      std::abort();
    }
    if (imported->workload) {
      for (const WorkloadFrame& frame : imported->workload->frames) {
        if (frame.app >= imported->workload->apps.size()) {
          std::abort();
        }
      }
      std::ostringstream csv;
      write_workload_csv(*imported->workload, csv);
      static_cast<void>(read_workload_csv(csv.str()));
    }
  }
  return 0;
}
