// SPDX-License-Identifier: Apache-2.0
// Any bytes as what was learned of apps, and what a policy then makes of frames.
#include "governor/profiles/learned_apps.h"
#include "policy/policy_factory.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"
#include "tests/support/phone_topology.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

void govern(const Learned& learned) {
  static const CpuTopology kTopology = test::phone_topology();
  PolicySettings settings;
  settings.mpc.eps = learned.eps;
  const auto policy = make_policy("mpc", kTopology, settings);
  if (!policy) {
    return;
  }
  (*policy)->recall(learned);
  std::vector<ClusterLimits> limits;
  for (const Cluster& cluster : kTopology.clusters) {
    limits.push_back({cluster.min_frequency(), cluster.max_frequency()});
  }
  for (int i = 1; i <= 6; ++i) {
    Frame frame;
    frame.app = AppId{1};
    frame.interval = std::chrono::milliseconds{8};
    frame.vsync = frame.start = instant_from_ns(1'000'000'000) + i * frame.interval;
    frame.ready = frame.vsync + std::chrono::milliseconds{i};
    frame.deadline = frame.vsync + frame.interval;
    frame.cluster = 2;
    frame.frequency = mhz(1500);
    PolicyInput input;
    input.event = PolicyEvent::kFrameEnd;
    input.now = frame.ready;
    input.app = frame.app;
    input.frame = &frame;
    input.limits = limits;
    const FrequencyPlan& plan = (*policy)->step(input);
    for (std::size_t c = 0; c < plan.clusters.size(); ++c) {
      const ClusterPlan& each = plan.clusters[c];
      need(each.cap >= Frequency{} && each.floor >= Frequency{}, "no limit is below zero");
      need(each.cap == Frequency{} || each.floor <= each.cap, "a floor is below its cap");
    }
    need(std::isfinite(plan.reason.wanted.count()), "a speed is a number");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFolder kFolder;
  static const auto kLog = Log::open_anyway(LogLevel::kError, kFolder.path() / "log");
  static LearnedApps apps = LearnedApps::load(*StateDir::open(kFolder.path() / "state"),
                                              test::phone_topology(), true, *kLog);
  static const std::string kEmpty = apps.to_text();
  const std::string heading = kEmpty.substr(0, kEmpty.rfind("end\n"));
  const std::string body(text_of(data, size));
  if (const Status parsed = apps.parse(heading + body); !parsed) {
    need_one_line(parsed.error().to_string());
    return 0;
  }
  need(apps.size() <= LearnedApps::kMostApps, "no more apps than there may be");
  const std::string text = apps.to_text();
  need(apps.parse(text).has_value() && apps.to_text() == text, "what is taken reads back");
  const auto learned = apps.recall("com.a", "mpc");
  if (learned && learned->eps >= 0.0001 && learned->eps <= 0.2) {  // what a profile may ask for
    govern(*learned);
  }
  return 0;
}
