# SPDX-License-Identifier: Apache-2.0
# framegovd runs as root on what apps can influence: in every build an index, an iterator or a
# pointer that cannot be ends the process, and what an attacker needs most is not there.

# std::array, vector, span, optional, string_view and their kind check what they are given.
add_compile_definitions(_GLIBCXX_ASSERTIONS)

add_compile_options(-fstack-protector-strong)

# Needs optimisation, and hides from sanitizers what they look for.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_cxx_source_compiles("#include <string.h>\nint main() { return 0; }" FRAMEGOV_HAS_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(level $<IF:$<BOOL:${FRAMEGOV_HAS_FORTIFY_3}>,3,2>)
  add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
endif()

# Addresses of functions cannot be written after the start, and nothing on a stack be run.
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
