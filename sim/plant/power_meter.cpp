// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/power_meter.h"

#include <algorithm>

namespace framegov {

PowerMeter::PowerMeter(const DeviceTables& tables) : tables_(&tables) {
  for (std::size_t c = 0; c < tables.count; ++c) {
    look_up(c);
  }
}

void PowerMeter::start(double now) {
  shared_since_ = now;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    clusters_[c].since = now;
    update(clusters_[c]);
  }
}

/// What its OPP makes of a cluster.
void PowerMeter::look_up(std::size_t cluster) {
  State& state = clusters_[cluster];
  const ClusterTable& table = tables_->clusters[cluster];
  const std::size_t level = cluster == tables_->rail_cluster ? level_ : 0;
  state.power = &tables_->power(cluster, state.opp, level);
  state.inverse = table.inverse[state.opp];
  state.asks = table.asks[state.opp];
}

void PowerMeter::settle(State& state, double now) {
  state.energy += state.rate * (now - state.since);
  state.since = now;
}

void PowerMeter::update(State& state) {
  const ClusterTable::PowerPoint& power = *state.power;
  state.awake =
      state.threads.in_stage > 0 ? 1.0 : std::min(1.0, state.other_busiest * state.inverse);
  state.rate = power.active * (state.threads.running + state.other_total * state.inverse) +
               power.static_power * state.awake +
               power.idle * (state.threads.in_stage - state.threads.running);
}

void PowerMeter::update_shared(double now) {
  if (!tables_->has_shared_power) {
    return;
  }
  double awake = 0;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    awake = std::max(awake, clusters_[c].awake);
  }
  shared_energy_ += shared_rate_ * (now - shared_since_);
  shared_since_ = now;
  shared_rate_ = tables_->shared_mw[level_] * awake;
}

void PowerMeter::update_level(double now) {
  std::size_t level = 0;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    level = std::max<std::size_t>(level, clusters_[c].asks);
  }
  if (level != level_) {
    level_ = level;
    State& fed = clusters_[tables_->rail_cluster];
    settle(fed, now);
    look_up(tables_->rail_cluster);
    update(fed);
  }
}

void PowerMeter::set_opp(std::size_t cluster, std::uint8_t opp, Threads threads, double now) {
  State& state = clusters_[cluster];
  settle(state, now);
  state.opp = opp;
  state.threads = threads;
  look_up(cluster);
  update(state);
  if (tables_->levels > 1) {
    update_level(now);
    update_shared(now);
  }
}

void PowerMeter::set_threads(std::size_t cluster, Threads threads, double now) {
  State& state = clusters_[cluster];
  settle(state, now);
  state.threads = threads;
  update(state);
  update_shared(now);
}

void PowerMeter::set_other(std::size_t cluster, double total, double busiest, double now) {
  State& state = clusters_[cluster];
  if (total == state.other_total && busiest == state.other_busiest) {
    return;
  }
  settle(state, now);
  state.other_total = total;
  state.other_busiest = busiest;
  update(state);
  update_shared(now);
}

void PowerMeter::add_shallow_idle(std::size_t cluster, double ns) {
  State& state = clusters_[cluster];
  state.energy += tables_->power(cluster, state.opp, 0).idle * ns;
}

void PowerMeter::finish(double now) {
  for (std::size_t c = 0; c < tables_->count; ++c) {
    settle(clusters_[c], now);
  }
  update_shared(now);
}

}  // namespace framegov
