// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace framegov {

/// No screen has a refresh interval beyond these: what a file tells is damage then, or a mistake.
inline constexpr Duration kLeastRefreshInterval = std::chrono::milliseconds{1};
inline constexpr Duration kMostRefreshInterval = std::chrono::seconds{1};

}  // namespace framegov
