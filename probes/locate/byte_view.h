// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace framegov {

/// Bytes of a file that nobody vouches for. Every read says how far it may go and is empty when the
/// bytes are not there; offsets may be any number.
class ByteView {
 public:
  ByteView() = default;
  explicit ByteView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }

  [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

  /// A copy of the object at `offset`, aligned or not. Files are little-endian, as are the hosts.
  template <class T>
  [[nodiscard]] std::optional<T> read(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!contains(offset, sizeof(T))) {
      return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  [[nodiscard]] std::optional<ByteView> sub(std::uint64_t offset, std::uint64_t size) const {
    if (!contains(offset, size)) {
      return std::nullopt;
    }
    return ByteView(bytes_.subspan(offset, size));
  }

  /// The text from `offset` up to its NUL; empty when there is none within `max` bytes.
  [[nodiscard]] std::optional<std::string_view> c_string(std::uint64_t offset,
                                                         std::uint64_t max) const {
    if (offset >= bytes_.size()) {
      return std::nullopt;
    }
    const std::uint64_t room = bytes_.size() - offset < max ? bytes_.size() - offset : max;
    const void* begin = bytes_.data() + offset;
    const void* nul = std::memchr(begin, 0, room);
    if (nul == nullptr) {
      return std::nullopt;
    }
    return std::string_view(static_cast<const char*>(begin),
                            static_cast<std::size_t>(static_cast<const std::byte*>(nul) -
                                                     static_cast<const std::byte*>(begin)));
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace framegov
