// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>

#include "base/frequency_plan.h"
#include "policy/policy.h"

namespace framegov::python {

/// A frame that has ended, while step() runs.
struct StepFrame {
  const Frame* frame = nullptr;

  [[nodiscard]] const Frame& get() const {
    if (frame == nullptr) {
      throw std::runtime_error("a frame is valid only while step() runs: copy what is to last");
    }
    return *frame;
  }
};

/// What Python's step() is handed: looks at the policy's input while the call lasts.
struct StepInput {
  const PolicyInput* input = nullptr;
  std::shared_ptr<StepFrame> frame = std::make_shared<StepFrame>();
  pybind11::object frame_object = pybind11::cast(frame);  ///< the same; made once

  void show(const PolicyInput& shown) {
    input = &shown;
    frame->frame = shown.frame;
  }
  void hide() {
    input = nullptr;
    frame->frame = nullptr;
  }

  [[nodiscard]] const PolicyInput& get() const {
    if (input == nullptr) {
      throw std::runtime_error("an input is valid only while step() runs: copy what is to last");
    }
    return *input;
  }
};

/// What Python's step() answers, and when it wants to be asked again.
struct StepPlan {
  explicit StepPlan(std::size_t cluster_count)
      : plan(FrequencyPlan::uncapped(cluster_count, ReasonCode::kFixed)) {}

  FrequencyPlan plan;
  Instant wake_at;
};

/// Takes what Python answered: a Plan, None (the plan before stays) or a cap in kHz for each
/// cluster (0: none). Throws TypeError or ValueError for anything else.
void take_answer(pybind11::handle answer, std::size_t cluster_count, StepPlan& plan);

/// Adds the classes to the module.
void bind_step_objects(pybind11::module_& module);

}  // namespace framegov::python
