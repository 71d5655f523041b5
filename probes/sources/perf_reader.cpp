// SPDX-License-Identifier: Apache-2.0
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

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

/// Reads a buffer for each CPU, and puts their records in order.
class PerfReader final : public RecordReader {
 public:
  [[nodiscard]] Status open(int map_fd, std::size_t bytes_per_cpu) {
    const std::size_t pages = bytes_per_cpu / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    buffers_.reset(::perf_buffer__new(map_fd, std::max<std::size_t>(pages, 1),
                                      &PerfReader::on_record, &PerfReader::on_lost, this, nullptr));
    if (!buffers_) {
      return fail_errno(errno, "the perf buffers cannot be mapped");
    }
    FRAMEGOV_TRY(auto waits, WaitSet::create());
    waits_ = std::move(waits);
    return waits_.add(::perf_buffer__epoll_fd(buffers_.get()));
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

  [[nodiscard]] Status read_buffers() {
    if (pending_.size() >= kMaxPending && pending_.next() != nullptr) {
      return {};  // those first
    }
    const Instant began = monotonic_now();
    if (const int result = ::perf_buffer__consume(buffers_.get()); result < 0) {
      return fail_errno(-result, "reading the perf buffers");
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

  static void on_record(void* self, int /*cpu*/, void* data, __u32 size) {
    Record record;
    // perf pads what it carries so that it and its own 4-byte size end at 8; ours end there too.
    record.size = std::min<std::size_t>(size & ~7U, record.bytes.size());
    std::memcpy(record.bytes.data(), data, record.size);
    wire_header header{};
    std::memcpy(&header, record.bytes.data(), sizeof header);
    // Were one ever from the future, it would be waited for.
    record.time =
        std::min(instant_from_ns(static_cast<std::int64_t>(header.time_ns)), monotonic_now());
    static_cast<PerfReader*>(self)->pending_.add(record);
  }

  static void on_lost(void* self, int /*cpu*/, __u64 count) {
    static_cast<PerfReader*>(self)->lost_ += count;
  }

  std::unique_ptr<perf_buffer, PerfDeleter> buffers_;
  WaitSet waits_;
  TimeOrdered<Record> pending_{kMaxPending};
  std::uint64_t lost_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordReader>> make_perf_reader(int map_fd, std::size_t bytes_per_cpu) {
  auto reader = std::make_unique<PerfReader>();
  FRAMEGOV_TRY_STATUS(reader->open(map_fd, bytes_per_cpu));
  return reader;
}

}  // namespace framegov
