// SPDX-License-Identifier: Apache-2.0
// What the probes add to a frame: the same calls without probes, with empty programs on the same
// sites, and with ours, in turn within one run.
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/monotonic_clock.h"
#include "probes/locate/locate.h"
#include "probes/sources/uprobe_source.h"
#include "tests/app/gui/display_events.h"
#include "tests/app/gui/surface.h"
#include "tests/app/hwui/render_proxy.h"
#include "tests/app/virtual_machine.h"
#include "waking.skel.h"

namespace framegov {
namespace {

constexpr int kRounds = 15;
constexpr int kBatches = 20;
constexpr int kCallsPerBatch = 100;  // their records fit into the ring
constexpr double kTargetUs = 1.2;

/// The calls that an app makes in one frame, without its work.
class FrameCalls : private android::DisplayEventDispatcher {
 public:
  FrameCalls()
      : surface_(to_ns(monotonic_now()) - 1'000'000, 1), callbacks_{nullptr, [](void*) {
                                                                      return 0;
                                                                    }} {
    register_android_view_ThreadedRenderer(machine_.env());
    auto* create = machine_.method<demo::jlong(demo::JNIEnv*, void*, demo::jlong, int)>(
        "nCreateProxy", "(JI)J");
    proxy_ = create(machine_.env(), nullptr, reinterpret_cast<demo::jlong>(&callbacks_),
                    static_cast<int>(info_.size()));
    sync_ = machine_.method<int(demo::JNIEnv*, void*, demo::jlong, void*, int)>("nSyncAndDrawFrame",
                                                                                "(J[JI)I");
    info_[3] = to_ns(monotonic_now());
  }
  ~FrameCalls() override = default;

  void start() { handleEvent(receiver().getFd(), 0, nullptr); }
  void hand_over() {
    sync_(machine_.env(), nullptr, proxy_, demo::VirtualMachine::handle(&array_),
          static_cast<int>(info_.size()));
  }
  void dequeue() { surface_.ANativeWindow::dequeueBuffer(&surface_, &buffer_, &fence_); }
  void queue() { surface_.ANativeWindow::queueBuffer(&surface_, buffer_, fence_); }

 private:
  void dispatchVsync(std::int64_t, std::uint32_t) override {}

  demo::VirtualMachine machine_;
  android::Surface surface_;
  demo::RenderCallbacks callbacks_;
  demo::jlong proxy_ = 0;
  int (*sync_)(demo::JNIEnv*, void*, demo::jlong, void*, int) = nullptr;
  std::array<demo::jlong, 12> info_{};
  std::span<demo::jlong> array_{info_};
  ANativeWindowBuffer* buffer_ = nullptr;
  int fence_ = -1;
};

struct Libraries {
  LibrarySites hwui;
  LibrarySites gui;

  void keep(std::initializer_list<SiteKind> kinds) {
    for (LibrarySites* library : {&hwui, &gui}) {
      std::vector<ProbeSite> kept;
      for (const SiteKind kind : kinds) {
        const auto found = std::find_if(library->sites.begin(), library->sites.end(),
                                        [&](const ProbeSite& site) { return site.kind == kind; });
        if (found != library->sites.end()) {
          kept.push_back(*found);
        }
      }
      library->sites = kept;
    }
  }
};

/// Empty programs on the sites; with `wake` the last of the frame's wakes a reader, as ours does.
class EmptyProbes {
 public:
  EmptyProbes(const Libraries& libraries, bool wake) : skeleton_(waking__open_and_load()) {
    const auto& programs = skeleton_->progs;
    bpf_program* const last = wake ? programs.on_entry_wake : programs.on_entry;
    for (const ProbeSite& site : libraries.hwui.sites) {
      attach(programs.on_entry, libraries.hwui, site.call);
      attach(libraries.gui.sites.empty() ? last : programs.on_entry, libraries.hwui,
             site.return_offset);
    }
    for (const ProbeSite& site : libraries.gui.sites) {
      attach(site.kind == SiteKind::kQueueBuffer ? last : programs.on_entry, libraries.gui,
             site.function);
      if (site.kind == SiteKind::kDequeueBuffer) {
        attach(programs.on_return, libraries.gui, site.function, true);
      }
    }
  }
  ~EmptyProbes() {
    for (bpf_link* link : links_) {
      bpf_link__destroy(link);
    }
    waking__destroy(skeleton_);
  }
  EmptyProbes(const EmptyProbes&) = delete;
  EmptyProbes& operator=(const EmptyProbes&) = delete;

  [[nodiscard]] std::size_t count() const { return links_.size(); }

 private:
  void attach(bpf_program* program, const LibrarySites& library, std::uint64_t offset,
              bool on_return = false) {
    LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = on_return);
    links_.push_back(
        bpf_program__attach_uprobe_opts(program, -1, library.library.c_str(), offset, &options));
  }

  waking* skeleton_;
  std::vector<bpf_link*> links_;
};

/// us per call in the quickest batch, the one that was least disturbed; `between` runs unmeasured
/// after each batch.
double time_us(
    const std::function<void()>& call, const std::function<void()>& between = [] {}) {
  Duration best = Duration::max();
  for (int batch = 0; batch < kBatches; ++batch) {
    const Instant begin = monotonic_now();
    for (int i = 0; i < kCallsPerBatch; ++i) {
      call();
    }
    best = std::min(best, monotonic_now() - begin);
    between();
  }
  return to_seconds(best) * 1e6 / kCallsPerBatch;
}

Status bench(const char* name, const Libraries& libraries, const std::function<void()>& call) {
  double bare = std::numeric_limits<double>::max();
  double with_empty = bare;
  double with_wake = bare;
  double with_ours = bare;
  std::size_t probes = 0;
  for (int round = 0; round < kRounds; ++round) {
    bare = std::min(bare, time_us(call));
    {
      const EmptyProbes empty_probes(libraries, false);
      probes = empty_probes.count();
      with_empty = std::min(with_empty, time_us(call));
    }
    {
      const EmptyProbes waking_probes(libraries, true);
      with_wake = std::min(with_wake, time_us(call));
    }
    UprobeOptions options;
    options.watched = {::getpid()};
    FRAMEGOV_TRY(auto source,
                 UprobeSource::open(libraries.hwui, libraries.gui, CpuTopology{}, options));
    FrameBatch batch;
    const auto drain = [&] {
      for (Result<bool> more = true; more && *more;) {
        batch.clear();
        more = source->drain(batch);
      }
    };
    with_ours = std::min(with_ours, time_us(call, drain));
    if (source->counters().lost != 0) {
      return fail(ExitCode::kFailure, "records were lost: the figure is not that of a frame");
    }
  }
  const double beyond = with_ours - with_empty;
  std::printf("%-18s %6zu %9.2f %9.2f %9.2f %7.2f %13.2f (%s %.1f) %13.2f %12.2f\n", name, probes,
              bare, with_empty - bare, with_ours - bare, (with_ours - bare) / (with_empty - bare),
              beyond, beyond <= kTargetUs ? "<=" : ">", kTargetUs, with_wake - with_empty,
              with_ours - with_wake);
  return {};
}

Status run() {
  const std::filesystem::path folder = FRAMEGOV_DEMO_APP_DIR;
  const auto hwui = locate(folder / "libhwui.so", LocateOptions{});
  const auto gui = locate(folder / "libgui.so", LocateOptions{});
  if (!hwui || !gui) {
    return tl::unexpected(!hwui ? hwui.error() : gui.error());
  }
  const Libraries all{*hwui, *gui};
  FrameCalls calls;
  std::printf("%-18s %6s %9s %9s %9s %7s %22s %13s %12s\n", "us, quickest batch", "probes",
              "no probe", "+ empty", "+ ours", "ratio", "ours - empty (target)", "a bare wake",
              "ours - both");

  Libraries ui = all;
  ui.keep({SiteKind::kFrameInfo});
  Libraries queue = all;
  queue.keep({SiteKind::kQueueBuffer});
  Libraries frame = all;
  frame.keep({SiteKind::kFrameStart, SiteKind::kFrameInfo, SiteKind::kDequeueBuffer,
              SiteKind::kQueueBuffer});
  Status status = bench("UI record", ui, [&] { calls.hand_over(); });
  if (status) {
    status = bench("queueBuffer", queue, [&] { calls.queue(); });
  }
  // Frame starts within a millisecond of each other are dropped in the program, so here the start
  // costs less than in a frame by one record.
  return status ? bench("a whole frame", frame,
                        [&] {
                          calls.start();
                          calls.hand_over();
                          calls.dequeue();
                          calls.queue();
                        })
                : status;
}

}  // namespace
}  // namespace framegov

int main() {
  const framegov::Status status = framegov::run();
  if (!status) {
    std::fprintf(stderr, "bench_probes: %s\n", status.error().to_string().c_str());
    return static_cast<int>(status.error().code);
  }
  return 0;
}
