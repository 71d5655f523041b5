// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "base/monotonic_clock.h"
#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/option_values.h"
#include "cli/owner_texts.h"
#include "cli/progress_line.h"
#include "config/load.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/topology_reader.h"
#include "governor/log/log.h"
#include "governor/service/record_session.h"
#include "governor/startup/source_factory.h"
#include "governor/state/trusted_file.h"
#include "probes/context/frequency_events.h"
#include "probes/context/kernel_features.h"

namespace framegov::cli {

namespace {

constexpr const char* kFooter =
    R"(Records frames, frequencies and the app on top into a Perfetto trace,
without governing: no limit is written. The file opens in ui.perfetto.dev.
Anybody may read the file, so adb on a PC can pull it from a folder that it reaches.
With --flight the last seconds stay in memory and go to OUT on SIGUSR1 and at the end.
Examples:
  framegov record /data/local/tmp/scroll.pftrace --seconds 30
  adb pull /data/local/tmp/scroll.pftrace
  framegov record last.pftrace --flight 20 & sleep 60; kill -USR1 %1
Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 bad input, 4 no permission, 5 unsupported.)";

struct RecordOptions {
  std::string out;
  std::string config;
  double seconds = 0;
  double flight = 0;
  int max_mib = 64;
  bool json = false;
};

/// `left` is said where the recording ends by itself.
void print_progress(const RecordProgress& progress, const std::string& left, char end) {
  const std::string text = owner_texts().text(
      "cli_recorded", {{"seconds", formatted("%.0f", to_seconds(progress.elapsed))},
                       {"left", left},
                       {"frames", std::to_string(progress.frames)},
                       {"kib", formatted("%.1f", static_cast<double>(progress.bytes) / 1024)},
                       {"dropped", std::to_string(progress.dropped)},
                       {"lost", std::to_string(progress.lost)}});
  std::fprintf(stderr, "\r%s%c", text.c_str(), end);
}

std::string time_left(const RecordOptions& options, const RecordProgress& progress) {
  if (options.seconds == 0) {
    return {};
  }
  const Duration left = seconds_to_duration(options.seconds) - progress.elapsed;
  return ", " + owner_texts().text("cli_abLeft", {{"time", rough_time(left)}});
}

/// What a script wants to know of the file.
void print_json(const RecordOptions& options, const RecordProgress& progress) {
  const nlohmann::ordered_json json = {{"file", options.out},
                                       {"seconds", to_seconds(progress.elapsed)},
                                       {"frames", progress.frames},
                                       {"bytes", progress.bytes},
                                       {"packets_dropped", progress.dropped},
                                       {"events_lost", progress.lost}};
  std::cout << json_text(json) << '\n';
}

Status record(const RecordOptions& options) {
  FRAMEGOV_TRY(const auto loaded, load_command_settings(config_or_usual(options.config)));
  const Settings& settings = loaded;
  FRAMEGOV_TRY(auto log, Log::open(LogLevel::kWarning, {}));
  FRAMEGOV_TRY(auto tree, CpufreqTree::open(settings.service.cpu_root));
  FRAMEGOV_TRY(auto reading, read_topology(tree, phone_power_sources(settings.service.state_dir)));
  FRAMEGOV_TRY(auto source, make_frame_source(settings.service, reading.topology, *log));
  FRAMEGOV_TRY(auto recorder,
               Recorder::open({options.out, static_cast<std::uint64_t>(options.max_mib) << 20U,
                               seconds_to_duration(options.flight)},
                              device_name(), reading.topology, monotonic_now()));
  block_record_signals();
  RecordSession session(std::move(source),
                        std::make_unique<AppContext>(settings.service, reading.topology, *log),
                        std::move(recorder), reading.topology.clusters.size());
  if (auto events = FrequencyEvents::open(
          detect_kernel_features({settings.service.proc_root, "/sys"}).tracefs, reading.topology)) {
    session.use(*std::move(events));
  } else {
    std::fprintf(stderr, "%s\n  %s\n", owner_texts().text("cli_recordsAtFrames").c_str(),
                 events.error().to_string().c_str());
  }
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const Status recorded = session.run(
      seconds_to_duration(options.seconds), [&options, terminal](const RecordProgress& progress) {
        if (terminal) {
          print_progress(progress, time_left(options, progress), ' ');
        } else if (!options.json) {
          print_progress(progress, {}, '\n');
        }
      });
  if (recorded && options.json) {
    print_json(options, session.progress(monotonic_now()));
  } else if (recorded) {
    print_progress(session.progress(monotonic_now()), {}, '\n');
  }
  return recorded;
}

}  // namespace

void register_record(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("record", "Record frames into a Perfetto trace");
  auto options = std::make_shared<RecordOptions>();
  command->add_option("OUT", options->out, "trace file to write")->required();
  command->add_option("--seconds", options->seconds, "how long; without it until Ctrl-C")
      ->check(number_between(0.1, 86400.0));
  command->add_option("--flight", options->flight, "keep the last so many seconds in memory")
      ->check(number_between(1.0, 3600.0));
  command->add_option("--max-mib", options->max_mib, "size that the trace does not exceed")
      ->check(number_between(1, 4096))
      ->capture_default_str();
  command->add_option("--config", options->config, "the service's YAML file")->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON at the end: the file and what is in it");
  command->footer(kFooter);
  command->callback([options, &result] {
    if (const Status recorded = record(*options); !recorded) {
      report(result, recorded.error());
    }
  });
}

}  // namespace framegov::cli
