// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace framegov {

/// A vector of at most `N` elements kept in place, for the value types that the loop hands on: the
/// loop must not allocate. `push_back` on a full vector is refused and says so.
template <class T, std::size_t N>
class StaticVector {
 public:
  constexpr StaticVector() = default;

  [[nodiscard]] static constexpr std::size_t capacity() { return N; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr bool full() const { return size_ == N; }

  /// Returns false, changing nothing, when the vector is full.
  constexpr bool push_back(const T& value) {
    if (full()) {
      return false;
    }
    items_[size_++] = value;
    return true;
  }
  constexpr void clear() { size_ = 0; }
  /// Returns false, changing nothing, when `size` is over the capacity. New elements are T{}.
  constexpr bool resize(std::size_t size) {
    if (size > N) {
      return false;
    }
    for (std::size_t i = size_; i < size; ++i) {
      items_[i] = T{};
    }
    size_ = size;
    return true;
  }

  [[nodiscard]] constexpr T& operator[](std::size_t i) { return items_[i]; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return items_[i]; }
  [[nodiscard]] constexpr T& front() { return items_[0]; }
  [[nodiscard]] constexpr const T& front() const { return items_[0]; }
  [[nodiscard]] constexpr T& back() { return items_[size_ - 1]; }
  [[nodiscard]] constexpr const T& back() const { return items_[size_ - 1]; }

  [[nodiscard]] constexpr T* begin() { return items_.data(); }
  [[nodiscard]] constexpr T* end() { return items_.data() + size_; }
  [[nodiscard]] constexpr const T* begin() const { return items_.data(); }
  [[nodiscard]] constexpr const T* end() const { return items_.data() + size_; }

  constexpr operator std::span<const T>() const { return {items_.data(), size_}; }

  friend constexpr bool operator==(const StaticVector& a, const StaticVector& b) {
    if (a.size_ != b.size_) {
      return false;
    }
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.items_[i] == b.items_[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  std::array<T, N> items_{};
  std::size_t size_{};
};

}  // namespace framegov
