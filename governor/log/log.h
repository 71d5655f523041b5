// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/published.h"
#include "base/result.h"
#include "base/text.h"
#include "config/settings.h"

namespace framegov {

/// A line of the log, as other threads may read it.
struct LogLine {
  std::int64_t unix_ns{};
  FixedText<12> level;
  FixedText<24> code;
  FixedText<488> text;
};

/// The last lines of the log.
using LogLines = PublishedRing<LogLine, 64>;

/// The service's log: to stderr and, when a file is named, to that file too.
///
/// Nothing that is logged makes two lines, or looks like more than it is (one_line()), and a line
/// is in the file when the call returns. Lines are complete when they come here, so that a loop
/// that logs nothing pays one comparison (`debug_enabled`). Used from one thread, but for lines().
class Log {
 public:
  /// `file` empty: stderr only. The file is kept under 16 MiB, with one older one beside it.
  /// Error: the file cannot be opened.
  [[nodiscard]] static Result<std::unique_ptr<Log>> open(LogLevel level,
                                                         const std::filesystem::path& file);
  /// As open(), but for what must be done all the same: without the file there is stderr, which is
  /// told why.
  [[nodiscard]] static std::unique_ptr<Log> open_anyway(LogLevel level,
                                                        const std::filesystem::path& file);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();

  /// `code` says what kind of line it is, in up to 23 letters: `log_CODE` is what an owner reads of
  /// it in another language (docs/translating.md).
  void error(std::string_view code, std::string_view line);
  void warning(std::string_view code, std::string_view line);
  void info(std::string_view code, std::string_view line);
  /// For developers: no code.
  void debug(std::string_view line);
  [[nodiscard]] bool debug_enabled() const { return debug_enabled_; }

  /// The last lines, for other threads to read.
  [[nodiscard]] const LogLines& lines() const { return lines_; }

 private:
  struct Sinks;
  Log(std::unique_ptr<Sinks> sinks, LogLevel level);
  void write(LogLevel level, std::string_view code, std::string_view line);

  std::unique_ptr<Sinks> sinks_;
  LogLevel level_;
  bool debug_enabled_;
  LogLines lines_;
};

}  // namespace framegov
