// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/rivals.h"

#include <array>

#include "base/unknown_name.h"
#include "sim/rivals/adpf_policy.h"
#include "sim/rivals/fas_rs_policy.h"
#include "sim/rivals/feas_policy.h"
#include "sim/rivals/hwui_mon_policy.h"
#include "sim/rivals/uperf_policy.h"
#include "sim/rivals/yumi_policy.h"

namespace framegov::sim {

namespace {

using Maker = std::unique_ptr<Policy> (*)(const CpuTopology&);

template <class T>
std::unique_ptr<Policy> make(const CpuTopology& topology) {
  return std::make_unique<T>(topology);
}

constexpr std::array<std::string_view, 6> kNames = {"fas-rs",   "yumi", "adpf",
                                                    "hwui-mon", "feas", "uperf"};
constexpr std::array<Maker, kNames.size()> kMakers = {make<FasRsPolicy>, make<YumiPolicy>,
                                                      make<AdpfPolicy>,  make<HwuiMonPolicy>,
                                                      make<FeasPolicy>,  make<UperfPolicy>};

}  // namespace

std::span<const std::string_view> rival_names() { return kNames; }

Result<std::unique_ptr<Policy>> make_rival(std::string_view name, const CpuTopology& topology) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return kMakers[i](topology);
    }
  }
  return fail_unknown(ExitCode::kBadInput, "rival", name, {kNames.begin(), kNames.end()});
}

}  // namespace framegov::sim
