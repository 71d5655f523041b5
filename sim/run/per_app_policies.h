// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/policy.h"

namespace framegov::sim {

/// A policy object for each app, as the service has them: what was learned of an app is there when
/// it comes back. Allocates when an app is seen for the first time.
class PerAppPolicies final : public Policy {
 public:
  using Make = std::function<std::unique_ptr<Policy>()>;
  explicit PerAppPolicies(Make make) : make_(std::move(make)), policy_(make_()) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override {
    if (input.event == PolicyEvent::kAppChanged) {
      change_to(input.app);
    } else if (input.event == PolicyEvent::kFrameStart && !app_) {
      app_ = input.app;
    }
    return policy_->step(input);
  }
  [[nodiscard]] Instant wake_at() const override { return policy_->wake_at(); }
  [[nodiscard]] std::string_view name() const override { return policy_->name(); }

 private:
  struct Other {
    std::optional<AppId> app;
    std::unique_ptr<Policy> policy;
  };

  void change_to(AppId app) {
    if (app_ == app) {
      return;
    }
    for (Other& other : others_) {
      if (other.app == app) {
        std::swap(other.policy, policy_);
        other.app = std::exchange(app_, app);
        return;
      }
    }
    others_.push_back({std::exchange(app_, app), std::exchange(policy_, make_())});
  }

  Make make_;
  std::optional<AppId> app_;  ///< on top; none before the first frame
  std::unique_ptr<Policy> policy_;
  std::vector<Other> others_;  ///< all apps seen but the one on top
};

}  // namespace framegov::sim
