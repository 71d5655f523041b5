// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/app_pipelines.h"

namespace framegov::sim {

AppPipelines::AppPipelines(const FramePipeline::Phone& phone, EventSlots& slots) : phone_(phone) {
  const std::size_t count = std::max<std::size_t>(1, phone.source.apps());
  // Threads and slots are known by their address: neither may move.
  slots_.resize(count - 1);
  apps_.reserve(count);
  for (std::size_t app = 0; app < count; ++app) {
    EventSlots& own = app == 0 ? slots : slots_[app - 1];
    apps_.push_back({&own, {phone_, app, own}, FastestReference(phone.tables)});
  }
  first_ = apps_.data();
  others_ = count - 1;
  each([](FramePipeline& pipeline) { pipeline.join(); });
}

EventSlots::Next AppPipelines::next_of_all(EventSlots::Next first, std::size_t& app) const {
  for (std::size_t other = 1; other <= others_; ++other) {
    const EventSlots::Next own = first_[other].slots->next();
    if (own.at < first.at || (own.at == first.at && own.slot < first.slot)) {
      first = own;
      app = other;
    }
  }
  return first;
}

void AppPipelines::use_util_est(bool use) {
  each([&](FramePipeline& pipeline) { pipeline.use_util_est(use); });
}

void AppPipelines::drop_late(bool drop) {
  each([&](FramePipeline& pipeline) { pipeline.drop_late(drop); });
}

double AppPipelines::next_vsync() const {
  double first = EventSlots::kNever;
  each([&](const FramePipeline& pipeline) {
    first = pipeline.exhausted() ? first : std::min(first, pipeline.next_vsync());
  });
  return first;
}

std::uint64_t AppPipelines::dropped() const {
  std::uint64_t dropped = 0;
  each([&](const FramePipeline& pipeline) { dropped += pipeline.dropped(); });
  return dropped;
}

std::uint32_t AppPipelines::tick(double now) {
  std::uint32_t changed = 0;
  each([&](FramePipeline& pipeline) { changed |= pipeline.tick(now); });
  return changed;
}

double AppPipelines::util_of_all(double first, std::size_t cluster, double now) const {
  double util = first;
  for (std::size_t other = 1; other <= others_; ++other) {
    const double own = first_[other].pipeline.util(cluster, now);
    util = phone_.tables.single_cpu(cluster) ? util + own : std::max(util, own);
  }
  return util;
}

}  // namespace framegov::sim
