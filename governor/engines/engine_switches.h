// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "governor/engines/found_engines.h"
#include "governor/engines/saved_engines.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"

namespace framegov {

/// Switches other frame engines off and puts them back exactly. What a node read is in the state
/// folder before it is written, and stays there until it is put back, whoever dies meanwhile. Done
/// by commands, never by the service. One process at a time: the others are refused.
class EngineSwitches {
 public:
  /// Error: the folder is not to be trusted or cannot be used, another command is at it, or
  /// what it holds of engines cannot be understood.
  [[nodiscard]] static Result<EngineSwitches> open(EngineRoots roots,
                                                   const std::filesystem::path& state_dir);

  /// Every switch of the engine is off. Error (kUnsupported): this phone has no such engine, or it
  /// has no switch that is known; a node that cannot be written (then those before it are put
  /// back).
  [[nodiscard]] Status off(const FrameEngine& engine);

  /// What off() changed stands as before; what somebody else has changed since stays theirs.
  /// Error (kBadInput): it is off, but not by framegov.
  [[nodiscard]] Status on(const FrameEngine& engine);

  /// on() of every engine that off() has changed. Error: the first; the rest is put back.
  [[nodiscard]] Status all_on();

  [[nodiscard]] const SavedEngines& saved() const { return saved_; }

 private:
  EngineSwitches(EngineRoots roots, StateDir dir, UniqueFd lock, SavedEngines saved)
      : roots_(std::move(roots)),
        dir_(std::move(dir)),
        lock_(std::move(lock)),
        saved_(std::move(saved)) {}

  [[nodiscard]] Status keep() const;

  EngineRoots roots_;
  StateDir dir_;
  UniqueFd lock_;
  SavedEngines saved_;
};

/// What is switched off by framegov, for whoever only looks; nothing where it may not be read.
[[nodiscard]] SavedEngines look_at_saved_engines(const EngineRoots& roots,
                                                 const std::filesystem::path& state_dir);

/// Puts every engine back that framegov has switched off. A file that cannot be understood is told
/// as an error and removed: what it said is lost, and a reboot puts the nodes back. Error: a node
/// could not be written; the file stays for the next attempt.
[[nodiscard]] Status recover_engines(const ServiceSettings& settings, Log& log);

}  // namespace framegov
