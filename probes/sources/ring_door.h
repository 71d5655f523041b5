// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "probes/sources/app_ring.h"

namespace framegov {

/// What came with a ring, as the root process says it that met the app (init/zygisk).
struct HandedRing {
  std::int32_t pid{};
  uid_t uid{};
  std::string process;  ///< its name
  UniqueFd memory;
  UniqueFd wake;
  UniqueFd connection;  ///< ends when the app does

  /// The app's package: the name up to a ':'.
  [[nodiscard]] std::string_view package() const {
    return std::string_view(process).substr(0, process.find(':'));
  }
};

/// Where root processes hand apps' rings over: a socket file in the service's state folder, which
/// only root may enter. Others are turned away, by what the kernel says of them. Never waits;
/// who connects and says nothing gives way to the next.
class RingDoor {
 public:
  static constexpr std::size_t kMostWaiting = 8;

  /// `folder`: this user's alone. `peer`: whose processes may hand rings over.
  /// Error: another process listens there, or the kernel gives no socket.
  [[nodiscard]] static Result<RingDoor> open(const std::filesystem::path& folder, uid_t peer = 0);
  RingDoor(RingDoor&&) = default;
  RingDoor& operator=(RingDoor&&) = delete;
  RingDoor(const RingDoor&) = delete;
  RingDoor& operator=(const RingDoor&) = delete;
  /// Takes the file away.
  ~RingDoor();

  /// Readable when somebody connects.
  [[nodiscard]] int fd() const { return listener_.get(); }

  /// Lets one in. His descriptor, which is readable when he has spoken; -1: there is none, or he is
  /// turned away.
  [[nodiscard]] int let_in();

  /// What the one behind `fd`, who has been let in, hands over; he is a caller no longer. Nothing:
  /// it is no ring, and he is turned away; or he has not spoken yet; or `fd` is no caller's.
  [[nodiscard]] std::optional<HandedRing> take(int fd);

 private:
  RingDoor(std::filesystem::path file, UniqueFd listener, uid_t peer)
      : file_(std::move(file)), listener_(std::move(listener)), peer_(peer) {}

  std::filesystem::path file_;
  UniqueFd listener_;
  uid_t peer_;
  std::vector<UniqueFd> waiting_;  ///< let in, silent so far; oldest first
};

/// Answers whoever handed a ring over, or ends it later on.
void answer(const UniqueFd& connection, AppRingAnswer word);

}  // namespace framegov
