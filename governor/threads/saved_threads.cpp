// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/saved_threads.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "governor/state/saved_lines.h"

namespace framegov {

namespace {

constexpr std::string_view kThreadsFirstLine = "framegov saved threads 1";
constexpr std::string_view kThreadsLastLine = "end";
constexpr int kHex = 16;

template <class Values, class Value>
bool contains(const Values& values, Value value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

template <class Values, class Value>
bool add_once(Values& values, Value value) {
  return contains(values, value) || values.try_push_back(value);
}

template <class Number>
void append(std::string& text, std::string_view word, Number number, int base = 10) {
  std::array<char, 24> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  text.append(word).append(digits.data(), end);
}

template <class Values>
void append_list(std::string& text, std::string_view word, const Values& values, int base = 10) {
  text.append(word);
  for (const auto value : values) {
    append(text, " ", value, base);
  }
  text += '\n';
}

/// `word` and a number from `least` to `most`.
template <class Number>
bool take(std::string_view& line, std::string_view word, Number& number, Number least, Number most,
          int base = 10) {
  if (!take_prefix(line, word)) {
    return false;
  }
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, base);
  if (error != std::errc{} || number < least || number > most) {
    return false;
  }
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return true;
}

template <class Values, class Number>
bool take_list(std::string_view line, std::string_view word, Values& values, Number most,
               int base = 10) {
  if (!take_prefix(line, word)) {
    return false;
  }
  while (!line.empty()) {
    Number number{};
    if (!take(line, " ", number, Number{0}, most, base) || contains(values, number) ||
        !values.try_push_back(number)) {
      return false;
    }
  }
  return true;
}

constexpr std::int32_t kMostThreads = 1 << 22;  ///< PID_MAX_LIMIT

/// "thread 812 born 7301 cpus ffffffffffffffff clamp 0 1024"
bool parse_thread(std::string_view line, SavedThread& thread) {
  return take(line, "thread ", thread.tid, 1, kMostThreads) &&
         take(line, " born ", thread.born, std::uint64_t{1}, kEveryCpu) &&
         take(line, " cpus ", thread.cpus, std::uint64_t{1}, kEveryCpu, kHex) &&
         take(line, " clamp ", thread.clamp.min, std::int16_t{0}, kFullUtil) &&
         take(line, " ", thread.clamp.max, thread.clamp.min, kFullUtil) && line.empty();
}

bool parse_process(std::string_view line, SavedThreads& threads) {
  return take(line, "process ", threads.pid, 1, kMostThreads) &&
         take(line, " since ", threads.since, std::uint64_t{0}, kEveryCpu) && line.empty();
}

}  // namespace

bool AskedOfThreads::has(std::uint64_t mask) const { return contains(cpus, mask); }

bool AskedOfThreads::has(const UtilClamp& clamp) const {
  return contains(floors, clamp.min) && contains(caps, clamp.max);
}

bool AskedOfThreads::add(std::uint64_t mask) { return add_once(cpus, mask); }

bool AskedOfThreads::add(const UtilClamp& clamp) {
  return add_once(floors, clamp.min) && add_once(caps, clamp.max);
}

void write_text(const SavedThreads& threads, std::string& text) {
  text.assign(kThreadsFirstLine).append("\nboot ").append(threads.boot_id);
  append(text, "\nprocess ", threads.pid);
  append(text, " since ", threads.since);
  text += '\n';
  append_list(text, "cpus", threads.asked.cpus, kHex);
  append_list(text, "floors", threads.asked.floors);
  append_list(text, "caps", threads.asked.caps);
  for (const SavedThread& thread : threads.threads) {
    append(text, "thread ", thread.tid);
    append(text, " born ", thread.born);
    append(text, " cpus ", thread.cpus, kHex);
    append(text, " clamp ", thread.clamp.min);
    append(text, " ", thread.clamp.max);
    text += '\n';
  }
  text.append(kThreadsLastLine) += '\n';
}

Result<SavedThreads> parse_saved_threads(std::string_view text) {
  const std::string_view whole = text.substr(0, text.find_last_not_of('\n') + 1);
  SavedThreads threads;
  SavedLines lines(kSavedThreadsFile, text);
  FRAMEGOV_TRY(threads.boot_id, lines.boot_id(kThreadsFirstLine));
  if (!parse_process(lines.next(), threads)) {
    return lines.bad("not 'process N since TICKS'");
  }
  if (!take_list(lines.next(), "cpus", threads.asked.cpus, kEveryCpu, kHex) ||
      !take_list(lines.next(), "floors", threads.asked.floors, kFullUtil) ||
      !take_list(lines.next(), "caps", threads.asked.caps, kFullUtil)) {
    return lines.bad("not the lists 'cpus', 'floors' and 'caps' of what was asked for");
  }
  for (std::string_view line = lines.next(); line != kThreadsLastLine; line = lines.next()) {
    SavedThread thread;
    if (!parse_thread(line, thread)) {
      return lines.bad("not 'thread N born TICKS cpus MASK clamp MIN MAX', nor 'end'");
    }
    const bool twice = std::any_of(threads.threads.begin(), threads.threads.end(),
                                   [&](const SavedThread& each) { return each.tid == thread.tid; });
    if (twice || !threads.threads.try_push_back(thread)) {
      return lines.bad(twice ? "this thread stands there already" : "too many threads");
    }
  }
  std::string as_written;
  write_text(threads, as_written);
  as_written.pop_back();
  if (as_written != whole) {
    return lines.bad("it is not written as the service writes it");
  }
  return threads;
}

}  // namespace framegov
