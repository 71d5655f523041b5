// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "policy/policy.h"
#include "python/src/step_objects.h"

namespace framegov::python {

/// A policy whose step() is Python's. Runs with the GIL held; what Python raises ends the run.
class PythonPolicy final : public Policy {
 public:
  PythonPolicy(const pybind11::object& policy, std::string name, std::size_t clusters)
      : name_(std::move(name)),
        step_(policy.attr("step")),
        clusters_(clusters),
        plan_(clusters),
        input_(std::make_shared<StepInput>()),
        input_object_(pybind11::cast(input_)) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override {
    constexpr std::uint32_t kSignalsEvery = 4096;
    if (++steps_ % kSignalsEvery == 0 && PyErr_CheckSignals() != 0) {
      throw pybind11::error_already_set();  // Ctrl-C
    }
    input_->show(input);
    const auto answer = pybind11::reinterpret_steal<pybind11::object>(
        PyObject_CallOneArg(step_.ptr(), input_object_.ptr()));
    input_->hide();
    if (!answer) {
      throw pybind11::error_already_set();
    }
    take_answer(answer, clusters_, plan_);
    if (plan_.wake_at <= input.now) {
      plan_.wake_at = {};  // it has come
    }
    return plan_.plan;
  }
  [[nodiscard]] Instant wake_at() const override { return plan_.wake_at; }
  [[nodiscard]] std::string_view name() const override { return name_; }

 private:
  std::string name_;
  pybind11::object step_;
  std::size_t clusters_;
  StepPlan plan_;
  std::shared_ptr<StepInput> input_;
  pybind11::object input_object_;
  std::uint32_t steps_ = 0;
};

}  // namespace framegov::python
