// SPDX-License-Identifier: Apache-2.0
#include "governor/observers/decision.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace framegov {

namespace {

/// Appends printf-formatted text; what does not fit is dropped.
class LineWriter {
 public:
  explicit LineWriter(DecisionLine& line) : line_(line) {}

  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const std::size_t room = line_.size() - size_;
    const int length = std::vsnprintf(line_.data() + size_, room, format, arguments);
    va_end(arguments);
    if (length > 0) {
      size_ += std::min(static_cast<std::size_t>(length), room - 1);
    }
  }

  [[nodiscard]] std::string_view text() const { return {line_.data(), size_}; }

 private:
  DecisionLine& line_;
  std::size_t size_ = 0;
};

void add_frame(LineWriter& writer, const Frame& frame) {
  writer.add(" pid=%d vsync_ns=%" PRId64 " ready_ns=%" PRId64 " generation_ms=%.3f budget_ms=%.3f",
             frame.pid, to_ns(frame.vsync), to_ns(frame.ready), to_ms(frame.generation_time()),
             to_ms(frame.budget()));
  if (frame.blocked > Duration::zero()) {
    writer.add(" blocked_ms=%.3f", to_ms(frame.blocked));
  }
}

void add_reason(LineWriter& writer, const PlanReason& reason) {
  const std::string_view name = to_string(reason.code);
  writer.add(" reason=%.*s", static_cast<int>(name.size()), name.data());
  if (reason.load.count() > 0) {
    writer.add(" load_mcycles=%.2f", reason.load.count() / 1e6);
  }
  if (reason.budget > Duration::zero()) {
    writer.add(" margin_ms=%.3f error=%.4f wanted_mhz=%.0f chosen_khz=%" PRId64,
               to_ms(reason.margin), static_cast<double>(reason.error), reason.wanted.count() / 1e6,
               reason.chosen.count());
  }
}

}  // namespace

DecisionCause cause_of(PolicyEvent event) {
  switch (event) {
    case PolicyEvent::kFrameStart:
      return DecisionCause::kFrameStart;
    case PolicyEvent::kFrameEnd:
      return DecisionCause::kFrameEnd;
    case PolicyEvent::kAppChanged:
      return DecisionCause::kAppChanged;
    case PolicyEvent::kTimer:
    case PolicyEvent::kTouch:
      break;
  }
  return DecisionCause::kTimer;
}

std::string_view to_string(DecisionCause cause) {
  switch (cause) {
    case DecisionCause::kFrameStart:
      return "start";
    case DecisionCause::kFrameEnd:
      return "frame";
    case DecisionCause::kTimer:
      return "timer";
    case DecisionCause::kAppChanged:
      return "app";
    case DecisionCause::kStep:
      return "step";
    case DecisionCause::kFailSafe:
      return "failsafe";
  }
  return "?";
}

std::string_view format_decision(const Decision& decision, const CpuTopology& topology,
                                 DecisionLine& line) {
  LineWriter writer(line);
  const std::string_view cause = to_string(decision.cause);
  writer.add("decision at_ns=%" PRId64 " cause=%.*s app=%" PRIu32, to_ns(decision.at),
             static_cast<int>(cause.size()), cause.data(),
             static_cast<std::uint32_t>(decision.app));
  if (decision.frame != nullptr) {
    add_frame(writer, *decision.frame);
  }
  add_reason(writer, decision.plan->reason);
  const auto& clusters = decision.plan->clusters;
  for (std::size_t i = 0; i < clusters.size() && i < topology.clusters.size(); ++i) {
    writer.add(" policy%d=%" PRId64 "/%" PRId64, topology.clusters[i].cpufreq_id,
               clusters[i].cap.count(), clusters[i].floor.count());
  }
  return writer.text();
}

}  // namespace framegov
