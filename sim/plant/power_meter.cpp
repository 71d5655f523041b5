// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/power_meter.h"

#include <algorithm>

namespace framegov {

void PowerMeter::start(double now) {
  shared_since_ = now;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    clusters_[c].since = now;
    update(c);
  }
}

void PowerMeter::settle(State& state, double now) {
  state.energy += state.rate * (now - state.since);
  state.since = now;
}

void PowerMeter::update(std::size_t cluster) {
  State& state = clusters_[cluster];
  const std::size_t level = cluster == tables_->rail_cluster ? level_ : 0;
  const auto& power = tables_->power(cluster, state.opp, level);
  const double inverse = tables_->clusters[cluster].inverse[state.opp];
  state.awake = state.threads.in_stage > 0 ? 1.0 : std::min(1.0, state.other_busiest * inverse);
  state.rate = power.active * (state.threads.running + state.other_total * inverse) +
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
    level = std::max<std::size_t>(level, tables_->clusters[c].asks[clusters_[c].opp]);
  }
  if (level != level_) {
    level_ = level;
    settle(clusters_[tables_->rail_cluster], now);
    update(tables_->rail_cluster);
  }
}

void PowerMeter::set_opp(std::size_t cluster, std::uint8_t opp, Threads threads, double now) {
  settle(clusters_[cluster], now);
  clusters_[cluster].opp = opp;
  clusters_[cluster].threads = threads;
  update(cluster);
  if (tables_->levels > 1) {
    update_level(now);
    update_shared(now);
  }
}

void PowerMeter::set_threads(std::size_t cluster, Threads threads, double now) {
  settle(clusters_[cluster], now);
  clusters_[cluster].threads = threads;
  update(cluster);
  update_shared(now);
}

void PowerMeter::set_other(std::size_t cluster, double total, double busiest, double now) {
  settle(clusters_[cluster], now);
  clusters_[cluster].other_total = total;
  clusters_[cluster].other_busiest = busiest;
  update(cluster);
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
