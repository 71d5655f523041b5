// SPDX-License-Identifier: Apache-2.0
#include "governor/engines/engine_switches.h"

#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/trusted_path.h"
#include "governor/cpufreq/recovery.h"

namespace framegov {

namespace {

constexpr const char* kEnginesLock = "engines_lock";
constexpr const char* kGetItBack =
    "framegovd --restore removes it; a reboot puts every engine back";

/// What the folder says of this boot; empty where it says nothing.
Result<SavedEngines> read_saved(const StateDir& dir, const EngineRoots& roots) {
  FRAMEGOV_TRY_STATUS(check_trusted(dir.path() / kSavedEnginesFile));
  SavedEngines none{read_boot_id(roots.proc), {}};
  FRAMEGOV_TRY(const auto text, dir.read_file(kSavedEnginesFile));
  if (!text) {
    return none;
  }
  auto saved = parse_saved_engines(*text);
  if (!saved) {
    return fail(ExitCode::kBadInput, dir.path().string() + ": " + saved.error().message,
                kGetItBack);
  }
  return saved->boot_id == none.boot_id ? *std::move(saved) : none;
}

/// What another has set meanwhile is theirs.
Status put_back(const EngineRoots& roots, const EngineSwitch& before) {
  const auto now = read_switch(roots, before.path);
  std::error_code error;
  if (!now && std::filesystem::exists(roots.real(before.path), error)) {
    return fail(ExitCode::kFailure, before.path + ": it cannot be read",
                "nothing may be mounted over the node; framegovd --restore tries again");
  }
  return now && now->value == before.off_value() ? write_switch(roots, before.path, before.value)
                                                 : Status{};
}

}  // namespace

Result<EngineSwitches> EngineSwitches::open(EngineRoots roots,
                                            const std::filesystem::path& state_dir) {
  FRAMEGOV_TRY(auto dir, StateDir::open(state_dir));
  FRAMEGOV_TRY(auto lock, dir.keep_file(kEnginesLock));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(ExitCode::kFailure, "another framegov command is switching engines",
                "wait for it, or end it");
  }
  FRAMEGOV_TRY(auto saved, read_saved(dir, roots));
  return EngineSwitches(std::move(roots), std::move(dir), std::move(lock), std::move(saved));
}

Status EngineSwitches::keep() const {
  return saved_.switches.empty() ? dir_.remove_file(kSavedEnginesFile)
                                 : dir_.write_file(kSavedEnginesFile, to_text(saved_));
}

Status EngineSwitches::off(const FrameEngine& engine) {
  const auto all = find_engines(roots_);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const FoundEngine& each) { return each.engine == &engine; });
  if (found == all.end()) {
    return fail(ExitCode::kUnsupported, std::string(engine.name) + " is not on this phone",
                "framegov engine list shows what is");
  }
  if (found->switches.empty()) {
    return fail(ExitCode::kUnsupported,
                std::string(engine.name) + ": no switch of it is known on this phone",
                "docs/engines.md says which ones framegov writes");
  }
  std::vector<EngineSwitch> to_write;
  for (const EngineSwitch& each : found->switches) {
    if (each.on()) {
      to_write.push_back(each);
      if (!saved_.has(each.path)) {
        saved_.switches.push_back({&engine, each});
      }
    }
  }
  if (to_write.empty()) {
    return {};
  }
  FRAMEGOV_TRY_STATUS(keep());
  for (const EngineSwitch& each : to_write) {
    if (Status written = write_switch(roots_, each.path, each.off_value()); !written) {
      (void)on(engine);
      return written;
    }
  }
  return {};
}

Status EngineSwitches::on(const FrameEngine& engine) {
  if (!saved_.has(engine)) {
    for (const FoundEngine& each : find_engines(roots_)) {
      if (each.engine == &engine && each.state() == EngineState::kOff) {
        return fail(ExitCode::kBadInput,
                    std::string(engine.name) + " is off, but not by framegov: it stays so",
                    "switch it on with what switched it off");
      }
    }
    return {};
  }
  Status result;
  std::vector<SavedSwitch> left;
  // The last that was written first.
  for (auto each = saved_.switches.rbegin(); each != saved_.switches.rend(); ++each) {
    Status done = each->engine == &engine ? put_back(roots_, each->before) : Status{};
    if (each->engine != &engine || !done) {
      left.insert(left.begin(), *each);
    }
    if (result && !done) {
      result = std::move(done);
    }
  }
  saved_.switches = std::move(left);
  FRAMEGOV_TRY_STATUS(keep());
  return result;
}

Status EngineSwitches::all_on() {
  Status result;
  for (const FrameEngine& each : known_engines()) {
    if (Status done = saved_.has(each) ? on(each) : Status{}; !done && result) {
      result = std::move(done);
    }
  }
  FRAMEGOV_TRY_STATUS(keep());  // a file of before a reboot goes
  return result;
}

SavedEngines look_at_saved_engines(const EngineRoots& roots,
                                   const std::filesystem::path& state_dir) {
  std::error_code error;
  if (!std::filesystem::exists(state_dir / kSavedEnginesFile, error)) {
    return {};  // opening would make the folder
  }
  const auto dir = StateDir::open(state_dir);
  return dir ? read_saved(*dir, roots).value_or(SavedEngines{}) : SavedEngines{};
}

Status recover_engines(const ServiceSettings& settings, Log& log) {
  std::error_code error;
  if (!std::filesystem::exists(settings.state_dir / kSavedEnginesFile, error)) {
    return {};
  }
  auto switches = EngineSwitches::open(EngineRoots(settings), settings.state_dir);
  if (!switches && switches.error().code == ExitCode::kBadInput) {
    log.error("engines-unread",
              switches.error().message + ": engines that it named stay off until a reboot");
    FRAMEGOV_TRY(const auto dir, StateDir::open(settings.state_dir));
    return dir.remove_file(kSavedEnginesFile);
  }
  return switches ? switches->all_on() : tl::unexpected(switches.error());
}

}  // namespace framegov
