# SPDX-License-Identifier: Apache-2.0

# framegov_self_description(FILE FOLDER argument...)
# Runs `framegov argument...` after the program is built and installs what it prints as FOLDER/FILE.
function(framegov_self_description file folder)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/description/${file})
  get_filename_component(parent ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  add_custom_command(OUTPUT ${output} COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
    $<TARGET_FILE:framegov> ${ARGN} > ${output} DEPENDS framegov VERBATIM)
  string(MAKE_C_IDENTIFIER describe_${file} target)
  add_custom_target(${target} ALL DEPENDS ${output})
  install(FILES ${output} DESTINATION ${folder})
endfunction()
