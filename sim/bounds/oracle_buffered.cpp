// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/bounds/bounds.h"
#include "sim/bounds/work_corridor.h"

namespace framegov::sim {

namespace {

/// A corner of the corridor that cumulative work must stay in.
struct Gate {
  double time;
  double low;   ///< work due by then
  double high;  ///< work arrived by then
};

/// Due times that a schedule at `top_speed` can meet, in `due`; counts what had to be moved.
BoundResult make_due(std::span<const BoundFrame> frames, double top_speed, double buffered_seconds,
                     std::vector<double>& due) {
  BoundResult result;
  double finish = 0;
  double last_due = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const BoundFrame& frame = frames[i];
    finish = std::max(finish, frame.arrival) + frame.work / top_speed;
    const double wanted = frame.deadline - frame.fixed + buffered_seconds;
    // The tolerance is for sums of many quotients: a frame exactly at its deadline is on time.
    const bool feasible = finish <= wanted * (1 + 1e-12) + 1e-12;
    feasible ? ++result.feasible : ++result.missed;
    // The next frame's work cannot be due before this one's: work is done in order.
    last_due = std::max({last_due, wanted, finish});
    due[i] = last_due;
  }
  return result;
}

/// The corridor's corners in time order: before each arrival, and at each due time.
std::vector<Gate> gates_of(std::span<const BoundFrame> frames, const std::vector<double>& due) {
  std::vector<Gate> gates;
  gates.reserve(2 * frames.size());
  double arrived = 0;
  double owed = 0;
  std::size_t next_arrival = 0;
  std::size_t next_due = 0;
  while (next_due < frames.size()) {
    if (next_arrival < frames.size() && frames[next_arrival].arrival <= due[next_due]) {
      gates.push_back({frames[next_arrival].arrival, owed, arrived});
      arrived += frames[next_arrival++].work;
    } else {
      owed += frames[next_due].work;
      gates.push_back({due[next_due++], owed, arrived});
    }
  }
  return gates;
}

}  // namespace

BoundResult oracle_buffered(std::span<const BoundFrame> frames, std::span<const RunLevel> levels,
                            double buffered_seconds) {
  if (frames.empty()) {
    return {};
  }
  const EnergyHull hull(levels, 0);
  std::vector<double> due(frames.size());
  BoundResult result = make_due(frames, hull.max_speed(), buffered_seconds, due);
  const std::vector<Gate> gates = gates_of(frames, due);

  WorkCorridor corridor;
  double time = frames.front().arrival;
  for (const Gate& gate : gates) {
    corridor.pass(gate.time - time, hull, gate.high);
    corridor.due(gate.low);
    time = gate.time;
  }
  result.energy_mj = corridor.energy_mj();
  return result;
}

}  // namespace framegov::sim
