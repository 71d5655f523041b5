// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/sources/app_ring.h"

namespace framegov {

/// The app's side of its ring. Any thread may write; none waits for the service, and for another
/// thread no longer than that takes for one record. Compiled into the app, so no C++ library here.
///
/// Nothing that the service writes can make it touch other memory: it reads its tail and its state,
/// and masks its own index.
class AppRingWriter {
 public:
  void start(AppRing* ring) { ring_ = ring; }

  /// Does the service want records now?
  [[nodiscard]] bool wanted() const {
    return __atomic_load_n(&ring_->state, __ATOMIC_RELAXED) != kAppRingOff;
  }

  /// `size`: at most a slot. True: the service sleeps, and is to be woken for this one (`wakes`).
  [[nodiscard]] bool write(const void* record, __u64 size, bool wakes) {
    if (!enter()) {
      __atomic_fetch_add(&lost_, 1, __ATOMIC_RELAXED);
      return false;
    }
    if (head_ - __atomic_load_n(&ring_->tail, __ATOMIC_ACQUIRE) < kAppRingSlots) {
      __builtin_memcpy(ring_->slots[head_ % kAppRingSlots].bytes, record, size);
      __atomic_store_n(&ring_->head, ++head_, __ATOMIC_RELEASE);
    } else {
      __atomic_fetch_add(&lost_, 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&ring_->lost, __atomic_load_n(&lost_, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&busy_, false, __ATOMIC_RELEASE);
    if (!wakes) {
      return false;
    }
    // Either the service, which looks once more after it has said that it sleeps, sees the record,
    // or this sees that it sleeps.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __u32 asleep = kAppRingAsleep;
    return __atomic_load_n(&ring_->state, __ATOMIC_RELAXED) == kAppRingAsleep &&
           __atomic_compare_exchange_n(&ring_->state, &asleep, kAppRingAwake, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }

 private:
  /// Two threads of an app seldom write at once, and a record takes 100 ns.
  static constexpr int kTries = 1000;

  [[nodiscard]] bool enter() {
    for (int i = 0; i < kTries; ++i) {
      if (!__atomic_exchange_n(&busy_, true, __ATOMIC_ACQUIRE)) {
        return true;
      }
    }
    return false;
  }

  AppRing* ring_ = nullptr;
  __u32 head_ = 0;
  __u32 lost_ = 0;
  bool busy_ = false;
};

}  // namespace framegov
