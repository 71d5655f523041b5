// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "probes/bpf/wire.h"
#include "probes/frame_source.h"
#include "probes/locate/probe_sites.h"
#include "probes/sources/frame_assembler.h"
#include "probes/sources/process_memory.h"
#include "probes/sources/time_ordered.h"
#include "probes/sources/trace_instance.h"
#include "probes/sources/trace_leftovers.h"
#include "probes/sources/wait_set.h"

namespace framegov {

struct TracefsOptions {
  std::filesystem::path tracefs = "/sys/kernel/tracing";
  std::filesystem::path proc = "/proc";
  std::string instance = own_trace_name();  ///< name in tracefs
  int buffer_kb = 256;                      ///< for each CPU
  bool watch_all = false;                   ///< every process, else those of watch()
  bool gpu = false;                         ///< probe finishFrame too
  bool past_hints = false;                  ///< see ProbePointOptions
  LibrarySites android;  ///< libandroid's sites, where apps tell their targets; may be none
  AssemblySettings assembly;
};

/// Frames from uprobes through tracefs: kernels that have uprobes but no BPF, or forbid it.
///
/// FrameInfo is read out of the process (ProcessMemory) when the event behind the call comes
/// here, at the address that the call was made with: libhwui keeps it there until the next frame.
/// When the next frame's call is in the trace by then, what was read may be the next frame's; that
/// call's event carries the words that it found, and these are taken instead. When the trace cannot
/// be read up to then, nobody knows: such a frame is rejected, not guessed.
class TracefsSource final : public FrameSource {
 public:
  /// As UprobeSource::open(), of tracefs. Errors: those of choose_probe_points(),
  /// TraceInstance::create() and ProcessMemory::open().
  [[nodiscard]] static Result<std::unique_ptr<TracefsSource>> open(const LibrarySites& hwui,
                                                                   const LibrarySites& gui,
                                                                   const CpuTopology& topology,
                                                                   const TracefsOptions& options);

  [[nodiscard]] SourceKind kind() const override { return SourceKind::kTracefs; }
  [[nodiscard]] int fd() const override { return waits_.fd(); }
  [[nodiscard]] Result<bool> drain(FrameBatch& batch) override;
  [[nodiscard]] SourceCounters counters() const override;

  /// Events that are read from now on count; those of processes that are not watched do not.
  void watch(std::int32_t pid) { watched_.insert(pid); }
  void unwatch(std::int32_t pid);
  void watch_only(std::span<const std::int32_t> pids) override;
  void expire(Instant now, FrameBatch& batch) { assembler_.expire(now, batch); }

  /// Probes that were left out, and why.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// What is known of a thread that hit a probe.
  struct Thread {
    std::int32_t tid{};
    std::int32_t pid{};
    bool render_thread{};
    Instant last_used;
    Instant last_start;
    Instant dequeue_entered;  ///< zero: not in dequeueBuffer
    std::uint64_t dequeue_surface{};
    std::uint64_t destination{};  ///< of the UI record under way; 0: none
    std::uint64_t count{};
  };
  struct Event {
    ProbeRole role{};
    ProbeHit hit;
    std::uint64_t address{};  ///< destination, surface or info; a hint's target in ns
    std::uint64_t count{};    ///< with kFrameInfoCall
    std::array<std::int64_t, WIRE_FRAME_INFO_FIELDS> words{};
    bool read = false;  ///< kFrameInfoReturn: `words` were read out of the process

    [[nodiscard]] Instant at() const { return hit.at; }
  };

  TracefsSource(TraceInstance instance, WaitSet waits, ProcessMemory memory,
                const CpuTopology& topology, const TracefsOptions& options, bool ui_records);

  [[nodiscard]] Result<bool> read_events();
  void parse(std::string_view line);
  [[nodiscard]] Status complete(Event& event);
  void take(const Event& event, FrameBatch& batch);
  void take_frame_info(Thread& thread, const Event& event, const ProbeHit& hit, FrameBatch& batch);
  Thread* find_thread(std::int32_t tid, Instant at);
  Thread* find_watched(std::int32_t tid, Instant at);
  [[nodiscard]] bool identify(Thread& thread) const;

  TracefsOptions options_;
  ProcessMemory memory_;
  TraceInstance instance_;
  WaitSet waits_;
  FrameAssembler assembler_;
  std::set<std::int32_t> watched_;
  std::vector<Thread> threads_;  ///< at most kMaxThreads
  std::array<char, 8192> text_{};
  std::size_t text_size_ = 0;  ///< the beginning of a line
  TimeOrdered<Event> events_;
  Instant newest_read_;
  Instant newest_taken_;
  std::uint64_t seen_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t malformed_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace framegov
