// SPDX-License-Identifier: Apache-2.0
#include <bpf/libbpf.h>

#include <cerrno>

#include "probes/sources/record_reader.h"

namespace framegov {
namespace {

/// Ends a round: the batch is full, or the next round is due.
constexpr int kEnough = -ENOBUFS;
/// libbpf goes on for as long as records come: a flood of those that make no frame would keep the
/// service from everything else.
constexpr int kMostInARound = 1024;

struct RingDeleter {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};

class RingReader final : public RecordReader {
 public:
  [[nodiscard]] Status open(int map_fd) {
    fd_ = map_fd;
    ring_.reset(::ring_buffer__new(map_fd, &RingReader::on_record, this, nullptr));
    return ring_ ? Status{} : fail_errno(errno, "the BPF ring buffer cannot be mapped");
  }

  [[nodiscard]] int fd() const override { return fd_; }

  [[nodiscard]] Result<bool> read(RecordDecoder& decoder, FrameBatch& batch) override {
    decoder_ = &decoder;
    batch_ = &batch;
    left_ = kMostInARound;
    const int result = ::ring_buffer__consume(ring_.get());
    if (result < 0 && result != kEnough) {
      return fail_errno(-result, "reading the BPF ring buffer");
    }
    return result == kEnough;
  }

  /// The programs count.
  [[nodiscard]] std::uint64_t lost() const override { return 0; }

 private:
  /// The record is consumed either way: a negative result only ends this round.
  static int on_record(void* self, void* data, std::size_t size) {
    RingReader& reader = *static_cast<RingReader*>(self);
    reader.decoder_->take(data, size, *reader.batch_);
    return --reader.left_ > 0 && has_room(*reader.batch_) ? 0 : kEnough;
  }

  std::unique_ptr<ring_buffer, RingDeleter> ring_;
  int fd_ = -1;
  RecordDecoder* decoder_ = nullptr;  ///< while reading
  FrameBatch* batch_ = nullptr;       ///< while reading
  int left_ = 0;                      ///< records in this round
};

}  // namespace

Result<std::unique_ptr<RecordReader>> make_ring_reader(int map_fd) {
  auto reader = std::make_unique<RingReader>();
  FRAMEGOV_TRY_STATUS(reader->open(map_fd));
  return reader;
}

}  // namespace framegov
