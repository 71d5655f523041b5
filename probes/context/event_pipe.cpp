// SPDX-License-Identifier: Apache-2.0
#include "probes/context/event_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "probes/sources/trace_leftovers.h"

namespace framegov {

Result<EventPipe> EventPipe::open(const std::filesystem::path& tracefs, std::string_view event,
                                  std::string_view what, const char* buffer_kb) {
  EventPipe events(tracefs / "instances" / (own_trace_name() + "_" + std::string(what)),
                   std::filesystem::path("events") / event / "enable");
  events.remove();  // of an earlier one in this process
  if (::mkdir(events.folder_.c_str(), S_IRWXU) != 0) {
    return fail_errno(errno, events.folder_.string(), "mount tracefs and run as root");
  }
  for (const auto& [file, value] :
       {std::pair<std::filesystem::path, const char*>{"trace_clock", "mono"},
        {"buffer_size_kb", buffer_kb},
        {events.enable_, "1"}}) {
    if (const int error = write_trace_file(events.folder_ / file, value); error != 0) {
      return fail_errno(error, (events.folder_ / file).string());
    }
  }
  events.pipe_ = open_file(events.folder_ / "trace_pipe", O_RDONLY);
  if (!events.pipe_) {
    return fail_errno(errno, (events.folder_ / "trace_pipe").string());
  }
  return events;
}

EventPipe::~EventPipe() {
  if (!folder_.empty()) {
    pipe_.reset();
    remove();
  }
}

void EventPipe::remove() const {
  (void)write_trace_file(folder_ / enable_, "0");
  ::rmdir(folder_.c_str());
}

void EventPipe::fill() {
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(pipe_.get(), buffer, sizeof buffer)) > 0;) {
    text_.append(buffer, static_cast<std::size_t>(size));
  }
}

}  // namespace framegov
