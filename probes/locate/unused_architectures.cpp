// SPDX-License-Identifier: Apache-2.0
// Capstone names every architecture that it was built with in one table, so that a static program
// gets all their instruction tables, megabytes of them. Here stand empty entries for those that no
// Android phone runs: with them the linker has no reason to take Capstone's own. CMakeLists.txt has
// the linker look here first; a program with Capstone as a shared library does not get any of this.
#include <capstone/capstone.h>

#include <cstddef>

struct cs_struct;

// NOLINTBEGIN(cppcoreguidelines-macro-usage,readability-identifier-naming): Capstone's names
#define FRAMEGOV_UNUSED(architecture)                                                         \
  extern "C" cs_err architecture##_global_init(cs_struct*);                                   \
  extern "C" cs_err architecture##_global_init(cs_struct* /*handle*/) { return CS_ERR_ARCH; } \
  extern "C" cs_err architecture##_option(cs_struct*, cs_opt_type, std::size_t);              \
  extern "C" cs_err architecture##_option(cs_struct*, cs_opt_type, std::size_t) {             \
    return CS_ERR_ARCH;                                                                       \
  }

FRAMEGOV_UNUSED(ARM)
FRAMEGOV_UNUSED(EVM)
FRAMEGOV_UNUSED(M680X)
FRAMEGOV_UNUSED(M68K)
FRAMEGOV_UNUSED(Mips)
FRAMEGOV_UNUSED(PPC)
FRAMEGOV_UNUSED(Sparc)
FRAMEGOV_UNUSED(SystemZ)
FRAMEGOV_UNUSED(TMS320C64x)
FRAMEGOV_UNUSED(XCore)
// NOLINTEND(cppcoreguidelines-macro-usage,readability-identifier-naming)
