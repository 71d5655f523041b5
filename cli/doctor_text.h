// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/owner_texts.h"
#include "governor/doctor/doctor.h"

namespace framegov::cli {

/// What was found, for people: the verdict first, then what is wrong with what it means and what to
/// do about it, the gravest first; then what is well, a line each. What a finding means stands in
/// the language of `texts` too where that is not English.
[[nodiscard]] std::string doctor_text(const DoctorReport& report, const OwnerTexts& texts,
                                      bool colour);

}  // namespace framegov::cli
