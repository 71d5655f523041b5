// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/uprobe_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <numeric>

#include "frames.skel.h"
#include "frames_perf.skel.h"
#include "probes/context/probe_programs.h"

namespace framegov {
namespace {

constexpr const char* kRootHint = "run it as root";
/// More than the verifier says of our longest program; what is over is cut off at its end, so that
/// its last words stay only where this suffices.
constexpr std::size_t kVerifierLogSize = 1U << 20U;

/// The version code that the programs are to carry. -EPERM from a kernel that forbids BPF to root
/// as well (lockdown, SELinux, a container).
Result<std::uint32_t> check_allowed() {
  if (::geteuid() != 0) {
    return fail(ExitCode::kNoPermission, "uprobes need root", kRootHint);
  }
  const ProbeProgramAnswer answer = ask_for_probe_programs();
  if (answer.support == Support::kForbidden) {
    return fail(ExitCode::kNoPermission, "BPF is not allowed here: " + answer.refusal, kRootHint);
  }
  if (answer.support != Support::kYes) {
    return fail(ExitCode::kUnsupported,
                "the kernel refuses BPF programs for probes: " + answer.refusal);
  }
  return answer.version_code;
}

Status check_ring_buffer() {
  if (::libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, nullptr) != 1) {
    return fail(ExitCode::kUnsupported, "the kernel has no BPF ring buffer",
                "it needs Linux 5.8 or later");
  }
  return {};
}

/// `log` gets what the verifier says where it refuses a program.
bpf_object* open_object(BpfTransport transport, std::vector<char>& log) {
  std::size_t size = 0;
  const bool ring = transport == BpfTransport::kRingBuffer;
  const void* const bytes = ring ? frames__elf_bytes(&size) : frames_perf__elf_bytes(&size);
  LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "framegov",
              .kernel_log_buf = log.data(), .kernel_log_size = log.size());
  return ::bpf_object__open_mem(bytes, size, &options);
}

}  // namespace

void UprobePrograms::ObjectDeleter::operator()(bpf_object* object) const {
  ::bpf_object__close(object);
}
void UprobePrograms::LinkDeleter::operator()(bpf_link* link) const { ::bpf_link__destroy(link); }

UprobePrograms::UprobePrograms(UprobePrograms&&) noexcept = default;
UprobePrograms& UprobePrograms::operator=(UprobePrograms&&) noexcept = default;
UprobePrograms::~UprobePrograms() = default;

Result<UprobePrograms> UprobePrograms::load(BpfTransport transport, std::size_t ring_bytes,
                                            const wire_config& config) {
  ::libbpf_set_print(nullptr);  // errors tell what its messages would
  FRAMEGOV_TRY(const std::uint32_t version_code, check_allowed());
  const bool ring = transport == BpfTransport::kRingBuffer;
  FRAMEGOV_TRY_STATUS(ring ? check_ring_buffer() : Status{});
  UprobePrograms programs;
  std::vector<char> log(kVerifierLogSize);
  programs.object_.reset(open_object(transport, log));
  if (!programs.object_) {
    return fail_errno(errno, "the BPF programs cannot be opened");
  }
  ::bpf_object__set_kversion(programs.object_.get(), version_code);
  bpf_map* const records = ::bpf_object__find_map_by_name(programs.object_.get(), "records");
  if (ring && ::bpf_map__set_max_entries(records, static_cast<__u32>(ring_bytes)) != 0) {
    return fail_errno(errno, "BPF ring buffer of " + std::to_string(ring_bytes) + " bytes");
  }
  if (const int error = ::bpf_object__load(programs.object_.get()); error != 0) {
    return fail_errno(-error, "the kernel refuses the BPF programs",
                      last_verifier_line(log.data()));
  }
  programs.lost_fd_ = programs.map("lost");
  programs.per_cpu_.resize(static_cast<std::size_t>(std::max(1, ::libbpf_num_possible_cpus())));
  programs.config_ = config;
  FRAMEGOV_TRY_STATUS(programs.store_config());
  return programs;
}

Status UprobePrograms::attach(const std::vector<ProbePoint>& points) {
  for (const ProbePoint& point : points) {
    bpf_program* const program =
        ::bpf_object__find_program_by_name(object_.get(), name_of(point.role));
    LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = point.on_return);
    bpf_link* const link = ::bpf_program__attach_uprobe_opts(program, -1, point.library.c_str(),
                                                             point.offset, &options);
    if (link != nullptr) {
      links_.emplace_back(link);
      continue;
    }
    const int error = errno;
    std::array<char, 24> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%llx", static_cast<unsigned long long>(point.offset));
    const std::string what = point.library + ": no uprobe at " + hex.data();
    const auto failure =
        error == ENOENT
            ? fail(ExitCode::kBadInput, what + ": there is no such file", "check the path")
            : fail_errno(error, what, "check the offset with framegov locate");
    if (point.needed) {
      return failure;
    }
    notes_.push_back(failure.value().to_string());
  }
  return {};
}

int UprobePrograms::map(const char* name) const {
  return ::bpf_object__find_map_fd_by_name(object_.get(), name);
}

Status UprobePrograms::store_config() const {
  const __u32 first = 0;
  if (::bpf_map_update_elem(map("config"), &first, &config_, BPF_ANY) != 0) {
    return fail_errno(errno, "BPF map 'config'");
  }
  return {};
}

std::uint64_t UprobePrograms::lost() const {
  const __u32 first = 0;
  if (::bpf_map_lookup_elem(lost_fd_, &first, per_cpu_.data()) != 0) {
    return 0;
  }
  return std::accumulate(per_cpu_.begin(), per_cpu_.end(), std::uint64_t{0});
}

Status UprobePrograms::watch(std::int32_t pid) {
  const __u8 yes = 1;
  if (::bpf_map_update_elem(map("watched"), &pid, &yes, BPF_ANY) != 0) {
    return fail_errno(errno, "process " + std::to_string(pid) + " cannot be watched");
  }
  return {};
}

void UprobePrograms::unwatch(std::int32_t pid) { ::bpf_map_delete_elem(map("watched"), &pid); }

Status UprobePrograms::set_watch_all(bool all) {
  config_.watch_all = all ? 1 : 0;
  return store_config();
}

}  // namespace framegov
