// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace framegov {

// The control socket's protocol in numbers; in words: docs/protocol.md.

inline constexpr int kProtocolVersion = 1;

/// In the abstract namespace of Unix sockets.
inline constexpr std::string_view kDefaultControlSocket = "framegov";

/// Beside it, in the state folder.
inline constexpr std::string_view kControlFile = "control.socket";
/// In the usual state folder.
inline constexpr std::string_view kDefaultControlFile = "/data/adb/framegov/control.socket";

/// A request of more bytes is refused, and the rest of the connection with it.
inline constexpr std::size_t kLongestRequest = 4096;

inline constexpr std::size_t kMostClients = 8;

/// A client that leaves so much unread gets no more answers and no more of its streams until it has
/// read.
inline constexpr std::size_t kMostUnread = 256U << 10U;

/// Times a second that a stream tells at most.
inline constexpr double kFastestStream = 20;

inline constexpr std::size_t kMostExplained = 256;

/// What a pause lasts at most, in seconds; a longer one is until it is resumed.
inline constexpr double kLongestPause = 30 * 86400;

inline constexpr std::array<std::string_view, 10> kCommandNames{
    "hello", "status", "watch", "log", "explain", "history", "mode", "app", "pause", "resume"};

}  // namespace framegov
