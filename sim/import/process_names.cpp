// SPDX-License-Identifier: Apache-2.0
#include "sim/import/trace_model.h"

namespace framegov::sim {

namespace {

/// What an app's process is called between its fork and its start.
bool is_no_app_yet(std::string_view command_line) {
  return command_line == "<pre-initialized>" || command_line.starts_with("zygote") ||
         command_line.starts_with("usap");
}

}  // namespace

const ThreadTrack* RecordedProcesses::find_thread(std::int32_t tid) const {
  const auto found = thread_index.find(tid);
  return found == thread_index.end() ? nullptr : &threads[found->second];
}

std::string RecordedProcesses::name_of(std::int32_t tgid) const {
  constexpr std::uint64_t kUidsPerUser = 100'000;
  static const ThreadTrack kUnknown;
  const ThreadTrack* const found = find_thread(tgid);
  const ThreadTrack& main_thread = found != nullptr ? *found : kUnknown;
  if (!main_thread.command_line.empty() && !is_no_app_yet(main_thread.command_line)) {
    return main_thread.command_line;
  }
  if (const auto package = packages.find(main_thread.uid % kUidsPerUser);
      package != packages.end() && !package->second.empty()) {
    return package->second;
  }
  if (!main_thread.comm.empty()) {
    return main_thread.comm;
  }
  return !main_thread.command_line.empty() ? main_thread.command_line
                                           : "pid " + std::to_string(tgid);
}

}  // namespace framegov::sim
