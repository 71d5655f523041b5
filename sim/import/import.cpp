// SPDX-License-Identifier: Apache-2.0
#include "sim/import/import.h"

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "base/unknown_name.h"
#include "sim/import/core_worth.h"
#include "sim/import/cpu_speed.h"
#include "sim/import/csv_workload.h"
#include "sim/import/frame_finder.h"
#include "sim/import/full_buffers.h"
#include "sim/import/import_report.h"
#include "sim/import/recording_workload.h"
#include "sim/import/text_trace.h"
#include "sim/import/trace_model.h"
#include "sim/import/wipe_workload.h"
#include "sim/import/workload_from_trace.h"
#include "socs/soc_table.h"
#include "trace/perfetto_reader.h"

namespace framegov::sim {

namespace {

constexpr const char* kKnownFormats =
    "known are Perfetto traces, ftrace text (also of atrace -z), systrace HTML, wipe-v2 JSON and "
    "workload CSV, each plain or gzip";

/// What packs files, by how it begins. Those that zlib reads are unpacked on the way.
const char* packed_in(std::string_view head) {
  using std::string_view_literals::operator""sv;
  constexpr std::pair<std::string_view, const char*> kKinds[] = {
      {"PK\x03\x04"sv, "a zip file"},
      {"\xfd"
       "7zXZ\0"sv,
       "xz-compressed"},
      {"\x28\xb5\x2f\xfd"sv, "zstd-compressed"},
      {"BZh"sv, "bzip2-compressed"}};
  const auto* const kind =
      std::find_if(std::begin(kKinds), std::end(kKinds),
                   [&](const auto& each) { return head.starts_with(each.first); });
  return kind == std::end(kKinds) ? nullptr : kind->second;
}

Result<TraceFormat> sniff(ByteSource& source) {
  constexpr std::size_t kSniffed = 4096;
  FRAMEGOV_TRY_STATUS(source.require(kSniffed));
  const std::string_view head = source.window().substr(0, kSniffed);
  if (head.empty()) {
    return fail(ExitCode::kBadInput, "empty", "record it again");
  }
  const bool binary = std::any_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f';
  });
  if (binary) {
    if (head[0] == '\n') {  // the tag of Trace.packet
      return TraceFormat::kPerfetto;
    }
    if (const char* const packed = packed_in(head)) {
      return fail(ExitCode::kBadInput, packed,
                  "unpack it (a zipped bug report has traces in FS/data/misc/perfetto-traces)");
    }
    if (head.find("tracing") < 16) {
      return fail(ExitCode::kBadInput, "a trace-cmd data file",
                  "turn it into text with `trace-cmd report`");
    }
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) {
      return fail(ExitCode::kBadInput, "text in UTF-16, as PowerShell's > writes it",
                  "turn it into UTF-8 with `iconv -f UTF-16 -t UTF-8`");
    }
    return fail(ExitCode::kBadInput, "not a recording, at offset 0", kKnownFormats);
  }
  if (is_workload_csv(head)) {
    return TraceFormat::kCsv;
  }
  const std::size_t first = head.find_first_not_of("\xef\xbb\xbf \t\r\n");  // a byte order mark
  // An object, or its list of events alone.
  if (head.find("\"traceEvents\"") != std::string_view::npos ||
      (first != std::string_view::npos && head[first] == '[' &&
       head.find("\"ph\"") != std::string_view::npos)) {
    return fail(ExitCode::kBadInput, "a trace in Chrome's JSON format",
                "give the Perfetto trace it was made from, or its ftrace text "
                "(`traceconv systrace`)");
  }
  if (first != std::string_view::npos && (head[first] == '{' || head[first] == '[')) {
    return TraceFormat::kWipe;
  }
  return TraceFormat::kFtraceText;
}

/// All of a source, for the small formats.
Result<std::string_view> whole(ByteSource& source) {
  constexpr std::size_t kMost = std::size_t{1} << 30U;
  std::size_t wanted = std::size_t{1} << 20U;
  while (true) {
    FRAMEGOV_TRY_STATUS(source.require(wanted));
    if (source.window().size() < wanted) {
      return source.window();
    }
    if (wanted >= kMost) {
      return fail(ExitCode::kBadInput, "larger than 1 GiB", "cut it into shorter recordings");
    }
    wanted *= 2;
  }
}

/// The phone's power meters, for who compares energy.
void add_rails(const TraceModel& model, Workload& workload) {
  std::map<std::uint32_t, std::uint32_t> index;
  for (const auto& [rail, name] : model.power.rails) {
    index[rail] = static_cast<std::uint32_t>(workload.rails.size());
    workload.rails.push_back(name);
  }
  for (const EnergySample& sample : model.power.energy) {
    if (const auto found = index.find(sample.rail); found != index.end()) {
      workload.rail_samples.push_back({instant_from_ns(sample.at), found->second,
                                       static_cast<double>(sample.microwatt_seconds) / 1e3});
    }
  }
}

void say_what_is_left_out(const LeftOutPackets& packets, std::vector<std::string>& notes) {
  const auto say = [&](std::uint64_t count, const char* why) {
    if (count != 0) {
      notes.push_back(std::to_string(count) + " packets are left out: " + why);
    }
  };
  say(packets.timeless, "no clock snapshot gives their time");
  say(packets.nameless, "names in them were lost with packets before them");
  say(packets.other_machine, "they are of another machine (a VM's guest)");
}

/// Null where none is named.
Result<const KnownSoc*> soc_of(const std::string& name) {
  const KnownSoc* const soc = name.empty() ? nullptr : find_soc(name);
  if (soc != nullptr || name.empty()) {
    return soc;
  }
  Names known;
  for (const KnownSoc& each : known_socs()) {
    known.push_back(each.name);
  }
  return fail(
      ExitCode::kUsage,
      "--recorded-on " + name + ": no SoC or device that is known" + did_you_mean(name, known),
      "there are " + list_of(known));
}

Result<Imported> import_model(ByteSource& source, TraceFormat format,
                              const ImportOptions& options) {
  FRAMEGOV_TRY(const KnownSoc* const recorded_on, soc_of(options.recorded_on));
  TraceModelBuilder builder(options.max_events);
  std::vector<std::string> notes;
  Status read;
  if (format == TraceFormat::kPerfetto) {
    read = read_perfetto(source, builder, options.on_progress);
  } else {
    const auto counts = read_text_trace(source, builder, options.on_progress);
    if (!counts) {
      read = tl::unexpected(counts.error());
    } else if (counts->damaged != 0) {
      notes.push_back(std::to_string(counts->damaged) +
                      " event lines are damaged, the first at offset " +
                      std::to_string(counts->first_damaged_offset));
    }
  }
  if (!read) {
    if (!options.partial) {
      return tl::unexpected(read.error());
    }
    notes.push_back("damaged, only its beginning is taken: " + read.error().message);
  }
  TraceModel model = builder.finish();
  say_what_is_left_out(model.left_out, notes);
  if (model.cpu.complete_since > model.first) {
    notes.push_back("the first " +
                    std::to_string((model.cpu.complete_since - model.first) / kNsPerMs) +
                    " ms are left out: not every CPU's buffer reaches back that far");
  }
  if (model.cpu.doubtful_until > model.first) {
    notes.push_back("frames of the first " +
                    std::to_string((model.cpu.doubtful_until - model.first) / kNsPerMs) +
                    " ms may be too light: a CPU's buffer may not reach back that far");
  }
  leave_out_after_full_buffers(model, notes);
  Imported imported;
  const bool own = model.recording && !model.recording->frames.empty();
  const FrameFinding finding = own ? FrameFinding{} : find_frames(model);
  CpuSpeed speed(
      model, [&] { return frame_cpus(model, finding); }, recorded_on);
  if (!speed.knows_worth() && !own) {
    if (const auto worth = estimate_core_worth(model, finding, speed)) {
      speed.set_worth(*worth,
                      "what a cycle is worth is estimated from frames that changed cluster");
    }
  }
  auto workload = own ? workload_from_recording(*model.recording, options.frames_only)
                      : workload_from_trace(model, finding, speed, options.frames_only);
  if (workload) {
    add_rails(model, *workload);
    imported.workload = std::move(*workload);
  } else {
    imported.no_workload = workload.error();
  }
  imported.report = own ? report_recording(*model.recording) : report_trace(model, finding, speed);
  imported.report.format = own ? TraceFormat::kRecording : format;
  imported.report.notes = std::move(notes);
  return imported;
}

Imported of_workload(Workload workload, TraceFormat format) {
  Imported imported;
  imported.workload = std::move(workload);
  imported.report = report_workload(*imported.workload);
  imported.report.format = format;
  return imported;
}

Result<Imported> import_small(ByteSource& source, TraceFormat format) {
  FRAMEGOV_TRY(const auto text, whole(source));
  FRAMEGOV_TRY(auto workload,
               format == TraceFormat::kWipe ? read_wipe_workload(text) : read_workload_csv(text));
  return of_workload(std::move(workload), format);
}

/// What every import ends with: `name` in messages, notes in both places.
Result<Imported> named(Result<Imported> imported, const std::string& name) {
  if (!imported) {
    imported.error().message = name + ": " + imported.error().message;
    return imported;
  }
  if (imported->no_workload) {
    imported->no_workload->message = name + ": " + imported->no_workload->message;
  }
  if (imported->workload) {
    imported->workload->source = name;
    imported->workload->dispatch = median_dispatch(imported->workload->frames);
    for (const std::string& note : imported->workload->notes) {
      imported->report.notes.push_back(note);
    }
    for (const std::string& note : imported->report.notes) {
      if (std::find(imported->workload->notes.begin(), imported->workload->notes.end(), note) ==
          imported->workload->notes.end()) {
        imported->workload->notes.push_back(note);
      }
    }
  }
  return imported;
}

Result<Imported> import_source(ByteSource& source, const ImportOptions& options) {
  FRAMEGOV_TRY(const TraceFormat format, sniff(source));
  const bool small = format == TraceFormat::kWipe || format == TraceFormat::kCsv;
  return small ? import_small(source, format) : import_model(source, format, options);
}

Result<Imported> import_folder(const std::filesystem::path& folder) {
  FRAMEGOV_TRY(auto workload, read_workload_tables(folder));
  return of_workload(std::move(workload), TraceFormat::kCsv);
}

}  // namespace

std::string_view format_name(TraceFormat format) {
  switch (format) {
    case TraceFormat::kPerfetto:
      return "perfetto";
    case TraceFormat::kRecording:
      return "framegov recording";
    case TraceFormat::kFtraceText:
      return "ftrace text";
    case TraceFormat::kWipe:
      return "wipe-v2";
    case TraceFormat::kCsv:
      return "workload CSV";
  }
  return "unknown";
}

Result<Imported> import_bytes(ByteSource& source, const std::string& name,
                              const ImportOptions& options) {
  return named(import_source(source, options), name);
}

Result<Imported> import_trace(const std::filesystem::path& path, const ImportOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    FRAMEGOV_TRY(auto imported, import_folder(path));  // its errors have names of files
    return named(std::move(imported), path.string());
  }
  FRAMEGOV_TRY(const auto source, open_bytes(path));
  return import_bytes(*source, path.string(), options);
}

Result<Workload> import_workload(const std::filesystem::path& path, const ImportOptions& options) {
  FRAMEGOV_TRY(auto imported, import_trace(path, options));
  if (!imported.workload) {
    return tl::unexpected(*imported.no_workload);
  }
  return std::move(*imported.workload);
}

}  // namespace framegov::sim
