// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/trace_instance.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/file.h"
#include "probes/bpf/wire.h"
#include "probes/sources/trace_leftovers.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

/// As tracefs calls the registers of the first arguments.
#if defined(__aarch64__)
constexpr std::array kArguments{"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7"};
#else
constexpr std::array kArguments{"%di", "%si", "%dx", "%cx", "%r8", "%r9"};
#endif

std::string argument(int number) { return kArguments.at(static_cast<std::size_t>(number)); }

/// The call of a frame also tells the words of the one before, which it is about to overwrite.
std::string fetched_at_call(int destination_register) {
  const std::string destination = argument(destination_register);
  std::string text = " destination=" + destination + ":u64 count=" + argument(3) + ":u32";
  for (int i = 0; i < WIRE_FRAME_INFO_FIELDS; ++i) {
    text += " w" + std::to_string(i) + "=+" + std::to_string(8 * i) + "(" + destination + "):u64";
  }
  return text;
}

std::string fetched(ProbeRole role, int destination_register) {
  switch (role) {
    case ProbeRole::kFrameInfoCall:
      return fetched_at_call(destination_register);
    case ProbeRole::kQueueBuffer:
    case ProbeRole::kDequeueBufferEnter:
      return " surface=" + argument(0) + ":u64";
    case ProbeRole::kFrameFinished:
      return " info=" + argument(1) + ":u64";
    case ProbeRole::kHintSession:
      return " target=" + argument(3) + ":u64";
    case ProbeRole::kHintTarget:
      return " target=" + argument(1) + ":u64";
    case ProbeRole::kFrameInfoReturn:
    case ProbeRole::kDequeueBufferReturn:
    case ProbeRole::kFrameStart:
      break;
  }
  return "";
}

}  // namespace

Result<std::string> uprobe_definition(const std::string& group, const ProbePoint& point,
                                      int destination_register) {
  if (point.library.find_first_of(": \t\n") != std::string::npos) {
    return fail(ExitCode::kBadInput,
                point.library + ": tracefs takes no path with a space or a colon");
  }
  if (destination_register < 0 ||
      static_cast<std::size_t>(destination_register) >= kArguments.size()) {
    return fail(ExitCode::kBadInput,
                point.library + ": no argument register " + std::to_string(destination_register));
  }
  std::array<char, 24> offset{};
  std::snprintf(offset.data(), offset.size(), "0x%llx",
                static_cast<unsigned long long>(point.offset));
  return (point.on_return ? "r:" : "p:") + group + "/" + name_of(point.role) + " " + point.library +
         ":" + offset.data() + fetched(point.role, destination_register) + "\n";
}

Result<TraceInstance> TraceInstance::create(const fs::path& tracefs, const std::string& name,
                                            const ProbePoints& points, int buffer_kb) {
  if (::access((tracefs / "uprobe_events").c_str(), W_OK) != 0) {
    return errno == ENOENT
               ? fail(ExitCode::kUnsupported, tracefs.string() + ": no uprobe_events",
                      "mount tracefs; the kernel needs CONFIG_UPROBE_EVENTS")
               : fail_errno(errno, (tracefs / "uprobe_events").string(), "run it as root");
  }
  TraceInstance instance(tracefs, name);
  instance.remove();
  FRAMEGOV_TRY_STATUS(instance.define(points));
  FRAMEGOV_TRY_STATUS(instance.open_buffer(buffer_kb));
  return instance;
}

Status TraceInstance::define(const ProbePoints& points) {
  for (const ProbePoint& point : points.points) {
    FRAMEGOV_TRY(const auto line, uprobe_definition(name_, point, points.destination_register));
    const int error = write_trace_file(tracefs_ / "uprobe_events", line);
    if (error == 0) {
      continue;
    }
    const auto failure =
        error == ENOENT
            ? fail(ExitCode::kBadInput, point.library + ": there is no such file", "check the path")
            : fail_errno(error, "uprobe " + line.substr(0, line.size() - 1),
                         "check the offset with framegov locate");
    if (point.needed) {
      return failure;
    }
    notes_.push_back(failure.value().to_string());
  }
  return {};
}

Status TraceInstance::open_buffer(int buffer_kb) {
  if (::mkdir(folder().c_str(), S_IRWXU) != 0) {
    return fail(ExitCode::kUnsupported, folder().string() + ": no trace buffer of our own");
  }
  const std::array<std::pair<const char*, std::string>, 2> needed{
      {{"trace_clock", "mono"}, {"buffer_size_kb", std::to_string(buffer_kb)}}};
  for (const auto& [file, value] : needed) {
    if (const int error = write_trace_file(folder() / file, value); error != 0) {
      return fail_errno(error, (folder() / file).string());
    }
  }
  // Kernels that have it wake a reader only when the buffer is half full.
  (void)write_trace_file(folder() / "buffer_percent", "0");
  pipe_ = open_file(folder() / "trace_pipe", O_RDONLY);
  if (!pipe_) {
    return fail_errno(errno, (folder() / "trace_pipe").string());
  }
  const fs::path enable = folder() / "events" / name_ / "enable";
  if (const int error = write_trace_file(enable, "1"); error != 0) {
    return fail_errno(error, enable.string(), "is a library of another architecture?");
  }
  return {};
}

TraceInstance::~TraceInstance() {
  if (!tracefs_.empty()) {
    pipe_.reset();
    remove();
  }
}

/// What is not there need not be removed; what cannot be is found by the next start.
void TraceInstance::remove() const { remove_trace_instance(tracefs_, name_); }

}  // namespace framegov
