// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/experiment.h"

namespace framegov::ab {

namespace {

constexpr Duration kLookEvery = std::chrono::seconds{1};

/// Fills the window. False: the owner wants to stop.
Result<bool> watch(Phone& phone, Window& window, Duration length) {
  for (Instant next = window.begin;; next += kLookEvery) {
    if (!phone.wait_until(next)) {
      return false;
    }
    FRAMEGOV_TRY(const auto observation, phone.observe());
    window.observations.push_back(observation);
    if (next >= window.begin + length) {
      return true;
    }
  }
}

}  // namespace

Result<std::vector<Window>> run_experiment(Phone& phone, const Plan& plan,
                                           const std::function<void(const Progress&)>& on_window) {
  FRAMEGOV_TRY(const auto first, phone.observe());
  if (first.charging) {
    return fail(ExitCode::kUnsupported,
                "the phone is charging or runs from a charger: its battery cannot be measured",
                "unplug it and start again; docs/ab.md says how a charger is known");
  }
  std::mt19937_64 random(plan.seed);
  const std::vector<Arm> arms = random_order(plan.pairs, random);
  std::vector<Window> windows;
  for (const Arm arm : arms) {
    on_window({windows.size(), arms.size(), arm});
    FRAMEGOV_TRY_STATUS(phone.use(arm));
    Window window{arm, phone.now(), {}};
    FRAMEGOV_TRY(const auto whole, watch(phone, window, plan.window));
    if (!whole) {
      break;
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace framegov::ab
