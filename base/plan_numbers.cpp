// SPDX-License-Identifier: Apache-2.0
#include "base/plan_numbers.h"

#include <array>
#include <cstdio>

namespace framegov {

std::string number_words(const PlanNumber& number, double value) {
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), "%.*f", number.shown_decimals,
                value * number.per_key_unit);
  return digits.data() + std::string(number.unit);
}

}  // namespace framegov
