// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// What a command writes to its standard output, taken as it comes, without waiting for it. No
/// shell; nothing of our environment or descriptors goes along. The command is killed with the
/// object.
class CommandOutput {
 public:
  /// Starts `program` (a path) with `arguments`. More than `limit` bytes are an error. Error: it
  /// cannot be started.
  [[nodiscard]] static Result<CommandOutput> start(const std::filesystem::path& program,
                                                   const std::vector<std::string>& arguments,
                                                   std::size_t limit);
  CommandOutput(CommandOutput&& other) noexcept;
  CommandOutput& operator=(CommandOutput&& other) noexcept;
  ~CommandOutput();

  /// Readable while there is output, and at its end.
  [[nodiscard]] int fd() const { return pipe_.get(); }
  /// Takes what is there. True at the end of the output.
  [[nodiscard]] Result<bool> read();
  /// What was taken so far.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  CommandOutput() = default;
  void end();

  std::string name_;
  pid_t pid_ = -1;
  UniqueFd pipe_;
  std::string text_;
  std::size_t limit_ = 0;
};

}  // namespace framegov
