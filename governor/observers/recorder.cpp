// SPDX-License-Identifier: Apache-2.0
#include "governor/observers/recorder.h"

#include <sys/utsname.h>
#include <time.h>

#include <algorithm>

namespace framegov {

namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return to_duration(time).count();
}

ClockReadings read_clocks() {
  return {instant_from_ns(clock_ns(CLOCK_MONOTONIC)), clock_ns(CLOCK_BOOTTIME),
          clock_ns(CLOCK_REALTIME)};
}

}  // namespace

std::string device_name() {
  utsname system{};
  ::uname(&system);
  return std::string(system.machine) + " " + system.sysname + " " + system.release;
}

Recorder::Recorder(const RecorderSettings& settings, std::optional<TraceFile> file)
    : settings_(settings),
      file_(std::move(file)),
      flight_(settings.flight, settings.max_bytes),
      writer_([this](std::string_view packet) { return put(packet); }),
      recording_(writer_) {}

Recorder::~Recorder() = default;

Result<std::unique_ptr<Recorder>> Recorder::open(const RecorderSettings& settings,
                                                 std::string_view device,
                                                 const CpuTopology& topology, Instant now) {
  std::optional<TraceFile> file;
  if (settings.flight == Duration::zero()) {
    FRAMEGOV_TRY(auto created, TraceFile::create(settings.file, settings.max_bytes));
    file = std::move(created);
  }
  std::unique_ptr<Recorder> recorder(new Recorder(settings, std::move(file)));
  recorder->writer_.clock_snapshot(read_clocks());
  recorder->recording_.begin(now, device, topology);
  recorder->beginning_ = false;
  return recorder;
}

bool Recorder::put(std::string_view packet) {
  if (file_) {
    return file_->write(packet);
  }
  beginning_ ? flight_.add_header(packet) : flight_.add(packet, now_);
  return true;
}

void Recorder::on_frame(const Frame& frame, std::string_view app, Instant now) {
  now_ = now;
  ++frames_;
  recording_.frame(frame, app);
}

void Recorder::on_app(AppId app, std::string_view name, Instant now) {
  now_ = now;
  recording_.app_on_top(now, app, name);
}

void Recorder::on_decision(const Decision& decision) {
  now_ = decision.at;
  recording_.plan(decision.at, *decision.plan);
}

void Recorder::on_frequencies(std::span<const Frequency> current, Instant now) {
  now_ = now;
  for (std::size_t i = 0; i < std::min(current.size(), last_.size()); ++i) {
    // A counter holds until its next value. A flight recording may have lost the last one.
    if (current[i] != last_[i] || !file_) {
      recording_.frequency(now, i, current[i]);
      last_[i] = current[i];
    }
  }
}

void Recorder::on_frequency(std::size_t cluster, Frequency frequency, Instant at) {
  now_ = std::max(now_, at);
  recording_.frequency(at, cluster, frequency);
}

std::uint64_t Recorder::bytes() const { return file_ ? file_->bytes() : flight_.bytes(); }

Status Recorder::save() { return file_ ? file_->flush() : flight_.save(settings_.file); }

}  // namespace framegov
