// SPDX-License-Identifier: Apache-2.0
// How fast Perfetto traces are imported, against the fastest that bytes can be moved and walked.
// Real traces, in memory: each alone (argument 0 to 2), and the first one 32 times end to end (3):
// its events come out of order then, as nowhere else. And a systrace page, where the environment
// variable FRAMEGOV_SYSTRACE names one (bench/import/run does).
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

#include "sim/import/import.h"
#include "tests/support/shared_data.h"
#include "trace/perfetto_reader.h"

namespace framegov::sim {
namespace {

constexpr const char* kTraces[] = {"traces/api32_startup_warm.perfetto-trace",
                                   "traces/ms_test_trace.perfetto-trace",
                                   "traces/ms_perfetto_trace_cpu_sampling_not_scoped.pftrace"};
constexpr int kEndToEnd = 3;

const std::vector<std::string>& inputs() {
  static const std::vector<std::string> kLoaded = [] {
    constexpr int kTimes = 32;
    std::vector<std::string> loaded;
    std::string joined;
    for (const char* name : kTraces) {
      const auto path = test::shared_data(name);
      const auto source = path ? open_bytes(*path) : Result<std::unique_ptr<ByteSource>>{};
      loaded.emplace_back(path && source ? (*source)->window() : std::string_view());
    }
    for (int i = 0; i < kTimes; ++i) {
      joined += loaded.front();
    }
    loaded.push_back(std::move(joined));
    return loaded;
  }();
  return kLoaded;
}

const std::string& systrace() {
  static const std::string kPage = [] {
    const char* path = std::getenv("FRAMEGOV_SYSTRACE");
    const auto source = path != nullptr ? open_bytes(path) : Result<std::unique_ptr<ByteSource>>{};
    return std::string(path != nullptr && source ? (*source)->window() : std::string_view());
  }();
  return kPage;
}

/// The argument's bytes; skips the benchmark when the recordings are not there.
const std::string* input(benchmark::State& state) {
  const std::string& trace = inputs()[static_cast<std::size_t>(state.range(0))];
  if (trace.empty()) {
    state.SkipWithError(test::missing_data_message("traces").c_str());
    return nullptr;
  }
  state.SetLabel(state.range(0) == kEndToEnd ? "end to end" : kTraces[state.range(0)]);
  return &trace;
}

void finish(benchmark::State& state, const std::string& trace) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(trace.size()));
}

void copy(benchmark::State& state) {
  const std::string* trace = input(state);
  if (trace == nullptr) {
    return;
  }
  std::string target(trace->size(), '\0');
  for (auto iteration : state) {
    std::memcpy(target.data(), trace->data(), trace->size());
    benchmark::DoNotOptimize(target.data());
    benchmark::ClobberMemory();
  }
  finish(state, *trace);
}

/// Every field of every ftrace event, skipped.
std::uint64_t walk(protozero::pbf_reader message, int depth) {
  std::uint64_t fields = 0;
  while (message.next()) {
    ++fields;
    const bool nested = message.wire_type() == protozero::pbf_wire_type::length_delimited &&
                        (depth == 0 || (depth == 1 && message.tag() == 1) || depth == 2);
    if (nested) {
      fields += walk(message.get_message(), depth + 1);
    } else {
      message.skip();
    }
  }
  return fields;
}

void skip_all(benchmark::State& state) {
  const std::string* trace = input(state);
  if (trace == nullptr) {
    return;
  }
  for (auto iteration : state) {
    std::uint64_t fields = 0;
    try {
      fields = walk(protozero::pbf_reader(*trace), 0);
    } catch (const protozero::exception& error) {
      state.SkipWithError(error.what());
      break;
    }
    benchmark::DoNotOptimize(fields);
  }
  finish(state, *trace);
}

/// Decoding alone, the events thrown away.
void decode(benchmark::State& state) {
  const std::string* trace = input(state);
  if (trace == nullptr) {
    return;
  }
  for (auto iteration : state) {
    class Nothing : public TraceSink {
    } sink;
    const auto source = bytes_in_memory(*trace);
    if (const auto read = read_perfetto(**source, sink); !read) {
      state.SkipWithError(read.error().message.c_str());
      break;
    }
  }
  finish(state, *trace);
}

void import_all(benchmark::State& state, const std::string& trace, const ImportOptions& options) {
  for (auto iteration : state) {
    const auto source = bytes_in_memory(trace);
    const auto imported = import_bytes(**source, "trace", options);
    if (!imported) {
      state.SkipWithError(imported.error().message.c_str());
      break;
    }
    benchmark::DoNotOptimize(imported->report.counts);
  }
  finish(state, trace);
}

/// The whole importer: decoding, sorting, frames, work, report.
void import(benchmark::State& state) {
  if (const std::string* trace = input(state)) {
    ImportOptions options;
    options.frames_only = state.range(0) == 2;  // that one has no frequencies
    import_all(state, *trace, options);
  }
}

void import_systrace(benchmark::State& state) {
  if (systrace().empty()) {
    state.SkipWithError("no page: FRAMEGOV_SYSTRACE names none");
    return;
  }
  import_all(state, systrace(), {});
}

BENCHMARK(copy)->DenseRange(0, kEndToEnd)->Unit(benchmark::kMillisecond);
BENCHMARK(skip_all)->DenseRange(0, kEndToEnd)->Unit(benchmark::kMillisecond);
BENCHMARK(decode)->DenseRange(0, kEndToEnd)->Unit(benchmark::kMillisecond);
BENCHMARK(import)->DenseRange(0, kEndToEnd)->Unit(benchmark::kMillisecond);
BENCHMARK(import_systrace)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace framegov::sim

BENCHMARK_MAIN();
