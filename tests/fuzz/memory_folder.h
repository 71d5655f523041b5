// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "tests/support/cpufreq_tree.h"

namespace framegov::fuzz {

/// A folder in memory, where there is such a place: what waits for a disk runs a hundredth as
/// often.
class MemoryFolder : public test::TemporaryFolder {
 public:
  MemoryFolder() : TemporaryFolder(std::filesystem::exists("/dev/shm") ? "/dev/shm" : "") {}
};

}  // namespace framegov::fuzz
