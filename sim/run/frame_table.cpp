// SPDX-License-Identifier: Apache-2.0
#include "sim/run/frame_table.h"

#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <variant>

namespace framegov::sim {

namespace {

using Kind = FrameColumn::Kind;
using Cell = std::optional<std::int64_t>;

Cell ns(double value) { return std::llround(value); }

constexpr std::array kColumns{
    FrameColumn{"app_index", "number of the app in its recording", Kind::kNumber,
                [](const FrameRow& row) -> Cell { return row.frame.load.app; }},
    FrameColumn{
        "frame", "number of the frame in the run, from 0, in the order of their begin",
        Kind::kNumber,
        [](const FrameRow& row) -> Cell { return static_cast<std::int64_t>(row.frame.index); }},
    FrameColumn{"vsync_ns", "its vsync", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.load.vsync); }},
    FrameColumn{"deadline_ns", "when it had to be ready", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.load.deadline); }},
    FrameColumn{"interval_ns", "refresh interval", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.load.interval); }},
    FrameColumn{"start_ns", "the UI thread began", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.start); }},
    FrameColumn{"ui_done_ns", "the UI thread had its work done", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.ui_done); }},
    FrameColumn{"handover_ns", "RenderThread took it", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.handover); }},
    FrameColumn{"draw_start_ns", "RenderThread had a buffer and began", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.draw_start); }},
    FrameColumn{"render_done_ns", "RenderThread queued the buffer", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.render_done); }},
    FrameColumn{"ready_ns", "its content was complete, with the GPU where the frame uses it",
                Kind::kTime, [](const FrameRow& row) { return ns(row.frame.ready); }},
    FrameColumn{"latch_ns", "the vsync that showed it", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.latch); }},
    FrameColumn{"generation_ns", "generation time: from its vsync until it was ready", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.ready - row.frame.load.vsync); }},
    FrameColumn{"blocked_ns", "of it, waiting for a free buffer", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.blocked); }},
    FrameColumn{"ui_cpu_ns", "CPU time of the UI thread", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.ui_cpu_time); }},
    FrameColumn{"render_cpu_ns", "CPU time of RenderThread", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.render_cpu_time); }},
    FrameColumn{"ui_work_ns", "work of the UI thread, as time on the fastest core at its top",
                Kind::kTime, [](const FrameRow& row) { return ns(row.frame.load.ui_work); }},
    FrameColumn{"render_work_ns", "work of RenderThread, likewise", Kind::kTime,
                [](const FrameRow& row) { return ns(row.frame.load.render_work); }},
    FrameColumn{"ui_cluster", "cluster that the UI thread ended on, from 0", Kind::kNumber,
                [](const FrameRow& row) -> Cell { return row.frame.ui_cluster; }},
    FrameColumn{"render_cluster", "cluster that RenderThread ended on", Kind::kNumber,
                [](const FrameRow& row) -> Cell { return row.frame.render_cluster; }},
    FrameColumn{"feasible", "the fastest cluster at its top would have met the deadline",
                Kind::kFlag, [](const FrameRow& row) -> Cell { return row.verdict.feasible; }},
    FrameColumn{"late", "ready after the deadline", Kind::kFlag,
                [](const FrameRow& row) -> Cell { return row.verdict.late; }},
    FrameColumn{"missed", "late although feasible, and not stuffed", Kind::kFlag,
                [](const FrameRow& row) -> Cell { return row.verdict.missed(); }},
    FrameColumn{"avoidable", "missed, although full speed is in time in the same world",
                Kind::kFlag,
                [](const FrameRow& row) -> Cell {
                  return row.avoidable ? Cell{*row.avoidable} : std::nullopt;
                }},
    FrameColumn{"stuffed", "late for a full queue alone", Kind::kFlag,
                [](const FrameRow& row) -> Cell { return row.verdict.stuffed; }},
    FrameColumn{"janky", "late, and shown at a later vsync for it", Kind::kFlag,
                [](const FrameRow& row) -> Cell { return row.verdict.janky; }},
    FrameColumn{"beside", "drawn beside the app on top: the policy is not told of it", Kind::kFlag,
                [](const FrameRow& row) -> Cell { return row.frame.load.beside; }},
};

/// What stands before the columns above: which run a line is of.
constexpr std::string_view kRunColumns = "input,device,policy,world,deadline,app";

class Rows final : public PlantObserver {
 public:
  /// `full_speed` is null where missed frames are avoidable ones, or neither is known.
  Rows(const FullSpeed::Late* full_speed, bool missed_are_avoidable,
       const std::function<void(const FrameRow&)>& take, PlantObserver* beside)
      : missed_are_avoidable_(missed_are_avoidable), take_(&take), beside_(beside) {
    if (full_speed != nullptr) {
      avoidable_.emplace(*full_speed);
    }
  }

  void on_frame(const PipelineFrame& frame, FrameVerdict verdict) override {
    std::optional<bool> avoidable;
    if (avoidable_) {
      avoidable = avoidable_->is_avoidable(frame, verdict);
      count_ += *avoidable ? 1U : 0U;
    } else if (missed_are_avoidable_) {
      avoidable = verdict.missed();
    }
    (*take_)({frame, verdict, avoidable});
  }
  void on_plan(double now, const FrequencyPlan& plan) override {
    if (beside_ != nullptr) {
      beside_->on_plan(now, plan);
    }
  }
  void on_frequency(double now, std::size_t cluster, std::uint8_t opp) override {
    if (beside_ != nullptr) {
      beside_->on_frequency(now, cluster, opp);
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> avoidable() const {
    return avoidable_ ? std::optional(count_) : std::nullopt;
  }

 private:
  bool missed_are_avoidable_;
  const std::function<void(const FrameRow&)>* take_;
  PlantObserver* beside_;
  std::optional<AvoidableMisses> avoidable_;
  std::uint64_t count_ = 0;
};

/// A field of a CSV line: quoted where it has to be.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

/// The name of each app of `input`; none where it is generated.
std::vector<std::string> app_fields(const ReplayInput& input) {
  std::vector<std::string> names;
  if (const auto* workload = std::get_if<std::shared_ptr<const Workload>>(&input.load)) {
    for (const auto& app : (*workload)->apps) {
      names.push_back(field(app.name));
    }
  }
  return names;
}

void append(std::string& text, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), done.ptr);
}

}  // namespace

std::span<const FrameColumn> frame_columns() { return kColumns; }

RunResult replay_rows(const ReplayScene& scene, const PolicyEntry& policy,
                      const ReplaySettings& settings, FullSpeed& full_speed,
                      const std::function<void(const FrameRow&)>& take, PlantObserver* beside) {
  const bool moves = settings.world().moves_threads();
  const FullSpeed::Late* const late =
      moves && !settings.plant.drop_late ? &full_speed.late(scene, settings) : nullptr;
  Rows rows(late, !moves, take, beside);
  RunResult result = replay(scene, policy, settings, &rows);
  if (late != nullptr) {
    result.avoidable = rows.avoidable();
  }
  return result;
}

std::string frames_csv_header() {
  std::string header(kRunColumns);
  for (const FrameColumn& column : kColumns) {
    header += ',';
    header += column.name;
  }
  return header + '\n';
}

RunResult write_frames_csv(const ReplayInput& input, const ReplayScene& scene,
                           const PolicyEntry& policy, const ReplaySettings& settings,
                           FullSpeed& full_speed,
                           const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kPiece = std::size_t{1} << 18U;
  const std::string run = field(input.name) + ',' + field(scene.device().name) + ',' +
                          field(policy.name) + ',' + field(settings.world().name()) + ',' +
                          std::string(deadline_name(scene.deadline())) + ',';
  const std::vector<std::string> apps = app_fields(input);
  std::string text;
  RunResult result = replay_rows(scene, policy, settings, full_speed, [&](const FrameRow& row) {
    text += run;
    text += row.frame.load.app < apps.size() ? apps[row.frame.load.app] : std::string();
    for (const FrameColumn& column : kColumns) {
      text += ',';
      if (const Cell cell = column.of(row)) {
        append(text, *cell);
      }
    }
    text += '\n';
    if (text.size() >= kPiece) {
      write(text);
      text.clear();
    }
  });
  write(text);
  return result;
}

}  // namespace framegov::sim
