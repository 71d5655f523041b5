// SPDX-License-Identifier: Apache-2.0
// framegovd, the service.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <functional>
#include <iostream>
#include <string>

#include "governor/confinement/confinement.h"
#include "governor/log/log.h"
#include "governor/startup/command_line.h"
#include "governor/startup/source_factory.h"
#include "governor/startup/start_control.h"
#include "governor/startup/startup.h"
#include "governor/state/trusted_file.h"
#include "governor/supervisor/run_alone.h"
#include "governor/supervisor/supervisor.h"

namespace framegov {
namespace {

Result<Settings> settings_of(const ServiceOptions& options) {
  return load_trusted_settings(options.config);
}

int tell(const Error& error) {
  std::cerr << "framegovd: " << error.to_string() << '\n';
  return static_cast<int>(error.code);
}

Result<std::unique_ptr<Service>> make_service(const Settings& settings, GpuLoad& gpu, Log& log) {
  return start_service(
      settings,
      [&](const ServiceSettings& of, const CpuTopology& topology) {
        gpu = open_gpu_load(of, log);
        return make_frame_source(of, topology, log, {governed_apps(settings), !gpu.is_told()});
      },
      log);
}

/// The service, in a process of its own or not: from reading the settings to its exit status.
int serve(const ServiceOptions& options, Heartbeat& heartbeat,
          const std::function<void()>& running) {
  const auto settings = settings_of(options);
  if (!settings) {
    return tell(settings.error());
  }
  auto log = Log::open(settings->service.log_level, settings->service.log_file);
  if (!log) {
    return tell(log.error());
  }
  block_service_signals();
  if (const Status handed = hand_over_commands(*settings); !handed) {
    return tell(handed.error());
  }
  GpuLoad gpu;
  auto service = make_service(*settings, gpu, **log);
  if (!service) {
    return tell(service.error());
  }
  auto listeners = open_control(settings->service, **log);
  if (const Status confined = confine(*settings, (*service)->source_kind(),
                                      (*service)->thread_levers(), **log, gpu.trace_buffer());
      !confined) {
    return tell(confined.error());
  }
  (*service)->show_turns(heartbeat);
  const auto control = start_control(*settings, FRAMEGOV_VERSION, **service, std::move(listeners),
                                     std::move(gpu), **log);
  running();
  if (const Status ended = (*service)->run(); !ended) {
    tell(ended.error());
    return static_cast<int>(ServiceEnd::kBrokeDown);
  }
  return (*service)->afresh().empty() ? 0 : static_cast<int>(ServiceEnd::kAfresh);
}

/// Whatever is wrong with the settings: a phone that stays slow is worse.
Result<int> restore(const ServiceOptions& options) {
  const auto settings = load_restore_settings(options.config);
  const ServiceSettings service = settings.value_or(ServiceSettings{});
  const auto log = Log::open_anyway(service.log_level, service.log_file);
  const Status limits = restore_only(service, *log);
  const Status engines = restore_engines(service, *log);
  FRAMEGOV_TRY_STATUS(limits);
  FRAMEGOV_TRY_STATUS(engines);
  return settings ? Result<int>(0) : tl::unexpected(settings.error());
}

Result<int> run(const ServiceOptions& options) {
  if (options.restore) {
    return restore(options);
  }
  FRAMEGOV_TRY(const auto settings, settings_of(options));
  const ServiceSettings& service = settings.service;
  if (options.enable) {
    return enable(service).map([] { return 0; });
  }
  if (options.no_supervise) {
    return run_alone(service, {}, [&](Heartbeat& heartbeat, const std::function<void()>& running) {
      return serve(options, heartbeat, running);
    });
  }
  Supervisor supervisor(service, {});
  return supervisor.run([&] { return serve(options, supervisor.heartbeat(), [] {}); });
}

}  // namespace
}  // namespace framegov

int main(int argc, char** argv) {
  CLI::App app;
  framegov::ServiceOptions options;
  framegov::add_service_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(framegov::ExitCode::kUsage);
  }
  // Whoever reads stderr may go; the service must not go with it.
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(S_IRWXG | S_IRWXO);  // logs and recordings say what the owner does
  const framegov::Result<int> status = framegov::run(options);
  return status ? *status : framegov::tell(status.error());
}
