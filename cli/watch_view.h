// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/owner_texts.h"
#include "cli/text_line.h"

namespace framegov::cli {

/// The live view: a status (docs/protocol.md) as the lines of a terminal. Pure.
class WatchView {
 public:
  /// `texts` has to outlive it.
  WatchView(bool colour, bool ascii, const OwnerTexts& texts = english_texts())
      : texts_(texts), colour_(colour), ascii_(ascii) {}

  /// From so many columns on there is room for the last minute (a status with `seconds`).
  static constexpr std::size_t kWide = 160;

  /// Never more than `rows` lines, none wider than `columns`.
  [[nodiscard]] std::vector<std::string> render(const nlohmann::json& status, std::size_t columns,
                                                std::size_t rows) const;

 private:
  using Lines = std::vector<std::string>;

  [[nodiscard]] TextLine line(std::size_t columns) const { return {columns, colour_}; }
  void add_heading(const nlohmann::json& status, std::size_t columns, Lines& lines) const;
  void add_verdict(const nlohmann::json& status, std::size_t columns, Lines& lines) const;
  void add_frames(const nlohmann::json& status, std::size_t columns, Lines& lines) const;
  /// The last minute, second by second: from the quickest frame to the slowest.
  void add_minute(const nlohmann::json& status, std::size_t columns, std::size_t height,
                  Lines& lines) const;
  void add_histogram(const nlohmann::json& frames, std::size_t columns, std::size_t height,
                     Lines& lines) const;
  [[nodiscard]] std::string histogram_row(const nlohmann::json& frames, std::size_t columns,
                                          std::size_t row, std::size_t height) const;
  void add_clusters(const nlohmann::json& clusters, std::size_t columns, Lines& lines) const;
  void add_decision(const nlohmann::json& status, std::size_t columns, std::size_t most,
                    Lines& lines) const;
  void add_costs(const nlohmann::json& status, std::size_t columns, Lines& lines) const;

  const OwnerTexts& texts_;
  bool colour_;
  bool ascii_;
};

}  // namespace framegov::cli
