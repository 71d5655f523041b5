// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_worker.h"

#include <sys/stat.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "sim/devices/content_hash.h"
#include "sim/import/import.h"
#include "sim/results/scene_bounds.h"
#include "sim/results/scorecard.h"
#include "sim/sweep/sweep_key.h"
#include "sim/workload/one_app.h"

namespace framegov::sim {

namespace {

/// The recording made ready as `framegov sim` does; the error says why there is nothing to replay.
Result<std::shared_ptr<const Workload>> replayable(const std::filesystem::path& path,
                                                   const std::string& recorded_on) {
  ImportOptions options;
  options.recorded_on = recorded_on;
  FRAMEGOV_TRY(Workload workload, import_workload(path, options));
  FRAMEGOV_TRY_STATUS(require_work(workload));
  FRAMEGOV_TRY_STATUS(require_energy(workload));
  (void)mark_apps_beside(workload);
  return std::make_shared<const Workload>(std::move(workload));
}

/// `text` with the input's name in place of its path, which is another one elsewhere.
std::string without_path(std::string text, const SweepInput& input) {
  const std::string path = input.path.string();
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
    text.replace(at, path.size(), input.name);
    at += input.name.size();
  }
  return text;
}

/// Figures of a run by themselves: who it was is known, and ratios are of several runs.
std::string figures_of(const RunResult& run) {
  nlohmann::json figures = to_json({ScoredRun{.run = run,
                                              .vs_strict = {},
                                              .vs_buffered = {},
                                              .vs_stock = {},
                                              .frames_vs_bound = {},
                                              .others_vs_stock = {}}})["runs"][0];
  for (const char* key : {"input", "device", "policy", "world", "deadline", "vs_strict",
                          "vs_buffered", "vs_stock", "frames_vs_bound"}) {
    figures.erase(key);
  }
  figures["others"].erase("vs_stock");
  return json_line(figures);
}

std::string figures_of(const SceneBounds& bounds) {
  return json_line(nlohmann::json{{"strict_mj", bounds.strict_mj},
                                  {"buffered_mj", bounds.buffered_mj},
                                  {"frames_mj", bounds.frames_mj},
                                  {"dp_mj", bounds.dp_mj}});
}

}  // namespace

Result<InputStamp> stamp_of(const std::filesystem::path& path) {
  struct ::stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    return fail_input(errno, path.string());
  }
  InputStamp stamp;
  if (S_ISREG(found.st_mode)) {
    stamp.bytes = found.st_size;
    stamp.changed_ns = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec;
  }
  return stamp;
}

Status SweepWorker::load(std::size_t input) {
  if (loaded_ == input) {
    return {};
  }
  loaded_ = kNone;
  scene_.reset();
  fitted_ = kNone;
  const SweepInput& wanted = plan_->inputs[input];
  stamp_ = {};
  input_error_.clear();
  input_ = {wanted.name, wanted.generated, {}};
  if (!wanted.is_generated()) {
    FRAMEGOV_TRY(stamp_, stamp_of(wanted.path));
    FRAMEGOV_TRY(stamp_.sha256, sha256_of(wanted.path));
    auto workload = replayable(wanted.path, plan_->recorded_on);
    if (workload) {
      input_.load = *std::move(workload);
    } else {
      input_error_ = without_path(workload.error().to_string(), wanted);
    }
  }
  loaded_ = input;
  return {};
}

const ReplayDevice& SweepWorker::device(std::size_t device, EnergyModel power) {
  return devices_.try_emplace({device, power}, plan_->devices[device], power).first->second;
}

std::string SweepWorker::figures(std::size_t scene, std::size_t variant,
                                 const ReplaySettings& settings) {
  if (!input_error_.empty()) {
    return json_line(nlohmann::json{{"error", input_error_}});
  }
  const ReplayDevice& phone = device(plan_->scene(scene).device, settings.world().power);
  if (plan_->is_bounds(variant)) {
    return figures_of(scene_bounds(input_, phone, settings.world()));
  }
  if (fitted_ != scene) {
    scene_ = std::make_unique<Scene>(input_, phone, settings);
    fitted_ = scene;
  }
  const SweepPolicy& policy = plan_->policies[variant];
  const PolicyEntry entry = policy.on_device ? policy.on_device(phone.name) : policy.entry;
  return figures_of(replay_beside(scene_->full_speed, scene_->replay, entry, settings));
}

Result<SweepUnitResults> SweepWorker::run(const SweepUnit& unit) {
  const std::size_t number = unit.scene(plan_->units_of_a_scene());
  const SweepScene scene = plan_->scene(number);
  FRAMEGOV_TRY_STATUS(load(scene.input));
  if (auto* generated = std::get_if<SyntheticSettings>(&input_.load)) {
    generated->seed = scene.seed;
  }
  ReplaySettings settings;
  settings.deadline = plan_->deadline;
  settings.plant.drop_late = plan_->drop_late;
  settings.plant.world = plan_->worlds[scene.world].world;
  settings.plant.world.seed = scene.seed;
  SweepUnitResults done{stamp_, {}};
  for (const std::size_t variant : plan_->variants_of(unit)) {
    settings.policy =
        plan_->is_bounds(variant) ? PolicySettings{} : plan_->policies[variant].settings;
    done.results.push_back({number, variant, sweep_key(*plan_, number, variant, stamp_.sha256),
                            figures(number, variant, settings)});
  }
  return done;
}

}  // namespace framegov::sim
