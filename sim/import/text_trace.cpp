// SPDX-License-Identifier: Apache-2.0
#include "sim/import/text_trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_topology.h"

namespace framegov::sim {

namespace {

class LineReader {
 public:
  explicit LineReader(ByteSource& source) : source_(source) {}

  /// The next line without its end; pieces of kMaxLine of lines that are longer (scripts).
  Result<std::optional<std::string_view>> next() {
    constexpr std::size_t kMaxLine = std::size_t{1} << 20U;
    source_.consume(pending_);
    pending_ = 0;
    offset_ = source_.offset();
    std::size_t searched = 0;
    while (true) {
      const std::string_view window = source_.window();
      const std::size_t end = window.substr(0, kMaxLine).find('\n', searched);
      if (end != std::string_view::npos) {
        pending_ = end + 1;
        return window.substr(0, end);
      }
      searched = std::min(window.size(), kMaxLine);
      if (searched == kMaxLine) {
        pending_ = kMaxLine;
        return window.substr(0, kMaxLine);
      }
      FRAMEGOV_TRY_STATUS(source_.require(window.size() + 1));
      if (source_.window().size() == window.size()) {
        if (window.empty()) {
          return std::nullopt;
        }
        pending_ = window.size();
        return window;
      }
    }
  }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  ByteSource& source_;
  std::size_t pending_ = 0;
  std::uint64_t offset_ = 0;
};

std::vector<std::string_view> columns_of(std::string_view line) {
  constexpr std::size_t kMaxColumns = 64;
  std::vector<std::string_view> columns;
  while (columns.size() < kMaxColumns) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) {
      break;
    }
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    columns.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return columns;
}

/// The `ps` tables that systrace puts beside the trace.
class ProcessTable {
 public:
  /// True when the line belongs to a table.
  bool take(std::string_view line, TraceSink& sink) {
    if (line.starts_with("USER") && line.find(" PID") != std::string_view::npos) {
      header_.assign(1, "");
      const auto columns = columns_of(line);
      header_.assign(columns.begin(), columns.end());
      return true;
    }
    if (header_.empty()) {
      return false;
    }
    const auto columns = columns_of(line);
    if (columns.size() < header_.size()) {
      header_.clear();
      return false;
    }
    const auto pid = integer(columns, "PID");
    const auto tid = integer(columns, "TID");
    if (!pid) {
      header_.clear();
      return false;
    }
    sink.on_thread({.tid = tid.value_or(*pid),
                    .tgid = *pid,
                    .name = name_in(columns),
                    .is_command_line = !tid.has_value()});
    return true;
  }

 private:
  /// The name stands last, or before the COMM, which is its last 15 letters.
  [[nodiscard]] std::string_view name_in(const std::vector<std::string_view>& columns) const {
    const auto place = std::find(header_.begin(), header_.end(), "NAME");
    return header_.end() - place > 1 ? columns[static_cast<std::size_t>(place - header_.begin())]
                                     : columns.back();
  }

  [[nodiscard]] std::optional<std::int32_t> integer(const std::vector<std::string_view>& columns,
                                                    std::string_view name) const {
    const auto place = std::find(header_.begin(), header_.end(), name);
    if (place == header_.end()) {
      return std::nullopt;
    }
    const std::string_view text = columns[static_cast<std::size_t>(place - header_.begin())];
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
  }

  std::vector<std::string> header_;
};

/// The kernel's buffers are equally large for each CPU: one with far fewer lines than the fullest
/// (a quarter, as events differ in size) has not come round, and the CPU slept where it has none.
class BufferFill {
 public:
  void add(std::int32_t cpu) {
    if (cpu >= 0 && cpu < static_cast<std::int32_t>(kMaxCpus)) {
      ++lines_[static_cast<std::size_t>(cpu)];
    }
  }
  void tell_whole(TraceSink& sink) const {
    const std::uint64_t most = *std::max_element(lines_.begin(), lines_.end());
    for (std::size_t cpu = 0; cpu < lines_.size(); ++cpu) {
      if (lines_[cpu] != 0 && lines_[cpu] < most / 4) {
        sink.on_complete_since(static_cast<std::int32_t>(cpu), 0);
      }
    }
  }

 private:
  std::array<std::uint64_t, kMaxCpus> lines_{};
};

/// Which lines of a systrace page are the trace: its viewer's scripts hold lines that look like it.
class SystracePage {
 public:
  /// False for lines of the page that are none of the trace.
  bool take(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r\xef\xbb\xbf"), line.size()));
    if (first_) {
      first_ = line.empty();
      is_page_ = begins(line, "<!doctype") || begins(line, "<!--") || begins(line, "<html") ||
                 begins(line, "<script");
    }
    if (!is_page_) {
      return true;
    }
    if (!in_data_) {
      in_data_ = line.starts_with("<script") &&
                 line.find("trace-data\"") != std::string_view::npos &&
                 line.find("</script>") == std::string_view::npos;
      return false;
    }
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    in_data_ = !line.ends_with("</script>");
    return in_data_;
  }
  [[nodiscard]] bool in_data() const { return in_data_; }

 private:
  static bool begins(std::string_view line, std::string_view lower) {
    return line.size() >= lower.size() &&
           std::equal(lower.begin(), lower.end(), line.begin(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
  }

  bool first_ = true;
  bool is_page_ = false;
  bool in_data_ = false;
};

/// "CPU:3 [LOST 120 EVENTS]" of the kernel, "CPU:3 [120 EVENTS DROPPED]" of trace-cmd, both without
/// the number where it is not known.
bool take_lost_events(std::string_view line, TraceSink& sink) {
  constexpr std::string_view kCpu = "CPU:";
  const std::size_t open = std::min(line.find('['), line.size());
  const std::string_view lost = line.substr(open);
  if (!line.starts_with(kCpu) ||
      (!lost.starts_with("[LOST ") && lost.find("EVENTS DROPPED]") == std::string_view::npos)) {
    return false;
  }
  std::int32_t cpu = 0;
  std::uint64_t count = 0;
  std::from_chars(line.data() + kCpu.size(), line.data() + line.size(), cpu);
  const std::size_t digits = std::min(line.find_first_of("0123456789", open), line.size());
  std::from_chars(line.data() + digits, line.data() + line.size(), count);
  sink.on_lost_events(cpu, count);
  return true;
}

}  // namespace

Result<TextTraceCounts> read_text_trace(ByteSource& source, TraceSink& sink,
                                        const std::function<void(double)>& on_progress) {
  constexpr std::uint64_t kProgressStep = std::uint64_t{1} << 20U;
  TextTraceCounts counts;
  LineReader reader(source);
  ProcessTable processes;
  BufferFill fill;
  SystracePage page;
  std::uint64_t next_progress = kProgressStep;
  while (true) {
    FRAMEGOV_TRY(auto next, reader.next());
    if (!next) {
      break;
    }
    std::string_view line = *next;
    if (!page.take(line)) {
      continue;
    }
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.starts_with("##### CPU ")) {  // "buffer started": the kernel has overwritten events
      sink.on_overwritten();
    }
    if (line.starts_with('#') || processes.take(line, sink) || take_lost_events(line, sink)) {
      continue;
    }
    std::optional<std::int32_t> cpu;
    const bool read = parse_ftrace_line(line, sink, cpu);
    if (cpu) {
      ++counts.lines;
      fill.add(*cpu);
      if (!read && counts.damaged++ == 0) {
        counts.first_damaged_offset = reader.offset();
      }
    }
    if (sink.is_full()) {
      return fail(
          ExitCode::kBadInput,
          "the trace holds more events than fit, at offset " + std::to_string(reader.offset()),
          "cut it into shorter ones, or record fewer categories");
    }
    if (on_progress && reader.offset() >= next_progress) {
      next_progress = reader.offset() + kProgressStep;
      on_progress(source.progress());
    }
  }
  fill.tell_whole(sink);
  if (counts.lines == 0) {
    return fail(
        ExitCode::kBadInput,
        "no ftrace event in " + std::to_string(source.offset()) + " bytes of text",
        "give a Perfetto trace, ftrace text, systrace HTML, wipe-v2 JSON or a workload CSV");
  }
  if (counts.damaged * 2 > counts.lines) {
    return fail(ExitCode::kBadInput,
                std::to_string(counts.damaged) + " of " + std::to_string(counts.lines) +
                    " event lines are damaged, the first at offset " +
                    std::to_string(counts.first_damaged_offset),
                "record it again");
  }
  if (page.in_data()) {
    return fail(ExitCode::kBadInput,
                "the systrace page is cut off at offset " + std::to_string(reader.offset()),
                "copy it again; --partial takes what comes before");
  }
  return counts;
}

}  // namespace framegov::sim
