// SPDX-License-Identifier: Apache-2.0
// Everything that an app can make the probes report, in any order: records -> order of time ->
// decoder -> frames (games included) -> both policies within an owner's bounds -> plans -> timed
// steps. What must hold at each of them ends the run when it does not.
#include <cstddef>
#include <cstdint>
#include <map>

#include "probes/sources/record_decoder.h"
#include "probes/sources/record_reader.h"
#include "probes/sources/time_ordered.h"
#include "tests/fuzz/wire/governed_frames.h"
#include "tests/fuzz/wire/require.h"
#include "tests/fuzz/wire/wire_script.h"

namespace framegov::fuzz {
namespace {

/// The service, from the kernel's records to its plans.
class WireRun {
 public:
  WireRun(unsigned phone, unsigned source)
      : phone_(phone),
        per_cpu_((source & 1U) != 0),
        cpu_time_share_((source >> 4U) & 3U),
        assembler_(phone_.topology, assembly_of(source)),
        pid_("pid", phone_),
        mpc_("mpc", phone_) {}

  void add(const WireRecord& record) {
    if (per_cpu_) {
      waiting_.add(record);
    } else {
      take(record);
    }
  }

  /// As the source does when the service asks for frames.
  void drain(Instant now) {
    now_ = std::max(now_, now);
    if (per_cpu_) {
      waiting_.complete_to(now - kWriteDelay);
      while (const WireRecord* const next = waiting_.next()) {
        take(*next);
        waiting_.pop();
      }
    }
    hand_on();
    assembler_.expire(decoder_.newest(), batch_);
    hand_on();
  }

  void on_timer() {
    pid_.on_timer(now_);
    mpc_.on_timer(now_);
  }
  void on_heat(ThermalLevel level) {
    pid_.on_heat(level, now_);
    mpc_.on_heat(level, now_);
  }
  void start_over() {
    pid_.start_over();
    mpc_.start_over();
  }

 private:
  static AssemblySettings assembly_of(unsigned source) {
    AssemblySettings settings;
    settings.refresh_interval = Duration{(source & 4U) != 0 ? 8'333'333 : 0};
    return settings;
  }

  void take(const WireRecord& record) {
    const std::size_t before = batch_.size();
    decoder_.take(record.bytes.data(), record.size, batch_);
    require(batch_.size() - before <= FrameAssembler::kMaxEvents, "more events than there is room");
    if (!has_room(batch_)) {
      now_ = std::max(now_, decoder_.newest());
      hand_on();
    }
  }

  void hand_on() {
    for (FrameEvent& event : batch_) {
      check_event(event, phone_.topology);
      if (event.kind == FrameEvent::Kind::kFrame) {
        check_order(event.frame);
        measure(event.frame);
      }
      pid_.on_event(event, now_);
      mpc_.on_event(event, now_);
    }
    batch_.clear();
  }

  /// A process's frames come in the order in which its UI thread handed them over, each once.
  void check_order(const Frame& frame) {
    if (frame.has(FramePart::kUi)) {
      Instant& last = handed_over_[frame.pid];
      require(frame.ui_done > last, "a frame twice, or out of order");
      last = frame.ui_done;
    }
  }

  /// What the service reads of the threads: they ran for a part of the time, or nobody knows.
  void measure(Frame& frame) const {
    if (cpu_time_share_ > 0 && frame.has(FramePart::kUi)) {
      frame.ui_cpu_time = (frame.ui_done - frame.origin()) * cpu_time_share_ / 3;
      frame.render_cpu_time = (frame.ready - frame.ui_done) * cpu_time_share_ / 3;
    } else if (cpu_time_share_ > 0) {
      frame.render_cpu_time = (frame.ready - frame.start) * cpu_time_share_ / 3;
    }
  }

  GovernedPhone phone_;
  bool per_cpu_;
  unsigned cpu_time_share_;
  TimeOrdered<WireRecord> waiting_{256};
  FrameAssembler assembler_;
  RecordDecoder decoder_{assembler_};
  FrameBatch batch_;
  Instant now_ = instant_from_ns(1'000'000'000'000);
  std::map<std::int32_t, Instant> handed_over_;
  GovernedFrames pid_;
  GovernedFrames mpc_;
};

}  // namespace
}  // namespace framegov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  fuzz::Bytes bytes(data, size);
  const unsigned phone = bytes.take();
  const unsigned source = bytes.take();
  fuzz::WireRun run(phone, source);
  fuzz::WireScript script(bytes);
  unsigned level = 0;
  while (!bytes.empty()) {
    fuzz::WireRecord record;
    const fuzz::Ask ask = script.next(record);
    const Instant now = instant_from_ns(script.clock()) + std::chrono::microseconds{20};
    switch (ask) {
      case fuzz::Ask::kRecord:
        run.add(record);
        break;
      case fuzz::Ask::kDrain:
        run.drain(now);
        break;
      case fuzz::Ask::kTimer:
        run.drain(now);
        run.on_timer();
        break;
      case fuzz::Ask::kHeat:
        run.on_heat(static_cast<ThermalLevel>(++level % kThermalLevels));
        break;
      case fuzz::Ask::kSwitch:
        run.start_over();
        break;
    }
  }
  run.drain(instant_from_ns(script.clock()) + std::chrono::seconds{1});
  return 0;
}
