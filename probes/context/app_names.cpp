// SPDX-License-Identifier: Apache-2.0
#include "probes/context/app_names.h"

#include <algorithm>

namespace framegov {

AppId app_id_of(std::string_view package) {
  if (package.empty()) {
    return AppId::kUnknown;
  }
  std::uint32_t hash = 2166136261U;
  for (const char letter : package) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return AppId{hash == 0 ? 1 : hash};
}

AppId AppNames::add(std::string_view package) {
  const AppId app = app_id_of(package);
  if (app == AppId::kUnknown || !name(app).empty()) {
    return app;
  }
  entries_[next_] = {app, std::string(package)};
  next_ = (next_ + 1) % kMost;
  return app;
}

std::string_view AppNames::name(AppId app) const {
  if (app == AppId::kUnknown) {
    return {};
  }
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [app](const Entry& entry) { return entry.app == app; });
  return found == entries_.end() ? std::string_view{} : std::string_view(found->name);
}

}  // namespace framegov
