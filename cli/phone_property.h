// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace framegov::cli {

/// What Android's `getprop NAME` prints, on one line without control characters; empty where there
/// is no such command or property. `name` is a word of this program's own.
[[nodiscard]] std::string phone_property(const char* name);

/// The phone in words, "Google Pixel 8 (Tensor G3)"; empty: no Android.
[[nodiscard]] std::string phone_in_words();

}  // namespace framegov::cli
