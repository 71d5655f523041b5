// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "probes/locate/elf_image.h"

namespace framegov {

/// What the library's JNI registration tables say of nSyncAndDrawFrame.
struct JniRows {
  struct Row {
    std::uint64_t address{};   ///< of the row, virtual
    std::uint64_t function{};  ///< virtual
  };
  std::vector<Row> usable;               ///< right signature, function in code; distinct functions
  std::vector<std::string> refused;      ///< why other rows of that name were not taken (the first)
  std::size_t refused_count{};           ///< how many were not
  bool only_android5_signature = false;  ///< rows of that name have (JJJF)I, none (J[JI)I
};

/// Finds the JNINativeMethod rows {name, signature, function} of nSyncAndDrawFrame through the
/// dynamic relocations. Errors (kBadInput): the relocations are corrupt.
[[nodiscard]] Result<JniRows> find_jni_rows(const ElfImage& image);

}  // namespace framegov
