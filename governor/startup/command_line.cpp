// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/command_line.h"

#include <CLI/CLI.hpp>

#include "governor/startup/usage_message.h"

namespace framegov {

namespace {

constexpr const char* kFooter = R"(examples:
  framegovd                                govern with the built-in settings and profiles
  framegovd --config /data/adb/framegov/framegov.yaml
  framegovd --restore                      put back what a killed service left, and end
  framegovd --enable                       start again after too many starts that did not last

Settings and profiles are read again whenever they are saved; `framegov check` finds mistakes first.
signals: SIGTERM and SIGINT put every limit back and end the service; SIGHUP reads the settings again.
exit codes: 0 ok, 1 failure, 2 wrong usage, 3 bad input, 4 no permission, 5 unsupported)";

}  // namespace

void add_service_options(CLI::App& app, ServiceOptions& options) {
  app.description("framegovd: the frame-aware CPU frequency governor's service");
  app.name("framegovd");
  app.footer(kFooter);
  app.set_version_flag("--version", FRAMEGOV_VERSION);
  tell_mistakes_as_program(app);
  app.add_option("--config", options.config, "YAML file with settings; defaults hold without one")
      ->type_name("FILE");
  auto* restore = app.add_flag("--restore", options.restore,
                               "restore the limits that a killed service left, and exit");
  auto* enable = app.add_flag("--enable", options.enable,
                              "enable a service that was disabled after failed starts, and exit");
  auto* alone =
      app.add_flag("--no-supervise", options.no_supervise,
                   "no second process; for an init that restarts the service and runs --restore");
  restore->excludes(enable)->excludes(alone);
  enable->excludes(alone);
}

}  // namespace framegov
