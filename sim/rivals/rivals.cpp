// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/rivals.h"

#include <algorithm>
#include <array>

#include "base/unknown_name.h"
#include "sim/rivals/adpf2_policy.h"
#include "sim/rivals/adpf_policy.h"
#include "sim/rivals/fas_rs_policy.h"
#include "sim/rivals/feas_policy.h"
#include "sim/rivals/fpsgo_policy.h"
#include "sim/rivals/hwui_mon_policy.h"
#include "sim/rivals/hyperframe_policy.h"
#include "sim/rivals/loom_policy.h"
#include "sim/rivals/oplus_vutil_policy.h"
#include "sim/rivals/uperf_policy.h"
#include "sim/rivals/yumi_policy.h"

namespace framegov::sim {

namespace {

using Maker = std::unique_ptr<Policy> (*)(const CpuTopology&);

template <class T>
std::unique_ptr<Policy> make(const CpuTopology& topology) {
  return std::make_unique<T>(topology);
}

struct Rival {
  std::string_view name;
  Maker make;
};

constexpr std::array kRivals = {
    Rival{"fas-rs", make<FasRsPolicy>},
    Rival{"yumi", make<YumiPolicy>},
    Rival{"adpf", make<AdpfPolicy>},
    Rival{"hwui-mon", make<HwuiMonPolicy>},
    Rival{"feas", make<FeasPolicy>},
    Rival{"uperf", make<UperfPolicy>},
    Rival{"oplus-vutil", make<OplusVutilPolicy>},
    Rival{"hyperframe", make<HyperframePolicy>},
    Rival{"fpsgo", make<FpsgoPolicy>},
    Rival{"loom", make<LoomPolicy>},
    Rival{"adpf2", make<Adpf2Policy>},
};

constexpr std::array<std::string_view, kRivals.size()> kRivalNames = [] {
  std::array<std::string_view, kRivals.size()> names;
  std::transform(kRivals.begin(), kRivals.end(), names.begin(),
                 [](const Rival& rival) { return rival.name; });
  return names;
}();

}  // namespace

std::span<const std::string_view> rival_names() { return kRivalNames; }

Result<std::unique_ptr<Policy>> make_rival(std::string_view name, const CpuTopology& topology) {
  for (const Rival& rival : kRivals) {
    if (rival.name == name) {
      return rival.make(topology);
    }
  }
  return fail_unknown(ExitCode::kBadInput, "rival", name, {kRivalNames.begin(), kRivalNames.end()});
}

}  // namespace framegov::sim
