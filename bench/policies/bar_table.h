// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace framegov::sim {

/// Figures beside what they should be, met or missed.
class BarTable {
 public:
  /// A figure that must not be above `most`. `detail`: what else belongs to it.
  void at_most(std::string name, double figure, double most, std::string detail = {});
  /// A figure without a bar.
  void stated(std::string name, double figure, std::string detail = {});
  /// Prints all, and how many were missed.
  void print() const;

 private:
  struct Row {
    std::string name;
    double figure;
    double most;  ///< negative: none
    std::string detail;
  };
  std::vector<Row> rows_;
};

/// printf into a string.
[[nodiscard]] std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace framegov::sim
