// SPDX-License-Identifier: Apache-2.0
// framegovd, the service.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "config/load.h"
#include "governor/log.h"
#include "governor/source_factory.h"
#include "governor/start_control.h"
#include "governor/startup.h"

namespace framegov {
namespace {

constexpr const char* kFooter = R"(examples:
  framegovd                                govern with the built-in settings
  framegovd --config /data/adb/framegov/framegov.yaml
  framegovd --restore                      put back what a killed service left, and end

signals: SIGTERM and SIGINT put every limit back and end the service.
exit codes: 0 ok, 1 failure, 2 wrong usage, 3 bad input, 4 no permission, 5 unsupported)";

struct Options {
  std::string config;
  bool restore = false;
};

Status serve(const Options& options) {
  Settings settings;
  if (!options.config.empty()) {
    auto loaded = load_settings(options.config);
    if (!loaded) {
      return tl::unexpected(loaded.error());
    }
    settings = *std::move(loaded);
  }
  auto log = Log::open(settings.service.log_level, settings.service.log_file);
  if (!log) {
    return tl::unexpected(log.error());
  }
  if (options.restore) {
    return restore_only(settings.service, **log);
  }
  block_service_signals();
  auto service = start_service(
      settings,
      [&](const ServiceSettings& of, const CpuTopology& topology) {
        return make_frame_source(of, topology, **log);
      },
      **log);
  if (!service) {
    return tl::unexpected(service.error());
  }
  const auto control = start_control(settings, FRAMEGOV_VERSION, **service, **log);
  return (*service)->run();
}

}  // namespace
}  // namespace framegov

int main(int argc, char** argv) {
  CLI::App app{"framegovd: the frame-aware CPU frequency governor's service", "framegovd"};
  app.set_version_flag("--version", FRAMEGOV_VERSION);
  app.footer(framegov::kFooter);
  framegov::Options options;
  app.add_option("--config", options.config, "YAML file with settings; defaults hold without one")
      ->option_text("FILE");
  app.add_flag("--restore", options.restore,
               "put back the limits that a killed service left, and end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(framegov::ExitCode::kUsage);
  }
  if (const framegov::Status served = framegov::serve(options); !served) {
    std::cerr << "framegovd: " << served.error().to_string() << '\n';
    return static_cast<int>(served.error().code);
  }
  return 0;
}
