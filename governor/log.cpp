// SPDX-License-Identifier: Apache-2.0
#include "governor/log.h"

// The only file that sees spdlog: it is slow to compile.
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <utility>
#include <vector>

namespace framegov {

namespace {

constexpr std::size_t kLargestFile = 16U << 20U;
constexpr std::size_t kOlderFiles = 1;

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

Log::Log(std::unique_ptr<Sinks> sinks, bool debug_enabled)
    : sinks_(std::move(sinks)), debug_enabled_(debug_enabled) {}

Log::~Log() { sinks_->logger.flush(); }

Result<std::unique_ptr<Log>> Log::open(LogLevel level, const std::filesystem::path& file) {
  std::vector<spdlog::sink_ptr> sinks = {std::make_shared<spdlog::sinks::stderr_sink_st>()};
  sinks.back()->set_pattern("framegovd: %l: %v");
  if (!file.empty()) {
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
  made->logger.flush_on(spdlog::level::info);
  return std::unique_ptr<Log>(new Log(std::move(made), level == LogLevel::kDebug));
}

void Log::error(std::string_view line) { sinks_->logger.error(line); }
void Log::warning(std::string_view line) { sinks_->logger.warn(line); }
void Log::info(std::string_view line) { sinks_->logger.info(line); }
void Log::debug(std::string_view line) { sinks_->logger.debug(line); }

}  // namespace framegov
