// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

// Names and signatures as in libgui, so that the mangled names are the real ones.
namespace android {

/// The app's end of the vsync stream: asked for one vsync, it becomes readable when that has come.
class [[gnu::visibility("default")]] DisplayEventReceiver {
 public:
  struct Event {
    std::int64_t timestamp;  ///< CLOCK_MONOTONIC, ns: the vsync itself, not its delivery
    std::uint32_t count;
  };

  DisplayEventReceiver();
  ~DisplayEventReceiver();
  DisplayEventReceiver(const DisplayEventReceiver&) = delete;
  DisplayEventReceiver& operator=(const DisplayEventReceiver&) = delete;

  [[nodiscard]] int getFd() const { return fd_; }
  /// Asks for the vsync at `timestamp`.
  bool requestVsync(std::int64_t timestamp);
  /// Number of events read into `events`; 0 when drained.
  ssize_t getEvents(Event * events, std::size_t count);

 private:
  int fd_;
  std::int64_t requested_ = 0;
};

/// Turns readable descriptors into dispatchVsync() calls.
class [[gnu::visibility("default")]] DisplayEventDispatcher {
 public:
  virtual ~DisplayEventDispatcher();
  DisplayEventDispatcher() = default;
  DisplayEventDispatcher(const DisplayEventDispatcher&) = delete;
  DisplayEventDispatcher& operator=(const DisplayEventDispatcher&) = delete;

  [[nodiscard]] DisplayEventReceiver& receiver() { return receiver_; }
  int handleEvent(int fd, int events, void* data);

 protected:
  virtual void dispatchVsync(std::int64_t timestamp, std::uint32_t count) = 0;

 private:
  DisplayEventReceiver receiver_;
};

}  // namespace android
