// SPDX-License-Identifier: Apache-2.0
#include "trace/dropped_bundles.h"

#include "trace/perfetto_fields.h"
#include "trace/proto_fields.h"

namespace framegov {

void DroppedBundles::on_dropped(std::uint32_t sequence) {
  if (const auto found = awaited_.find(sequence); found != awaited_.end()) {
    found->second = ~std::uint64_t{0};
  }
}

bool DroppedBundles::before(std::uint32_t sequence, std::string_view bundle) {
  std::uint64_t& awaited = awaited_[sequence];
  if (awaited == 0) {
    return false;
  }
  std::uint64_t cpu = 0;
  wire::each_varint(bundle, [&](auto tag, std::uint64_t value) {
    cpu = tag == perfetto::bundle::kCpu ? value : cpu;
  });
  const std::uint64_t bit = cpu < 64 ? std::uint64_t{1} << cpu : 0;
  const bool first_of_round = (awaited & bit) != 0;
  // A CPU's second bundle begins the round after: the others had nothing to tell in this one.
  awaited = first_of_round ? awaited & ~bit : 0;
  return first_of_round;
}

}  // namespace framegov
