// SPDX-License-Identifier: Apache-2.0
#include "probes/context/frequency_meter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

#include "base/file.h"
#include "base/monotonic_clock.h"
#include "frequency.skel.h"
#include "probes/bpf/frequency_wire.h"

namespace framegov {

struct FrequencyMeter::Tracepoint {
  frequency* skeleton = nullptr;
  int sums = -1;
  /// The same, one for each CPU, where the kernel shows maps as memory (5.5).
  const volatile wire_frequency* shown = nullptr;

  Tracepoint() = default;
  Tracepoint(const Tracepoint&) = delete;
  Tracepoint& operator=(const Tracepoint&) = delete;
  ~Tracepoint() {
    if (shown != nullptr) {
      ::munmap(const_cast<wire_frequency*>(shown), kShownBytes);
    }
    frequency__destroy(skeleton);
  }

  /// False when the kernel does not allow it.
  bool open() {
    ::libbpf_set_print(nullptr);  // errors tell what its messages would
    if ((!load(BPF_F_MMAPABLE) && !load(0)) || frequency__attach(skeleton) != 0) {
      return false;
    }
    sums = bpf_map__fd(skeleton->maps.frequencies);
    void* const memory = ::mmap(nullptr, kShownBytes, PROT_READ, MAP_SHARED, sums, 0);
    if (memory != MAP_FAILED) {
      shown = static_cast<const volatile wire_frequency*>(memory);
    }
    return true;
  }

  /// The sum of one CPU; false when there is none.
  bool read(std::uint32_t cpu, wire_frequency& sum) const {
    if (shown == nullptr || cpu >= WIRE_FREQUENCY_CPUS) {
      return ::bpf_map_lookup_elem(sums, &cpu, &sum) == 0;
    }
    // A change may be under way on another CPU: until two looks agree, which the second does.
    const auto look = [&] {
      const volatile wire_frequency& there = shown[cpu];
      return std::array<__u64, 3>{there.khz, there.since_ns, there.khz_ns};
    };
    auto seen = look();
    for (auto last = seen; (seen = look()) != last;) {
      last = seen;
    }
    sum = {seen[0], seen[1], seen[2]};
    return true;
  }

 private:
  static constexpr std::size_t kShownBytes = sizeof(wire_frequency) * WIRE_FREQUENCY_CPUS;

  bool load(__u32 map_flags) {
    frequency__destroy(skeleton);
    skeleton = frequency__open();
    return skeleton != nullptr &&
           bpf_map__set_map_flags(skeleton->maps.frequencies, map_flags) == 0 &&
           frequency__load(skeleton) == 0;
  }
};

FrequencyMeter::FrequencyMeter(const CpuTopology& topology, const std::filesystem::path& cpu_root)
    : cluster_count_(topology.clusters.size()) {
  for (std::size_t i = 0; i < cluster_count_; ++i) {
    const Cluster& cluster = topology.clusters[i];
    clusters_[i].first_cpu = static_cast<std::uint32_t>(std::countr_zero(cluster.cpus));
    const auto node =
        cpu_root / "cpufreq" / ("policy" + std::to_string(cluster.cpufreq_id)) / "scaling_cur_freq";
    clusters_[i].current = open_file(node, O_RDONLY);
  }
  auto tracepoint = std::make_unique<Tracepoint>();
  if (!tracepoint->open()) {
    return;
  }
  // The tracepoint tells changes only.
  const auto now = static_cast<__u64>(to_ns(monotonic_now()));
  for (std::size_t i = 0; i < cluster_count_; ++i) {
    const ClusterNode& cluster = clusters_[i];
    const wire_frequency start{static_cast<__u64>(read_current(cluster).count()), now, 0};
    ::bpf_map_update_elem(tracepoint->sums, &cluster.first_cpu, &start, BPF_ANY);
  }
  tracepoint_ = std::move(tracepoint);
}

FrequencyMeter::~FrequencyMeter() = default;

int FrequencyMeter::program_fd() const {
  return tracepoint_ ? bpf_program__fd(tracepoint_->skeleton->progs.cpu_frequency) : -1;
}

Frequency FrequencyMeter::read_current(const ClusterNode& cluster) const {
  std::array<char, 24> text{};
  const ssize_t size =
      cluster.current ? ::pread(cluster.current.get(), text.data(), text.size(), 0) : 0;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + std::max<ssize_t>(size, 0), value);
  return khz(std::max<std::int64_t>(value, 0));
}

FrequencyMark FrequencyMeter::mark(std::size_t cluster, Instant now) const {
  FrequencyMark mark;
  mark.at = now;
  if (cluster >= cluster_count_) {
    return mark;
  }
  if (!tracepoint_) {
    mark.current = read_current(clusters_[cluster]);
    return mark;
  }
  wire_frequency sum{};
  if (tracepoint_->read(clusters_[cluster].first_cpu, sum)) {
    // A change may have come after `now` was read; then the sum is a little ahead of it.
    const auto since = to_ns(now) - static_cast<std::int64_t>(sum.since_ns);
    mark.khz_ns = sum.khz_ns + sum.khz * static_cast<std::uint64_t>(since);
    mark.current = khz(static_cast<std::int64_t>(sum.khz));
  }
  return mark;
}

Frequency FrequencyMeter::mean(const FrequencyMark& from, const FrequencyMark& to) const {
  if (from.current.count() == 0 || to.current.count() == 0) {
    return to.current;
  }
  const auto elapsed = (to.at - from.at).count();
  if (!tracepoint_ || elapsed <= 0) {
    return khz((from.current.count() + to.current.count()) / 2);
  }
  const auto product = static_cast<std::int64_t>(to.khz_ns - from.khz_ns);
  return khz(std::max<std::int64_t>(product / elapsed, 0));
}

}  // namespace framegov
