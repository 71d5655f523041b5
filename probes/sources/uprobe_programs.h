// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "probes/bpf/wire.h"
#include "probes/sources/probe_points.h"

struct bpf_link;
struct bpf_object;

namespace framegov {

/// How the BPF programs' records reach us.
enum class BpfTransport : std::uint8_t {
  kRingBuffer,  ///< kernel 5.8 and later
  kPerfBuffer   ///< perf event array: any kernel with BPF and uprobes, 4.14 and later
};

/// The BPF programs in the kernel, attached. Everything is detached when the object goes.
class UprobePrograms {
 public:
  /// Loads and attaches. `ring_bytes`: size of the ring buffer. A point that cannot be attached is
  /// an error when it is needed, and a note otherwise.
  ///
  /// Errors: kNoPermission without root, kUnsupported when the kernel lacks what it takes,
  /// kBadInput when a library cannot be opened.
  [[nodiscard]] static Result<UprobePrograms> load(BpfTransport transport, std::size_t ring_bytes,
                                                   const wire_config& config);
  [[nodiscard]] Status attach(const std::vector<ProbePoint>& points);

  UprobePrograms(UprobePrograms&&) noexcept;
  UprobePrograms& operator=(UprobePrograms&&) noexcept;
  ~UprobePrograms();

  /// Descriptor of the map that the records leave by.
  [[nodiscard]] int records_fd() const { return map("records"); }
  /// The same of records that are not to wake the reader, with kPerfBuffer.
  [[nodiscard]] int quiet_records_fd() const { return map("quiet_records"); }
  /// Records that there was no room for. Kernels before 4.20 do not tell of perf events.
  [[nodiscard]] std::uint64_t lost() const;

  [[nodiscard]] Status watch(std::int32_t pid);
  void unwatch(std::int32_t pid);
  [[nodiscard]] Status set_watch_all(bool all);

  /// Points that were left out, and why.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct ObjectDeleter {
    void operator()(bpf_object* object) const;
  };
  struct LinkDeleter {
    void operator()(bpf_link* link) const;
  };

  UprobePrograms() = default;
  [[nodiscard]] int map(const char* name) const;
  [[nodiscard]] Status store_config() const;

  std::unique_ptr<bpf_object, ObjectDeleter> object_;
  std::vector<std::unique_ptr<bpf_link, LinkDeleter>> links_;  ///< after object_: detached first
  wire_config config_{};
  int lost_fd_ = -1;
  mutable std::vector<std::uint64_t> per_cpu_;  ///< room for lost(), which the loop calls
  std::vector<std::string> notes_;
};

}  // namespace framegov
