// SPDX-License-Identifier: Apache-2.0
// What one hit of a probe costs by its kind: uprobe, return probe and both on one function, with
// empty programs and with ours, by turns within one run. Needs nothing but itself, so that it runs
// in the virtual phone too.
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

#include "base/monotonic_clock.h"
#include "empty.skel.h"
#include "probes/context/kernel_features.h"
#include "probes/context/probe_programs.h"
#include "probes/sources/uprobe_source.h"

namespace framegov {
namespace {

constexpr int kBatches = 20;
constexpr int kCallsPerBatch = 100;  // their records fit into the ring

// Arguments as those of queueBuffer and dequeueBuffer: a surface, which nobody looks into. They
// begin with the same instruction, as its kind decides how the kernel replaces it, and differ
// behind it, or the compiler would make them one.
[[gnu::noinline]] void queue(void* surface) { asm volatile("nop" : : "r"(surface) : "memory"); }
[[gnu::noinline]] void dequeue(void* surface) {
  asm volatile("nop\n\tnop" : : "r"(surface) : "memory");
}

/// Where `function` lies in this program's file; 0 when /proc does not tell.
std::uint64_t file_offset(void (*function)(void*)) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    std::string rights;
    char dash = 0;
    words >> std::hex >> begin >> dash >> end >> rights >> offset;
    if (words && address >= begin && address < end) {
      return address - begin + offset;
    }
  }
  return 0;
}

struct DestroyLink {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, DestroyLink>;

struct DestroySkeleton {
  void operator()(empty* skeleton) const { empty__destroy(skeleton); }
};

class Bench {
 public:
  Bench() : path_(std::filesystem::read_symlink("/proc/self/exe")), skeleton_(empty__open()) {}

  [[nodiscard]] Status run() {
    FRAMEGOV_TRY_STATUS(load());
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
      take(none_, dequeue);
      {
        const Link entry = attach(false);
        take(entry_, dequeue);
      }
      {
        const Link back = attach(true);
        take(back_, dequeue);
        const Link entry = attach(false);
        take(both_, dequeue);
      }
      FRAMEGOV_TRY_STATUS(with_ours());
    }
    print();
    return {};
  }

 private:
  [[nodiscard]] Status load() {
    if (::geteuid() != 0) {
      return fail(ExitCode::kNoPermission, "uprobes need root", "run it as root");
    }
    const ProbeProgramAnswer answer = ask_for_probe_programs();
    if (answer.support != Support::kYes) {
      return fail(ExitCode::kUnsupported,
                  "the kernel refuses BPF programs for probes: " + answer.refusal);
    }
    transport_ = detect_kernel_features({}).ring_buffer == Support::kYes
                     ? BpfTransport::kRingBuffer
                     : BpfTransport::kPerfBuffer;
    bpf_object__set_kversion(skeleton_->obj, answer.version_code);
    const int error = empty__load(skeleton_.get());
    return error == 0 ? Status{} : fail_errno(-error, "empty BPF programs");
  }

  [[nodiscard]] Link attach(bool on_return) {
    LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = on_return);
    bpf_program* const program = on_return ? skeleton_->progs.on_return : skeleton_->progs.on_entry;
    return Link(bpf_program__attach_uprobe_opts(program, -1, path_.c_str(), file_offset(dequeue),
                                                &options));
  }

  /// us a call in the quickest batch, the one that was least disturbed.
  void take(double& best, void (*function)(void*), UprobeSource* source = nullptr) {
    for (int batch = 0; batch < kBatches; ++batch) {
      const Instant begin = monotonic_now();
      for (int i = 0; i < kCallsPerBatch; ++i) {
        function(this);
      }
      best = std::min(best, to_seconds(monotonic_now() - begin) * 1e6 / kCallsPerBatch);
      if (source == nullptr) {
        continue;
      }
      FrameBatch frames;
      for (Result<bool> more = true; more && *more; more = source->drain(frames)) {
        frames.clear();
      }
    }
  }

  [[nodiscard]] Status with_ours() {
    ProbeSite queue_site;
    queue_site.kind = SiteKind::kQueueBuffer;
    queue_site.function = file_offset(queue);
    ProbeSite dequeue_site;
    dequeue_site.kind = SiteKind::kDequeueBuffer;
    dequeue_site.function = file_offset(dequeue);
    LibrarySites self;
    self.library = path_;
    self.sites = {queue_site, dequeue_site};
    UprobeOptions options;
    options.watched = {::getpid()};
    options.transport = transport_;
    FRAMEGOV_TRY(auto source, UprobeSource::open({}, self, CpuTopology{}, options));
    take(our_entry_, queue, source.get());
    take(our_both_, dequeue, source.get());
    const SourceCounters counters = source->counters();
    if (counters.lost != 0 || counters.events == 0) {
      return fail(ExitCode::kFailure,
                  "records were lost or never made: the figures would be wrong");
    }
    return {};
  }

  void print() const {
    std::printf("records through %s\n",
                transport_ == BpfTransport::kRingBuffer ? "the ring buffer" : "perf buffers");
    std::printf("%-26s %10s %10s %12s\n", "us a hit, quickest batch", "empty", "ours",
                "ours - empty");
    const auto row = [&](const char* name, double with_empty, double with_ours) {
      std::printf("%-26s %10.3f %10.3f %12.3f\n", name, with_empty - none_, with_ours - none_,
                  with_ours - with_empty);
    };
    row("uprobe (ours wakes)", entry_, our_entry_);
    std::printf("%-26s %10.3f %10s %12s\n", "uretprobe", back_ - none_, "-", "-");
    row("both on one function", both_, our_both_);
    std::printf(
        "return / entry %.2f, both / return %.2f (2007, Pentium M: 2.9, 4.7, 4.7 us: 1.62 and "
        "1.00)\n",
        (back_ - none_) / (entry_ - none_), (both_ - none_) / (back_ - none_));
  }

  std::string path_;
  std::unique_ptr<empty, DestroySkeleton> skeleton_;
  BpfTransport transport_{};
  double none_ = std::numeric_limits<double>::max();
  double entry_ = none_;
  double back_ = none_;
  double both_ = none_;
  double our_entry_ = none_;
  double our_both_ = none_;
};

}  // namespace
}  // namespace framegov

int main() {
  const framegov::Status status = framegov::Bench().run();
  if (!status) {
    std::fprintf(stderr, "bench_probe_kinds: %s\n", status.error().to_string().c_str());
    return static_cast<int>(status.error().code);
  }
  return 0;
}
