# SPDX-License-Identifier: Apache-2.0

# framegov_bpf_program(TARGET NAME SOURCE file [DEFINES def...])
# Compiles SOURCE for the BPF target and makes NAME.skel.h for target TARGET. Neither kernel headers
# nor BTF of the build machine are used: the same object loads on kernels without BTF.
find_program(FRAMEGOV_CLANG NAMES clang-14 clang REQUIRED)
find_program(FRAMEGOV_BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(FRAMEGOV_BPF_ARCH arm64)
else()
  set(FRAMEGOV_BPF_ARCH x86)
endif()

function(framegov_bpf_program)
  cmake_parse_arguments(arg "" "TARGET;NAME;SOURCE" "DEFINES" ${ARGN})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.bpf.o)
  set(skeleton ${CMAKE_CURRENT_BINARY_DIR}/skel/${arg_NAME}.skel.h)
  list(TRANSFORM arg_DEFINES PREPEND -D)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bpf/*.h)
  add_custom_command(
    OUTPUT ${object}
    # Its line table keeps file names: they shall not tell where it was built.
    COMMAND ${FRAMEGOV_CLANG} -g -O2 -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
            -fdebug-compilation-dir=. -target bpf -mcpu=v2 -Wall -Werror
            -D__TARGET_ARCH_${FRAMEGOV_BPF_ARCH} ${arg_DEFINES}
            -I${PROJECT_SOURCE_DIR} -idirafter ${FRAMEGOV_bpf_INCLUDE}
            -idirafter /usr/include/x86_64-linux-gnu
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE} -o ${object}
    COMMAND llvm-strip-14 -g ${object}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE} ${headers}
    COMMENT "BPF ${arg_NAME} (${FRAMEGOV_BPF_ARCH})" VERBATIM)
  add_custom_command(
    OUTPUT ${skeleton}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/skel
    COMMAND ${CMAKE_COMMAND} -E echo "/* NOLINTBEGIN: written by bpftool */" > ${skeleton}
    COMMAND ${FRAMEGOV_BPFTOOL} gen skeleton ${object} name ${arg_NAME} >> ${skeleton}
    COMMAND ${CMAKE_COMMAND} -E echo "/* NOLINTEND */" >> ${skeleton}
    DEPENDS ${object} VERBATIM)
  # A target of its own, so that the skeleton waits for no library of TARGET's: `./dev lint` makes headers alone.
  add_custom_target(${arg_NAME}_skeleton DEPENDS ${skeleton})
  target_sources(${arg_TARGET} PRIVATE ${skeleton})
  target_include_directories(${arg_TARGET} SYSTEM PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/skel)
endfunction()
