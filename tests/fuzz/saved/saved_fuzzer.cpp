// SPDX-License-Identifier: Apache-2.0
// Any bytes as the limits and threads that outlive the service, as the engines that a command has
// switched off, and as the count of early ends.
#include <fstream>

#include "governor/cpufreq/saved_limits.h"
#include "governor/engines/saved_engines.h"
#include "governor/state/state_dir.h"
#include "governor/supervisor/boot_guard.h"
#include "governor/threads/saved_threads.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

void take_limits(std::string_view text) {
  const auto limits = parse_saved_limits(text);
  if (!limits) {
    need_one_line(limits.error().to_string());
    return;
  }
  need(to_text(*limits) == text, "what is taken is what is written");
  need(!has_control_character(limits->boot_id), "a boot id is a word");
  for (const SavedLimit& limit : limits->clusters) {
    need(limit.cpufreq_id >= 0, "a policy has a number");
    need_within(static_cast<double>(limit.min.count()), 1, 1e8, "a minimum is a frequency");
    need_within(static_cast<double>(limit.max.count()), static_cast<double>(limit.min.count()), 1e8,
                "a maximum is one at or above it");
  }
}

void take_threads(std::string_view text) {
  const auto threads = parse_saved_threads(text);
  if (!threads) {
    need_one_line(threads.error().to_string());
    return;
  }
  std::string written;
  write_text(*threads, written);
  need(text.substr(0, written.size()) == written, "what is taken is what is written");
  need(text.find_first_not_of('\n', written.size()) == text.npos, "and newlines after it");
  need(!has_control_character(threads->boot_id), "a boot id is a word");
  need(threads->pid > 0, "a process has a number");
  for (const SavedThread& thread : threads->threads) {
    need(thread.tid > 0 && thread.born > 0, "a thread has a number and began");
    need(thread.cpus != 0, "a thread has a CPU");
    need(0 <= thread.clamp.min && thread.clamp.min <= thread.clamp.max &&
             thread.clamp.max <= kFullUtil,
         "a clamp is two shares of the fastest core");
  }
}

void take_engines(std::string_view text) {
  const auto engines = parse_saved_engines(text);
  if (!engines) {
    need_one_line(engines.error().to_string());
    return;
  }
  need(to_text(*engines) == text, "what is taken is what is written");
  need(!has_control_character(engines->boot_id), "a boot id is a word");
  for (const SavedSwitch& each : engines->switches) {
    const std::string& path = each.before.path;
    need(is_switch(*each.engine, path), "a node is a switch of its engine");
    need(path.starts_with("/sys/") || path.starts_with("/proc/"), "a node is the kernel's");
    need(path.find("/../") == path.npos, "a node does not lead elsewhere");
    need(each.before.on(), "it was on");
  }
}

void take_count(std::string_view text) {
  static const MemoryFolder kFolder;
  static const auto kDir = StateDir::open(kFolder.path() / "state");
  std::ofstream(kFolder.path() / "state/early_ends", std::ios::binary) << text;
  const BootGuard guard(*kDir);
  if (const Status allowed = guard.check(); !allowed) {
    need_one_line(allowed.error().to_string());
  }
  need(guard.begin().has_value() && guard.ended_itself().has_value(), "a start can be counted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  take_limits(text);
  take_threads(text);
  take_engines(text);
  take_count(text);
  return 0;
}
