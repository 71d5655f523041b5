// SPDX-License-Identifier: Apache-2.0
#include "trace/byte_source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/unique_fd.h"

namespace framegov {

namespace {

class Mapping {
 public:
  Mapping() = default;
  Mapping(void* address, std::size_t size) : address_(address), size_(size) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(size_, other.size_);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (address_ != nullptr) {
      ::munmap(address_, size_);
    }
  }
  [[nodiscard]] std::string_view bytes() const {
    return {static_cast<const char*>(address_), size_};
  }

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

class PlainSource final : public ByteSource {
 public:
  PlainSource(Mapping mapping, std::string_view bytes)
      : mapping_(std::move(mapping)), rest_(bytes), size_(bytes.size()) {}

  [[nodiscard]] std::string_view window() const override { return rest_; }
  [[nodiscard]] Status require(std::size_t /*size*/) override { return {}; }
  void consume(std::size_t size) override { rest_.remove_prefix(size); }
  [[nodiscard]] std::uint64_t offset() const override { return size_ - rest_.size(); }
  [[nodiscard]] double progress() const override {
    return static_cast<double>(offset()) / static_cast<double>(size_);
  }

 private:
  Mapping mapping_;
  std::string_view rest_;
  std::size_t size_;
};

class GzipSource final : public ByteSource {
 public:
  /// The compressed data is what comes after the first `head` bytes.
  GzipSource(Mapping mapping, std::string_view bytes, std::size_t head)
      : mapping_(std::move(mapping)), in_(bytes), read_(head) {
    // 32: gzip or zlib header, whichever is there.
    ready_ = ::inflateInit2(&stream_, 15 + 32) == Z_OK;
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  [[nodiscard]] std::string_view window() const override {
    return std::string_view(out_).substr(begin_);
  }
  void consume(std::size_t size) override {
    begin_ += size;
    offset_ += size;
  }
  [[nodiscard]] std::uint64_t offset() const override { return offset_; }
  [[nodiscard]] double progress() const override {
    return static_cast<double>(read_) / static_cast<double>(in_.size());
  }

  [[nodiscard]] Status require(std::size_t size) override {
    while (window().size() < size && !done_) {
      FRAMEGOV_TRY_STATUS(inflate_some());
    }
    return {};
  }

 private:
  static constexpr std::size_t kStep = std::size_t{1} << 18U;

  Status inflate_some() {
    if (begin_ > kStep) {
      out_.erase(0, begin_);
      begin_ = 0;
    }
    const std::size_t old_size = out_.size();
    out_.resize(old_size + kStep);
    const std::size_t chunk =
        std::min<std::size_t>(in_.size() - read_, std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in_.data() + read_));
    stream_.avail_in = static_cast<uInt>(chunk);
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + old_size);
    stream_.avail_out = static_cast<uInt>(kStep);
    const int code = ready_ ? ::inflate(&stream_, Z_NO_FLUSH) : Z_MEM_ERROR;
    read_ += chunk - stream_.avail_in;
    out_.resize(old_size + kStep - stream_.avail_out);
    if (code == Z_STREAM_END) {
      // A gzip file may hold several members, one after the other; anything else is padding.
      done_ = !in_.substr(read_).starts_with("\x1f\x8b") || ::inflateReset(&stream_) != Z_OK;
      return {};
    }
    if (code != Z_OK) {
      done_ = true;
      const bool truncated = code == Z_BUF_ERROR && read_ == in_.size();
      return fail(ExitCode::kBadInput,
                  (truncated ? "compressed data is cut off at file offset "
                             : "compressed data is damaged at file offset ") +
                      std::to_string(read_),
                  "copy the file again, or check it with `gzip -t`");
    }
    return {};
  }

  Mapping mapping_;
  std::string_view in_;
  z_stream stream_{};
  bool ready_ = false;
  std::size_t read_;  ///< bytes of in_ that zlib has taken, and those before its data
  std::string out_;
  std::size_t begin_ = 0;  ///< where the window begins in out_
  std::uint64_t offset_ = 0;
  bool done_ = false;
};

std::unique_ptr<ByteSource> make_source(Mapping mapping, std::string_view bytes) {
  if (bytes.size() > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b') {
    return std::make_unique<GzipSource>(std::move(mapping), bytes, 0);
  }
  // `atrace -z` says on its output what it does, and then gives a zlib stream.
  constexpr std::string_view kMark = "TRACE:\n";
  constexpr std::string_view kMarkAndHeader = "TRACE:\n\x78\x9c";
  if (const std::size_t mark = bytes.substr(0, 256).find(kMarkAndHeader);
      mark != std::string_view::npos) {
    return std::make_unique<GzipSource>(std::move(mapping), bytes, mark + kMark.size());
  }
  return std::make_unique<PlainSource>(std::move(mapping), bytes);
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path) {
  const UniqueFd fd = open_file(path, O_RDONLY);
  if (!fd) {
    return fail_open(errno, path, "give the path of a recording");
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, "cannot read " + path.string());
  }
  if (status.st_size == 0) {
    return fail(ExitCode::kBadInput, path.string() + " is empty", "record it again");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (address == MAP_FAILED) {
    return fail_errno(errno, "cannot map " + path.string());
  }
  ::madvise(address, size, MADV_SEQUENTIAL);
  Mapping mapping(address, size);
  const std::string_view bytes = mapping.bytes();
  return make_source(std::move(mapping), bytes);
}

Result<std::unique_ptr<ByteSource>> bytes_in_memory(std::string_view bytes) {
  if (bytes.empty()) {
    return fail(ExitCode::kBadInput, "the recording is empty", "record it again");
  }
  return make_source(Mapping(), bytes);
}

}  // namespace framegov
