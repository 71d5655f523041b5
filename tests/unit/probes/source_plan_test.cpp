// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/source_plan.h"

#include <gtest/gtest.h>

#include "probes/sources/no_source.h"
#include "probes/sources/probe_points.h"

namespace framegov {
namespace {

ProbeSite site(SiteKind kind, std::uint64_t offset) {
  ProbeSite site;
  site.kind = kind;
  site.function = offset;
  site.function_past_hints = offset;
  site.call = offset + 0x10;
  site.return_offset = offset + 0x14;
  site.destination_register = 4;
  return site;
}

/// A phone on which everything works.
PlanInput phone() {
  PlanInput input;
  input.kernel.release = parse_release("5.10.198-android13");
  input.kernel.arm64 = true;
  input.kernel.root = true;
  input.kernel.uprobe_pmu = true;
  input.kernel.bpf = Support::kYes;
  input.kernel.ring_buffer = Support::kYes;
  input.kernel.tracefs = "/sys/kernel/tracing";
  input.kernel.uprobe_events = true;
  input.kernel.trace_instances = true;
  input.hwui.sites.push_back(site(SiteKind::kFrameInfo, 0x1000));
  input.gui.sites.push_back(site(SiteKind::kQueueBuffer, 0x2000));
  input.dumpsys = true;
  return input;
}

SourceKind best(const PlanInput& input) { return best_rung(plan_sources(input)).kind; }

std::string reason(const PlanInput& input, SourceKind kind) {
  for (const Rung& rung : plan_sources(input)) {
    if (rung.kind == kind) {
      EXPECT_EQ(rung.usable, rung.reason.empty());
      return rung.reason;
    }
  }
  return "no such rung";
}

TEST(SourcePlan, WithoutUprobesZygiskServesWhereItHasLoadedTheModule) {
  PlanInput input = phone();
  input.kernel.uprobe_pmu = input.kernel.uprobe_events = false;
  input.kernel.bpf = Support::kNo;
  EXPECT_EQ(best(input), SourceKind::kSurfaceFlinger);
  EXPECT_NE(reason(input, SourceKind::kZygisk).find("since the phone started"), std::string::npos);
  input.zygisk = true;
  EXPECT_EQ(best(input), SourceKind::kZygisk);
  EXPECT_EQ(best([] {
              PlanInput all = phone();
              all.zygisk = true;
              return all;
            }()),
            SourceKind::kBpfRingBuffer)
      << "uprobes need nothing in the apps";
}

TEST(SourcePlan, ZygiskCanBeChosen) {
  PlanInput input = phone();
  input.zygisk = true;
  input.choice = SourceChoice::kZygisk;
  EXPECT_EQ(best(input), SourceKind::kZygisk);
  input.zygisk = false;
  EXPECT_EQ(best(input), SourceKind::kNone);
}

TEST(SourcePlan, StepsDownOnlyAsFarAsItMustAndSaysWhy) {
  PlanInput input = phone();
  EXPECT_EQ(best(input), SourceKind::kBpfRingBuffer);
  input.kernel.ring_buffer = Support::kNo;
  EXPECT_EQ(best(input), SourceKind::kBpfPerfBuffer);
  EXPECT_NE(reason(input, SourceKind::kBpfRingBuffer).find("ring buffer"), std::string::npos);
  input.kernel.bpf = Support::kForbidden;
  EXPECT_EQ(best(input), SourceKind::kTracefs);
  EXPECT_NE(reason(input, SourceKind::kBpfPerfBuffer).find("forbidden"), std::string::npos);
  input.no_memory = "apps' memory cannot be read";
  EXPECT_EQ(best(input), SourceKind::kSurfaceFlinger);
  EXPECT_EQ(reason(input, SourceKind::kTracefs), "apps' memory cannot be read");
  input.kernel.uprobe_events = false;
  EXPECT_NE(reason(input, SourceKind::kTracefs).find("uprobe_events"), std::string::npos);
  input.dumpsys = false;
  EXPECT_EQ(best(input), SourceKind::kNone);
  EXPECT_NE(reason(input, SourceKind::kSurfaceFlinger).find("dumpsys"), std::string::npos);
}

TEST(SourcePlan, ProbesThatSeeGamesOnlyGiveWayToSurfaceFlinger) {
  PlanInput input = phone();
  input.hwui.sites.clear();
  EXPECT_EQ(best(input), SourceKind::kSurfaceFlinger);
  EXPECT_NE(reason(input, SourceKind::kTracefs).find("only games"), std::string::npos);
  input.gui.sites.push_back(site(SiteKind::kFrameStart, 0x4000));
  EXPECT_EQ(best(input), SourceKind::kBpfRingBuffer) << "an app's frame has a start and a buffer";
  input.gui.sites.erase(input.gui.sites.begin());
  EXPECT_EQ(best(input), SourceKind::kSurfaceFlinger) << "a start without a buffer is no frame";
  // Games are better than nothing, and an owner's choice holds.
  input = phone();
  input.hwui.sites.clear();
  input.dumpsys = false;
  EXPECT_EQ(best(input), SourceKind::kBpfRingBuffer);
  input.dumpsys = true;
  input.choice = SourceChoice::kPerfBuffer;
  EXPECT_EQ(best(input), SourceKind::kBpfPerfBuffer);
}

TEST(SourcePlan, WithoutSitesOrRootNothingIsProbed) {
  PlanInput input = phone();
  input.hwui.sites.clear();
  input.gui.sites.clear();
  EXPECT_EQ(best(input), SourceKind::kSurfaceFlinger);
  EXPECT_NE(reason(input, SourceKind::kTracefs).find("site to probe"), std::string::npos);
  const auto lines = reasons(plan_sources(input));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("ringbuf, perf, tracefs: "));
  EXPECT_TRUE(lines[1].starts_with("zygisk: "));
  input = phone();
  input.kernel.root = false;
  EXPECT_EQ(best(input), SourceKind::kSurfaceFlinger);
}

TEST(SourcePlan, BeforeTheUprobePmuBpfNeedsTracefs) {
  PlanInput input = phone();
  input.kernel.uprobe_pmu = false;
  EXPECT_EQ(best(input), SourceKind::kBpfRingBuffer);
  input.kernel.uprobe_events = false;
  EXPECT_EQ(best(input), SourceKind::kSurfaceFlinger);
}

TEST(SourcePlan, AChosenSourceIsTheOnlyOne) {
  PlanInput input = phone();
  input.choice = SourceChoice::kTracefs;
  EXPECT_EQ(best(input), SourceKind::kTracefs);
  EXPECT_EQ(reason(input, SourceKind::kBpfRingBuffer), "service.source is tracefs");
  input.kernel.tracefs.clear();
  EXPECT_EQ(best(input), SourceKind::kNone);
  input.choice = SourceChoice::kNone;
  EXPECT_EQ(best(input), SourceKind::kNone);
  for (const SourceKind kind :
       {SourceKind::kBpfRingBuffer, SourceKind::kBpfPerfBuffer, SourceKind::kTracefs,
        SourceKind::kZygisk, SourceKind::kSurfaceFlinger}) {
    EXPECT_EQ(reason(input, kind), "service.source is none");
  }
}

TEST(SourcePlan, WhatCannotBeOpenedGivesWayToTheNextAndKeepsItsReason) {
  std::vector<SourceKind> tried;
  auto planned = open_planned(plan_sources(phone()),
                              [&](SourceKind kind) -> Result<std::unique_ptr<FrameSource>> {
                                tried.push_back(kind);
                                if (kind == SourceKind::kTracefs) {
                                  return NoSource::open();
                                }
                                return fail(ExitCode::kFailure, "it broke");
                              });
  ASSERT_TRUE(planned);
  EXPECT_EQ(tried, (std::vector{SourceKind::kBpfRingBuffer, SourceKind::kBpfPerfBuffer,
                                SourceKind::kTracefs}));
  ASSERT_EQ(planned->passed_over.size(), 2U);
  EXPECT_EQ(planned->passed_over[0].reason, "it broke");
}

TEST(SourcePlan, TheLastRungStaysUpWithoutFrames) {
  auto planned =
      open_planned(plan_sources(phone()), [](SourceKind) -> Result<std::unique_ptr<FrameSource>> {
        return fail(ExitCode::kFailure, "it broke");
      });
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->source->kind(), SourceKind::kNone);
  EXPECT_EQ(planned->passed_over.size(), 5U);
  FrameBatch batch;
  EXPECT_FALSE(planned->source->drain(batch).value());
  EXPECT_GE(planned->source->fd(), 0);
}

TEST(ProbePoints, WhereAppsTellTheirTargetsIsProbedWhereItIsKnown) {
  const PlanInput input = phone();
  ProbePointOptions options;
  options.android.library = "/system/lib64/libandroid.so";
  options.android.sites = {site(SiteKind::kHintTarget, 0x5000),
                           site(SiteKind::kHintSession, 0x6000)};
  const auto chosen = choose_probe_points(input.hwui, input.gui, options);
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->points.size(), 5U);
  EXPECT_EQ(chosen->points[3].role, ProbeRole::kHintSession);
  EXPECT_EQ(chosen->points[4].role, ProbeRole::kHintTarget);
  EXPECT_EQ(chosen->points[4].library, "/system/lib64/libandroid.so");
  EXPECT_FALSE(chosen->points[4].needed) << "frames are seen without it";
  EXPECT_FALSE(choose_probe_points({}, {}, options)) << "targets alone are no frames";
}

TEST(ProbePoints, OldKernelsAreProbedBehindHintsButNotOnReturn) {
  PlanInput input = phone();
  ProbeSite dequeue = site(SiteKind::kDequeueBuffer, 0x3000);
  dequeue.function_past_hints = 0x3004;
  input.gui.sites[0].function_past_hints = 0x2004;
  input.gui.sites.push_back(dequeue);

  const auto old = choose_probe_points(input.hwui, input.gui, {false, true});
  ASSERT_TRUE(old);
  EXPECT_EQ(old->notes.size(), 1U);
  for (const ProbePoint& point : old->points) {
    EXPECT_FALSE(point.on_return);
    EXPECT_TRUE(point.role != ProbeRole::kQueueBuffer || point.offset == 0x2004U);
  }
  const auto fresh = choose_probe_points(input.hwui, input.gui, {false, false});
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(fresh->notes.empty());
  EXPECT_EQ(fresh->points.size(), 5U);
  for (const ProbePoint& point : fresh->points) {
    EXPECT_EQ(point.on_return, point.role == ProbeRole::kDequeueBufferReturn);
  }
  EXPECT_FALSE(choose_probe_points({}, {}, {}));
}

}  // namespace
}  // namespace framegov
