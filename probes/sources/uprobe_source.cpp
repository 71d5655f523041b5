// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/uprobe_source.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "probes/sources/probe_points.h"

namespace framegov {
namespace {

SourceKind kind_of(BpfTransport transport) {
  return transport == BpfTransport::kRingBuffer ? SourceKind::kBpfRingBuffer
                                                : SourceKind::kBpfPerfBuffer;
}

AssemblySettings assembly_of(const UprobeOptions& options, bool ui_records) {
  AssemblySettings settings = options.assembly;
  settings.source = kind_of(options.transport);
  settings.ui_records = ui_records;
  return settings;
}

wire_config config_of(const ProbePoints& points, const UprobeOptions& options) {
  wire_config config{};
  config.destination_register = static_cast<__u32>(points.destination_register);
  config.watch_all = options.watch_all ? 1 : 0;
  config.wake_kinds = 1U << WIRE_FRAME_START | 1U << WIRE_QUEUE_BUFFER |
                      (points.queue_buffer ? 0 : 1U << WIRE_FRAME_INFO);
  return config;
}

Result<std::unique_ptr<RecordReader>> make_reader(const UprobePrograms& programs,
                                                  const UprobeOptions& options) {
  if (options.transport == BpfTransport::kRingBuffer) {
    return make_ring_reader(programs.records_fd());
  }
  const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  std::size_t bytes = options.ring_bytes / 2;
  for (std::size_t shares = 1; shares < cpus; shares *= 2) {
    bytes /= 2;
  }
  return make_perf_reader(programs.records_fd(), programs.quiet_records_fd(), bytes);
}

}  // namespace

UprobeSource::UprobeSource(UprobePrograms programs, std::unique_ptr<RecordReader> reader,
                           const CpuTopology& topology, const UprobeOptions& options,
                           bool ui_records)
    : kind_(kind_of(options.transport)),
      programs_(std::move(programs)),
      reader_(std::move(reader)),
      assembler_(topology, assembly_of(options, ui_records)),
      decoder_(assembler_) {}

UprobeSource::~UprobeSource() = default;

Result<std::unique_ptr<UprobeSource>> UprobeSource::open(const LibrarySites& hwui,
                                                         const LibrarySites& gui,
                                                         const CpuTopology& topology,
                                                         const UprobeOptions& options) {
  FRAMEGOV_TRY(const auto points,
               choose_probe_points(hwui, gui, {options.gpu, options.past_hints, options.android}));
  FRAMEGOV_TRY(auto programs, UprobePrograms::load(options.transport, options.ring_bytes,
                                                   config_of(points, options)));
  for (const std::int32_t pid : options.watched) {
    FRAMEGOV_TRY_STATUS(programs.watch(pid));
  }
  FRAMEGOV_TRY(auto reader, make_reader(programs, options));
  FRAMEGOV_TRY_STATUS(programs.attach(points.points));
  std::unique_ptr<UprobeSource> source(new UprobeSource(std::move(programs), std::move(reader),
                                                        topology, options, points.frame_info));
  source->notes_ = points.notes;
  source->notes_.insert(source->notes_.end(), source->programs_.notes().begin(),
                        source->programs_.notes().end());
  return source;
}

Result<bool> UprobeSource::drain(FrameBatch& batch) {
  if (!has_room(batch)) {
    return true;
  }
  auto more = reader_->read(decoder_, batch);
  if (more) {
    assembler_.expire(decoder_.newest(), batch);
  }
  return more;
}

SourceCounters UprobeSource::counters() const {
  SourceCounters counters;
  counters.events = decoder_.records();
  counters.frames = assembler_.frames();
  counters.rejected = assembler_.rejected() + decoder_.malformed();
  // Both may count the same records.
  counters.lost = std::max(programs_.lost(), reader_->lost());
  return counters;
}

void UprobeSource::unwatch(std::int32_t pid) {
  programs_.unwatch(pid);
  assembler_.forget(pid);
}

void UprobeSource::set_watch_all(bool all) {
  // Only a programming error could refuse it: the map is there and so is its element.
  (void)programs_.set_watch_all(all);
}

void UprobeSource::watch_only(std::span<const std::int32_t> pids) {
  for (const std::int32_t pid : watched_) {
    if (std::find(pids.begin(), pids.end(), pid) == pids.end()) {
      unwatch(pid);
    }
  }
  for (const std::int32_t pid : pids) {
    if (std::find(watched_.begin(), watched_.end(), pid) == watched_.end()) {
      // Refused only when 256 are watched: its frames are missing then, and nothing is capped.
      (void)watch(pid);
    }
  }
  watched_.assign(pids.begin(), pids.end());
  set_watch_all(pids.empty());
}

}  // namespace framegov
