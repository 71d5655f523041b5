// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "probes/frame_source.h"
#include "probes/locate/probe_sites.h"
#include "probes/sources/frame_assembler.h"

namespace framegov {

struct UprobeOptions {
  bool watch_all = false;               ///< every process, else `watched` and watch()
  std::vector<std::int32_t> watched;    ///< process ids, at most 256
  std::size_t ring_bytes = 256 * 1024;  ///< a power of two, at least a page
  /// Probe finishFrame too, where it is known; frames then wait for the GPU.
  bool gpu = false;
  AssemblySettings assembly;
};

/// Frames from uprobes through a BPF ring buffer (kernel 5.8 and later).
///
/// The programs are attached by path, once for all processes that map the libraries now or later,
/// and let only watched processes through. Only frame starts and queued buffers wake the reader
/// (where buffers are not probed, UI records do). Everything is detached when the object goes.
class UprobeSource final : public FrameSource {
 public:
  /// Opens, loads and attaches. `hwui` or `gui` may have no sites, not both. Of each kind the first
  /// site is used; a site of the UI record or of queueBuffer that cannot be attached is an error,
  /// any other is left out and noted.
  ///
  /// Errors: kNoPermission without root, kUnsupported when the kernel lacks uprobes, BPF or the
  /// ring buffer, kBadInput when there is nothing to probe or a library cannot be opened.
  [[nodiscard]] static Result<std::unique_ptr<UprobeSource>> open(const LibrarySites& hwui,
                                                                  const LibrarySites& gui,
                                                                  const CpuTopology& topology,
                                                                  const UprobeOptions& options);
  ~UprobeSource() override;

  [[nodiscard]] SourceKind kind() const override { return SourceKind::kBpfRingBuffer; }
  [[nodiscard]] int fd() const override;
  [[nodiscard]] Result<bool> drain(FrameBatch& batch) override;
  [[nodiscard]] SourceCounters counters() const override;

  /// Lets a process's events through. kFailure when 256 are watched already.
  [[nodiscard]] Status watch(std::int32_t pid);
  /// No more events of it; what is known of its frames is dropped.
  void unwatch(std::int32_t pid);
  void set_watch_all(bool all);
  /// Both of the above in one; processes beyond 256 are left out.
  void watch_only(std::span<const std::int32_t> pids) override;

  /// Hands on frames that have waited too long for their buffer. drain() does so by itself as long
  /// as records come; this is for the time after the last.
  void expire(Instant now, FrameBatch& batch) { assembler_.expire(now, batch); }
  void set_refresh_interval(Duration interval) { assembler_.set_refresh_interval(interval); }

  /// What was left out, and why.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Programs;  ///< libbpf's objects

  UprobeSource(const CpuTopology& topology, const UprobeOptions& options);
  Status load(const UprobeOptions& options, bool wake_on_ui);
  Status attach(const LibrarySites& hwui, const LibrarySites& gui);
  static int on_record(void* self, void* data, std::size_t size);
  void take(const void* data, std::size_t size);

  std::unique_ptr<Programs> programs_;
  FrameAssembler assembler_;
  FrameBatch* batch_ = nullptr;  ///< while draining
  Instant last_record_;
  std::uint64_t records_ = 0;
  std::uint64_t malformed_ = 0;
  std::vector<std::string> notes_;
  std::vector<std::int32_t> watched_;  ///< by watch_only()
};

}  // namespace framegov
