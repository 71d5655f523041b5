# SPDX-License-Identifier: Apache-2.0
# Static aarch64 build with the distribution's cross compiler and the arm64 packages that
# `./dev deps` unpacks (never installs) into .cache/arm64/sysroot.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(framegov_root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
set(framegov_sysroot ${framegov_root}/.cache/arm64/sysroot)
set(CMAKE_FIND_ROOT_PATH ${framegov_sysroot})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)

# 16 KiB pages: segments aligned so that the binary runs on kernels with 4, 16 and 64 KiB pages.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-pie -Wl,-z,max-page-size=65536 -Wl,-z,separate-code")
