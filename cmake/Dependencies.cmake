# SPDX-License-Identifier: Apache-2.0
# Every library comes from the distribution. For the static aarch64 build they are found in the
# package tree that `./dev deps` unpacks (cmake/aarch64.cmake).
find_package(PkgConfig REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
# Of `framegov tune` alone, which no phone has; it says so where pagmo is not there.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(Pagmo QUIET)
endif()

# framegov_library(NAME header library...): an imported target framegov_lib_NAME, static where the
# whole program is.
function(framegov_library name header)
  add_library(framegov_lib_${name} INTERFACE IMPORTED GLOBAL)
  find_path(FRAMEGOV_${name}_INCLUDE ${header} REQUIRED)
  target_include_directories(framegov_lib_${name} SYSTEM INTERFACE ${FRAMEGOV_${name}_INCLUDE})
  foreach(library IN LISTS ARGN)
    find_library(FRAMEGOV_${library}_LIBRARY ${library} REQUIRED)
    target_link_libraries(framegov_lib_${name} INTERFACE ${FRAMEGOV_${library}_LIBRARY})
  endforeach()
endfunction()

framegov_library(bpf bpf/libbpf.h bpf elf z)
framegov_library(elf libelf.h elf z)
framegov_library(capstone capstone/capstone.h capstone)
framegov_library(lzma lzma.h lzma)
framegov_library(event event2/http.h event_extra event_core)
framegov_library(md sha1.h md)
framegov_library(z zlib.h z)
framegov_library(sdt sys/sdt.h)
# yaml-cpp's own CMake files want the shared library too, which the unpacked arm64 tree lacks.
framegov_library(yaml yaml-cpp/yaml.h yaml-cpp)

# Header-only: protozero and toml++ by nature; spdlog and fmt because Debian has no static archives of them.
framegov_library(protozero protozero/pbf_reader.hpp)
framegov_library(toml toml++/toml.h)
framegov_library(spdlog spdlog/spdlog.h)
target_compile_definitions(framegov_lib_spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)

add_library(framegov_lib_expected INTERFACE IMPORTED GLOBAL)
target_link_libraries(framegov_lib_expected INTERFACE tl::expected)
add_library(framegov_lib_json INTERFACE IMPORTED GLOBAL)
target_link_libraries(framegov_lib_json INTERFACE nlohmann_json::nlohmann_json)
add_library(framegov_lib_cli11 INTERFACE IMPORTED GLOBAL)
target_link_libraries(framegov_lib_cli11 INTERFACE CLI11::CLI11)
