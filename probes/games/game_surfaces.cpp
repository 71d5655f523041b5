// SPDX-License-Identifier: Apache-2.0
#include "probes/games/game_surfaces.h"

#include <algorithm>
#include <utility>

namespace framegov {

namespace {

/// A surface counts as alive for so long after its last buffer.
constexpr Duration kRecent = std::chrono::seconds{1};
/// Buffers are counted over this long to find the surface that matters.
constexpr Duration kPeriod = std::chrono::milliseconds{500};
/// The surface that mattered keeps doing so while it has this share of the most buffers.
constexpr double kKeeps = 0.7;
/// 1 / kTolerance of the pace is no lateness: means are rounded.
constexpr int kTolerance = 500;
/// Slower than this nothing runs.
constexpr Duration kRunning = std::chrono::milliseconds{100};

}  // namespace

GameSurfaces::Surface& GameSurfaces::find(std::uint64_t id) {
  auto* const found = std::find_if(surfaces_.begin(), surfaces_.end(),
                                   [&](const Surface& known) { return known.id == id; });
  if (found != surfaces_.end()) {
    return *found;
  }
  if (!surfaces_.full()) {
    surfaces_.push_back(Surface(id));
    return surfaces_.back();
  }
  auto* const oldest =
      std::min_element(surfaces_.begin(), surfaces_.end(),
                       [](const Surface& a, const Surface& b) { return a.queued < b.queued; });
  *oldest = Surface(id);
  return *oldest;
}

void GameSurfaces::skip(std::uint64_t surface, Instant at) {
  Surface& skipped = find(surface);
  skipped.queued = at;
  skipped.blocked = {};
}

bool GameSurfaces::running(Instant at) const {
  return std::any_of(surfaces_.begin(), surfaces_.end(), [at](const Surface& surface) {
    return surface.rate.pace() > Duration::zero() && at - surface.queued < kRunning;
  });
}

void GameSurfaces::count_buffer(Surface& surface, Instant at) {
  ++surface.count;
  const auto* const most =
      std::max_element(surfaces_.begin(), surfaces_.end(),
                       [](const Surface& a, const Surface& b) { return a.count < b.count; });
  const auto* const current = std::find_if(surfaces_.begin(), surfaces_.end(),
                                           [this](const Surface& s) { return s.id == main_; });
  const bool gone = current == surfaces_.end() || at - current->queued > kPeriod;
  const bool over = at - period_began_ >= kPeriod;
  if (gone || (over && current->count < kKeeps * most->count)) {
    main_ = most->id;
  }
  if (over) {
    period_began_ = at;
    for (Surface& each : surfaces_) {
      each.count = 0;
    }
  }
}

bool GameSurfaces::queue(std::uint64_t surface, Instant at, Duration refresh, Frame& frame) {
  Surface& game = find(surface);
  count_buffer(game, at);
  const Instant previous = std::exchange(game.queued, at);
  const Duration blocked = std::exchange(game.blocked, Duration{});
  if (!is_known(previous) || at - previous > kRecent) {
    game.due = Instant{};
    return false;
  }
  game.rate.observe(at - previous, blocked, at, refresh);
  frame.surface = surface;
  frame.start = previous;
  frame.ready = at;
  frame.blocked = blocked;
  frame.interval = refresh;
  frame.add(FramePart::kSurface);
  if (const Duration pace = game.rate.pace(); pace > Duration::zero()) {
    // Phase-locked: a buffer that came early leaves its time to the next. Whoever waits for a
    // buffer is ahead of the display: until there is one nothing can be late.
    const Instant phase = std::min(std::max(game.due, previous), previous + pace / 4);
    game.due = std::max(phase, previous + blocked) + pace;
    frame.deadline = game.due + pace / kTolerance;
    frame.deadline_edge = DeadlineEdge::kTargetRate;
  }
  return game.id == main_;
}

}  // namespace framegov
