// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings.h"

namespace framegov {

/// Somebody else who sets the CPU's speed, by frames or by load, and may stand beside framegov.
struct FrameEngine {
  std::string_view name;   ///< as `framegov engine NAME` takes it
  std::string_view whose;  ///< "MediaTek"
  /// Words, separated by spaces, one of which is in the names of its modules, nodes, processes and
  /// properties: vendors put their own words around it, other ones in each build.
  std::string_view words;
  /// Words that its switch may bear besides: "scx" of scx_enable.
  std::string_view switch_words;
  std::string_view asks;  ///< beside framegov's plan; a sentence
  /// A program or an app that is called so, and nothing else: others may have such a word in their
  /// name.
  bool daemon = false;
};

/// All that framegov knows by name.
[[nodiscard]] std::span<const FrameEngine> known_engines();

[[nodiscard]] std::vector<std::string> engine_names();

/// Error (kUsage): no engine has this name; it says which there are.
[[nodiscard]] Result<const FrameEngine*> find_engine(std::string_view name);

/// Has `text` one of the engine's words as a word of its own? "mtk_fpsgo" has "fpsgo", "fpsgos" has
/// not. A daemon's is the whole text.
[[nodiscard]] bool bears_name(const FrameEngine& engine, std::string_view text);

/// Is this the path of a node that switches the engine? It lies in a folder of the engine's name,
/// two folders deep at most, directly below one of engine_places(), and its own name is "enable" or
/// "enabled" beside nothing but the engine's words: /sys/kernel/fpsgo/common/fpsgo_enable. Paths
/// differ from build to build, so they are known by this rule and not from a list.
[[nodiscard]] bool is_switch(const FrameEngine& engine, std::string_view path);

/// Where kernels keep what belongs to an engine: "/sys/module", ...
[[nodiscard]] std::span<const std::string_view> engine_places();

/// The file systems and the command that engines are looked for in; tests bring their own.
struct EngineRoots {
  std::filesystem::path sys;
  std::filesystem::path proc;
  std::filesystem::path getprop;

  explicit EngineRoots(const ServiceSettings& settings)
      : sys(settings.sys_root), proc(settings.proc_root), getprop(settings.getprop) {}

  /// Where "/sys/..." and "/proc/..." really are.
  [[nodiscard]] std::filesystem::path real(std::string_view path) const;
};

}  // namespace framegov
