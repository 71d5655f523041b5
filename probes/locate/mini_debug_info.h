// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "probes/locate/byte_view.h"

namespace framegov {

/// Unpacks a `.gnu_debugdata` section: an xz stream that holds an ELF file with local symbols.
/// Errors (kBadInput): not xz, damaged, or larger unpacked than any real one (32 MiB).
[[nodiscard]] Result<std::vector<std::byte>> unpack_mini_debug_info(ByteView packed);

}  // namespace framegov
