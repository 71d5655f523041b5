// SPDX-License-Identifier: Apache-2.0
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/monotonic_clock.h"
#include "probes/bpf/wire.h"
#include "probes/sources/record_reader.h"
#include "probes/sources/time_ordered.h"
#include "probes/sources/wait_set.h"

namespace framegov {
namespace {

/// So many waiting records are handed on before more are read.
constexpr std::size_t kMaxPending = 256;

struct PerfDeleter {
  void operator()(perf_buffer* buffers) const { perf_buffer__free(buffers); }
};

/// Reads two buffers for each CPU, and puts their records in order.
class PerfReader final : public RecordReader {
 public:
  [[nodiscard]] Status open(int waking_map, int quiet_map, std::size_t bytes_per_buffer) {
    FRAMEGOV_TRY(auto waits, WaitSet::create());
    waits_ = std::move(waits);
    FRAMEGOV_TRY_STATUS(open_buffers(waking_, waking_map, bytes_per_buffer, 1));
    return open_buffers(quiet_, quiet_map, bytes_per_buffer, 0);
  }

  [[nodiscard]] int fd() const override { return waits_.fd(); }

  [[nodiscard]] Result<bool> read(RecordDecoder& decoder, FrameBatch& batch) override {
    FRAMEGOV_TRY_STATUS(read_buffers());
    // Those that are too new when they are read are old enough a few microseconds later. What comes
    // meanwhile is for the next time: this ends, however fast records come.
    const Instant until = monotonic_now();
    hand_on(decoder, batch);
    while (has_room(batch) && !pending_.empty() && pending_.waiting().front().at() <= until) {
      FRAMEGOV_TRY_STATUS(read_buffers());
      hand_on(decoder, batch);
    }
    waits_.set_backlog(!pending_.empty());
    return !pending_.empty();
  }

  [[nodiscard]] std::uint64_t lost() const override { return lost_; }

 private:
  struct Record {
    Instant time;
    std::size_t size{};
    alignas(8) std::array<std::byte, sizeof(wire_frame_finished)> bytes{};

    [[nodiscard]] Instant at() const { return time; }
  };

  using Buffers = std::unique_ptr<perf_buffer, PerfDeleter>;

  /// `wakeup_events`: so many records wake; with 0 half a buffer of them.
  [[nodiscard]] Status open_buffers(Buffers& buffers, int map_fd, std::size_t bytes,
                                    std::uint32_t wakeup_events) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_BPF_OUTPUT;
    attributes.sample_type = PERF_SAMPLE_RAW;
    attributes.sample_period = 1;
    attributes.wakeup_events = wakeup_events;
    const std::size_t pages = bytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    buffers.reset(::perf_buffer__new_raw(map_fd, std::max<std::size_t>(pages, 1), &attributes,
                                         &PerfReader::on_event, this, nullptr));
    return buffers ? waits_.add(::perf_buffer__epoll_fd(buffers.get()))
                   : fail_errno(errno, "the perf buffers cannot be mapped");
  }

  [[nodiscard]] Status read_buffers() {
    if (pending_.size() >= kMaxPending && pending_.next() != nullptr) {
      return {};  // those first
    }
    const Instant began = monotonic_now();
    for (const Buffers* const buffers : {&waking_, &quiet_}) {
      if (const int result = ::perf_buffer__consume(buffers->get()); result < 0) {
        return fail_errno(-result, "reading the perf buffers");
      }
    }
    pending_.complete_to(began - kWriteDelay);
    return {};
  }

  void hand_on(RecordDecoder& decoder, FrameBatch& batch) {
    while (has_room(batch)) {
      const Record* const next = pending_.next();
      if (next == nullptr) {
        return;
      }
      decoder.take(next->bytes.data(), next->size, batch);
      pending_.pop();
    }
  }

  /// Source: linux/perf_event.h, PERF_RECORD_SAMPLE with PERF_SAMPLE_RAW, PERF_RECORD_LOST.
  static bpf_perf_event_ret on_event(void* self, int /*cpu*/, perf_event_header* header) {
    struct Sample {
      perf_event_header header;
      std::uint32_t size;
    };
    struct Lost {
      perf_event_header header;
      std::uint64_t id;
      std::uint64_t count;
    };
    PerfReader& reader = *static_cast<PerfReader*>(self);
    const auto* const bytes = reinterpret_cast<const std::byte*>(header);
    if (header->type == PERF_RECORD_SAMPLE && header->size >= sizeof(Sample)) {
      Sample sample{};
      std::memcpy(&sample, bytes, sizeof sample);
      reader.add(bytes + sizeof sample,
                 std::min<std::size_t>(sample.size, header->size - sizeof sample));
    } else if (header->type == PERF_RECORD_LOST && header->size >= sizeof(Lost)) {
      Lost lost{};
      std::memcpy(&lost, bytes, sizeof lost);
      reader.lost_ += lost.count;
    }
    return LIBBPF_PERF_EVENT_CONT;
  }

  void add(const std::byte* data, std::size_t size) {
    Record record;
    // perf pads what it carries so that it and its own 4-byte size end at 8; ours end there too.
    record.size = std::min<std::size_t>(size & ~std::size_t{7}, record.bytes.size());
    std::memcpy(record.bytes.data(), data, record.size);
    wire_header header{};
    std::memcpy(&header, record.bytes.data(), sizeof header);
    // Were one ever from the future, it would be waited for.
    record.time =
        std::min(instant_from_ns(static_cast<std::int64_t>(header.time_ns)), monotonic_now());
    pending_.add(record);
  }

  Buffers waking_;
  Buffers quiet_;
  WaitSet waits_;
  TimeOrdered<Record> pending_{kMaxPending};
  std::uint64_t lost_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordReader>> make_perf_reader(int waking_map, int quiet_map,
                                                       std::size_t bytes_per_buffer) {
  auto reader = std::make_unique<PerfReader>();
  FRAMEGOV_TRY_STATUS(reader->open(waking_map, quiet_map, bytes_per_buffer));
  return reader;
}

}  // namespace framegov
