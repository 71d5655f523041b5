// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/input_bounds.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/bounds/bounds.h"
#include "sim/bounds/energy_hull.h"
#include "sim/bounds/running_cost.h"
#include "sim/bounds/work_corridor.h"
#include "sim/plant/fastest_reference.h"

namespace framegov::sim {

namespace {

/// Long enough after the last deadline for whatever is still to be done.
constexpr double kAfterSeconds = 3600;

/// Times in seconds, work in seconds at the reference speed.
struct Piece {
  double arrival;  ///< when it reaches the UI thread; in order
  double due;      ///< kInfinity: not yet known (a frame that full speed has late)
  double work;
};

/// The frames' work under one deadline mode.
struct Demand {
  explicit Demand(const DeviceTables& tables) : fastest(tables) {}

  FastestReference fastest;
  std::vector<Piece> pieces;
  std::size_t feasible = 0;
  double longest_fixed = 0;  ///< of the feasible
  double last_deadline = 0;
};

struct Frames {
  std::vector<FittedFrame> all;
  std::vector<FittedFrame> beside;  ///< of apps that draw beside those
  std::uint32_t clusters = 0;       ///< bit c: cluster c runs some of `all`
  bool two_threads = false;
};

Frames read_frames(FittedSource& source, const DeviceTables& tables, FrameClusters clusters) {
  Frames frames;
  FittedFrame frame;
  while (source.next_frame(frame)) {
    if (clusters == FrameClusters::kAny) {  // what makes a deadline feasible
      frame.ui_cluster = static_cast<std::int8_t>(tables.fastest);
      frame.render_cluster = static_cast<std::int8_t>(tables.fastest_beside);
    }
    if (frame.beside) {
      frames.beside.push_back(frame);
      continue;
    }
    frames.clusters |= 1U << static_cast<unsigned>(frame.ui_cluster);
    frames.clusters |= 1U << static_cast<unsigned>(frame.render_cluster);
    frames.two_threads = frames.two_threads || (frame.ui_work > 0 && frame.render_work > 0);
    frames.all.push_back(frame);
  }
  if (clusters == FrameClusters::kAny) {
    frames.clusters = (1U << tables.count) - 1U;
  }
  return frames;
}

double fixed_time(const FittedFrame& frame) {
  return (frame.ui_fixed + frame.render_fixed + frame.gpu) * kSecondsPerNs;
}

/// Adds `frame` to `demand`; true when full speed makes its deadline. Frames that it does not are
/// due when the next one is that it does: work is done in order. A game's that comes behind a late
/// one begins later and is due later, which moves its vsync and deadline.
bool add_frame(Demand& demand, FittedFrame& frame) {
  const bool feasible = demand.fastest.on_time(frame, static_cast<std::size_t>(frame.ui_cluster),
                                               static_cast<std::size_t>(frame.render_cluster));
  frame.vsync = demand.fastest.vsync();
  frame.deadline = demand.fastest.deadline();
  const double deadline = frame.deadline * kSecondsPerNs;
  const double fixed = fixed_time(frame);
  demand.last_deadline = std::max(demand.last_deadline, deadline);
  if (feasible) {
    for (auto late = demand.pieces.rbegin(); late != demand.pieces.rend() && late->due == kInfinity;
         ++late) {
      late->due = deadline;
    }
    ++demand.feasible;
    demand.longest_fixed = std::max(demand.longest_fixed, fixed);
  }
  const double reached_ui = (frame.vsync + frame.dispatch) * kSecondsPerNs;
  const double arrival =
      demand.pieces.empty() ? reached_ui : std::max(demand.pieces.back().arrival, reached_ui);
  demand.pieces.push_back({arrival, feasible ? deadline - fixed : kInfinity,
                           (frame.ui_work + frame.render_work) * kSecondsPerNs});
  return feasible;
}

/// The least energy that any speeds can do `demand` with.
double corridor_mj(Demand& demand, const RunningCost& cost) {
  const std::vector<RunningCost::Window>& windows = cost.windows();
  const double after = std::max(demand.last_deadline, windows.back().from) + kAfterSeconds;
  std::vector<Piece> by_due = demand.pieces;
  for (Piece& piece : by_due) {
    piece.due = std::min(piece.due, after);
  }
  std::stable_sort(by_due.begin(), by_due.end(),
                   [](const Piece& a, const Piece& b) { return a.due < b.due; });

  WorkCorridor corridor;
  double now = 0;
  double arrived = 0;
  double owed = 0;
  std::size_t window = 0;
  std::optional<EnergyHull> hull;  // of the window; made when there is work to be done in it
  const auto pass = [&](double until) {
    if (until > now && arrived > corridor.done()) {
      if (!hull) {
        hull = cost.hull(window, demand.longest_fixed);
      }
      corridor.pass(until - now, *hull, arrived);
    }
    now = std::max(now, until);
  };
  const auto pass_until = [&](double time) {
    while (window + 1 < windows.size() && windows[window + 1].from < time) {
      pass(windows[window + 1].from);
      ++window;
      if (hull && !cost.keeps_hull(window, demand.longest_fixed)) {
        hull.reset();
      }
    }
    pass(time);
  };
  auto arriving = demand.pieces.begin();
  for (const Piece& due : by_due) {
    for (; arriving != demand.pieces.end() && arriving->arrival <= due.due; ++arriving) {
      pass_until(arriving->arrival);
      arrived += arriving->work;
    }
    pass_until(due.due);
    owed += due.work;
    corridor.due(owed);
  }
  return corridor.energy_mj();
}

/// One way to run a stage: an OPP of one of the clusters that it may run on.
struct StageWay {
  std::size_t cluster;
  std::size_t opp;
  double seconds;     ///< of its work
  double lasts;       ///< with its fixed time
  double frames_mj;   ///< of its thread alone: at work, and waiting awake in its fixed time
  double waiting_mj;  ///< how much less waiting takes than work
  double least_mj;    ///< it adds no less than that
};

/// `clusters`: bit c: the stage may run on cluster c.
std::vector<StageWay> stage_ways(double work_ns, double fixed_ns, std::uint32_t clusters,
                                 const RunningCost& cost, const DeviceTables& tables) {
  std::vector<StageWay> ways;
  const double fixed = fixed_ns * kSecondsPerNs;
  for (std::size_t c = 0; c < tables.count; ++c) {
    for (std::size_t opp = 0; ((clusters >> c) & 1U) != 0 && opp <= tables.clusters[c].top();
         ++opp) {
      const ClusterTable::PowerPoint& point = tables.power(c, opp, 0);
      const double seconds = work_ns * kSecondsPerNs / tables.clusters[c].share[opp];
      const double waiting = fixed * (point.active - point.idle);
      ways.push_back({c, opp, seconds, seconds + fixed,
                      seconds * (point.active + point.static_power) +
                          fixed * (point.idle + point.static_power),
                      waiting, (seconds + fixed) * cost.least_run_mw(c, opp) - waiting});
    }
  }
  return ways;
}

/// The least that a frame beside others adds, whenever it is done: its threads at work, each at its
/// cheapest OPP. What else it costs it may share with them.
double beside_mj(const FittedFrame& frame, const DeviceTables& tables, FrameClusters clusters) {
  const auto cheapest = [&](double work, std::int8_t cluster) {
    double least = kInfinity;
    for (std::size_t c = 0; c < tables.count; ++c) {
      if (clusters == FrameClusters::kRecorded && c != static_cast<std::size_t>(cluster)) {
        continue;
      }
      for (std::size_t opp = 0; opp <= tables.clusters[c].top(); ++opp) {
        least = std::min(least, work * kSecondsPerNs / tables.clusters[c].share[opp] *
                                    tables.power(c, opp, 0).active);
      }
    }
    return least;
  };
  return cheapest(frame.ui_work, frame.ui_cluster) +
         cheapest(frame.render_work, frame.render_cluster);
}

struct OneOpp {
  double added_mj = kInfinity;   ///< with what others cost more
  double frames_mj = kInfinity;  ///< at another choice of OPPs: the threads alone
};

/// Least energy with one OPP for each stage of the frame, or, where none is in time, in full.
/// `clusters`: bit c: the stages may run on cluster c; none: on the frame's own.
OneOpp one_opp(const FittedFrame& frame, double from, const RunningCost& cost,
               RunningCost::Stretch& stretch, const DeviceTables& tables, bool feasible,
               std::uint32_t clusters) {
  const double window = frame.deadline * kSecondsPerNs - from - fixed_time(frame);
  const auto own = [&](std::int8_t cluster) {
    return clusters != 0 ? clusters : 1U << static_cast<unsigned>(cluster);
  };
  std::vector<StageWay> uis =
      stage_ways(frame.ui_work, frame.ui_fixed, own(frame.ui_cluster), cost, tables);
  if (frame.ui_work + frame.ui_fixed <= 0) {
    uis.resize(1);  // its OPP does not matter
  }
  std::vector<StageWay> renders =
      stage_ways(frame.render_work, frame.render_fixed, own(frame.render_cluster), cost, tables);
  // What may be cheapest first: most of the others then need no look at what others run meanwhile.
  for (std::vector<StageWay>* const ways : {&uis, &renders}) {
    std::sort(ways->begin(), ways->end(),
              [](const StageWay& a, const StageWay& b) { return a.least_mj < b.least_mj; });
  }
  OneOpp least;
  stretch.begin(from);
  for (const StageWay& ui : uis) {
    const double handover = from + ui.lasts;
    const double ui_mj =
        stretch.run_mj(stretch.mark(ui.cluster, from), ui.opp, handover) - ui.waiting_mj;
    for (const StageWay& render : renders) {
      if (feasible && ui.seconds + render.seconds > window * (1 + 1e-9)) {
        continue;
      }
      least.frames_mj = std::min(least.frames_mj, ui.frames_mj + render.frames_mj);
      if (ui_mj + render.least_mj < least.added_mj) {
        const double render_mj = stretch.run_mj(stretch.mark(render.cluster, handover), render.opp,
                                                handover + render.lasts) -
                                 render.waiting_mj;
        least.added_mj = std::min(least.added_mj, ui_mj + render_mj);
      }
    }
  }
  return least;
}

/// From the policy's step to the limits in force, as the plant has it by default.
constexpr double kWriteLatencySeconds = 100e-6;
/// A cap and a floor.
constexpr double kWritesPerSwitch = 2;

double dp_mj(const std::vector<FittedFrame>& frames, const std::vector<Piece>& pieces,
             const RunningCost& cost, const DeviceTables& tables) {
  const auto cluster = static_cast<std::size_t>(frames.front().render_cluster);
  const double interval = frames.front().interval * kSecondsPerNs;
  const SwitchingCost switching{
      tables.service.wakeup_mj + kWritesPerSwitch * tables.service.write_mj,
      kWriteLatencySeconds + tables.clusters[cluster].transition_latency_ns * kSecondsPerNs};
  std::vector<BoundFrame> all;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    all.push_back({pieces[i].arrival, frames[i].deadline * kSecondsPerNs, pieces[i].work,
                   fixed_time(frames[i])});
  }
  const auto levels_of = [&](std::size_t i, std::vector<FrameLevel>& levels) {
    const double from = all[i].arrival;
    const double until = std::max(all[i].deadline, from) + interval;
    const double next = i + 1 < all.size() ? all[i + 1].arrival : until;
    const std::vector<RunLevel> runs = cost.one_thread(cluster, from, until);
    const std::vector<double> kept = cost.kept(cluster, from, std::max(next, from + interval));
    levels.clear();
    for (std::size_t opp = 0; opp < runs.size(); ++opp) {
      levels.push_back({runs[opp].speed, runs[opp].power_mw, kept[opp]});
    }
  };
  return oracle_dp(all, levels_of, interval, switching).energy_mj;
}

}  // namespace

InputBounds input_bounds(FittedSource& source, const DeviceTables& tables, OthersWork others,
                         FrameClusters clusters) {
  InputBounds bounds;
  Frames frames = read_frames(source, tables, clusters);
  if (frames.all.empty()) {
    return bounds;
  }
  const RunningCost cost(tables, source, frames.clusters, frames.two_threads, others);
  RunningCost::Stretch stretch(cost);
  Demand strict(tables);
  Demand buffered(tables);
  double end = 0;
  for (FittedFrame& frame : frames.all) {
    end = std::max(end, (frame.vsync + frame.interval) * kSecondsPerNs);
    FittedFrame later = frame;
    later.deadline += frame.interval;
    add_frame(buffered, later);
    const bool feasible = add_frame(strict, frame);
    const OneOpp least = one_opp(frame, strict.pieces.back().arrival, cost, stretch, tables,
                                 feasible, clusters == FrameClusters::kAny ? frames.clusters : 0);
    bounds.strict_mj += least.added_mj;
    bounds.frames_mj += least.frames_mj;
  }
  double begin = frames.all.front().vsync * kSecondsPerNs;
  double beside = 0;
  for (const FittedFrame& frame : frames.beside) {
    beside += beside_mj(frame, tables, clusters);
    begin = std::min(begin, frame.vsync * kSecondsPerNs);
    end = std::max(end, (frame.vsync + frame.interval) * kSecondsPerNs);
  }
  bounds.frames_mj += beside;
  bounds.strict_hull_mj = corridor_mj(strict, cost);
  bounds.buffered_mj = corridor_mj(buffered, cost);
  bounds.strict_feasible = strict.feasible;
  bounds.buffered_feasible = buffered.feasible;
  bounds.others_mj = cost.others_mj(begin, end);
  if (frames.all.size() <= InputBounds::kMostDpFrames && clusters == FrameClusters::kRecorded) {
    bounds.dp_mj = dp_mj(frames.all, strict.pieces, cost, tables) + bounds.others_mj + beside;
  }
  bounds.strict_mj += bounds.others_mj + beside;
  bounds.strict_hull_mj += bounds.others_mj + beside;
  bounds.buffered_mj += bounds.others_mj + beside;
  return bounds;
}

}  // namespace framegov::sim
