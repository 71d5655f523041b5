// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "socs/phone_soc.h"

namespace framegov {

/// Where a phone says what SoC it has; what is empty is not looked at.
struct SocFiles {
  std::filesystem::path soc_device;        ///< the folder of machine, soc_id and family
  std::filesystem::path device_tree;       ///< that of compatible
  std::filesystem::path build_properties;  ///< the file of ro.soc.model and ro.board.platform
};

/// Of the phone that this runs on.
[[nodiscard]] inline SocFiles phone_soc_files() {
  return {"/sys/devices/soc0", "/sys/firmware/devicetree/base", "/vendor/build.prop"};
}

/// Every name found there, the most exact first. None of them need be true, and none known.
[[nodiscard]] std::vector<SocName> read_soc_names(const SocFiles& files);

}  // namespace framegov
