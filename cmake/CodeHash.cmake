# SPDX-License-Identifier: Apache-2.0
# Two uses of one file: included, it adds the target's source; run as a script, it writes that.

# framegov_code_hash(TARGET folder...)
# Compiles into TARGET what simulator_version() says: the program's version and a hash of all sources
# in the folders.
function(framegov_code_hash target)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.h ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/simulator_version.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/CodeHash.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} "-DFOLDERS=${ARGN}" -DVERSION=${PROJECT_VERSION}
            -DOUTPUT=${output} -P ${script}
    DEPENDS ${sources} ${script} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  set(all "")
  foreach(folder IN LISTS FOLDERS)
    file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp)
    list(SORT sources)
    foreach(source IN LISTS sources)
      file(SHA256 ${ROOT}/${source} hash)
      string(APPEND all "${source} ${hash}\n")
    endforeach()
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 12 short)
  file(WRITE ${OUTPUT} "#include \"sim/sweep/sweep_key.h\"
std::string_view framegov::sim::simulator_version() { return \"${VERSION}+${short}\"; }
")
endif()
