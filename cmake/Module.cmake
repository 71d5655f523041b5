# SPDX-License-Identifier: Apache-2.0

# Sources are compiled together only with others of their folder, ten at a time: what a file keeps to
# itself needs a name that its own folder does not use.
function(framegov_unite_by_folder target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED seen_${folder})
      set(seen_${folder} 0)
    endif()
    math(EXPR batch "${seen_${folder}} / 10")
    math(EXPR seen_${folder} "${seen_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
endfunction()

# framegov_module(NAME [DIRS dir...] [DEPENDS target...] [LIBRARIES lib...])
# One static library framegov_NAME from every .cpp directly in the current folder and in DIRS.
# DEPENDS are our own modules, LIBRARIES others' (as PUBLIC, their headers are SYSTEM).
function(framegov_module name)
  cmake_parse_arguments(arg "" "" "DIRS;DEPENDS;LIBRARIES" ${ARGN})
  set(patterns "*.cpp")
  foreach(dir IN LISTS arg_DIRS)
    list(APPEND patterns "${dir}/*.cpp")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  # Programs' main functions are not part of the library.
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  set(scope PUBLIC)
  if(sources)
    add_library(framegov_${name} STATIC ${sources})
    framegov_unite_by_folder(framegov_${name})
    target_link_libraries(framegov_${name} PRIVATE framegov_warnings)
  else()
    add_library(framegov_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(framegov_${name} ${scope} ${PROJECT_SOURCE_DIR})
  list(TRANSFORM arg_DEPENDS PREPEND framegov_)
  target_link_libraries(framegov_${name} ${scope} ${arg_DEPENDS} ${arg_LIBRARIES})
endfunction()

# framegov_test(NAME [DEPENDS module...] [LIBRARIES lib...] [LABELS label...] [DIRS dir...])
# One GoogleTest program from every .cpp in the current folder; each test is a ctest test.
function(framegov_test name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBRARIES;LABELS;DIRS" ${ARGN})
  set(patterns "*.cpp")
  foreach(dir IN LISTS arg_DIRS)
    list(APPEND patterns "${dir}/*.cpp")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_executable(test_${name} ${sources})
  list(TRANSFORM arg_DEPENDS PREPEND framegov_)
  target_link_libraries(test_${name} PRIVATE ${arg_DEPENDS} ${arg_LIBRARIES} framegov_test_support
    GTest::gmock GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE
    FRAMEGOV_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FRAMEGOV_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  # Tests that probe the real kernel, and the virtual phone, share its CPUs' time: one after another.
  set(lock "")
  if("integration" IN_LIST arg_LABELS)
    set(lock RESOURCE_LOCK kernel)
  endif()
  if(NOT CMAKE_CROSSCOMPILING)
    gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300 ENVIRONMENT "LC_ALL=C" ${lock})
  endif()
endfunction()
