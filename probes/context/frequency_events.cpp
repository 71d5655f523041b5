// SPDX-License-Identifier: Apache-2.0
#include "probes/context/frequency_events.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "probes/sources/trace_leftovers.h"
#include "probes/sources/trace_text.h"

namespace framegov {

namespace {

constexpr const char* kEnable = "events/power/cpu_frequency/enable";
/// For each CPU: some thousand changes, more than happen between two drains.
constexpr const char* kBufferKb = "256";

/// 0 or an errno.
int write_file(const std::filesystem::path& path, std::string_view text) {
  const UniqueFd file = open_file(path, O_WRONLY);
  if (!file) {
    return errno;
  }
  return ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                            : errno;
}

}  // namespace

std::optional<FrequencyEvent> parse_frequency_event(std::string_view line,
                                                    const CpuTopology& topology) {
  const auto parsed = parse_trace_line(line);
  if (!parsed || parsed->event != "cpu_frequency") {
    return std::nullopt;
  }
  const auto khz = trace_argument(parsed->arguments, "state");
  const auto cpu = trace_argument(parsed->arguments, "cpu_id");
  constexpr std::uint64_t kHighestKhz = 100'000'000;
  if (!khz || !cpu || *khz == 0 || *khz > kHighestKhz || *cpu >= kMaxCpus) {
    return std::nullopt;
  }
  const auto cluster = topology.cluster_of(static_cast<int>(*cpu));
  if (!cluster || std::countr_zero(topology.clusters[*cluster].cpus) != static_cast<int>(*cpu)) {
    return std::nullopt;
  }
  return FrequencyEvent{parsed->at, *cluster, Frequency{static_cast<std::int64_t>(*khz)}};
}

Result<FrequencyEvents> FrequencyEvents::open(const std::filesystem::path& tracefs,
                                              const CpuTopology& topology) {
  FrequencyEvents events(tracefs / "instances" / (own_trace_name() + "_frequencies"), topology);
  events.remove();  // of an earlier recording in this process
  if (::mkdir(events.folder_.c_str(), S_IRWXU) != 0) {
    return fail_errno(errno, events.folder_.string(), "mount tracefs and run as root");
  }
  for (const auto& [file, value] :
       {std::pair{"trace_clock", "mono"}, std::pair{"buffer_size_kb", kBufferKb},
        std::pair{kEnable, "1"}}) {
    if (const int error = write_file(events.folder_ / file, value); error != 0) {
      return fail_errno(error, (events.folder_ / file).string());
    }
  }
  events.pipe_ = open_file(events.folder_ / "trace_pipe", O_RDONLY);
  if (!events.pipe_) {
    return fail_errno(errno, (events.folder_ / "trace_pipe").string());
  }
  return events;
}

FrequencyEvents::~FrequencyEvents() {
  if (!folder_.empty()) {
    pipe_.reset();
    remove();
  }
}

void FrequencyEvents::remove() const {
  (void)write_file(folder_ / kEnable, "0");
  ::rmdir(folder_.c_str());
}

void FrequencyEvents::drain(std::vector<FrequencyEvent>& changes) {
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(pipe_.get(), buffer, sizeof buffer)) > 0;) {
    text_.append(buffer, static_cast<std::size_t>(size));
  }
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (const auto event =
            parse_frequency_event(std::string_view(text_).substr(begin, end - begin), topology_)) {
      changes.push_back(*event);
    }
  }
  text_.erase(0, begin);
}

}  // namespace framegov
