// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/ab/experiment.h"
#include "governor/engines/engine_switches.h"

namespace framegov::cli {

/// A phone where another frame engine steers in the windows without framegov, and in those only:
/// engine against engine. However the experiment ends, the engine is as before it.
class EnginePhone final : public ab::Phone {
 public:
  EnginePhone(std::unique_ptr<ab::Phone> phone, EngineSwitches switches, const FrameEngine& engine)
      : phone_(std::move(phone)), switches_(std::move(switches)), engine_(engine) {}
  EnginePhone(const EnginePhone&) = delete;
  EnginePhone& operator=(const EnginePhone&) = delete;
  ~EnginePhone() override;

  [[nodiscard]] Status use(ab::Arm arm) override;
  [[nodiscard]] Result<ab::Observation> observe() override { return phone_->observe(); }
  [[nodiscard]] Instant now() override { return phone_->now(); }
  [[nodiscard]] bool wait_until(Instant at) override { return phone_->wait_until(at); }

 private:
  std::unique_ptr<ab::Phone> phone_;
  EngineSwitches switches_;
  const FrameEngine& engine_;
  bool touched_ = false;
};

/// `phone` with an engine that is on now and can be switched. Error: it is not.
[[nodiscard]] Result<std::unique_ptr<ab::Phone>> against_engine(std::unique_ptr<ab::Phone> phone,
                                                                const ServiceSettings& settings,
                                                                const FrameEngine& engine);

}  // namespace framegov::cli
