// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace framegov::cli {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// Colours only where somebody sees them: a terminal, and no NO_COLOR.
[[nodiscard]] bool wants_colour(bool terminal, const char* no_color, const char* term);
/// The same of stdout and of this process's environment.
[[nodiscard]] bool stdout_wants_colour();

/// Of standard output's terminal; COLUMNS and LINES, or 80x24, where there is none.
[[nodiscard]] TerminalSize terminal_size();

/// The whole screen for a live view, until the object goes: then everything is as before. Resizing
/// and Ctrl-C interrupt waiting calls.
class LiveScreen {
 public:
  LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  ~LiveScreen();

  void show(const std::vector<std::string>& lines) const;

  /// Ctrl-C, a TERM signal, or the key q.
  [[nodiscard]] bool end_asked() const;

 private:
  struct Saved;
  Saved* saved_;
};

}  // namespace framegov::cli
