// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>

#include "tests/support/cpufreq_tree.h"

namespace framegov::fuzz {

/// A folder in memory, where there is such a place: what waits for a disk runs a hundredth as
/// often. libFuzzer ends without destructors: tests/fuzz/run names a place (TMPDIR) and removes it.
class MemoryFolder : public test::TemporaryFolder {
 public:
  MemoryFolder() : TemporaryFolder(place()) {}

 private:
  static std::filesystem::path place() {
    const bool named = std::getenv("TMPDIR") != nullptr;
    return !named && std::filesystem::exists("/dev/shm") ? "/dev/shm" : "";
  }
};

}  // namespace framegov::fuzz
