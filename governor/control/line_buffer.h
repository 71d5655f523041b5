// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace framegov {

/// Cuts a stream of bytes into lines of at most `longest` bytes.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t longest) : longest_(longest) {}

  /// False, for ever, once a line was too long.
  [[nodiscard]] bool add(std::string_view bytes) {
    bytes_.append(bytes);
    return !too_long();
  }

  /// The next whole line without its newline (or "\r\n"), once.
  [[nodiscard]] std::optional<std::string> take() {
    const std::size_t end = bytes_.find('\n');
    if (end == std::string::npos || end > longest_) {
      return std::nullopt;
    }
    std::string line = bytes_.substr(0, end);
    bytes_.erase(0, end + 1);
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    return line;
  }

  [[nodiscard]] bool has_line() const { return bytes_.find('\n') != std::string::npos; }

 private:
  [[nodiscard]] bool too_long() const {
    const std::size_t end = bytes_.find('\n');
    return (end == std::string::npos ? bytes_.size() : end) > longest_;
  }

  std::size_t longest_;
  std::string bytes_;
};

}  // namespace framegov
