// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

#include "sim/import/text_trace.h"

namespace framegov::sim {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (is_space(text.back()) || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional<T>(value) : std::nullopt;
}

/// The number behind `key` ("cpu_id="), decimal digits only.
template <class T>
std::optional<T> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? std::nullopt : number<T>(text.substr(at + key.size()));
}

/// "538.064659" (or with nanoseconds) as nanoseconds, and nanoseconds alone: so `trace-cmd report`
/// prints times of clocks that it does not know ("boot").
std::optional<std::int64_t> timestamp(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos && !text.empty() &&
      std::all_of(text.begin(), text.end(), is_digit)) {
    return number<std::int64_t>(text);
  }
  constexpr std::size_t kMaxSecondsDigits = 9;
  constexpr std::size_t kNsDigits = 9;
  if (dot == std::string_view::npos || dot == 0 || dot > kMaxSecondsDigits) {
    return std::nullopt;
  }
  std::int64_t ns = 0;
  for (const char c : text.substr(0, dot)) {
    if (!is_digit(c)) {
      return std::nullopt;
    }
    ns = ns * 10 + (c - '0');
  }
  const std::string_view fraction = text.substr(dot + 1);
  if (fraction.empty() || fraction.size() > kNsDigits) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kNsDigits; ++i) {
    const char c = i < fraction.size() ? fraction[i] : '0';
    if (!is_digit(c)) {
      return std::nullopt;
    }
    ns = ns * 10 + (c - '0');
  }
  return ns;
}

struct Prefix {
  std::string_view comm;
  std::int32_t tid{};
  std::int32_t tgid{};
  std::int32_t cpu{};
  std::int64_t at{};
  std::string_view event;
  std::string_view details;
};

/// "comm-pid" and, perhaps, "(tgid)". A comm may hold spaces, brackets and dashes.
bool parse_task(std::string_view text, Prefix& prefix) {
  text = trim(text);
  if (text.ends_with(')')) {
    const std::size_t open = text.rfind('(');
    if (open == std::string_view::npos) {
      return false;
    }
    // "(-----)" where the kernel does not know.
    prefix.tgid =
        number<std::int32_t>(trim(text.substr(open + 1, text.size() - open - 2))).value_or(0);
    text = trim(text.substr(0, open));
  }
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash + 1 >= text.size() || !is_digit(text[dash + 1])) {
    return false;
  }
  const auto tid = number<std::int32_t>(text.substr(dash + 1));
  if (!tid) {
    return false;
  }
  prefix.tid = *tid;
  prefix.comm = trim(text.substr(0, dash));
  return true;
}

/// Flags (if the column is there), time, event name, details.
bool parse_tail(std::string_view text, Prefix& prefix) {
  constexpr int kMaxColumns = 3;
  for (int column = 0; column < kMaxColumns; ++column) {
    text = trim(text);
    const std::size_t end = text.find(' ');
    if (end == std::string_view::npos) {
      return false;
    }
    std::string_view token = text.substr(0, end);
    text.remove_prefix(end);
    if (!token.ends_with(':')) {
      continue;
    }
    token.remove_suffix(1);
    const auto at = timestamp(token);
    if (!at) {
      continue;
    }
    prefix.at = *at;
    text = trim(text);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      return false;
    }
    prefix.event = text.substr(0, colon);
    prefix.details = trim(text.substr(colon + 1));
    return true;
  }
  return false;
}

std::optional<Prefix> parse_prefix(std::string_view line) {
  // The CPU column is the first "[digits]" that has a task before it: a comm may hold brackets.
  for (std::size_t open = line.find('['); open != std::string_view::npos;
       open = line.find('[', open + 1)) {
    std::size_t close = open + 1;
    while (close < line.size() && is_digit(line[close])) {
      ++close;
    }
    constexpr std::size_t kMaxCpuDigits = 4;
    if (close == open + 1 || close > open + 1 + kMaxCpuDigits || close >= line.size() ||
        line[close] != ']') {
      continue;
    }
    Prefix prefix;
    prefix.cpu = *number<std::int32_t>(line.substr(open + 1));
    if (parse_task(line.substr(0, open), prefix) && parse_tail(line.substr(close + 1), prefix)) {
      return prefix;
    }
  }
  return std::nullopt;
}

/// `trace-cmd report`: "comm:pid [prio] state ==> comm:pid [prio]". Its -r and -R print an event's
/// fields alone, as the kernel does but without the arrow.
std::optional<std::int32_t> trace_cmd_pid(std::string_view task, std::string_view& comm) {
  task = trim(task.substr(0, task.rfind('[')));
  const std::size_t colon = task.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  comm = task.substr(0, colon);
  return number<std::int32_t>(task.substr(colon + 1));
}

bool parse_switch(const Prefix& prefix, TraceSink& sink) {
  constexpr std::string_view kArrow = "==> ";
  constexpr std::string_view kNextComm = "next_comm=";
  const std::string_view details = prefix.details;
  const std::size_t arrow = details.find(kArrow);
  const bool has_arrow = arrow != std::string_view::npos;
  const std::size_t end = has_arrow ? arrow : details.find(kNextComm);
  if (end == std::string_view::npos) {
    return false;
  }
  const std::string_view before = details.substr(0, end);
  const std::string_view after = details.substr(end + (has_arrow ? kArrow.size() : 0));
  SchedSwitch event{
      .at = prefix.at, .cpu = prefix.cpu, .prev_tid = -1, .next_tid = 0, .next_comm = {}};
  std::optional<std::int32_t> previous;
  std::optional<std::int32_t> next;
  if (after.starts_with(kNextComm)) {
    constexpr std::string_view kNextPid = " next_pid=";
    previous = number_after<std::int32_t>(before, " prev_pid=");
    const std::size_t pid = after.rfind(kNextPid);
    if (pid == std::string_view::npos || pid < kNextComm.size()) {
      return false;
    }
    next = number<std::int32_t>(after.substr(pid + kNextPid.size()));
    event.next_comm = after.substr(kNextComm.size(), pid - kNextComm.size());
  } else {
    std::string_view unused;
    previous = trace_cmd_pid(before, unused);
    next = trace_cmd_pid(after, event.next_comm);
  }
  if (!previous || !next) {
    return false;
  }
  event.prev_tid = *previous;
  event.next_tid = *next;
  sink.on_switch(event);
  return true;
}

/// What was written to trace_marker.
std::string_view mark_text(const Prefix& prefix) {
  std::string_view text = prefix.details;
  // `trace-cmd report -R` prints the event's fields.
  constexpr std::string_view kBuffer = " buf=";
  if (const std::size_t buffer = text.find(kBuffer);
      text.starts_with("ip=") && buffer != std::string_view::npos) {
    return text.substr(buffer + kBuffer.size());
  }
  // "print: tracing_mark_write: B|..." and "print: 0xffff: B|..." of other readers.
  if (prefix.event == "print") {
    const std::size_t colon = text.find(": ");
    if (colon != std::string_view::npos && text.find('|') > colon) {
      text.remove_prefix(colon + 2);
    }
  }
  return text;
}

bool parse_event(const Prefix& prefix, TraceSink& sink) {
  const std::string_view details = prefix.details;
  if (prefix.event == "sched_switch") {
    return parse_switch(prefix, sink);
  }
  if (prefix.event == "cpu_frequency" || prefix.event == "cpu_idle") {
    const auto state = number_after<std::uint32_t>(details, "state=");
    const auto cpu = number_after<std::int32_t>(details, "cpu_id=");
    if (!state || !cpu) {
      return false;
    }
    if (prefix.event == "cpu_idle") {
      sink.on_cpu_idle(prefix.at, *cpu, *state);
    } else {
      sink.on_cpu_frequency({.at = prefix.at, .cpu = *cpu, .khz = *state});
    }
    return true;
  }
  if (prefix.event == "cpu_frequency_limits") {
    const auto minimum = number_after<std::uint32_t>(details, "min=");
    const auto cpu = number_after<std::int32_t>(details, "cpu_id=");
    if (minimum && cpu) {
      sink.on_cpu_minimum({.at = prefix.at, .cpu = *cpu, .khz = *minimum});
    }
    return minimum && cpu;
  }
  // Kernels without the symbol of the function that writes it call it "0".
  if (prefix.event == "tracing_mark_write" || prefix.event == "print" || prefix.event == "0") {
    const std::string_view text = mark_text(prefix);
    sink.on_print(
        {.at = prefix.at, .cpu = prefix.cpu, .tid = prefix.tid, .tgid = prefix.tgid, .text = text});
    return true;
  }
  if (prefix.event == "sched_waking") {
    sink.on_waking(prefix.at, number_after<std::int32_t>(details, " pid=").value_or(0));
    return true;
  }
  if (prefix.event == "gpu_frequency") {
    const auto khz = number_after<std::uint32_t>(details, "state=");
    if (khz) {
      sink.on_gpu_frequency(prefix.at, number_after<std::uint32_t>(details, "gpu_id=").value_or(0),
                            *khz);
    }
    return khz.has_value();
  }
  return true;
}

}  // namespace

bool parse_ftrace_line(std::string_view line, TraceSink& sink, std::optional<std::int32_t>& cpu) {
  const std::optional<Prefix> prefix = parse_prefix(line);
  cpu.reset();
  if (!prefix) {
    return false;
  }
  cpu = prefix->cpu;
  // "<...>" and "<1234>" are tracefs's words for a comm it does not know.
  const bool named = !(prefix->comm.starts_with('<') && prefix->comm.ends_with('>'));
  if (prefix->tid > 0 && (named || prefix->tgid != 0)) {
    sink.on_thread({.tid = prefix->tid,
                    .tgid = prefix->tgid,
                    .name = named ? prefix->comm : std::string_view(),
                    .is_command_line = false});
  }
  return parse_event(*prefix, sink);
}

}  // namespace framegov::sim
