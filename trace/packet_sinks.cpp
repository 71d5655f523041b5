// SPDX-License-Identifier: Apache-2.0
#include "trace/packet_sinks.h"

#include <sys/stat.h>

#include <cerrno>
#include <limits>

#include "base/output_file.h"

namespace framegov {

Result<TraceFile> TraceFile::create(const std::filesystem::path& path, std::uint64_t max_bytes) {
  TraceFile file;
  file.name_ = path.string();
  file.max_bytes_ = max_bytes;
  FRAMEGOV_TRY(auto made, create_output(path));
  // Whatever root's umask is: `adb pull` comes as the shell user.
  (void)::fchmod(made.get(), 0644);
  file.file_.reset(::fdopen(made.get(), "wb"));
  if (!file.file_) {
    return fail_errno(errno, file.name_);
  }
  (void)made.release();  // the stream's from now on
  return file;
}

bool TraceFile::write(std::string_view packet) {
  if (packet.size() > max_bytes_ - bytes_ ||
      std::fwrite(packet.data(), 1, packet.size(), file_.get()) != packet.size()) {
    return false;
  }
  bytes_ += packet.size();
  return true;
}

Status TraceFile::flush() {
  if (std::ferror(file_.get()) != 0 || std::fflush(file_.get()) != 0) {
    return fail_errno(errno, name_ + ": writing it");
  }
  return {};
}

void FlightBuffer::add(std::string_view packet, Instant now) {
  packets_.push_back({now, std::string(packet)});
  bytes_ += packet.size();
  while (!packets_.empty() && (bytes_ > max_bytes_ || now - packets_.front().at > keep_)) {
    bytes_ -= packets_.front().bytes.size();
    packets_.pop_front();
  }
}

Status FlightBuffer::save(const std::filesystem::path& path) const {
  FRAMEGOV_TRY(auto file, TraceFile::create(path, std::numeric_limits<std::uint64_t>::max()));
  bool written = file.write(header_);
  for (const Packet& packet : packets_) {
    written = written && file.write(packet.bytes);
  }
  const Status flushed = file.flush();
  return written ? flushed : fail(ExitCode::kFailure, path.string() + ": cannot be written");
}

}  // namespace framegov
