// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/uprobe_source.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "frames.skel.h"
#include "probes/bpf/wire.h"
#include "probes/sources/libbpf_log.h"

namespace framegov {
namespace {

constexpr const char* kUprobePmu = "/sys/bus/event_source/devices/uprobe/type";
constexpr const char* kRootHint = "run it as root";
constexpr int kBatchFull = -ENOBUFS;

struct SkeletonDeleter {
  void operator()(frames* skeleton) const { frames__destroy(skeleton); }
};
struct LinkDeleter {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
struct RingDeleter {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};
using LinkPtr = std::unique_ptr<bpf_link, LinkDeleter>;

const ProbeSite* best_site(const LibrarySites& library, SiteKind kind) {
  const auto found = std::find_if(library.sites.begin(), library.sites.end(),
                                  [&](const ProbeSite& site) { return site.kind == kind; });
  return found == library.sites.end() ? nullptr : &*found;
}

Status check_kernel() {
  if (::geteuid() != 0) {
    return fail(ExitCode::kNoPermission, "uprobes need root", kRootHint);
  }
  if (::access(kUprobePmu, F_OK) != 0) {
    return fail(ExitCode::kUnsupported, std::string(kUprobePmu) + ": the kernel has no uprobes",
                "it needs CONFIG_UPROBE_EVENTS and CONFIG_PERF_EVENTS");
  }
  const int ring = ::libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, nullptr);
  if (ring == -EPERM || ring == -EACCES) {
    return fail(ExitCode::kNoPermission, "BPF is not allowed here", kRootHint);
  }
  if (ring != 1) {
    return fail(ExitCode::kUnsupported, "the kernel has no BPF ring buffer",
                "it needs CONFIG_BPF_SYSCALL and Linux 5.8 or later");
  }
  return {};
}

Result<LinkPtr> attach_one(bpf_program* program, const std::string& library, std::uint64_t offset,
                           bool on_return = false) {
  LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = on_return);
  LinkPtr link(::bpf_program__attach_uprobe_opts(program, -1, library.c_str(), offset, &options));
  if (!link) {
    const int error = errno;
    std::array<char, 24> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%llx", static_cast<unsigned long long>(offset));
    const std::string what = library + ": no uprobe at " + hex.data();
    if (error == ENOENT) {
      return fail(ExitCode::kBadInput, what + ": there is no such file", "check the path");
    }
    return fail_errno(error, what, "check the offset with framegov locate");
  }
  return link;
}

}  // namespace

struct UprobeSource::Programs {
  std::unique_ptr<frames, SkeletonDeleter> skeleton;
  std::unique_ptr<ring_buffer, RingDeleter> ring;
  std::vector<LinkPtr> links;  // last: detached first

  wire_config config{};
  Status store_config() const {
    const __u32 first = 0;
    if (::bpf_map_update_elem(bpf_map__fd(skeleton->maps.config), &first, &config, BPF_ANY) != 0) {
      return fail_errno(errno, "BPF map 'config'");
    }
    return {};
  }
};

UprobeSource::UprobeSource(const CpuTopology& topology, const UprobeOptions& options)
    : programs_(std::make_unique<Programs>()), assembler_(topology, [&] {
        AssemblySettings settings = options.assembly;
        settings.source = SourceKind::kBpfRingBuffer;
        settings.wait_for_gpu = options.gpu;
        return settings;
      }()) {}

UprobeSource::~UprobeSource() = default;

Result<std::unique_ptr<UprobeSource>> UprobeSource::open(const LibrarySites& hwui,
                                                         const LibrarySites& gui,
                                                         const CpuTopology& topology,
                                                         const UprobeOptions& options) {
  const ProbeSite* const frame_info = best_site(hwui, SiteKind::kFrameInfo);
  const ProbeSite* const queue = best_site(gui, SiteKind::kQueueBuffer);
  if (frame_info == nullptr && queue == nullptr) {
    return fail(ExitCode::kBadInput, "no site to probe is known in libhwui or libgui",
                "look with framegov locate LIBRARY");
  }
  capture_libbpf_log();
  if (Status status = check_kernel(); !status) {
    return tl::unexpected(status.error());
  }
  std::unique_ptr<UprobeSource> source(new UprobeSource(topology, options));
  wire_config& config = source->programs_->config;
  config.destination_register =
      frame_info != nullptr ? static_cast<__u32>(frame_info->destination_register) : 4;
  if (Status status = source->load(options, queue == nullptr); !status) {
    return tl::unexpected(status.error());
  }
  LibrarySites used = hwui;
  if (!options.gpu) {
    std::erase_if(used.sites, [](const auto& s) { return s.kind == SiteKind::kFrameFinished; });
  }
  if (Status status = source->attach(used, gui); !status) {
    return tl::unexpected(status.error());
  }
  return source;
}

Status UprobeSource::load(const UprobeOptions& options, bool wake_on_ui) {
  Programs& programs = *programs_;
  programs.skeleton.reset(frames__open());
  if (!programs.skeleton) {
    return fail_errno(errno, "the BPF programs cannot be opened");
  }
  frames& skeleton = *programs.skeleton;
  if (bpf_map__set_max_entries(skeleton.maps.records, static_cast<__u32>(options.ring_bytes)) !=
      0) {
    return fail_errno(errno, "BPF ring buffer of " + std::to_string(options.ring_bytes) + " bytes");
  }
  if (const int error = frames__load(&skeleton); error != 0) {
    return fail_errno(-error, "the kernel refuses the BPF programs",
                      "libbpf's log at debug level says why");
  }
  programs.config.watch_all = options.watch_all ? 1 : 0;
  programs.config.wake_kinds = 1U << WIRE_FRAME_START | 1U << WIRE_QUEUE_BUFFER |
                               (wake_on_ui ? 1U << WIRE_FRAME_INFO : 0) |
                               (options.gpu ? 1U << WIRE_FRAME_FINISHED : 0);
  if (Status status = programs.store_config(); !status) {
    return status;
  }
  for (const std::int32_t pid : options.watched) {
    if (Status status = watch(pid); !status) {
      return status;
    }
  }
  programs.ring.reset(::ring_buffer__new(bpf_map__fd(skeleton.maps.records),
                                         &UprobeSource::on_record, this, nullptr));
  if (!programs.ring) {
    return fail_errno(errno, "the BPF ring buffer cannot be mapped");
  }
  return {};
}

Status UprobeSource::attach(const LibrarySites& hwui, const LibrarySites& gui) {
  const auto& programs = programs_->skeleton->progs;
  struct Wanted {
    bpf_program* program;
    const LibrarySites& library;
    SiteKind kind;
    std::uint64_t ProbeSite::*offset;
    bool on_return;
    bool needed;
  };
  // Ends before beginnings: a beginning whose end is missing would leave its state behind.
  const std::array wanted{
      Wanted{programs.frame_info_return, hwui, SiteKind::kFrameInfo, &ProbeSite::return_offset,
             false, true},
      Wanted{programs.frame_info_call, hwui, SiteKind::kFrameInfo, &ProbeSite::call, false, true},
      Wanted{programs.queue_buffer, gui, SiteKind::kQueueBuffer, &ProbeSite::function, false, true},
      Wanted{programs.dequeue_buffer_return, gui, SiteKind::kDequeueBuffer, &ProbeSite::function,
             true, false},
      Wanted{programs.dequeue_buffer_enter, gui, SiteKind::kDequeueBuffer, &ProbeSite::function,
             false, false},
      Wanted{programs.frame_start, gui, SiteKind::kFrameStart, &ProbeSite::function, false, false},
      Wanted{programs.frame_finished, hwui, SiteKind::kFrameFinished, &ProbeSite::function, false,
             false},
  };
  for (const Wanted& item : wanted) {
    const ProbeSite* const site = best_site(item.library, item.kind);
    if (site == nullptr) {
      continue;
    }
    Result<LinkPtr> link =
        attach_one(item.program, item.library.library, site->*item.offset, item.on_return);
    if (link) {
      programs_->links.push_back(std::move(*link));
    } else if (item.needed) {
      return tl::unexpected(link.error());
    } else {
      notes_.push_back(link.error().to_string());
    }
  }
  return {};
}

int UprobeSource::fd() const { return bpf_map__fd(programs_->skeleton->maps.records); }

Result<bool> UprobeSource::drain(FrameBatch& batch) {
  if (batch.capacity() - batch.size() < FrameAssembler::kMaxEvents) {
    return true;
  }
  batch_ = &batch;
  const int result = ::ring_buffer__consume(programs_->ring.get());
  batch_ = nullptr;
  if (result < 0 && result != kBatchFull) {
    return fail_errno(-result, "reading the BPF ring buffer");
  }
  assembler_.expire(last_record_, batch);
  return result == kBatchFull;
}

/// Consumed either way: a negative result only ends this round.
int UprobeSource::on_record(void* self, void* data, std::size_t size) {
  UprobeSource& source = *static_cast<UprobeSource*>(self);
  source.take(data, size);
  const bool room = source.batch_->capacity() - source.batch_->size() >= FrameAssembler::kMaxEvents;
  return room ? 0 : kBatchFull;
}

void UprobeSource::take(const void* data, std::size_t size) {
  ++records_;
  const auto* const header = static_cast<const wire_header*>(data);
  if (size < sizeof(wire_header) || header->version != WIRE_VERSION) {
    ++malformed_;
    return;
  }
  const ProbeHit hit{static_cast<std::int32_t>(header->tgid),
                     static_cast<std::int32_t>(header->tid), static_cast<std::int16_t>(header->cpu),
                     instant_from_ns(static_cast<std::int64_t>(header->time_ns))};
  last_record_ = std::max(last_record_, hit.at);
  FrameBatch& batch = *batch_;
  // Alignment is the ring buffer's: 8 bytes.
  if (header->kind == WIRE_FRAME_INFO && size == sizeof(wire_frame_info)) {
    const auto& record = *static_cast<const wire_frame_info*>(data);
    std::array<std::int64_t, WIRE_FRAME_INFO_FIELDS> fields{};
    std::copy(std::begin(record.fields), std::end(record.fields), fields.begin());
    const std::size_t count = record.count <= fields.size() ? record.count : 0;
    assembler_.frame_info(hit, std::span(fields).first(count), batch);
  } else if (header->kind == WIRE_QUEUE_BUFFER && size == sizeof(wire_queue_buffer)) {
    const auto& record = *static_cast<const wire_queue_buffer*>(data);
    assembler_.queue_buffer({hit, record.surface, record.render_thread != 0}, batch);
  } else if (header->kind == WIRE_DEQUEUE_BUFFER && size == sizeof(wire_dequeue_buffer)) {
    const auto& record = *static_cast<const wire_dequeue_buffer*>(data);
    assembler_.dequeue_buffer({hit, record.surface, record.render_thread != 0},
                              instant_from_ns(static_cast<std::int64_t>(record.entered_ns)), batch);
  } else if (header->kind == WIRE_FRAME_START) {
    assembler_.frame_start(hit, batch);
  } else if (header->kind == WIRE_FRAME_FINISHED && size == sizeof(wire_frame_finished)) {
    const auto& record = *static_cast<const wire_frame_finished*>(data);
    std::array<std::int64_t, WIRE_FINISHED_FIELDS> fields{};
    std::copy(std::begin(record.fields), std::end(record.fields), fields.begin());
    assembler_.frame_finished(hit, fields, batch);
  } else {
    ++malformed_;
  }
}

SourceCounters UprobeSource::counters() const {
  SourceCounters counters;
  counters.events = records_;
  counters.frames = assembler_.frames();
  counters.rejected = assembler_.rejected() + malformed_;
  const __u32 first = 0;
  std::vector<__u64> per_cpu(static_cast<std::size_t>(std::max(1, ::libbpf_num_possible_cpus())));
  if (::bpf_map_lookup_elem(bpf_map__fd(programs_->skeleton->maps.lost), &first, per_cpu.data()) ==
      0) {
    for (const __u64 count : per_cpu) {
      counters.lost += count;
    }
  }
  return counters;
}

Status UprobeSource::watch(std::int32_t pid) {
  const __u8 yes = 1;
  if (::bpf_map_update_elem(bpf_map__fd(programs_->skeleton->maps.watched), &pid, &yes, BPF_ANY) !=
      0) {
    return fail_errno(errno, "process " + std::to_string(pid) + " cannot be watched");
  }
  return {};
}

void UprobeSource::unwatch(std::int32_t pid) {
  ::bpf_map_delete_elem(bpf_map__fd(programs_->skeleton->maps.watched), &pid);
  assembler_.forget(pid);
}

void UprobeSource::set_watch_all(bool all) {
  programs_->config.watch_all = all ? 1 : 0;
  // Only a programming error could refuse it: the map is there and so is its element.
  (void)programs_->store_config();
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
