// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/app_pipelines.h"

namespace framegov {

AppPipelines::AppPipelines(const FramePipeline::Phone& phone, EventSlots& slots) : phone_(phone) {
  const std::size_t count = std::max<std::size_t>(1, phone.source.apps());
  // Threads and slots are known by their address: neither may move.
  slots_.resize(count - 1);
  apps_.reserve(count);
  for (std::size_t app = 0; app < count; ++app) {
    EventSlots& own = app == 0 ? slots : slots_[app - 1];
    apps_.push_back({&own, {phone_, app, own}, FastestReference(phone.tables)});
  }
  for (App& app : apps_) {
    app.pipeline.join();
  }
}

void AppPipelines::use_util_est(bool use) {
  for (App& app : apps_) {
    app.pipeline.use_util_est(use);
  }
}

void AppPipelines::drop_late(bool drop) {
  for (App& app : apps_) {
    app.pipeline.drop_late(drop);
  }
}

double AppPipelines::next_vsync() const {
  double first = EventSlots::kNever;
  for (const App& app : apps_) {
    first = app.pipeline.exhausted() ? first : std::min(first, app.pipeline.next_vsync());
  }
  return first;
}

std::uint64_t AppPipelines::dropped() const {
  std::uint64_t dropped = 0;
  for (const App& app : apps_) {
    dropped += app.pipeline.dropped();
  }
  return dropped;
}

std::uint32_t AppPipelines::tick(double now) {
  std::uint32_t changed = 0;
  for (App& app : apps_) {
    changed |= app.pipeline.tick(now);
  }
  return changed;
}

PowerMeter::Threads AppPipelines::threads_on(std::size_t cluster) const {
  PowerMeter::Threads threads;
  const auto add = [&](const ThreadRun& thread) {
    if (thread.running() && thread.cluster() == cluster) {
      threads.running += thread.running_part();
      threads.in_stage += 1;
    }
  };
  for (const App& app : apps_) {
    add(app.pipeline.ui());
    add(app.pipeline.render());
  }
  return threads;
}

}  // namespace framegov
