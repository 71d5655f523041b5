// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "governor/observers/service_observer.h"

namespace framegov {

/// Tells every observer what it is told, in their order.
class ObserverList final : public ServiceObserver {
 public:
  explicit ObserverList(std::vector<std::unique_ptr<ServiceObserver>> observers)
      : observers_(std::move(observers)) {}

  void on_frame(const Frame& frame, std::string_view app, Instant now) override {
    tell([&](ServiceObserver& each) { each.on_frame(frame, app, now); });
  }
  void on_app(AppId app, std::string_view name, Instant now) override {
    tell([&](ServiceObserver& each) { each.on_app(app, name, now); });
  }
  void on_decision(const Decision& decision) override {
    tell([&](ServiceObserver& each) { each.on_decision(decision); });
  }
  void on_frequencies(std::span<const Frequency> current, Instant now) override {
    tell([&](ServiceObserver& each) { each.on_frequencies(current, now); });
  }
  void on_step(const StepReport& report) override {
    tell([&](ServiceObserver& each) { each.on_step(report); });
  }
  void on_end() override {
    tell([](ServiceObserver& each) { each.on_end(); });
  }

  [[nodiscard]] bool wants_frequencies() const override {
    return std::any_of(observers_.begin(), observers_.end(),
                       [](const auto& each) { return each->wants_frequencies(); });
  }

 private:
  template <class Call>
  void tell(Call&& call) {
    for (const auto& each : observers_) {
      call(*each);
    }
  }

  std::vector<std::unique_ptr<ServiceObserver>> observers_;
};

}  // namespace framegov
