// SPDX-License-Identifier: Apache-2.0
#include "cli/ab_record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

constexpr const char* kLock = "ab.lock";
constexpr const char* kRunner = "ab.runner";
constexpr const char* kProgress = "ab.progress";
constexpr const char* kResult = "ab.result";

/// Of the whole file, by open file description: a child has its parent's, and asking takes nothing.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Result<AbRecord> AbRecord::open(const std::filesystem::path& state_dir) {
  FRAMEGOV_TRY(auto dir, StateDir::open(state_dir));
  return AbRecord(std::move(dir));
}

Result<UniqueFd> AbRecord::open_lock() const {
  const std::string path = (dir_.path() / kLock).string();
  UniqueFd file = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (!file) {
    return fail_errno(errno, path);
  }
  return file;
}

Status AbRecord::claim() {
  FRAMEGOV_TRY(auto file, open_lock());
  struct flock lock = whole_file();
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
    return fail(ExitCode::kFailure, "an experiment is running already",
                "wait for it; for a background run, use framegov ab --show or --stop");
  }
  lock_ = std::move(file);
  // Of the one before: its pid is somebody else's by now.
  const Status forgotten = dir_.remove_file(kRunner);
  return forgotten ? dir_.remove_file(kProgress) : forgotten;
}

Status AbRecord::name_runner(pid_t pid) const {
  return dir_.write_file(kRunner, std::to_string(pid));
}

Status AbRecord::keep_progress(std::string_view json) const {
  return dir_.write_file(kProgress, json);
}

Status AbRecord::keep_result(std::string_view json) const { return dir_.write_file(kResult, json); }

bool AbRecord::running() const {
  const auto file = open_lock();
  struct flock lock = whole_file();
  return file && ::fcntl(file->get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

Json AbRecord::read(const char* name) const {
  const auto text = dir_.read_file(name);
  Json json = text && *text ? Json::parse(**text, nullptr, false) : Json();
  return json.is_discarded() ? Json() : json;
}

Json AbRecord::standing() const {
  Json result = read(kResult);
  struct stat status {};
  if (result.is_object() && ::stat((dir_.path() / kResult).c_str(), &status) == 0) {
    result["measured_unix_s"] = static_cast<std::int64_t>(status.st_mtime);
  }
  return {{"running", running() ? read(kProgress) : Json()}, {"result", std::move(result)}};
}

Status AbRecord::stop() const {
  const auto text = dir_.read_file(kRunner);
  pid_t pid = 0;
  if (running() && text && *text) {
    std::from_chars((*text)->data(), (*text)->data() + (*text)->size(), pid);
  }
  if (pid <= 0 || ::kill(pid, SIGINT) != 0) {
    return fail(ExitCode::kFailure, "no experiment is running in the background");
  }
  return {};
}

}  // namespace framegov::cli
