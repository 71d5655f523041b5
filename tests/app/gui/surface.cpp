// SPDX-License-Identifier: Apache-2.0
#include "tests/app/gui/surface.h"

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace android {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

void sleep_until(std::int64_t ns) {
  const timespec when{ns / kSecond, ns % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR) {
  }
}

}  // namespace

Surface::Surface(std::int64_t vsync_origin_ns, std::int64_t interval_ns)
    : ANativeWindow{hook_dequeueBuffer, hook_queueBuffer},
      origin_(vsync_origin_ns),
      interval_(interval_ns) {}

Surface::~Surface() = default;

int Surface::hook_dequeueBuffer(ANativeWindow* window, ANativeWindowBuffer** buffer, int* fence) {
  return static_cast<Surface*>(window)->dequeueBuffer(buffer, fence);
}

int Surface::hook_queueBuffer(ANativeWindow* window, ANativeWindowBuffer* buffer, int fence) {
  return static_cast<Surface*>(window)->queueBuffer(buffer, fence);
}

int Surface::dequeueBuffer(ANativeWindowBuffer** buffer, int* fence) {
  // Buffer k takes the memory of k - 3, which leaves the screen when k - 2 is latched.
  if (now_ns() < latch_before_) {
    sleep_until(latch_before_);
  }
  ANativeWindowBuffer& free_buffer = buffers_[next_number_ % 3];
  free_buffer.number = next_number_++;
  *buffer = &free_buffer;
  *fence = -1;
  return 0;
}

int Surface::queueBuffer(ANativeWindowBuffer*, int) {
  const std::int64_t next_vsync = origin_ + ((now_ns() - origin_) / interval_ + 1) * interval_;
  latch_before_ = last_latch_;
  last_latch_ = std::max(next_vsync, last_latch_ + interval_);
  return 0;
}

}  // namespace android
