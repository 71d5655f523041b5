# SPDX-License-Identifier: Apache-2.0
# Warnings are errors in our own code; libraries come in as SYSTEM.
add_library(framegov_warnings INTERFACE)
target_compile_options(framegov_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Wundef -Werror)
# GCC 12 sees null pointers and overlaps in inlined library code where there are none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(framegov_warnings INTERFACE -Wno-null-dereference -Wno-restrict)
else()
  # libbpf's macros for options are C as compilers extend it; aliases that files of one unity batch
  # declare alike shadow nothing.
  target_compile_options(framegov_warnings INTERFACE
    -Wno-gnu-statement-expression -Wno-c99-extensions -Wno-shadow)
endif()
