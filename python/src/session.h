// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <ucontext.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "python/src/step_objects.h"
#include "sim/run/replay.h"

namespace framegov::python {

/// Work on a stack of its own, which can stop half way and go on later: what a plant's run needs
/// when the caller wants to be asked for each plan. Used from one thread at a time.
class Fiber {
 public:
  /// `work` begins with the first resume().
  explicit Fiber(std::function<void()> work);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  /// Work that has stopped half way is unwound.
  ~Fiber();

  /// Until the work stops or ends; throws what it threw.
  void resume();
  /// From within the work: back to who resumed.
  void stop();
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  struct Unwind {};
  static void enter(unsigned high, unsigned low);

  std::function<void()> work_;
  std::vector<std::byte> stack_;
  ucontext_t caller_{};
  ucontext_t inside_{};
  std::exception_ptr thrown_;
  bool begun_ = false;
  bool ended_ = false;
  bool unwinds_ = false;
};

/// One run that stops at each step of its policy.
class Session {
 public:
  Session(const sim::ReplayInput& input, std::shared_ptr<const sim::ReplayDevice> device,
          const sim::ReplaySettings& settings);
  ~Session();

  /// `answer` is to the step shown before (as a Python policy's); the first call begins. False when
  /// the run is over.
  bool advance(pybind11::handle answer);
  [[nodiscard]] std::shared_ptr<StepInput> input() const;
  [[nodiscard]] double energy_mj() const;
  [[nodiscard]] std::uint64_t frames() const;
  [[nodiscard]] std::uint64_t missed() const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

void bind_session(pybind11::module_& module);

}  // namespace framegov::python
