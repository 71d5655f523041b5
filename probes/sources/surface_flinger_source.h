// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "probes/context/child_command.h"
#include "probes/frame_source.h"
#include "probes/sources/frame_assembler.h"
#include "probes/sources/surface_flinger_text.h"
#include "probes/sources/wait_set.h"

namespace framegov {

struct SurfaceFlingerOptions {
  std::filesystem::path dumpsys = "/system/bin/dumpsys";
  std::filesystem::path proc = "/proc";
  /// Between two looks at the layers that move. SurfaceFlinger keeps 127 frames of each.
  Duration period = std::chrono::milliseconds{500};
  Duration timeout = std::chrono::seconds{2};  ///< of one command
  AssemblySettings assembly;
};

/// Frames from `dumpsys SurfaceFlinger --latency`: when content was ready, so intervals only
/// (FramePart::kSurface), some hundred milliseconds late. For phones without usable uprobes, and
/// for 32-bit games, which cannot be probed.
///
/// A timer starts one command at a time; its output is taken as it comes. Every few looks the
/// layers are listed anew; those with new frames are looked at until then. While no layer moves the
/// looks become rarer, up to one in eight periods: nothing tells of a frame but a look.
class SurfaceFlingerSource final : public FrameSource {
 public:
  /// Lists the layers once. Error (kUnsupported): there is no dumpsys, or it does not answer.
  [[nodiscard]] static Result<std::unique_ptr<SurfaceFlingerSource>> open(
      const CpuTopology& topology, const SurfaceFlingerOptions& options);

  [[nodiscard]] SourceKind kind() const override { return SourceKind::kSurfaceFlinger; }
  [[nodiscard]] int fd() const override { return waits_.fd(); }
  [[nodiscard]] Result<bool> drain(FrameBatch& batch) override;
  [[nodiscard]] SourceCounters counters() const override;

 private:
  struct Layer {
    AppLayer layer;
    std::uint64_t surface{};  ///< a number for it
    std::int32_t pid{};       ///< of its package; 0: not found
    Instant newest;           ///< frame
    bool moving = true;       ///< had new frames when it was last looked at
  };

  SurfaceFlingerSource(WaitSet waits, UniqueFd timer, const CpuTopology& topology,
                       const SurfaceFlingerOptions& options);

  [[nodiscard]] Status start(std::vector<std::string> arguments);
  void stop();
  void on_timer(Instant now);
  void look_every(Duration pause);
  void next_layer(Instant now);
  void on_answer(const std::string& text, Instant now);
  void on_list(const std::string& text, Instant now);
  void on_latency(Layer& layer, const std::string& text, Instant now);

  SurfaceFlingerOptions options_;
  WaitSet waits_;
  UniqueFd timer_;
  Duration pause_;       ///< between two ticks of the timer
  bool watched_ = true;  ///< the last tick came after the usual period
  FrameAssembler assembler_;
  std::optional<ChildCommand> command_;  ///< under way
  Instant started_;                      ///< its start
  std::size_t looking_at_ = 0;           ///< index in layers_ while a latency command runs
  bool listing_ = false;                 ///< the command is --list
  int looks_ = 0;                        ///< since the last list
  std::vector<Layer> layers_;
  std::uint64_t surfaces_ = 0;
  std::deque<BufferHit> backlog_;
  std::uint64_t events_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace framegov
