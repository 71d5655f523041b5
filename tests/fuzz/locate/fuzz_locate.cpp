// SPDX-License-Identifier: Apache-2.0
// Any bytes as a library: located or refused with one line; what is located lies in the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "probes/locate/locate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const framegov::ByteView file(std::as_bytes(std::span(data, size)));
  const auto found = framegov::locate_bytes(file, "input", {});
  if (!found) {
    if (found.error().message.empty() || found.error().message.find('\n') != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  for (const framegov::ProbeSite& site : found->sites) {
    const bool inside = site.function < size && site.call < size && site.return_offset < size &&
                        site.function_past_hints < size;
    const bool ordered =
        site.kind != framegov::SiteKind::kFrameInfo || site.call < site.return_offset;
    if (!inside || !ordered) {
      std::abort();
    }
  }
  return 0;
}
