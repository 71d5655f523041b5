// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// One kernel event in a trace buffer of our own, as text: others' traces are not disturbed. Times
/// are on CLOCK_MONOTONIC. What a killed process leaves is known by its name
/// (remove_trace_leftovers).
class EventPipe {
 public:
  /// `event`: "power/cpu_frequency". `what` tells buffers of one process apart, `buffer_kb` is for
  /// each CPU. Error: there is no tracefs that we may use, or it has no such event.
  [[nodiscard]] static Result<EventPipe> open(const std::filesystem::path& tracefs,
                                              std::string_view event, std::string_view what,
                                              const char* buffer_kb);
  EventPipe(EventPipe&& other) noexcept = default;
  EventPipe& operator=(EventPipe&& other) = delete;
  ~EventPipe();

  /// The buffer's, in tracefs.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Calls `visit(line)` with each line since the last call.
  template <class Visitor>
  void drain(Visitor&& visit) {
    fill();
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      visit(std::string_view(text_).substr(begin, end - begin));
    }
    text_.erase(0, begin);
  }

 private:
  EventPipe(std::filesystem::path folder, std::filesystem::path enable)
      : folder_(std::move(folder)), enable_(std::move(enable)) {}
  void fill();
  void remove() const;

  std::filesystem::path folder_;  ///< empty: moved from
  std::filesystem::path enable_;  ///< within it
  UniqueFd pipe_;
  std::string text_;  ///< read, but no whole line yet
};

}  // namespace framegov
