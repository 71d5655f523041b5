// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace framegov {

/// A value that one thread publishes and any number read: a sequence lock.
///
/// publish() never waits and never allocates, whatever readers do; a reader that was overtaken
/// tries again. The value is kept in atomic words, so that a torn read is seen and is no data race.
template <class T>
class Published {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// From the one writing thread.
  void publish(const T& value) {
    std::array<std::uint64_t, kWords> words{};
    std::memcpy(words.data(), &value, sizeof value);
    const std::uint64_t before = sequence_.load(std::memory_order_relaxed);
    sequence_.store(before + 1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < kWords; ++i) {
      // Release keeps the odd number above in front of every word.
      words_[i].store(words[i], std::memory_order_release);
    }
    sequence_.store(before + 2, std::memory_order_release);
  }

  /// From any thread. Nothing when nothing was published yet, or when the writer was quicker every
  /// time.
  [[nodiscard]] std::optional<T> read() const {
    std::array<std::uint64_t, kWords> words;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::uint64_t before = sequence_.load(std::memory_order_acquire);
      if (before == 0) {
        return std::nullopt;
      }
      for (std::size_t i = 0; i < kWords; ++i) {
        words[i] = words_[i].load(std::memory_order_acquire);
      }
      if (before % 2 == 0 && sequence_.load(std::memory_order_relaxed) == before) {
        T value;
        std::memcpy(static_cast<void*>(&value), words.data(), sizeof value);
        return value;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kWords = (sizeof(T) + 7) / 8;
  static constexpr int kAttempts = 1000;

  std::atomic<std::uint64_t> sequence_{0};
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
};

/// The last N values that one thread published, for any number of readers. Values are numbered from
/// 0; old ones are overwritten, whether they were read or not.
template <class T, std::size_t N>
class PublishedRing {
 public:
  struct Numbered {
    std::uint64_t number{};
    T value{};
  };

  /// From the one writing thread. Never waits, never allocates.
  void push(const T& value) {
    const std::uint64_t number = count_.load(std::memory_order_relaxed);
    slots_[number % N].publish({number, value});
    count_.store(number + 1, std::memory_order_release);
  }

  /// How many were ever pushed: the number that the next one gets.
  [[nodiscard]] std::uint64_t count() const { return count_.load(std::memory_order_acquire); }

  /// Those from number `first` on that are still there, oldest first.
  [[nodiscard]] std::vector<Numbered> since(std::uint64_t first) const {
    const std::uint64_t end = count();
    std::uint64_t number = end > N ? end - N : 0;
    number = number < first ? first : number;
    std::vector<Numbered> found;
    for (; number < end; ++number) {
      const std::optional<Numbered> slot = slots_[number % N].read();
      // A later number: overwritten meanwhile.
      if (slot && slot->number == number) {
        found.push_back(*slot);
      }
    }
    return found;
  }

  /// The last `most`, oldest first.
  [[nodiscard]] std::vector<Numbered> last(std::size_t most) const {
    const std::uint64_t end = count();
    return since(end > most ? end - most : 0);
  }

 private:
  std::array<Published<Numbered>, N> slots_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace framegov
