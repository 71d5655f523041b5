// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace framegov::cli {

namespace {

volatile std::sig_atomic_t stop_signal = 0;

void on_stop(int) { stop_signal = 1; }
void on_resize(int) {}  // only so that a waiting call ends

/// Without SA_RESTART: waiting calls are to end.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

std::size_t number_of(const char* text, std::size_t otherwise) {
  const long value = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return value > 0 && value < 10000 ? static_cast<std::size_t>(value) : otherwise;
}

void put(const std::string& text) {
  const char* next = text.data();
  std::size_t left = text.size();
  while (left > 0) {
    const ssize_t written = ::write(STDOUT_FILENO, next, left);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;
    }
    next += written;
    left -= static_cast<std::size_t>(written);
  }
}

}  // namespace

bool wants_colour(bool terminal, const char* no_color, const char* term) {
  const bool refused = no_color != nullptr && *no_color != '\0';
  return terminal && !refused && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

bool stdout_wants_colour() {
  return wants_colour(::isatty(STDOUT_FILENO) == 1, std::getenv("NO_COLOR"), std::getenv("TERM"));
}

TerminalSize terminal_size() {
  TerminalSize size;
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    return {window.ws_col, window.ws_row};
  }
  return {number_of(std::getenv("COLUMNS"), size.columns),
          number_of(std::getenv("LINES"), size.rows)};
}

struct LiveScreen::Saved {
  termios keyboard{};
  bool keys = false;
};

LiveScreen::LiveScreen() : saved_(new Saved) {
  handle(SIGINT, on_stop);
  handle(SIGTERM, on_stop);
  handle(SIGHUP, on_stop);
  handle(SIGWINCH, on_resize);
  if (::tcgetattr(STDIN_FILENO, &saved_->keyboard) == 0) {
    termios raw = saved_->keyboard;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    saved_->keys = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  put("\x1b[?1049h\x1b[?25l");  // a screen of our own, no cursor
}

LiveScreen::~LiveScreen() {
  put("\x1b[?25h\x1b[?1049l");
  if (saved_->keys) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &saved_->keyboard);
  }
  delete saved_;
}

void LiveScreen::show(const std::vector<std::string>& lines) const {
  // What was there is erased before a line is written: after a line that fills its row the cursor
  // still stands on the last letter, which would go with it.
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i == 0 ? "\x1b[J" : "\r\n") + lines[i];
  }
  put(text);
}

bool LiveScreen::end_asked() const {
  if (stop_signal != 0) {
    return true;
  }
  pollfd keys{STDIN_FILENO, POLLIN, 0};
  char key = 0;
  return saved_->keys && ::poll(&keys, 1, 0) == 1 && ::read(STDIN_FILENO, &key, 1) == 1 &&
         (key == 'q' || key == 'Q');
}

}  // namespace framegov::cli
