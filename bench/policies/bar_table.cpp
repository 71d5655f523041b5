// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/bar_table.h"

#include <cstdarg>
#include <cstdio>

namespace framegov::sim {

void BarTable::at_most(std::string name, double figure, double most, std::string detail) {
  rows_.push_back({std::move(name), figure, most, std::move(detail)});
}

void BarTable::stated(std::string name, double figure, std::string detail) {
  rows_.push_back({std::move(name), figure, -1, std::move(detail)});
}

void BarTable::print() const {
  std::size_t missed = 0;
  std::size_t bars = 0;
  std::printf("%-58s %10s %10s\n", "bar", "figure", "at most");
  for (const Row& row : rows_) {
    const bool has_bar = row.most >= 0;
    const bool met = !has_bar || row.figure <= row.most;
    bars += has_bar ? 1U : 0U;
    missed += met ? 0U : 1U;
    const std::string most = has_bar ? text("%.4g", row.most) : "";
    std::printf("%-58s %10.4g %10s  %-6s  %s\n", row.name.c_str(), row.figure, most.c_str(),
                !has_bar ? "" : (met ? "met" : "MISSED"), row.detail.c_str());
  }
  std::printf("%zu of %zu bars met\n", bars - missed, bars);
}

std::string text(const char* format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

}  // namespace framegov::sim
