// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>

#include "tests/app/burner.h"
#include "tests/app/clock.h"
#include "tests/app/game_loop.h"
#include "tests/app/options.h"
#include "tests/app/overlay.h"
#include "tests/app/recorder.h"
#include "tests/app/render_thread.h"
#include "tests/app/rendering.h"
#include "tests/app/scene.h"
#include "tests/app/ui_thread.h"
#include "tests/app/virtual_machine.h"
#include "tests/app/zygote.h"

namespace {

volatile std::sig_atomic_t stop = 0;

void on_signal(int) { stop = 1; }

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: waiting ends
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
}

void run(const demo::Options& options, const char* process) {
  using namespace demo;
  const CpuSpeeds speeds =
      options.fixed_khz > 0 ? CpuSpeeds(options.fixed_khz) : CpuSpeeds(options.cpu_root);
  const std::vector<SceneStep> scene = make_scene(options);
  EventLog events(options.events_path);
  Recorder recorder(options.live);
  const VsyncClock vsync{now_ns() + static_cast<std::int64_t>(options.lead * 1e9),
                         1'000'000'000 / options.hz};
  android::Surface surface(vsync.origin_ns, vsync.interval_ns);
  VirtualMachine machine;
  register_android_view_ThreadedRenderer(machine.env());
  if (!options.zygisk.module.empty()) {
    specialize(options.zygisk, process, machine, surface);
  }
  std::optional<Overlay> overlay;
  if (options.overlay_fps > 0) {
    overlay.emplace(vsync, options.overlay_fps);
  }
  if (options.scene == SceneKind::kGame) {
    set_up_thread(::pthread_self(), "demo-app", options.render_cpus);
    GameLoop(vsync, speeds, surface, recorder, options.hints)
        .play(scene, options.fps, options.then_fps, &stop);
  } else {
    set_up_thread(::pthread_self(), "demo-app", options.ui_cpus);
    RenderThread render(speeds, surface, recorder, options.render_cpus);
    UiThread(machine, vsync, speeds, render, options.frame_info_size,
             {options.forge, options.unmapped})
        .play(scene, events, &stop);
  }
  if (!options.record_path.empty()) {
    recorder.write_csv(options.record_path);
  }
  std::fprintf(stderr, "demo-app: %s\n", recorder.summary().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const demo::Options options = demo::parse_options(argc, argv);
  stop_on_signals();
  try {
    run(options, argv[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "demo-app: %s\n", error.what());
    return 1;
  }
  return 0;
}
