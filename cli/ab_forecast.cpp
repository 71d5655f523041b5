// SPDX-License-Identifier: Apache-2.0
#include "cli/ab_forecast.h"

#include <atomic>
#include <memory>
#include <utility>

#include "cli/ab/forecast.h"
#include "cli/option_values.h"
#include "cli/progress_line.h"
#include "cli/sim_inputs.h"
#include "config/effective_profile.h"
#include "governor/cpufreq/calibrated_power.h"
#include "policy/bounded_policy.h"
#include "sim/devices/device_catalog.h"
#include "sim/results/scorecard.h"
#include "sim/workload/synthetic.h"

namespace framegov::cli {

namespace {

/// The phone that is forecast for, and what is known of its power.
struct KnownPhone {
  sim::DeviceModel model;
  ab::PowerDoubt doubt;
  sim::EnergyModel power = sim::EnergyModel::kTable;  ///< what framegovd has of it
};

Result<KnownPhone> calibrated_phone(const std::string& state_dir) {
  FRAMEGOV_TRY(const std::string text, read_calibration(state_dir));
  if (text.empty()) {
    return fail(ExitCode::kUsage, "no power of this phone is known to forecast from",
                "framegov calibrate measures it; or name a phone that is like it with --device");
  }
  FRAMEGOV_TRY(sim::DeviceModel model, sim::parse_device(text, kCalibratedFile));
  FRAMEGOV_TRY(const auto intervals, sim::busy_intervals(text, kCalibratedFile, model));
  // A calibration does not say how the kernel places threads.
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load());
  if (const sim::DeviceModel* const alike = sim::most_alike(model, catalog.devices())) {
    model.placement = alike->placement;
    model.uclamp = alike->uclamp;
  }
  ab::PowerDoubt doubt = ab::power_doubt(model, intervals);
  return KnownPhone{std::move(model), std::move(doubt), sim::EnergyModel::kExact};
}

Result<KnownPhone> named_phone(const ForecastOptions& options) {
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load(options.device_dir));
  FRAMEGOV_TRY(const sim::DeviceModel* const found, catalog.find(options.device));
  return KnownPhone{*found, ab::power_doubt(*found, {})};
}

/// What the phone does in the windows without framegov.
Result<const sim::PolicyEntry*> stock_policy(const ForecastOptions& options,
                                             const std::string& engine) {
  if (!options.stock.empty() || engine.empty()) {
    return sim::find_policy(options.stock.empty() ? sim::kStockPolicy : options.stock);
  }
  const auto rival = sim::find_policy(engine);
  if (!rival) {
    return fail(ExitCode::kUsage, "the simulator has no engine '" + engine + "' to forecast with",
                "--stock names the policy that is most like it");
  }
  return rival;
}

/// The profile's policy as the service has it: within the profile's bounds.
sim::PolicyEntry bounded(sim::PolicyEntry policy, const EffectiveProfile& profile) {
  policy.make = [make = policy.make, profile](const CpuTopology& topology,
                                              const PolicySettings& settings) {
    return std::make_unique<BoundedPolicy>(make(topology, settings),
                                           policy_bounds(profile, topology));
  };
  return policy;
}

}  // namespace

void ForecastOptions::add_to(CLI::App& command) {
  auto* forecast =
      command
          .add_option("--forecast", recording,
                      "Say beforehand what to expect, from a recording of the app in use")
          ->type_name("RECORDING")
          ->check(file_name());
  auto* phone =
      command.add_option("--device", device, "Forecast for this phone (default: as calibrated)")
          ->type_name("NAME")
          ->needs(forecast);
  command.add_option("--device-dir", device_dir, "A folder of further device files")
      ->type_name("DIR")
      ->needs(phone);
  command
      .add_option("--stock", stock,
                  "What the phone does without framegov (default: the --engine, else " +
                      std::string(sim::kStockPolicy) + ")")
      ->type_name("POLICY")
      ->needs(forecast);
}

Result<ab::Expectation> expect_of(const ForecastOptions& options, const std::string& app,
                                  const std::string& engine, const LoadedProfiles& profiles) {
  constexpr std::size_t kDraws = 20;
  FRAMEGOV_TRY(const sim::PolicyEntry* const stock, stock_policy(options, engine));
  FRAMEGOV_TRY(const KnownPhone phone, options.device.empty()
                                           ? calibrated_phone(profiles.settings.service.state_dir)
                                           : named_phone(options));
  const EffectiveProfile profile = profiles.profile(profiles.mode(app), app);
  FRAMEGOV_TRY(const sim::PolicyEntry* const governed, sim::find_policy(profile.policy.value));
  SimInputArguments inputs;
  inputs.names = {options.recording};
  inputs.app = app;
  FRAMEGOV_TRY(auto recordings, load_inputs(inputs));
  ab::ForecastInput input{.recording = std::move(recordings.front()),
                          .phone = phone.model,
                          .doubt = phone.doubt,
                          .stock = *stock,
                          .framegov = bounded(*governed, profile),
                          .settings = {}};
  input.settings.deadline = sim::DeadlineMode::kRecorded;
  input.settings.policy = policy_settings(profile, profiles.settings);
  input.settings.plant.world = sim::World::phone();
  input.settings.plant.world.power = phone.power;
  std::atomic<std::size_t> done{0};
  const ProgressWatch watch(done, kDraws, "pairs of replays");
  FRAMEGOV_TRY(const ab::Forecast forecast, ab::make_forecast(input, kDraws, 0, done));
  return ab::Expectation{forecast, input.recording.name, phone.model.name, stock->name};
}

}  // namespace framegov::cli
