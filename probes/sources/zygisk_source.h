// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/monotonic_clock.h"
#include "base/result.h"
#include "probes/frame_source.h"
#include "probes/sources/app_ring_reader.h"
#include "probes/sources/frame_assembler.h"
#include "probes/sources/record_decoder.h"
#include "probes/sources/ring_door.h"
#include "probes/sources/wait_set.h"

namespace framegov {

/// Is this package to be watched? Asked when one of its processes starts.
using AppFilter = std::function<bool(std::string_view package)>;

struct ZygiskOptions {
  std::filesystem::path state_dir;
  AppFilter watched;  ///< none: every app
  uid_t peer = 0;     ///< whose processes hand rings over
  AssemblySettings assembly;
  std::function<Instant()> clock = monotonic_now;
};

/// Frames from within the apps: the module that Zygisk loads into them (init/zygisk) writes what
/// their UI threads hand over into a ring (app_ring.h), and a root process hands the ring to this.
/// For phones without uprobes.
///
/// An app that starts is answered whether it is watched. Its ring ends with the app, with whatever
/// its memory no longer gives, or when it wakes and wakes and has nothing to say. One that is not
/// wanted cannot wake.
class ZygiskSource final : public FrameSource {
 public:
  /// More apps than a phone keeps; of further ones the one that has said nothing for longest goes,
  /// and its companion comes again.
  static constexpr std::size_t kMostRings = 128;
  /// More processes than an app has: of further ones it loses one of its own.
  static constexpr std::size_t kMostRingsOfUser = 16;
  /// So often in a row a ring may wake for no record, or for such as are rejected.
  static constexpr int kMostIdleWakes = 64;

  /// Error: the state folder takes no socket, or another process has it.
  [[nodiscard]] static Result<std::unique_ptr<ZygiskSource>> open(const CpuTopology& topology,
                                                                  const ZygiskOptions& options);

  [[nodiscard]] SourceKind kind() const override { return SourceKind::kZygisk; }
  [[nodiscard]] int fd() const override { return waits_.fd(); }
  [[nodiscard]] Result<bool> drain(FrameBatch& batch) override;
  [[nodiscard]] SourceCounters counters() const override;
  /// Others write no records.
  void watch_only(std::span<const std::int32_t> pids) override;

  /// Apps whose rings are here.
  [[nodiscard]] std::size_t rings() const { return rings_.size(); }

 private:
  struct Ring {
    AppRingReader reader;
    UniqueFd connection;
    UniqueFd wake;
    uid_t uid;
    Instant used;
    int idle_wakes = 0;
    bool wanted = false;
    bool due = false;    ///< it has woken, or has more
    bool ended = false;  ///< its app has: what it has written last is still read
    bool over = false;
  };

  ZygiskSource(WaitSet waits, RingDoor door, const CpuTopology& topology,
               const ZygiskOptions& options);

  void on_ready(int fd, Instant now);
  void take_ring(HandedRing handed, Instant now);
  void make_room(const HandedRing& handed);
  void want(Ring& ring, bool wanted);
  /// Its app is told, and its companion does not come again.
  static void give_up(Ring& ring);
  [[nodiscard]] bool is_wanted(std::int32_t pid) const;
  void read(Ring& ring, FrameBatch& batch, Instant now);
  void drop_those_over();

  ZygiskOptions options_;
  WaitSet waits_;
  RingDoor door_;
  FrameAssembler assembler_;
  RecordDecoder decoder_;
  std::vector<Ring> rings_;
  std::size_t turn_ = 0;               ///< the ring that is first to be read
  std::vector<std::int32_t> watched_;  ///< by watch_only()
  SourceCounters gone_;                ///< of rings that are over
};

}  // namespace framegov
