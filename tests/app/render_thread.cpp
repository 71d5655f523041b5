// SPDX-License-Identifier: Apache-2.0
#include "tests/app/render_thread.h"

#include <utility>

#include "tests/app/clock.h"
#include "tests/app/rendering.h"

namespace demo {

RenderThread::RenderThread(const CpuSpeeds& speeds, android::Surface& surface, Recorder& recorder,
                           std::vector<int> cpus)
    : speeds_(speeds),
      surface_(surface),
      recorder_(recorder),
      cpus_(std::move(cpus)),
      thread_([this] { run(); }) {}

RenderThread::~RenderThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RenderThread::sync_and_draw(const RenderTask& task) {
  std::unique_lock lock(mutex_);
  waiting_ = task;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !waiting_; });
}

void RenderThread::run() {
  set_up_thread("RenderThread", cpus_);
  for (;;) {
    RenderTask task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return waiting_ || stopping_; });
      if (!waiting_) {
        return;
      }
      task = *std::exchange(waiting_, std::nullopt);
    }
    changed_.notify_all();
    draw(task);
  }
}

void RenderThread::draw(RenderTask& task) {
  render_buffer(surface_, speeds_, task.record.render_work, task.record);
  demo_hwui_gpu_done(task.frame_info.data(), task.frame_info_size, now_ns());
  recorder_.add(task.record);
}

}  // namespace demo
