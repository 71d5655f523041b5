// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "governor/engines/frame_engine.h"

namespace framegov {

/// A node that switches an engine, and what it reads: "0", "1", "N" or "Y".
struct EngineSwitch {
  std::string path;
  char value{};

  [[nodiscard]] bool on() const { return value == '1' || value == 'Y'; }
  [[nodiscard]] char off_value() const { return value == 'Y' ? 'N' : '0'; }
  bool operator==(const EngineSwitch&) const = default;
};

enum class EngineState : std::uint8_t {
  kOn,
  kOff,    ///< each of its switches is off
  kThere,  ///< it has no switch that framegov knows: whether it works is not known
};

/// "on", "off", "there"
[[nodiscard]] constexpr std::string_view name_of(EngineState state) {
  return state == EngineState::kOn ? "on" : state == EngineState::kOff ? "off" : "there";
}

/// An engine that this phone has.
struct FoundEngine {
  const FrameEngine* engine{};
  /// Where it was seen: "module mtk_fpsgo", "node /sys/kernel/fpsgo", "process com.example (812)",
  /// "property init.svc.uperf=running".
  std::vector<std::string> marks;
  std::vector<EngineSwitch> switches;

  [[nodiscard]] EngineState state() const;
};

/// Every known engine with a mark on this phone, in the order of known_engines(). Reads the names
/// of modules, nodes and processes once, and asks `getprop` where it is there; changes nothing.
/// What may not be read counts as not there.
[[nodiscard]] std::vector<FoundEngine> find_engines(const EngineRoots& roots);

/// What a switch reads now; nothing where it is not there or reads neither on nor off. What is
/// mounted over it and links are not followed.
[[nodiscard]] std::optional<EngineSwitch> read_switch(const EngineRoots& roots, std::string path);

/// Writes it, and reads back. Error: the node cannot be written, or does not take it.
[[nodiscard]] Status write_switch(const EngineRoots& roots, const std::string& path, char value);

}  // namespace framegov
