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
#include "probes/sources/record_decoder.h"
#include "probes/sources/record_reader.h"
#include "probes/sources/uprobe_programs.h"

namespace framegov {

struct UprobeOptions {
  BpfTransport transport = BpfTransport::kRingBuffer;
  bool watch_all = false;             ///< every process, else `watched` and watch()
  std::vector<std::int32_t> watched;  ///< process ids, at most 256
  /// Of the ring buffer, or of all CPUs' perf buffers together; a power of two, at least a page.
  std::size_t ring_bytes = 256 * 1024;
  /// Probe finishFrame too, where it is known: frames then tell what the GPU takes for them.
  bool gpu = false;
  /// The kernel refuses probes on PAC and BTI hints (see ProbePointOptions).
  bool past_hints = false;
  LibrarySites android;  ///< libandroid's sites, where apps tell their targets; may be none
  AssemblySettings assembly;
};

/// Frames from BPF programs on uprobes, through either transport.
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
  /// transport, kBadInput when there is nothing to probe or a library cannot be opened.
  [[nodiscard]] static Result<std::unique_ptr<UprobeSource>> open(const LibrarySites& hwui,
                                                                  const LibrarySites& gui,
                                                                  const CpuTopology& topology,
                                                                  const UprobeOptions& options);
  ~UprobeSource() override;

  [[nodiscard]] SourceKind kind() const override { return kind_; }
  [[nodiscard]] int fd() const override { return reader_->fd(); }
  [[nodiscard]] Result<bool> drain(FrameBatch& batch) override;
  [[nodiscard]] SourceCounters counters() const override;

  /// Lets a process's events through. kFailure when 256 are watched already.
  [[nodiscard]] Status watch(std::int32_t pid) { return programs_.watch(pid); }
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
  UprobeSource(UprobePrograms programs, std::unique_ptr<RecordReader> reader,
               const CpuTopology& topology, const UprobeOptions& options, bool ui_records);

  SourceKind kind_;
  UprobePrograms programs_;
  std::unique_ptr<RecordReader> reader_;
  FrameAssembler assembler_;
  RecordDecoder decoder_;
  std::vector<std::string> notes_;
  std::vector<std::int32_t> watched_;  ///< by watch_only()
};

}  // namespace framegov
