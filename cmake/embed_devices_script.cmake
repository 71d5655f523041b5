# SPDX-License-Identifier: Apache-2.0
# Run as a script: writes OUT, a C++ file in which built_in_devices() returns the text of FILES.
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND entries "    {\"${name}\", R\"device(${text})device\"},\n")
endforeach()
file(WRITE ${OUT}.new "// Written by cmake/embed_devices_script.cmake.
#include \"sim/devices/device_catalog.h\"

namespace framegov::sim {

namespace {
constexpr BuiltInDevice kDevices[] = {
${entries}};
}  // namespace

std::span<const BuiltInDevice> built_in_devices() { return kDevices; }

}  // namespace framegov::sim
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
