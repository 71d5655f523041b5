// SPDX-License-Identifier: Apache-2.0
#include "governor/source_factory.h"

namespace framegov {

Result<std::unique_ptr<FrameSource>> make_frame_source(const ServiceSettings& settings,
                                                       const CpuTopology& /*topology*/) {
  std::string tried;
  for (const auto& library : settings.hwui_libraries) {
    tried += (tried.empty() ? "" : ", ") + library.string();
  }
  return fail(ExitCode::kUnsupported, "no frame source can be made for " + tried,
              "this build has no probes");
}

}  // namespace framegov
