// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/boot_guard.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/text.h"

namespace framegov {

namespace {

constexpr const char* kFile = "early_ends";
constexpr int kMostCounted = 1000;

}  // namespace

BootGuard::Count BootGuard::read() const {
  const auto text = state_dir_.read_file(kFile);
  Count count;
  if (!text || !*text) {
    return count;  // a guard that cannot be read guards nothing; it must not keep the service out
  }
  const std::string& line = **text;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count.starts);
  if (error != std::errc{} || count.starts < 0) {
    return {};
  }
  count.starts = std::min(count.starts, kMostCounted);
  const std::string_view rest(end, static_cast<std::size_t>(line.data() + line.size() - end));
  if (rest.size() > 1) {
    count.why = printable(std::string(rest.substr(1, rest.find('\n') - 1)));
  }
  return count;
}

Status BootGuard::write(const Count& count) const {
  return state_dir_.write_file(kFile, std::to_string(count.starts) + " " + count.why + "\n");
}

Status BootGuard::check() const {
  const Count count = read();
  if (count.starts < kMostEarlyEnds) {
    return {};
  }
  return fail(ExitCode::kFailure,
              "framegovd is disabled: its last " + std::to_string(count.starts) +
                  " starts did not last" + (count.why.empty() ? "" : "; the last " + count.why),
              "see the log; framegovd --enable lets it start again");
}

Status BootGuard::begin(std::string_view why) const {
  Count count = read();
  ++count.starts;
  count.why = why;
  return write(count);
}

Status BootGuard::lasted() const { return state_dir_.remove_file(kFile); }

Status BootGuard::ended_early(std::string_view why) const {
  Count count = read();
  count.why = why;
  return write(count);
}

Status BootGuard::ended_itself() const {
  Count count = read();
  return --count.starts > 0 ? write(count) : lasted();
}

}  // namespace framegov
