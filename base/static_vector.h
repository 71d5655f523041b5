// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/check.h"

namespace framegov {

/// A vector of at most `N` elements kept in place, for the value types that the loop hands on: the
/// loop must not allocate.
///
/// Every access is checked, in all builds: an element that is not there, or one too many, ends the
/// process (base/check.h). Where there may be more than fit, try_push_back() says so.
template <class T, std::size_t N>
class StaticVector {
 public:
  constexpr StaticVector() = default;

  [[nodiscard]] static constexpr std::size_t capacity() { return N; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr bool full() const { return size_ == N; }
  [[nodiscard]] constexpr std::size_t room() const { return N - size_; }

  /// There is room for it.
  constexpr void push_back(const T& value) {
    check(size_ < N, "an element too many for a StaticVector");
    items_[size_++] = value;
  }
  /// Returns false, changing nothing, when the vector is full.
  [[nodiscard]] constexpr bool try_push_back(const T& value) {
    if (full()) {
      return false;
    }
    push_back(value);
    return true;
  }
  constexpr void pop_back() {
    check(size_ > 0, "the last element of an empty StaticVector");
    --size_;
  }
  /// The first `count` go; the others keep their order.
  constexpr void erase_front(std::size_t count) {
    check(count <= size_, "more elements than a StaticVector has");
    std::copy(items_.begin() + count, items_.begin() + size_, items_.begin());
    size_ -= count;
  }
  constexpr void clear() { size_ = 0; }
  /// New elements are T{}. `size` is at most the capacity.
  constexpr void resize(std::size_t size) {
    check(size <= N, "a StaticVector larger than its room");
    for (std::size_t i = size_; i < size; ++i) {
      items_[i] = T{};
    }
    size_ = size;
  }

  [[nodiscard]] constexpr T& operator[](std::size_t i) {
    check(i < size_, "an element that a StaticVector does not have");
    return *(items_.data() + i);
  }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const {
    check(i < size_, "an element that a StaticVector does not have");
    return *(items_.data() + i);
  }
  [[nodiscard]] constexpr T& front() { return (*this)[0]; }
  [[nodiscard]] constexpr const T& front() const { return (*this)[0]; }
  [[nodiscard]] constexpr T& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] constexpr const T& back() const { return (*this)[size_ - 1]; }

  [[nodiscard]] constexpr T* begin() { return items_.data(); }
  [[nodiscard]] constexpr T* end() { return items_.data() + size_; }
  [[nodiscard]] constexpr const T* begin() const { return items_.data(); }
  [[nodiscard]] constexpr const T* end() const { return items_.data() + size_; }

  constexpr operator std::span<const T>() const { return {items_.data(), size_}; }

  friend constexpr bool operator==(const StaticVector& a, const StaticVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<T, N> items_{};
  std::size_t size_{};
};

}  // namespace framegov
