// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/devices/device_model.h"

namespace framegov::sim {

/// A file of sim/devices, compiled in (sim/CMakeLists.txt writes the definition).
struct BuiltInDevice {
  std::string_view file;
  std::string_view yaml;
};

[[nodiscard]] std::span<const BuiltInDevice> built_in_devices();

/// The phones that can be simulated: those built in (sim/devices/*.yaml) and those of further
/// folders, which win over built-in ones of the same name.
class DeviceCatalog {
 public:
  /// Folders: `directory` (may be empty) and every one in the colon-separated FRAMEGOV_DEVICES.
  /// A file that does not parse is an error that names file and line; a folder that is not there
  /// is one too.
  [[nodiscard]] static Result<DeviceCatalog> load(const std::filesystem::path& directory = {});

  [[nodiscard]] const std::vector<DeviceModel>& devices() const { return devices_; }

  /// The device called `name` (or one of its aliases). An unknown one is an error that lists all.
  [[nodiscard]] Result<const DeviceModel*> find(std::string_view name) const;

 private:
  /// `named_by` stands before the folder in messages.
  Status add_directory(const std::filesystem::path& directory, const std::string& named_by = {});
  void add(DeviceModel device);

  std::vector<DeviceModel> devices_;
};

}  // namespace framegov::sim
