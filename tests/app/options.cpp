// SPDX-License-Identifier: Apache-2.0
#include "tests/app/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>

namespace demo {
namespace {

/// "0-2,5" -> {0, 1, 2, 5}.
std::vector<int> parse_cpu_list(std::string_view text) {
  const auto number = [](std::string_view digits) {
    int value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 0 || value > 1023) {
      throw CLI::ValidationError("'" + std::string(digits) + "' is not a CPU number");
    }
    return value;
  };
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t dash = item.find('-');
    const int first = number(item.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
    for (int cpu = first; cpu <= last; ++cpu) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App app{"An app that makes frames like an Android app and records their true times."};
  const std::map<std::string, SceneKind> scenes{{"still", SceneKind::kStill},
                                                {"scroll", SceneKind::kScroll},
                                                {"fling", SceneKind::kFling},
                                                {"game", SceneKind::kGame},
                                                {"jank", SceneKind::kJank}};
  std::string scene = "scroll";
  std::string ui_cpus;
  std::string render_cpus;
  app.add_option("--scene", scene, "still, scroll, fling, game or jank")
      ->check(CLI::IsMember(scenes))
      ->capture_default_str();
  app.add_option("--hz", options.hz, "refresh rate: 60, 90, 120, ...")
      ->check(CLI::Range(10, 5000))
      ->capture_default_str();
  app.add_option("--fps", options.fps, "frames per second of a game")
      ->check(CLI::Range(1, 5000))
      ->capture_default_str();
  app.add_option("--then-fps", options.then_fps, "its frames per second from the middle on")
      ->check(CLI::Range(1, 5000));
  app.add_flag("--hints", options.hints, "a game tells the system its target");
  app.add_option("--overlay", options.overlay_fps,
                 "a second surface that gets so many buffers a second")
      ->check(CLI::Range(1, 1000));
  app.add_option("--lead", options.lead, "seconds before the first vsync");
  app.add_option("--seconds", options.seconds, "how long")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the scene's work")->capture_default_str();
  app.add_option("--record", options.record_path, "CSV file for the true times of each frame");
  app.add_flag("--live", options.live, "a line about its frames each second");
  app.add_option("--events", options.events_path,
                 "file for a line time_ns,kind per touch or burst (default: standard output)");
  app.add_option("--ui-cpus", ui_cpus, "CPUs of the UI thread, such as 0-1,4");
  app.add_option("--render-cpus", render_cpus, "CPUs of the render thread");
  app.add_option("--cpu-root", options.cpu_root, "where the CPUs' speeds are read")
      ->capture_default_str();
  app.add_option("--fixed-khz", options.fixed_khz, "read nothing: every CPU runs at this speed")
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{20'000'000}));
  app.add_option("--frame-info-size", options.frame_info_size, "fields of FrameInfo")
      ->check(CLI::IsMember({9, 12, 13, 14}))
      ->capture_default_str();
  app.add_option("--forge", options.forge,
                 "every so many frames, FrameInfo tells times that cannot be true")
      ->check(CLI::Range(1, 1000));
  app.add_option("--unmapped", options.unmapped,
                 "every so many frames, FrameInfo lies in memory that cannot be read")
      ->check(CLI::Range(1, 1000));
  CLI::Option* const module =
      app.add_option("--zygisk", options.zygisk.module, "the module that a Zygisk loads");
  app.add_option("--zygiskd", options.zygisk.daemon, "the socket of its daemon")->needs(module);
  app.add_flag("--zygisk-server", options.zygisk.server, "start as the system's server does")
      ->needs(module);
  try {
    app.parse(argc, argv);
    options.ui_cpus = parse_cpu_list(ui_cpus);
    options.render_cpus = parse_cpu_list(render_cpus);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  options.scene = scenes.at(scene);
  return options;
}

}  // namespace demo
