// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/policies/run_table.h"

namespace framegov::sim {

/// With the power tables that policies have in `world`.
[[nodiscard]] std::vector<ReplayDevice> all_devices(const World& world = World::ideal());

/// The recordings at these paths on every phone; ends the program with the reason where one cannot
/// be imported.
[[nodiscard]] Ground recorded_ground(const std::vector<std::string>& scenes, const World& world,
                                     std::size_t jobs);

/// Seeds 1 to 20: scenes and refresh rates take turns.
[[nodiscard]] Ground synthetic_ground(const World& world, std::size_t jobs);

/// The same scenes without what else ran: what is above the bound then is the frames' own.
[[nodiscard]] Ground without_others(const Ground& ground);

/// These policies, and all rivals.
[[nodiscard]] std::vector<std::string> with_rivals(std::vector<std::string> policies);

/// Strict: all policies make the same frames. With a frame buffered, an app that has fallen behind
/// would stay behind for good if it did not skip vsyncs, as Android's Choreographer does.
[[nodiscard]] ReplaySettings with_deadline(DeadlineMode deadline);

}  // namespace framegov::sim
