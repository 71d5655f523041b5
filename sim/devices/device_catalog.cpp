// SPDX-License-Identifier: Apache-2.0
#include "sim/devices/device_catalog.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/file.h"
#include "base/unknown_name.h"
#include "sim/devices/content_hash.h"

namespace framegov::sim {

Result<DeviceCatalog> DeviceCatalog::load(const std::filesystem::path& directory) {
  DeviceCatalog catalog;
  for (const BuiltInDevice& each : built_in_devices()) {
    FRAMEGOV_TRY(DeviceModel device, parse_device(std::string(each.yaml), std::string(each.file)));
    device.sha256 = sha256_hex(each.yaml);
    catalog.add(std::move(device));
  }
  if (const char* listed = std::getenv("FRAMEGOV_DEVICES"); listed != nullptr) {
    std::istringstream parts(listed);
    for (std::string part; std::getline(parts, part, ':');) {
      FRAMEGOV_TRY_STATUS(part.empty() ? Status{}
                                       : catalog.add_directory(part, "FRAMEGOV_DEVICES: "));
    }
  }
  if (!directory.empty()) {
    FRAMEGOV_TRY_STATUS(catalog.add_directory(directory));
  }
  return catalog;
}

Status DeviceCatalog::add_directory(const std::filesystem::path& directory,
                                    const std::string& named_by) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : entries_of(directory, error)) {
    if (path.extension() == ".yaml") {
      files.push_back(path);
    }
  }
  if (error) {
    return fail_input(error.value(), named_by + directory.string(),
                      "name a folder that has device files (docs/devices.md)");
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    FRAMEGOV_TRY(const std::string text,
                 read_file(file, "a device file is YAML (docs/devices.md)"));
    FRAMEGOV_TRY(DeviceModel device, parse_device(text, file.string()));
    device.sha256 = sha256_hex(text);
    add(std::move(device));
  }
  return {};
}

void DeviceCatalog::add(DeviceModel device) {
  std::erase_if(devices_, [&](const DeviceModel& other) { return other.name == device.name; });
  devices_.push_back(std::move(device));
  std::sort(devices_.begin(), devices_.end(),
            [](const DeviceModel& a, const DeviceModel& b) { return a.name < b.name; });
}

Result<const DeviceModel*> DeviceCatalog::find(std::string_view name) const {
  Names known;
  for (const DeviceModel& device : devices_) {
    const auto& aliases = device.aliases;
    if (device.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
      return &device;
    }
    known.push_back(device.name);
  }
  return fail_unknown(ExitCode::kUsage, "device", name, known,
                      "'framegov device import' makes another");
}

}  // namespace framegov::sim
