// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "governor/control/control_desk.h"

namespace framegov {

/// One client's conversation: request lines in, answer lines out, and its streams. Any bytes are
/// survived; what is no request gets one error line. docs/protocol.md.
class ControlSession {
 public:
  /// The desk must outlive the session.
  explicit ControlSession(ControlDesk& desk) : desk_(desk) {}

  /// Answers one line (without its newline), appending to `out`.
  void on_line(std::string_view line, Instant now, std::int64_t unix_seconds, std::string& out);

  /// Appends what the streams have to tell by now.
  void on_time(Instant now, std::string& out);

  /// The client does not read: what was due is left out. Log lines are told later, or counted.
  void postpone(Instant now);

  /// When on_time() is to be called next; zero without streams.
  [[nodiscard]] Instant due() const;

  /// The client has gone: what it held is let go.
  void end();

 private:
  /// What a client has asked to be told again and again.
  struct Stream {
    std::string id;  ///< of the request, as JSON text
    Duration period{};
    Instant due;
  };

  [[nodiscard]] Result<nlohmann::json> answer(const nlohmann::json& request, Instant now,
                                              std::int64_t unix_seconds);
  [[nodiscard]] Result<nlohmann::json> start_watch(const nlohmann::json& request, Instant now);
  [[nodiscard]] Result<nlohmann::json> log(const nlohmann::json& request, Instant now);
  [[nodiscard]] Result<nlohmann::json> mode(const nlohmann::json& request) const;
  [[nodiscard]] Result<nlohmann::json> pause(const nlohmann::json& request,
                                             std::int64_t unix_seconds) const;
  [[nodiscard]] Result<nlohmann::json> app(const nlohmann::json& request);
  [[nodiscard]] Status hold_app(const AppSwitch& app);
  [[nodiscard]] nlohmann::json new_log_lines();

  ControlDesk& desk_;
  std::optional<Stream> watch_;
  bool watch_seconds_ = false;
  std::optional<Stream> log_;
  std::uint64_t next_log_line_ = 0;
  std::set<std::string> held_apps_;
};

}  // namespace framegov
