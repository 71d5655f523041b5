// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_phone.h"

#include <algorithm>
#include <string>

namespace framegov::cli {

EnginePhone::~EnginePhone() {
  if (touched_) {
    (void)switches_.on(engine_);  // where it fails, what it was stays in the state folder
  }
}

Status EnginePhone::use(ab::Arm arm) {
  touched_ = true;
  FRAMEGOV_TRY_STATUS(arm == ab::Arm::kFramegov ? switches_.off(engine_) : switches_.on(engine_));
  return phone_->use(arm);
}

Result<std::unique_ptr<ab::Phone>> against_engine(std::unique_ptr<ab::Phone> phone,
                                                  const ServiceSettings& settings,
                                                  const FrameEngine& engine) {
  const std::string name(engine.name);
  const EngineRoots roots(settings);
  FRAMEGOV_TRY(auto switches, EngineSwitches::open(roots, settings.state_dir));
  const auto all = find_engines(roots);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const FoundEngine& each) { return each.engine == &engine; });
  if (found == all.end() || found->state() == EngineState::kThere) {
    return fail(ExitCode::kUnsupported, name + " is not on this phone, or has no switch",
                "framegov engine list shows what there is");
  }
  if (found->state() == EngineState::kOff) {
    return fail(ExitCode::kFailure, name + " is off: there is nothing to compare with",
                "framegov engine " + name + " on, where framegov has switched it off");
  }
  return std::make_unique<EnginePhone>(std::move(phone), std::move(switches), engine);
}

}  // namespace framegov::cli
