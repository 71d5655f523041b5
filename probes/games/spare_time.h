// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/time.h"

namespace framegov {

/// How much later than its pace a game's frame may be ready, because another buffer waits to be
/// shown and the GPU takes less than that; or how much sooner it must be, where none waits or the
/// GPU takes more: learned from what the display shows. Pure.
///
/// Each wait for a buffer ends with a vsync, and finds the queue full. So between two of them the
/// display has shown as many frames as were made, and where more vsyncs have passed it has repeated
/// some. If no frame was later than it might be, that was too late: half of the latest is left, or
/// less than a pace. If frames were late and none was repeated there is more, an eighth of a pace
/// after kProof frames; after each time that it was too much after twice as many.
class SpareTime {
 public:
  /// A frame has ended. `began`: when it had its buffer; `waited`: for that; `late`: how much later
  /// than `pace` allows it was ready, in paces.
  void observe(Instant began, bool waited, double late, Duration pace);

  /// Nothing is known of what was shown since: a pause, or another pace.
  void interrupt() { run_began_ = vsync_ = Instant{}; }

  /// Of vsyncs, as a game sees them, in paces.
  static constexpr double kJitter = 0.15;
  /// How far `paces` after one vsync the nearest vsync is.
  [[nodiscard]] static double off_vsync(double paces) {
    return std::abs(paces - std::round(paces));
  }

  /// In paces, up to 1.
  [[nodiscard]] double part() const { return part_; }

 private:
  /// Frames that are judged together, and the most paces that they may have taken.
  static constexpr double kRun = 16;
  static constexpr double kLongestRun = 120;
  static constexpr int kProof = 16;
  static constexpr int kMostDoublings = 7;
  static constexpr double kStep = 1.0 / 8;
  static constexpr double kLeast = 1.0 / 16;  ///< less is none
  /// Where a game has so little time, or could not keep to less in so many runs, and frames are
  /// repeated all the same, it is for something else.
  static constexpr double kMostNegative = -0.75;
  static constexpr int kMostInVain = 16;
  static constexpr double kNone = -1e9;  ///< no frame
  /// A frame that used this much of what there is shows that it is there.
  static constexpr double kUsed = 0.5;

  void judge(bool repeated);
  void grow();
  void shrink();

  double part_ = 0.5;
  Duration pace_{};
  Instant vsync_;          ///< at which the last frame began, if it waited
  Instant run_began_;      ///< with a wait
  double off_vsyncs_ = 0;  ///< how far from whole paces after the one before it waits ended, in all
  int waits_ = 0;          ///< right after another
  int frames_ = 0;         ///< since
  double latest_ = kNone;  ///< of them
  int proven_ = 0;         ///< frames since the last change that would have shown that it was wrong
  int doublings_ = 0;
  int in_vain_ = 0;  ///< runs that did not keep to less time than a pace, and repeated
  /// Frames for which repeated ones tell nothing: less time did not help.
  int repeats_despite_ = 0;
};

}  // namespace framegov
