// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/soc_names.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace framegov {

namespace {

void add_soc_device(const std::filesystem::path& folder, std::vector<SocName>& names) {
  for (const char* node : {"machine", "soc_id", "family"}) {
    if (std::string name = first_line(folder / node); !name.empty()) {
      names.push_back({std::move(name), (folder / node).string()});
    }
  }
}

void add_properties(const std::filesystem::path& file, std::vector<SocName>& names) {
  const std::string text = read_node(file);
  for (const std::string_view property : {"ro.soc.model=", "ro.board.platform="}) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = take_line(rest);
      if (line.starts_with(property)) {
        names.push_back(
            {std::string(line.substr(property.size())),
             file.string() + ", " + std::string(property.substr(0, property.size() - 1))});
      }
    }
  }
}

/// "qcom,kona-mtp", "qcom,kona" and so on, a zero byte after each: what stands behind the vendor,
/// with and without the board.
void add_compatible(const std::filesystem::path& folder, std::vector<SocName>& names) {
  const std::string list = read_node(folder / "compatible");
  for (std::string_view rest = list; !rest.empty();) {
    std::string_view name = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    name.remove_prefix(std::min(name.find(',') + 1, name.size()));
    for (const std::string_view each : {name, name.substr(0, name.find('-'))}) {
      names.push_back({std::string(each), (folder / "compatible").string()});
    }
  }
}

}  // namespace

std::vector<SocName> read_soc_names(const SocFiles& files) {
  std::vector<SocName> names;
  if (!files.soc_device.empty()) {
    add_soc_device(files.soc_device, names);
  }
  if (!files.device_tree.empty()) {
    add_compatible(files.device_tree, names);
  }
  add_properties(files.build_properties, names);
  return names;
}

}  // namespace framegov
