// SPDX-License-Identifier: Apache-2.0
// Any bytes from a client of the control socket. Every whole line must get exactly one answer, and
// whatever is sent back must be JSON lines.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "governor/control/control_protocol.h"
#include "governor/control/control_session.h"
#include "governor/control/line_buffer.h"
#include "tests/support/control_fixture.h"

namespace {

void expect_lines(const std::string& out, std::size_t count) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < out.size(); ++lines) {
    const std::size_t end = out.find('\n', at);
    if (end == std::string::npos || !nlohmann::json::accept(out.substr(at, end - at))) {
      std::abort();
    }
    at = end + 1;
  }
  if (lines != count) {
    std::abort();
  }
}

framegov::test::ControlFixture& phone() {
  static framegov::test::ControlFixture fixture{
      {[](const std::string& mode) { return framegov::Result<std::string>(mode); },
       [](const framegov::AppSwitch&) { return framegov::Status(); },
       [](const std::string& /*package*/, const std::string& mode) {
         return framegov::Result<std::string>(mode);
       },
       [](const std::string& /*package*/) { return framegov::Result<std::string>(std::string()); },
       [](const std::optional<framegov::Pause>&) { return framegov::Status(); }}};
  return fixture;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  phone().open_app("com.\xff\x1b.app");
  phone().make_frame(std::chrono::milliseconds{5});
  ControlSession session(phone().desk);
  LineBuffer lines(kLongestRequest);
  // In two parts: lines are cut anywhere.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string_view part : {bytes.substr(0, size / 3), bytes.substr(size / 3)}) {
    if (!lines.add(part)) {
      return 0;
    }
    while (const auto line = lines.take()) {
      std::string out;
      session.on_line(*line, phone().now(), 1'795'000'000, out);
      expect_lines(out, 1);
    }
  }
  std::string out;
  const bool streams = is_known(session.due());
  session.on_time(phone().now(), out);
  if (!out.empty() && !streams) {
    std::abort();
  }
  return 0;
}
