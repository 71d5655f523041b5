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
/// Who has not waited for a buffer for so long may be slower than it wants to be, and is hurried
/// until it waits again or this is over too.
constexpr Duration kAhead = std::chrono::seconds{1};
constexpr Duration kPhaseKnown = std::chrono::seconds{3};
/// Who has been behind is treated as such for so long after, twice as long each time that it is
/// again soon: within kSoon times that.
constexpr Duration kLeastBehind = std::chrono::seconds{1};
constexpr Duration kMostBehind = std::chrono::seconds{32};
constexpr int kSoon = 8;
/// Buffers that a game may make at once when it begins.
constexpr int kQueue = 3;
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

bool GameSurfaces::may_queue(std::uint64_t surface, Instant at) const {
  const auto* const known = std::find_if(surfaces_.begin(), surfaces_.end(),
                                         [&](const Surface& each) { return each.id == surface; });
  return known == surfaces_.end() || at > known->queued;
}

void GameSurfaces::skip(std::uint64_t surface, Instant at) {
  Surface& skipped = find(surface);
  skipped.spare.interrupt();
  skipped.queued = at;
  skipped.due = {};
  skipped.blocked = {};
  skipped.begun = false;
}

bool GameSurfaces::running(Instant at) const {
  return std::any_of(surfaces_.begin(), surfaces_.end(), [at](const Surface& surface) {
    return surface.rate.pace() > Duration::zero() && at - surface.queued < kRunning;
  });
}

bool GameSurfaces::tells_starts(Instant at) const {
  return std::any_of(surfaces_.begin(), surfaces_.end(), [at](const Surface& surface) {
    return surface.begun && at - surface.queued < kRunning;
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

Duration GameSurfaces::blocked(std::uint64_t surface, Instant from, Instant until) {
  Surface& game = find(surface);
  const Duration time = std::max(until - std::max(from, game.queued), Duration::zero());
  // Several threads may wait at once. Nobody waits for longer than there was time.
  game.blocked = std::min(game.blocked + time, std::max(until - game.queued, Duration::zero()));
  game.dequeues = true;
  return time;
}

/// It has waited for the display. Who is behind it finds a buffer: a wait then is for something
/// else, unless it ends with a vsync, the queue being full because one was missed.
bool GameSurfaces::Surface::has_waited() const {
  if (blocked < kWaited) {
    return false;
  }
  if (!is_known(due) || queued <= due || rate.limited()) {
    return true;
  }
  const double paces = to_seconds(queued + blocked - due) / to_seconds(rate.target());
  return SpareTime::off_vsync(paces) < SpareTime::kJitter;
}

/// It makes less than it did, or has until lately: by something else than the CPU, or that is to be
/// seen.
bool GameSurfaces::Surface::is_behind() const { return rate.limited() || queued < behind_until; }

void GameSurfaces::Surface::note_slow(Instant now) {
  if (!rate.slow()) {
    return;
  }
  if (now >= behind_until) {  // anew: sooner after the last time than chance would have it?
    const bool again = is_known(behind_until) && now - behind_until < kSoon * behind_for;
    behind_for = again ? std::min(2 * behind_for, kMostBehind) : kLeastBehind;
  }
  behind_until = now + behind_for;
}

bool GameSurfaces::Surface::waited_within(Duration time) const {
  return has_waited() || (is_known(waited) && queued - waited < time);
}

/// When the frame under way is to be ready at its pace, without tolerance. Whoever waits for a
/// buffer is ahead of the display: until there is one nothing can be late. Else it is phase-locked:
/// a buffer that came early leaves its time to the next.
Instant GameSurfaces::next_due(const Surface& surface) const {
  // Waits say where the display is, and it goes on at its rate while the game falls behind. Without
  // them a late frame gives the next ones its phase, and the pace is what the game makes.
  const bool phase_known = surface.waited_within(kPhaseKnown) && !surface.rate.limited();
  const Duration pace = phase_known ? surface.rate.target() : surface.rate.pace();
  const Instant began = surface.queued + surface.blocked;
  const bool slower = surface.is_behind();
  if (!slower && surface.has_waited()) {
    return began + pace;
  }
  const Duration late =
      phase_known && !slower ? std::max(spare_time(surface), pace / 4) : Duration::zero();
  const Instant at_pace =
      std::clamp(surface.due, surface.queued - late, surface.queued + pace / 4) + pace;
  if (slower) {
    // What it waits for may be the GPU, which begins late with buffers that are queued late.
    return std::max(at_pace, began + pace / 2);
  }
  return surface.blocked < kWaited ? at_pace : std::max(at_pace, began + pace / 4);
}

/// How long after that nobody sees that it is not; less than nothing where the GPU takes more than
/// the buffer that waits to be shown leaves it.
Duration GameSurfaces::spare_time(const Surface& surface) const {
  if (!use_spare_ || !surface.waited_within(kAhead) || surface.is_behind()) {
    return {};
  }
  const double target = to_seconds(surface.rate.target());
  return seconds_to_duration(target * surface.spare.part());
}

/// How long after it could begin the frame under way ends `at`, if it does. Who waits begins with a
/// vsync; who does not is a pace further than the frame before. Later than there is time for is
/// slow.
std::optional<Duration> GameSurfaces::time_used(const Surface& surface, Instant at) const {
  const Duration pace = surface.rate.pace();
  const bool waited = surface.has_waited();
  if (!waited && (!surface.used || pace <= Duration::zero())) {
    return surface.used;
  }
  const Duration used =
      waited ? at - surface.queued - surface.blocked : *surface.used + (at - surface.queued) - pace;
  const Duration most = pace + std::max(spare_time(surface), Duration::zero());
  return pace > Duration::zero() ? std::clamp(used, Duration::zero(), most) : used;
}

void GameSurfaces::Surface::ended(Instant now, Instant was_due) {
  const bool for_display = has_waited();
  if (rate.limited()) {
    spare.interrupt();
  } else {
    spare.observe(queued + blocked, for_display,
                  to_seconds(now - was_due) / to_seconds(rate.target()), rate.target());
  }
  waited = for_display ? now : waited;
}

bool GameSurfaces::begin(std::uint64_t surface, FrameStart& start) {
  Surface& game = find(surface);
  if (game.id != main_ || !game.dequeues || game.rate.pace() <= Duration::zero() ||
      !is_known(game.queued) || (game.is_behind() && !game.rate.slow())) {
    return false;
  }
  start.at = game.queued + game.blocked;
  // Whether more speed helps shows best with all of it. The frame is not late for that.
  start.deadline = game.rate.slow()
                       ? start.at + game.rate.pace() / 4
                       : next_due(game) + spare_time(game) + game.rate.pace() / kTolerance;
  start.replaces_last = std::exchange(game.begun, true);
  return true;
}

bool GameSurfaces::queue(std::uint64_t surface, Instant at, Duration refresh, Frame& frame) {
  Surface& game = find(surface);
  count_buffer(game, at);
  const bool follows = is_known(game.queued) && at - game.queued <= kRecent;
  Instant due;
  if (follows) {
    game.blocked = std::min(game.blocked, at - game.queued);  // another thread may still wait
    // To use what there is to spare and to catch up again is no other rate. Nor is it, while few
    // frames are known and one that ends later or sooner in its time would make all the difference.
    const Duration spare = std::max(spare_time(game), Duration::zero());
    const Duration lag = std::clamp(at - next_due(game), Duration::zero(), spare);
    const std::optional<Duration> used = time_used(game, at);
    const Duration later =
        game.rate.is_new() && used && game.used ? *used - *game.used : lag - game.lag;
    if (game.rate.is_new() && used && !game.used) {
      game.rate = TargetRate();  // until its first wait it filled its queue
    } else if (game.filling == 0) {
      game.rate.tell(told_target_);
      game.rate.observe(at - game.queued - later, game.blocked, at, refresh);
    }
    game.filling = std::max(0, game.filling - 1);
    game.lag = lag;
    game.used = used;
    game.note_slow(at);
    frame.surface = surface;
    frame.start = game.queued;
    frame.ready = at;
    frame.blocked = game.blocked;
    frame.interval = refresh;
    frame.add(FramePart::kSurface);
    if (game.begun) {
      frame.add(FramePart::kStart);
    }
    if (const Duration pace = game.rate.pace(); pace > Duration::zero()) {
      due = next_due(game);
      frame.pace = pace;
      frame.deadline = due + spare_time(game) + pace / kTolerance;
      frame.deadline_edge = DeadlineEdge::kTargetRate;
      game.ended(at, due);
    }
  }
  if (!follows) {
    game.filling = kQueue;
    game.used.reset();
  }
  if (!is_known(due)) {
    game.spare.interrupt();
    game.lag = {};
  }
  game.queued = at;
  game.due = due;
  game.blocked = {};
  game.begun = false;
  return follows && game.id == main_;
}

}  // namespace framegov
