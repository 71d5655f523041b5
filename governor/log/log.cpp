// SPDX-License-Identifier: Apache-2.0
#include "governor/log/log.h"

// The only file that sees spdlog: it is slow to compile.
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "base/file.h"
#include "governor/log/one_line.h"

namespace framegov {

namespace {

constexpr std::size_t kLargestFile = 16U << 20U;
constexpr std::size_t kOlderFiles = 1;
constexpr std::array<std::string_view, 4> kLevelNames{"error", "warning", "info", "debug"};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kDebug:
      break;
  }
  return spdlog::level::debug;
}

}  // namespace

struct Log::Sinks {
  explicit Sinks(std::vector<spdlog::sink_ptr> sinks)
      : logger("framegovd", sinks.begin(), sinks.end()) {}
  spdlog::logger logger;
};

Log::Log(std::unique_ptr<Sinks> sinks, LogLevel level)
    : sinks_(std::move(sinks)), level_(level), debug_enabled_(level == LogLevel::kDebug) {}

Log::~Log() { sinks_->logger.flush(); }

Result<std::unique_ptr<Log>> Log::open(LogLevel level, const std::filesystem::path& file) {
  std::vector<spdlog::sink_ptr> sinks = {std::make_shared<spdlog::sinks::stderr_sink_st>()};
  sinks.back()->set_pattern("framegovd: %l: %v");
  if (!file.empty()) {
    // The sink's own open would wait for the other end of a pipe, and follow a planted link.
    if (!open_file(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600)) {
      return fail(ExitCode::kFailure, "log file " + fail_open(errno, file).value().message,
                  "service.log_file in the configuration names it");
    }
    try {
      sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_st>(
          file.string(), kLargestFile, kOlderFiles));
    } catch (const spdlog::spdlog_ex& error) {
      return fail(ExitCode::kFailure, "log file " + file.string() + ": " + error.what(),
                  "service.log_file in the configuration names it");
    }
    sinks.back()->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
  }
  auto made = std::make_unique<Sinks>(std::move(sinks));
  made->logger.set_level(to_spdlog(level));
  // Each line, so that it is there when the process is killed; who does not debug writes few.
  made->logger.flush_on(spdlog::level::trace);
  return std::unique_ptr<Log>(new Log(std::move(made), level));
}

std::unique_ptr<Log> Log::open_anyway(LogLevel level, const std::filesystem::path& file) {
  auto log = open(level, file);
  if (log) {
    return *std::move(log);
  }
  auto without_file = *open(level, {});
  without_file->warning("no-log-file", log.error().to_string());
  return without_file;
}

void Log::write(LogLevel level, std::string_view code, std::string_view line) {
  if (level > level_) {
    return;
  }
  const std::string shown = one_line(line);
  sinks_->logger.log(to_spdlog(level), shown);
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const std::string_view name = kLevelNames[static_cast<std::size_t>(level)];
  lines_.push({std::chrono::nanoseconds(since_epoch).count(), FixedText<12>(name),
               FixedText<24>(code), FixedText<488>(shown)});
}

void Log::error(std::string_view code, std::string_view line) {
  write(LogLevel::kError, code, line);
}
void Log::warning(std::string_view code, std::string_view line) {
  write(LogLevel::kWarning, code, line);
}
void Log::info(std::string_view code, std::string_view line) { write(LogLevel::kInfo, code, line); }
void Log::debug(std::string_view line) { write(LogLevel::kDebug, {}, line); }

}  // namespace framegov
