// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"
#include "probes/locate/locate.h"
#include "probes/locate/probe_sites.h"

namespace framegov {

/// As locate(), but an answer found before is read from `cache_dir`: one small YAML file for each
/// library, named after its build id (or its SHA-1, where it has none). An answer is only used when
/// the library's content, the locator's version and the table are those it was found with; what
/// cannot be read is found again and written anew. Refusals are not kept.
///
/// That the cache cannot be written is no error: the result's notes say so.
[[nodiscard]] Result<LibrarySites> locate_cached(const std::filesystem::path& path,
                                                 const std::filesystem::path& cache_dir,
                                                 const LocateOptions& options);

}  // namespace framegov
