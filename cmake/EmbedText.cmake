# SPDX-License-Identifier: Apache-2.0

# framegov_embed_text(TARGET target NAME name FILE file)
# Compiles a text file into TARGET as `const std::string_view framegov::embedded::NAME`.
function(framegov_embed_text)
  cmake_parse_arguments(arg "" "TARGET;NAME;FILE" "" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${arg_NAME}.cpp)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DNAME=${arg_NAME} -DINPUT=${arg_FILE} -DOUTPUT=${source}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_text_script.cmake
    DEPENDS ${arg_FILE} ${PROJECT_SOURCE_DIR}/cmake/embed_text_script.cmake VERBATIM)
  target_sources(${arg_TARGET} PRIVATE ${source})
endfunction()
