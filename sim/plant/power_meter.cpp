// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/power_meter.h"

#include <algorithm>

namespace framegov::sim {

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
  const std::size_t level = cluster == tables_->rail_cluster ? level_ : 0;
  state.power = &tables_->power(cluster, state.opp, level);
  charge_stages(state);
}

void PowerMeter::charge_stages(State& state) {
  const Threads& threads = state.threads;
  state.stages = state.power->active * threads.running +
                 state.power->idle * (threads.in_stage - threads.running);
  state.held_awake = std::min(threads.in_stage, 1.0);
}

void PowerMeter::update_shared(double now) {
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
    level = std::max<std::size_t>(level, clusters_[c].power->asks);
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
  const std::uint8_t asked = state.power->asks;
  look_up(cluster);
  update(state);
  if (state.power->asks != asked) {
    update_level(now);
  }
  if (tables_->has_shared_power) {
    update_shared(now);
  }
}

void PowerMeter::set_threads(std::size_t cluster, Threads threads, double now) {
  State& state = clusters_[cluster];
  settle(state, now);
  state.threads = threads;
  charge_stages(state);
  update(state);
  if (tables_->has_shared_power) {
    update_shared(now);
  }
}

void PowerMeter::set_others(std::span<const FittedLoad> loads, double now) {
  State* state = clusters_.data();
  for (const FittedLoad& load : loads) {
    settle(*state, now);
    state->other_total = load.total;
    state->other_busiest = load.busiest;
    update(*state++);
  }
  if (tables_->has_shared_power) {
    update_shared(now);
  }
}

void PowerMeter::add_shallow_idle(std::size_t cluster, double ns) {
  State& state = clusters_[cluster];
  state.energy += state.power->idle * ns;
  state.frame_energy += state.power->idle * ns;
}

void PowerMeter::finish(double now) {
  for (std::size_t c = 0; c < tables_->count; ++c) {
    settle(clusters_[c], now);
  }
  update_shared(now);
}

}  // namespace framegov::sim
