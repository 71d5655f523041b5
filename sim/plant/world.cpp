// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/world.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace framegov::sim {

namespace {

using Factor = std::pair<std::string_view, std::string>;

std::string percent(double part) { return std::to_string(std::lround(100 * part)) + " %"; }

std::string tail_text(double tail) {
  return tail == kFittedTail ? "fitted" : tail > 0 ? percent(tail) : "as-recorded";
}

std::string noise_text(const World& world) {
  return percent(world.work_noise) + (world.work_at_ticks ? " and ticks" : "");
}

std::array<Factor, 8> factors_of(const World& world) {
  const auto latency_us = world.event_latency / std::chrono::microseconds{1};
  return {{{"placement", std::string(placement_name(world.placement))},
           {"limits", std::string(limits_name(world.limits))},
           {"power-knowledge", std::string(energy_model_name(world.power))},
           {"work-noise", noise_text(world)},
           {"event-latency", std::to_string(latency_us) + " us"},
           {"tail", tail_text(world.tail)},
           {"split", world.split ? "on" : "off"},
           {"world seed", std::to_string(world.seed)}}};
}

/// What sets `world` apart from `other`, and how much that is.
std::pair<std::string, std::size_t> difference(const World& world, const World& other) {
  const auto mine = factors_of(world);
  const auto theirs = factors_of(other);
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (mine[i].second != theirs[i].second) {
      text += (count++ > 0 ? ", " : " with ") + std::string(mine[i].first) + ' ' + mine[i].second;
    }
  }
  return {text, count};
}

}  // namespace

std::string World::name() const {
  const auto [from_ideal, ideal_count] = difference(*this, ideal());
  const auto [from_phone, phone_count] = difference(*this, phone());
  return ideal_count <= phone_count ? "ideal" + from_ideal : "phone" + from_phone;
}

std::string World::factors() const {
  std::string text;
  for (const auto& [name, value] : factors_of(*this)) {
    text += (text.empty() ? "" : ", ") + std::string(name) + ' ' + value;
  }
  return text;
}

std::string_view limits_name(LimitsKind limits) {
  constexpr std::array<std::string_view, 3> kNames{"instant", "fast-switch", "work-item"};
  return kNames[static_cast<std::size_t>(limits)];
}

}  // namespace framegov::sim
