// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace framegov {

/// A text of at most N bytes kept in place; what is over is cut off.
template <std::size_t N>
class FixedText {
 public:
  constexpr FixedText() = default;
  explicit FixedText(std::string_view text) : size_(std::min(text.size(), N)) {
    std::copy_n(text.begin(), size_, bytes_.begin());
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), std::min(size_, N)}; }

 private:
  std::array<char, N> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace framegov
