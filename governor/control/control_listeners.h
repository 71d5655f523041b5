// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// Where a service listens: on an abstract name, which any app may take first, and on a socket file
/// in the state folder, into which only root comes. Both sockets are made at once, as a confined
/// process gets no more; a name that is taken can be tried again.
class ControlListeners {
 public:
  /// `file` may be empty: none. Error: neither can be had; the name is longer than the kernel
  /// takes.
  [[nodiscard]] static Result<ControlListeners> open(std::string_view name,
                                                     std::filesystem::path file);
  ControlListeners(ControlListeners&& other) noexcept = default;
  ControlListeners& operator=(ControlListeners&& other) = delete;
  /// The file goes, the name with the process.
  ~ControlListeners();

  /// Takes the name if it can be had by now. True when it is ours.
  bool take_name();
  [[nodiscard]] bool has_name() const { return has_name_; }
  /// Without the @.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Empty where there is none.
  [[nodiscard]] std::string file() const { return by_file_ ? file_.string() : std::string(); }
  /// What is wrong with either, in words for the log; empty when nothing is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// Those that listen; -1 for one that does not.
  [[nodiscard]] std::array<int, 2> fds() const {
    return {has_name_ ? by_name_.get() : -1, by_file_.get()};
  }

 private:
  ControlListeners() = default;

  std::string name_;
  std::filesystem::path file_;
  UniqueFd by_name_;
  UniqueFd by_file_;
  bool has_name_ = false;
  std::string problem_;
};

}  // namespace framegov
