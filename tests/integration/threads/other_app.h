// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

namespace framegov::test {

/// A process whose threads are steered: a UI thread that does what it is told, and a RenderThread
/// that sleeps. It ends with this object.
class OtherApp {
 public:
  /// `user`: whose process it is; this one's where zero.
  explicit OtherApp(uid_t user = 0);
  ~OtherApp();
  OtherApp(const OtherApp&) = delete;
  OtherApp& operator=(const OtherApp&) = delete;

  [[nodiscard]] std::int32_t pid() const { return pid_; }
  [[nodiscard]] std::int32_t ui() const { return pid_; }
  [[nodiscard]] std::int32_t render() const { return render_; }

  /// The CPU that its UI thread runs on after some work.
  [[nodiscard]] int work() { return ask('w'); }
  /// Its UI thread starts another one; its number.
  [[nodiscard]] std::int32_t start_thread() { return ask('s'); }
  /// The last one started ends. Returns when it has.
  void end_thread() { (void)ask('e'); }
  /// Its UI thread restricts itself to one CPU; 0 or an errno.
  [[nodiscard]] int go_to(int cpu) { return ask('g', cpu); }

 private:
  [[nodiscard]] std::int32_t ask(char what, std::int32_t number = 0);
  [[noreturn]] static void live(int commands, int answers);

  pid_t pid_{};
  std::int32_t render_{};
  std::array<int, 2> ends_{};  ///< commands to it, answers from it
};

}  // namespace framegov::test
