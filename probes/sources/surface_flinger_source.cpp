// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/surface_flinger_source.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/monotonic_clock.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLayers = 6;
constexpr int kLooksPerList = 8;
/// Nothing tells when a still screen moves again but to look: with growing pauses, up to so many
/// periods.
constexpr int kMostPause = 8;
/// No list of layers and no layer's latencies are longer.
constexpr std::size_t kMostText = 256U << 10U;

AssemblySettings assembly_of(const SurfaceFlingerOptions& options) {
  AssemblySettings settings = options.assembly;
  settings.source = SourceKind::kSurfaceFlinger;
  return settings;
}

/// The process whose command line begins with the package's name; 0 when there is none.
std::int32_t pid_of(const std::string& package, const fs::path& proc) {
  std::error_code error;
  for (const fs::path& entry : entries_of(proc, error)) {
    const std::string name = entry.filename();
    std::int32_t pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc{} || end != name.data() + name.size()) {
      continue;
    }
    const std::string command = read_node(entry / "cmdline");
    if (std::string_view(command).substr(0, command.find('\0')) == package) {
      return pid;
    }
  }
  return 0;
}

Status arm_every(int timer, Duration period) {
  itimerspec every{};
  every.it_interval = to_timespec(period);
  every.it_value = every.it_interval;
  if (::timerfd_settime(timer, 0, &every, nullptr) != 0) {
    return fail_errno(errno, "a timer");
  }
  return {};
}

}  // namespace

SurfaceFlingerSource::SurfaceFlingerSource(WaitSet waits, UniqueFd timer,
                                           const CpuTopology& topology,
                                           const SurfaceFlingerOptions& options)
    : options_(options),
      waits_(std::move(waits)),
      timer_(std::move(timer)),
      pause_(options.period),
      assembler_(topology, assembly_of(options)) {}

Result<std::unique_ptr<SurfaceFlingerSource>> SurfaceFlingerSource::open(
    const CpuTopology& topology, const SurfaceFlingerOptions& options) {
  if (::access(options.dumpsys.c_str(), X_OK) != 0) {
    return fail(ExitCode::kUnsupported, options.dumpsys.string() + ": there is no such command");
  }
  FRAMEGOV_TRY(auto waits, WaitSet::create());
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  Status ready = timer ? waits.add(timer.get()) : fail_errno(errno, "a timer");
  if (ready) {
    ready = arm_every(timer.get(), options.period);
  }
  FRAMEGOV_TRY_STATUS(ready);
  const auto list =
      run_command({options.dumpsys.string(), "SurfaceFlinger", "--list"}, options.timeout);
  if (!list || list->empty() || list->size() > kMostText) {
    return fail(ExitCode::kUnsupported,
                list ? options.dumpsys.string() + " SurfaceFlinger --list does not answer"
                     : list.error().message);
  }
  std::unique_ptr<SurfaceFlingerSource> source(
      new SurfaceFlingerSource(std::move(waits), std::move(timer), topology, options));
  source->on_list(*list, monotonic_now());
  return source;
}

Status SurfaceFlingerSource::start(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), options_.dumpsys.string());
  FRAMEGOV_TRY(auto command,
               ChildCommand::start(arguments, clean_environment(), ChildCommand::Output::kKeep));
  command_ = std::move(command);
  return waits_.add(command_->fd());
}

void SurfaceFlingerSource::stop() {
  waits_.remove(command_->fd());
  command_.reset();
}

void SurfaceFlingerSource::on_timer(Instant now) {
  if (command_) {
    if (now - started_ < options_.timeout) {
      return;
    }
    ++rejected_;
    stop();
  }
  const bool moving =
      std::any_of(layers_.begin(), layers_.end(), [](const Layer& layer) { return layer.moving; });
  started_ = now;
  watched_ = pause_ <= options_.period;
  look_every(moving ? options_.period : std::min(pause_ * 2, kMostPause * options_.period));
  listing_ = !moving || ++looks_ > kLooksPerList;
  if (!listing_) {
    looking_at_ = 0;
    next_layer(now);
  } else if (!start({"SurfaceFlinger", "--list"})) {
    ++rejected_;
  }
}

void SurfaceFlingerSource::look_every(Duration pause) {
  // A timer that cannot be set goes on as it was.
  if (pause != pause_ && arm_every(timer_.get(), pause)) {
    pause_ = pause;
  }
}

/// Looks at the first moving layer from looking_at_ on.
void SurfaceFlingerSource::next_layer(Instant now) {
  while (looking_at_ < layers_.size() && !layers_[looking_at_].moving) {
    ++looking_at_;
  }
  if (looking_at_ == layers_.size()) {
    return;
  }
  started_ = now;
  if (!start({"SurfaceFlinger", "--latency", layers_[looking_at_].layer.name})) {
    ++rejected_;
  }
}

void SurfaceFlingerSource::on_list(const std::string& text, Instant now) {
  std::vector<Layer> listed;
  for (AppLayer& layer : parse_layer_list(text, kMaxLayers)) {
    const auto known = std::find_if(layers_.begin(), layers_.end(), [&](const Layer& other) {
      return other.layer.name == layer.name;
    });
    Layer fresh;
    if (known != layers_.end()) {
      fresh = *known;
    } else {
      fresh.layer = layer;
      fresh.surface = ++surfaces_;
      fresh.newest = now - options_.period;  // what was before is no news
    }
    fresh.moving = true;
    fresh.pid = pid_of(layer.package, options_.proc);
    listed.push_back(std::move(fresh));
  }
  layers_ = std::move(listed);
  looks_ = 0;
}

void SurfaceFlingerSource::on_latency(Layer& layer, const std::string& text, Instant now) {
  const auto latency = parse_layer_latency(text, now);
  if (!latency) {
    ++rejected_;
    layer.moving = false;
    return;
  }
  rejected_ += latency->rejected;
  assembler_.set_refresh_interval(latency->refresh_period);
  const auto fresh = std::upper_bound(latency->ready.begin(), latency->ready.end(), layer.newest);
  layer.moving = fresh != latency->ready.end() || latency->pending > 0;
  // Not one row is known: frames before the first may have been pushed out.
  // After a longer pause they are the price of looking rarely, and no frame of a plan.
  if (watched_ && latency->full && fresh == latency->ready.begin()) {
    ++lost_;
  }
  for (auto ready = fresh; ready != latency->ready.end(); ++ready) {
    ++events_;
    layer.newest = *ready;
    backlog_.push_back({{layer.pid, layer.pid, -1, *ready}, layer.surface, false});
  }
}

void SurfaceFlingerSource::on_answer(const std::string& text, Instant now) {
  if (listing_) {
    on_list(text, now);
    listing_ = false;
    looking_at_ = 0;
  } else {
    on_latency(layers_[looking_at_], text, now);
    ++looking_at_;
  }
  next_layer(now);
}

Result<bool> SurfaceFlingerSource::drain(FrameBatch& batch) {
  const Instant now = monotonic_now();
  if (std::uint64_t ticks = 0; ::read(timer_.get(), &ticks, sizeof ticks) > 0) {
    on_timer(now);
  }
  if (command_ && command_->read()) {
    const std::string text = command_->text();
    stop();
    if (text.size() > kMostText) {
      ++rejected_;
    } else {
      on_answer(text, now);
    }
  }
  while (!backlog_.empty() && batch.room() >= FrameAssembler::kMaxEvents) {
    assembler_.queue_buffer(backlog_.front(), batch);
    backlog_.pop_front();
  }
  waits_.set_backlog(!backlog_.empty());
  return !backlog_.empty();
}

SourceCounters SurfaceFlingerSource::counters() const {
  SourceCounters counters;
  counters.events = events_;
  counters.frames = assembler_.frames();
  counters.rejected = assembler_.rejected() + rejected_;
  counters.lost = lost_;
  return counters;
}

}  // namespace framegov
