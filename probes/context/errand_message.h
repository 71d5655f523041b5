// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "probes/context/command_runner.h"

namespace framegov {

/// What a confined process asks of its command runner, as one message of a SOCK_SEQPACKET socket:
/// the head, then the words and the environment, each with a NUL behind it.
struct ErrandHead {
  enum class Kind : std::uint32_t { kCommand, kCounter };
  Kind kind{};
  std::uint32_t words{};  ///< how many of the texts; the others are the environment
  std::int32_t tid{};
  ThreadCounter counter{};
};

inline constexpr std::size_t kLongestErrand = 16384;
/// Descriptors in a message: its life, and an output.
inline constexpr std::size_t kErrandFds = 2;

struct ErrandMessage {
  ErrandHead head;
  std::vector<std::string> texts;
  std::array<UniqueFd, kErrandFds> fds;
};

/// 0 or an errno. `fds` that are -1 are left out.
[[nodiscard]] int send_message(int socket, const void* bytes, std::size_t size,
                               std::array<int, kErrandFds> fds);

/// The size of the message that waits; 0 at the end, -1 with errno set. What does not fit is an
/// error.
[[nodiscard]] long receive_message(int socket, void* bytes, std::size_t size,
                                   std::array<UniqueFd, kErrandFds>& fds);

[[nodiscard]] std::string errand_bytes(const ErrandHead& head,
                                       const std::vector<std::string>& words,
                                       const std::vector<std::string>& environment);
/// Nothing for bytes that are no such message.
[[nodiscard]] std::optional<ErrandMessage> parse_errand(std::string_view bytes);

}  // namespace framegov
