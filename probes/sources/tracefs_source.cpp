// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/tracefs_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "base/monotonic_clock.h"
#include "probes/sources/trace_text.h"

namespace framegov {
namespace {

constexpr std::size_t kMaxThreads = 256;
/// So many waiting events are handed on before more are read.
constexpr std::size_t kMaxEvents = 512;
/// getEvents is called until it is drained: calls so close are one.
constexpr Duration kOneCall = std::chrono::milliseconds{1};
/// Thread ids are used again: what is known of one holds this long without a hit.
constexpr Duration kIdentityHolds = std::chrono::seconds{5};

AssemblySettings assembly_of(const TracefsOptions& options, bool ui_records) {
  AssemblySettings settings = options.assembly;
  settings.source = SourceKind::kTracefs;
  settings.ui_records = ui_records;
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

}  // namespace

TracefsSource::TracefsSource(TraceInstance instance, WaitSet waits, ProcessMemory memory,
                             const CpuTopology& topology, const TracefsOptions& options,
                             bool ui_records)
    : options_(options),
      memory_(std::move(memory)),
      instance_(std::move(instance)),
      waits_(std::move(waits)),
      assembler_(topology, assembly_of(options, ui_records)),
      events_(kMaxEvents) {
  threads_.reserve(kMaxThreads);
}

Result<std::unique_ptr<TracefsSource>> TracefsSource::open(const LibrarySites& hwui,
                                                           const LibrarySites& gui,
                                                           const CpuTopology& topology,
                                                           const TracefsOptions& options) {
  FRAMEGOV_TRY(const auto points,
               choose_probe_points(hwui, gui, {options.gpu, options.past_hints, options.android}));
  FRAMEGOV_TRY(auto memory, ProcessMemory::open(options.proc));
  FRAMEGOV_TRY(auto instance,
               TraceInstance::create(options.tracefs, options.instance, points, options.buffer_kb));
  FRAMEGOV_TRY(auto waits, WaitSet::create());
  FRAMEGOV_TRY_STATUS(waits.add(instance.fd()));
  std::unique_ptr<TracefsSource> source(new TracefsSource(std::move(instance), std::move(waits),
                                                          std::move(memory), topology, options,
                                                          points.frame_info));
  source->notes_ = points.notes;
  if (source->memory_.through_files()) {
    source->notes_.emplace_back(
        "the kernel has no process_vm_readv (CONFIG_CROSS_MEMORY_ATTACH): frames' fields are read "
        "through /proc/PID/mem");
  }
  const auto& left_out = source->instance_.notes();
  source->notes_.insert(source->notes_.end(), left_out.begin(), left_out.end());
  return source;
}

Result<bool> TracefsSource::drain(FrameBatch& batch) {
  auto read = read_events();
  // What comes after this is for the next time: it ends, however fast events come.
  const Instant until = std::min(newest_read_, monotonic_now());
  while (read && !events_.empty() && events_.waiting().front().at() <= until &&
         batch.room() >= FrameAssembler::kMaxEvents) {
    const Event* const next = events_.next();
    if (next == nullptr) {
      read = read_events();  // too new to be the oldest for certain, a few microseconds ago
      continue;
    }
    Event event = *next;
    events_.pop();
    FRAMEGOV_TRY_STATUS(complete(event));
    newest_taken_ = event.at();
    take(event, batch);
  }
  if (!read) {
    return read;
  }
  const bool more = !events_.empty();
  waits_.set_backlog(more);
  assembler_.expire(newest_taken_, batch);
  return more;
}

/// What is in the trace now, as far as there is room. True when that is all of it.
Result<bool> TracefsSource::read_events() {
  const Instant began = monotonic_now();
  bool emptied = false;
  while (!emptied && events_.size() < kMaxEvents) {
    const ssize_t got =
        ::read(instance_.fd(), text_.data() + text_size_, text_.size() - text_size_);
    if (got < 0 && errno != EAGAIN && errno != EINTR) {
      return fail_errno(errno, "reading the trace");
    }
    emptied = got <= 0;
    std::string_view text(text_.data(),
                          text_size_ + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      parse(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    // No line of ours fills the buffer.
    text_size_ = text.size() < text_.size() ? text.size() : 0;
    std::memmove(text_.data(), text.data(), text_size_);
  }
  // While much waits, no CPU's buffer is found empty, and the trace comes in order.
  events_.complete_to(emptied ? began - kWriteDelay : newest_read_ + Duration{1});
  return emptied;
}

void TracefsSource::parse(std::string_view line) {
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
  ++seen_;
  newest_read_ = std::max(newest_read_, parsed->at);
  if (find_watched(parsed->tid, parsed->at) == nullptr) {
    return;
  }
  Event event;
  event.role = *role;
  event.hit = {0, parsed->tid, parsed->cpu, parsed->at};
  for (const char* const name : {"destination", "surface", "info", "target"}) {
    event.address = trace_argument(parsed->arguments, name).value_or(event.address);
  }
  if (*role == ProbeRole::kFrameInfoCall) {
    event.count = trace_argument(parsed->arguments, "count").value_or(0);
    for (std::size_t i = 0; i < event.words.size(); ++i) {
      const auto word = trace_argument(parsed->arguments, "w" + std::to_string(i));
      event.words[i] = static_cast<std::int64_t>(word.value_or(0));
    }
  }
  events_.add(event);
}

/// Reads a UI record's words out of its process, and then the trace again: the next frame's call is
/// in it if it came before the reading.
Status TracefsSource::complete(Event& event) {
  if (event.role != ProbeRole::kFrameInfoReturn) {
    return {};
  }
  const Thread* const thread = find_watched(event.hit.tid, event.at());
  if (thread == nullptr || thread->destination == 0) {
    return {};
  }
  const Instant read_at = monotonic_now();
  const bool read = memory_.read(event.hit.tid, thread->destination, event.words);
  FRAMEGOV_TRY(const auto emptied, read_events());
  event.read = read && (emptied || newest_read_ > read_at);
  return {};
}

void TracefsSource::take(const Event& event, FrameBatch& batch) {
  Thread* const thread = find_watched(event.hit.tid, event.at());
  if (thread == nullptr) {
    return;
  }
  ProbeHit hit = event.hit;
  hit.pid = thread->pid;
  switch (event.role) {
    case ProbeRole::kFrameInfoCall:
      thread->destination = event.address;
      thread->count = event.count;
      break;
    case ProbeRole::kFrameInfoReturn:
      take_frame_info(*thread, event, hit, batch);
      break;
    case ProbeRole::kQueueBuffer:
      assembler_.queue_buffer({hit, event.address, thread->render_thread}, batch);
      break;
    case ProbeRole::kDequeueBufferEnter:
      thread->dequeue_entered = hit.at;
      thread->dequeue_surface = event.address;
      break;
    case ProbeRole::kDequeueBufferReturn:
      if (const Instant entered = std::exchange(thread->dequeue_entered, Instant{});
          is_known(entered)) {
        assembler_.dequeue_buffer({hit, thread->dequeue_surface, thread->render_thread}, entered,
                                  batch);
      }
      break;
    case ProbeRole::kFrameStart:
      if (hit.at - std::exchange(thread->last_start, hit.at) >= kOneCall) {
        assembler_.frame_start(hit, batch);
      }
      break;
    case ProbeRole::kHintSession:
    case ProbeRole::kHintTarget:
      assembler_.hint_target(hit, Duration{static_cast<std::int64_t>(event.address)}, batch);
      break;
    case ProbeRole::kFrameFinished: {
      std::array<std::int64_t, WIRE_FINISHED_FIELDS> fields{};
      if (memory_.read(hit.tid, event.address, fields)) {
        assembler_.frame_finished(hit, fields);
      }
      break;
    }
  }
}

void TracefsSource::take_frame_info(Thread& thread, const Event& event, const ProbeHit& hit,
                                    FrameBatch& batch) {
  const std::uint64_t destination = std::exchange(thread.destination, 0);
  thread.last_start = Instant{};  // what comes now is another frame's, however soon
  if (destination == 0) {
    return;  // the call was before we listened
  }
  const auto waiting = events_.waiting();
  const auto next = std::find_if(waiting.begin(), waiting.end(), [&](const Event& later) {
    return later.role == ProbeRole::kFrameInfoCall && later.hit.tid == hit.tid &&
           later.address == destination;
  });
  std::span<const std::int64_t> fields;
  if (thread.count <= event.words.size() && (next != waiting.end() || event.read)) {
    fields = std::span(next != waiting.end() ? next->words : event.words).first(thread.count);
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

/// As above; nothing when its process is not watched.
TracefsSource::Thread* TracefsSource::find_watched(std::int32_t tid, Instant at) {
  Thread* const thread = find_thread(tid, at);
  return thread != nullptr && (options_.watch_all || watched_.contains(thread->pid)) ? thread
                                                                                     : nullptr;
}

bool TracefsSource::identify(Thread& thread) const {
  std::istringstream status(read_node(options_.proc / std::to_string(thread.tid) / "status"));
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
  counters.events = seen_;
  counters.frames = assembler_.frames();
  counters.rejected = assembler_.rejected() + malformed_;
  counters.lost = lost_;
  return counters;
}

void TracefsSource::unwatch(std::int32_t pid) {
  watched_.erase(pid);
  assembler_.forget(pid);
}

void TracefsSource::watch_only(std::span<const std::int32_t> pids) {
  const std::set<std::int32_t> before = std::exchange(watched_, {pids.begin(), pids.end()});
  for (const std::int32_t pid : before) {
    if (!watched_.contains(pid)) {
      assembler_.forget(pid);
    }
  }
  options_.watch_all = pids.empty();
}

}  // namespace framegov
