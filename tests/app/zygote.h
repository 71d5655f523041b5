// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/app/gui/surface.h"
#include "tests/app/virtual_machine.h"

namespace demo {

/// What a Zygisk needs to be told.
struct ZygiskOptions {
  std::string module;   ///< empty: there is no Zygisk
  std::string daemon;   ///< socket that the module's companion is reached by
  bool server = false;  ///< it becomes the system's server, not an app
};

/// What Zygisk does to a process that becomes an app: loads the module, lets it stand before the
/// native methods of `machine` and the buffers of `surface`, and unloads it if it says so. To be
/// called before there are threads. Throws std::runtime_error when it cannot be loaded.
void specialize(const ZygiskOptions& options, std::string process, VirtualMachine& machine,
                android::Surface& surface);

}  // namespace demo
