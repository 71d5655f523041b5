// SPDX-License-Identifier: Apache-2.0
#include "tests/app/ui_thread.h"

#include <poll.h>

#include <algorithm>
#include <span>

#include "tests/app/frame_info.h"

namespace demo {

UiThread::UiThread(VirtualMachine& machine, const VsyncClock& vsync, const CpuSpeeds& speeds,
                   RenderThread& render, int frame_info_size, Lies lies)
    : machine_(machine),
      vsync_(vsync),
      speeds_(speeds),
      render_(render),
      frame_info_size_(frame_info_size),
      lies_(lies),
      callbacks_{this, &sync_and_draw} {
  auto* create = machine_.method<jlong(JNIEnv*, jobject, jlong, jint)>("nCreateProxy", "(JI)J");
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a handle as Java holds it.
  proxy_ = reinterpret_cast<RenderProxy*>(
      create(machine_.env(), nullptr, reinterpret_cast<jlong>(&callbacks_), frame_info_size_));
  unmapped_.emplace(*proxy_);
  native_sync_and_draw_ = machine_.method<int(JNIEnv*, jobject, jlong, jlongArray, jint)>(
      "nSyncAndDrawFrame", "(J[JI)I");
}

UiThread::~UiThread() {
  auto* destroy = machine_.method<void(JNIEnv*, jobject, jlong)>("nDeleteProxy", "(J)V");
  destroy(machine_.env(), nullptr, reinterpret_cast<jlong>(proxy_));
}

void UiThread::play(const std::vector<SceneStep>& scene, EventLog& events,
                    const volatile int* stop) {
  scene_ = &scene;
  const auto count = static_cast<std::int64_t>(scene.size());
  for (step_ = 0; step_ < count && *stop == 0; ++step_) {
    const SceneStep& wanted = scene[static_cast<std::size_t>(step_)];
    if (!wanted.frame) {
      continue;
    }
    receiver().requestVsync(vsync_.time_of(step_));
    pollfd readable{receiver().getFd(), POLLIN, 0};
    if (::poll(&readable, 1, -1) != 1) {
      continue;  // a signal
    }
    awake_ns_ = now_ns();
    if (wanted.event != UserEvent::kNone) {
      events.write(vsync_.time_of(step_), wanted.event);
    }
    handleEvent(receiver().getFd(), readable.revents, nullptr);
  }
}

void UiThread::dispatchVsync(std::int64_t timestamp, std::uint32_t) {
  const std::int64_t start = now_ns();
  const std::int64_t late = (start - timestamp) / vsync_.interval_ns;
  const std::int64_t vsync = timestamp + late * vsync_.interval_ns;
  step_ = std::min(vsync_.number_at(vsync), static_cast<std::int64_t>(scene_->size()) - 1);
  const SceneStep& wanted = (*scene_)[static_cast<std::size_t>(step_)];
  const double full_frame = speeds_.reference() * static_cast<double>(vsync_.interval_ns) * 1e-9;

  FrameRecord& record = task_.record;
  record = {.frame = record.frame + 1,
            .vsync_ns = vsync,
            .start_ns = start,
            .deadline_ns = vsync + vsync_.interval_ns,
            .interval_ns = vsync_.interval_ns,
            .ui_work = wanted.ui_work * full_frame,
            .render_work = wanted.render_work * full_frame,
            .awake_ns = awake_ns_};
  burn(speeds_, record.ui_work);

  std::array<jlong, kMaxFrameInfo> info = lay_out_frame_info({.number = record.frame,
                                                              .intended_vsync_ns = timestamp,
                                                              .vsync_ns = vsync,
                                                              .start_ns = start,
                                                              .draw_start_ns = now_ns(),
                                                              .deadline_ns = record.deadline_ns,
                                                              .interval_ns = record.interval_ns},
                                                             frame_info_size_);
  std::span<jlong> java_array(info.data(), static_cast<std::size_t>(frame_info_size_));
  const auto due = [&](int every) { return every != 0 && record.frame % every == 0; };
  if (due(lies_.forge)) {
    forge_frame_info(java_array, record.frame / lies_.forge);
  }
  record.ui_cpu_ns = cpu_ns_since_last();
  record.ui_done_ns = now_ns();
  const bool nowhere = due(lies_.unmapped);
  native_sync_and_draw_(
      machine_.env(), nullptr, nowhere ? unmapped_->handle() : reinterpret_cast<jlong>(proxy_),
      nowhere ? jlongArray{} : VirtualMachine::handle(&java_array), frame_info_size_);
}

int UiThread::sync_and_draw(void* self) {
  UiThread& ui = *static_cast<UiThread*>(self);
  ui.task_.frame_info_size = ui.frame_info_size_;
  std::copy_n(ui.proxy_->frame_info(), ui.frame_info_size_, ui.task_.frame_info.begin());
  ui.render_.sync_and_draw(ui.task_);
  return 0;
}

}  // namespace demo
