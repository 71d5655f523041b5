// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_service.h"

#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/json_read.h"

namespace framegov::cli {

namespace {

constexpr std::int64_t kPauseSeconds = 1800;

std::optional<std::int64_t> until_of(const nlohmann::json& reply) {
  const auto& paused = at(reply, "paused");
  return paused.is_object()
             ? std::optional(static_cast<std::int64_t>(number_in(paused, "until_unix_s")))
             : std::nullopt;
}

}  // namespace

ServiceAside::~ServiceAside() {
  if (ours_) {
    (void)give_back();  // the pause ends by itself
  }
}

Result<std::unique_ptr<ServiceAside>> ServiceAside::make(ServiceLink link, StateDir& state_dir) {
  std::unique_ptr<ServiceAside> aside(new ServiceAside(std::move(link)));
  FRAMEGOV_TRY(const auto holder, state_dir.lock());
  aside->runs_ = !holder.is_this_process;
  FRAMEGOV_TRY_STATUS(aside->hold());
  return aside;
}

Result<std::optional<std::int64_t>> ServiceAside::pause_now() const {
  FRAMEGOV_TRY(const auto status, link_.ask({{"cmd", "status"}}));
  return until_of(status);
}

Status ServiceAside::hold() {
  if (!runs_) {
    return {};
  }
  FRAMEGOV_TRY(const auto until, pause_now());
  if (held_ && !until) {
    ours_.reset();
    return fail(ExitCode::kFailure, "framegovd was resumed meanwhile, so nothing can be measured",
                "run it again: it goes on where it was");
  }
  held_ = true;
  if (until != ours_) {
    owners_ = until;
  }
  if (until && (*until == 0 || *until >= std::time(nullptr) + kPauseSeconds)) {
    return {};
  }
  FRAMEGOV_TRY(const auto reply, link_.ask({{"cmd", "pause"}, {"for_s", kPauseSeconds}}));
  ours_ = until_of(reply);
  return {};
}

Status ServiceAside::give_back() const {
  FRAMEGOV_TRY(const auto until, pause_now());
  if (until != ours_) {
    return {};  // the owner has paused or resumed it since
  }
  const std::int64_t left = owners_.value_or(0) - std::time(nullptr);
  FRAMEGOV_TRY_STATUS(left > 0 ? link_.ask({{"cmd", "pause"}, {"for_s", left}})
                               : link_.ask({{"cmd", "resume"}}));
  return {};
}

}  // namespace framegov::cli
