// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/tracefs_source.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "probes/bpf/wire.h"
#include "probes/sources/trace_text.h"

namespace framegov {
namespace {

constexpr std::size_t kMaxThreads = 256;
/// getEvents is called until it is drained: calls so close are one.
constexpr Duration kBurst = std::chrono::milliseconds{1};
/// Thread ids are used again: what is known of one holds this long without a hit.
constexpr Duration kIdentityHolds = std::chrono::seconds{5};

AssemblySettings assembly_of(const TracefsOptions& options) {
  AssemblySettings settings = options.assembly;
  settings.source = SourceKind::kTracefs;
  settings.wait_for_gpu = options.gpu;
  return settings;
}

std::optional<ProbeRole> role_of(std::string_view event) {
  for (std::size_t i = 0; i < kProbeRoles; ++i) {
    if (event == name_of(static_cast<ProbeRole>(i))) {
      return static_cast<ProbeRole>(i);
    }
  }
  return std::nullopt;
}

/// Words at `address` of the process that `tid` belongs to. False when they cannot be read.
bool read_words(std::int32_t tid, std::uint64_t address, std::span<std::int64_t> words) {
  iovec local{words.data(), words.size_bytes()};
  iovec remote{};
  // An address of another process, never followed in this one.
  std::memcpy(&remote.iov_base, &address, sizeof remote.iov_base);
  remote.iov_len = words.size_bytes();
  return ::process_vm_readv(tid, &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(words.size_bytes());
}

}  // namespace

TracefsSource::TracefsSource(TraceInstance instance, WaitSet waits, const CpuTopology& topology,
                             const TracefsOptions& options)
    : options_(options),
      instance_(std::move(instance)),
      waits_(std::move(waits)),
      assembler_(topology, assembly_of(options)) {
  threads_.reserve(kMaxThreads);
}

Result<std::unique_ptr<TracefsSource>> TracefsSource::open(const LibrarySites& hwui,
                                                           const LibrarySites& gui,
                                                           const CpuTopology& topology,
                                                           const TracefsOptions& options) {
  const auto points = choose_probe_points(hwui, gui, {options.gpu, options.past_hints});
  if (!points) {
    return tl::unexpected(points.error());
  }
  auto instance =
      TraceInstance::create(options.tracefs, options.instance, *points, options.buffer_kb);
  if (!instance) {
    return tl::unexpected(instance.error());
  }
  auto waits = WaitSet::create();
  if (!waits) {
    return tl::unexpected(waits.error());
  }
  if (Status added = waits->add(instance->fd()); !added) {
    return tl::unexpected(added.error());
  }
  std::unique_ptr<TracefsSource> source(
      new TracefsSource(*std::move(instance), *std::move(waits), topology, options));
  source->notes_ = points->notes;
  const auto& left_out = source->instance_.notes();
  source->notes_.insert(source->notes_.end(), left_out.begin(), left_out.end());
  return source;
}

Result<bool> TracefsSource::drain(FrameBatch& batch) {
  bool read_all = false;
  while (batch.capacity() - batch.size() >= FrameAssembler::kMaxEvents) {
    const std::string_view waiting(text_.data() + begin_, end_ - begin_);
    if (const std::size_t line_end = waiting.find('\n'); line_end != std::string_view::npos) {
      take(waiting.substr(0, line_end), batch);
      begin_ += line_end + 1;
      continue;
    }
    std::memmove(text_.data(), waiting.data(), waiting.size());
    begin_ = 0;
    end_ = waiting.size() == text_.size() ? 0 : waiting.size();  // no line of ours is so long
    const ssize_t got = ::read(instance_.fd(), text_.data() + end_, text_.size() - end_);
    if (got < 0 && errno != EAGAIN && errno != EINTR) {
      return fail_errno(errno, "reading the trace");
    }
    if (got <= 0) {
      read_all = true;
      break;
    }
    end_ += static_cast<std::size_t>(got);
  }
  waits_.set_backlog(!read_all && begin_ < end_);
  assembler_.expire(newest_, batch);
  return !read_all;
}

void TracefsSource::take(std::string_view line, FrameBatch& batch) {
  if (const auto lost = parse_lost_events(line)) {
    lost_ += *lost;
    return;
  }
  const auto parsed = parse_trace_line(line);
  const auto role = parsed ? role_of(parsed->event) : std::nullopt;
  if (!role) {
    ++malformed_;
    return;
  }
  ++events_;
  newest_ = std::max(newest_, parsed->at);
  hit(*role, {0, parsed->tid, parsed->cpu, parsed->at}, parsed->arguments, batch);
}

void TracefsSource::hit(ProbeRole role, const ProbeHit& seen, std::string_view arguments,
                        FrameBatch& batch) {
  Thread* const thread = find_thread(seen.tid, seen.at);
  if (thread == nullptr || (!options_.watch_all && !watched_.contains(thread->pid))) {
    return;
  }
  ProbeHit hit = seen;
  hit.pid = thread->pid;
  switch (role) {
    case ProbeRole::kFrameInfoCall:
      thread->destination = trace_argument(arguments, "destination").value_or(0);
      thread->count = trace_argument(arguments, "count").value_or(0);
      break;
    case ProbeRole::kFrameInfoReturn:
      take_frame_info(*thread, hit, batch);
      break;
    case ProbeRole::kQueueBuffer:
      assembler_.queue_buffer(
          {hit, trace_argument(arguments, "surface").value_or(0), thread->render_thread}, batch);
      break;
    case ProbeRole::kDequeueBufferEnter:
      thread->dequeue_entered = hit.at;
      thread->dequeue_surface = trace_argument(arguments, "surface").value_or(0);
      break;
    case ProbeRole::kDequeueBufferReturn:
      if (const Instant entered = std::exchange(thread->dequeue_entered, Instant{});
          is_known(entered)) {
        assembler_.dequeue_buffer({hit, thread->dequeue_surface, thread->render_thread}, entered,
                                  batch);
      }
      break;
    case ProbeRole::kFrameStart:
      if (hit.at - std::exchange(thread->last_start, hit.at) >= kBurst) {
        assembler_.frame_start(hit, batch);
      }
      break;
    case ProbeRole::kFrameFinished: {
      std::array<std::int64_t, WIRE_FINISHED_FIELDS> fields{};
      if (read_words(hit.tid, trace_argument(arguments, "info").value_or(0), fields)) {
        assembler_.frame_finished(hit, fields, batch);
      }
      break;
    }
  }
}

void TracefsSource::take_frame_info(Thread& thread, const ProbeHit& hit, FrameBatch& batch) {
  const std::uint64_t destination = std::exchange(thread.destination, 0);
  if (destination == 0) {
    return;  // the call was before we listened
  }
  std::array<std::int64_t, WIRE_FRAME_INFO_FIELDS> words{};
  std::span<std::int64_t> fields;
  if (thread.count <= words.size()) {
    fields = std::span(words).first(thread.count);
    if (!read_words(hit.tid, destination, fields)) {
      fields = {};
    }
  }
  assembler_.frame_info(hit, fields, batch);
}

/// Nothing when the thread has ended before its name could be read.
TracefsSource::Thread* TracefsSource::find_thread(std::int32_t tid, Instant at) {
  auto found = std::find_if(threads_.begin(), threads_.end(),
                            [&](const Thread& known) { return known.tid == tid; });
  if (found == threads_.end() || at - found->last_used > kIdentityHolds) {
    Thread fresh;
    fresh.tid = tid;
    if (!identify(fresh)) {
      ++malformed_;
      return nullptr;
    }
    if (found == threads_.end() && threads_.size() == kMaxThreads) {
      found = std::min_element(
          threads_.begin(), threads_.end(),
          [](const Thread& a, const Thread& b) { return a.last_used < b.last_used; });
    }
    if (found == threads_.end()) {
      found = threads_.insert(threads_.end(), fresh);
    } else {
      *found = fresh;
    }
  }
  found->last_used = at;
  return &*found;
}

bool TracefsSource::identify(Thread& thread) const {
  std::ifstream status(options_.proc / std::to_string(thread.tid) / "status");
  for (std::string line; std::getline(status, line);) {
    if (line == "Name:\tRenderThread") {
      thread.render_thread = true;
    } else if (line.starts_with("Tgid:\t")) {
      const char* const end = line.data() + line.size();
      return std::from_chars(line.data() + 6, end, thread.pid).ec == std::errc{};
    }
  }
  return false;
}

SourceCounters TracefsSource::counters() const {
  SourceCounters counters;
  counters.events = events_;
  counters.frames = assembler_.frames();
  counters.rejected = assembler_.rejected() + malformed_;
  counters.lost = lost_;
  return counters;
}

void TracefsSource::unwatch(std::int32_t pid) {
  watched_.erase(pid);
  assembler_.forget(pid);
}

}  // namespace framegov
