// SPDX-License-Identifier: Apache-2.0
#include "tests/app/render_thread.h"

#include "tests/app/clock.h"
#include "tests/app/rendering.h"

namespace demo {

RenderThread::RenderThread(const CpuSpeeds& speeds, android::Surface& surface, Recorder& recorder,
                           const std::vector<int>& cpus)
    : speeds_(speeds), surface_(surface), recorder_(recorder), thread_([this] { run(); }) {
  try {
    set_up_thread(thread_.native_handle(), "RenderThread", cpus);
  } catch (...) {
    stop();
    throw;
  }
}

RenderThread::~RenderThread() { stop(); }

void RenderThread::stop() {
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
  for (;;) {
    RenderTask task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return waiting_ || stopping_; });
      if (!waiting_) {
        return;
      }
      task = *waiting_;
    }
    ANativeWindowBuffer* const buffer = dequeue(surface_, task.record);
    {
      const std::lock_guard lock(mutex_);
      waiting_.reset();
    }
    changed_.notify_all();
    draw(task, buffer);
  }
}

void RenderThread::draw(RenderTask& task, ANativeWindowBuffer* buffer) {
  burn(speeds_, task.record.render_work);
  queue(surface_, buffer, task.record);
  demo_hwui_gpu_done(task.frame_info.data(), task.frame_info_size, now_ns());
  recorder_.add(task.record);
}

}  // namespace demo
