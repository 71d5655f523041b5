// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/thermal_level.h"
#include "base/time.h"

namespace framegov {

// What commands of Android print, read without trust: any text gives an answer or none. Pure.

/// The packages whose activities are resumed, from `dumpsys activity activities`; each once, in the
/// text's order. Split screen and freeform windows give several.
///
/// Known forms: "topResumedActivity=ActivityRecord{1a2b u0 com.a/.Main t12}" (Android 10 and later,
/// one per task display area), "mResumedActivity: ActivityRecord{...}" (7 to 11, one per stack) and
/// "ResumedActivity: ActivityRecord{...}" (the summary; alone in 12 and later).
[[nodiscard]] std::vector<std::string> resumed_packages(std::string_view text);

/// The refresh interval of the first display, from `dumpsys SurfaceFlinger`; nothing when no form
/// is known. Forms, the best first: "renderRate=120.00 Hz" and "activeMode=...120.00 Hz..."
/// (14 to 16), "refresh-rate : 120.000005 fps" (10 to 13), "VSYNC period: 8333333 ns" (10 to 13).
[[nodiscard]] std::optional<Duration> refresh_interval(std::string_view text);

/// The package of `settings get secure default_input_method`: "com.a.keyboard/.Service". Empty for
/// "null".
[[nodiscard]] std::string keyboard_package(std::string_view text);

/// The phone's level, from `dumpsys thermalservice` (Android 10 and later): "Thermal Status: 2".
[[nodiscard]] std::optional<ThermalLevel> thermal_level(std::string_view text);

}  // namespace framegov
