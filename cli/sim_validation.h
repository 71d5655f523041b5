// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "cli/sim_inputs.h"
#include "sim/validate.h"

namespace framegov::cli {

/// What `framegov sim --validate` says of a recording below its frames, as numbers:
/// {"frames","seconds","generation_error":{"p50","p90"},
/// "usual_start":{"frames","dispatch_ms","generation_error"},
/// "late":{"as_recorded","labelled","as_labelled"},
/// "cpu_mj":{"predicted","rails","predicted_over_rails"}}. Errors are relative; "usual_start" is
/// null where no frame was held out, so are "rails" and the ratio to them where they are not known.
[[nodiscard]] nlohmann::json to_json(const Validation& validation);

/// Compares each input with its replay at the recorded frequencies, with the power of `device`. As
/// text on stdout; with `json` as {"validations":[...]} to that file too, or there alone when it is
/// "-".
[[nodiscard]] Status validate_inputs(const SimInputArguments& inputs, const std::string& device,
                                     const std::string& device_dir, const std::string& json);

}  // namespace framegov::cli
