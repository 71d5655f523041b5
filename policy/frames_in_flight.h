// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/frame.h"
#include "base/static_vector.h"
#include "base/time.h"

namespace framegov {

/// The frames that have started and not ended, oldest first, each with the vsync it belongs to.
///
/// A start says when a thread got its vsync, not which vsync it was. A thread that had been waiting
/// starts right at it; one that was still busy starts late, and its vsync is the newest one on the
/// grid of those before. Where vsyncs stray from the grid (a recording's, a display that changes
/// its rate) a frame that the one before it held up is the likelier for an early one: how early
/// those have been of late is taken off. A start that no frame follows (the app drew nothing) is
/// forgotten with the next start or the next frame that ends.
class FramesInFlight {
 public:
  struct Begun {
    Instant start;
    Instant vsync;
    Instant latest;  ///< that its vsync can have been, where it was held up; else zero
    Instant due;     ///< when it has to be ready, where its start told; else zero
    /// When it has to be ready: `budget` from its vsync on, if nothing is known of it alone.
    [[nodiscard]] Instant due_within(Duration budget) const {
      return is_known(due) ? due : vsync + budget;
    }
  };

  void on_start(const FrameStart& start);
  void on_end(const Frame& frame);
  /// The first vsync after `now` on the grid of those before.
  [[nodiscard]] Instant next_vsync(Instant now) const;
  /// When the newest frame that has ended was ready.
  [[nodiscard]] Instant last_ready() const { return ready_; }
  void clear() { *this = FramesInFlight(); }

  [[nodiscard]] bool empty() const { return begun_.empty(); }
  /// The one that is to end next; at least one is in flight.
  [[nodiscard]] const Begun& oldest() const { return begun_.front(); }
  [[nodiscard]] const Begun& newest() const { return begun_.back(); }
  /// When the queue has a buffer again for the one that is to end next; zero where nothing says
  /// that it has none. A queue that was once filled by a late frame stays full while frames come at
  /// the refresh rate: each of them waits for the next vsync, and is late at any speed, but it is
  /// shown in its turn ("buffer stuffing"; FrameTimeline counts it apart from missed deadlines).
  [[nodiscard]] Instant next_buffer() const { return next_buffer_; }
  /// When the one that is to end next has to be ready: `budget` from its vsync on, or in time for
  /// the vsync after the one that brings it its buffer.
  [[nodiscard]] Instant due(Duration budget) const;
  /// The newest has come much sooner after the one before than an interval, of the same thread, and
  /// at no vsync of those before.
  [[nodiscard]] bool display_is_faster() const { return sooner_; }
  /// The one that started before the newest has not ended either, and has time yet.
  [[nodiscard]] bool overlap(Instant now, Duration budget) const;

 private:
  /// No queue of buffers holds more.
  static constexpr std::size_t kMost = 4;

  [[nodiscard]] Begun begun_by(const FrameStart& start) const;
  [[nodiscard]] bool is_sooner(const FrameStart& start, const Begun& begun) const;
  void learn_early(const Begun& begun, const Frame& frame);

  StaticVector<Begun, kMost> begun_;
  Instant last_vsync_;  ///< of the newest frame of which it is known, or expected
  Instant ui_done_;     ///< of the newest frame that ended: its UI thread was free again
  Instant ready_;       ///< and so was RenderThread, or the CPU that both share
  Instant next_buffer_;
  Duration interval_{};
  Duration early_{};  ///< how long before it is expected such a vsync may have been
  Instant last_start_;
  std::int32_t last_tid_ = 0;
  Instant known_vsync_;  ///< of the newest frame that ended
  bool sooner_ = false;
};

}  // namespace framegov
