// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "governor/doctor/findings.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

ProbeSite site_of(SiteKind kind) {
  ProbeSite site;
  site.kind = kind;
  return site;
}

class SourceFindings : public ::testing::Test {
 protected:
  SourceFindings() {
    input_.kernel.root = input_.kernel.uprobe_pmu = true;
    input_.kernel.bpf = input_.kernel.ring_buffer = Support::kYes;
    input_.gui.library = "/system/lib64/libgui.so";
    input_.gui.sites = {site_of(SiteKind::kQueueBuffer)};
    input_.no_hwui = "/system/lib64/libhwui.so: no site to probe";
    input_.dumpsys = true;
  }
  [[nodiscard]] DoctorFinding find(const std::string& id) const {
    const auto findings = examine_sources(input_);
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const DoctorFinding& each) { return each.id == id; });
    return found == findings.end() ? DoctorFinding{} : *found;
  }
  PlanInput input_;
};

TEST_F(SourceFindings, WithoutLibhwuisSiteAppsAreBuiltFromLibgui) {
  input_.gui.sites.push_back(site_of(SiteKind::kFrameStart));
  EXPECT_EQ(find("libhwui").health, Health::kDegraded);
  EXPECT_THAT(find("libhwui").meaning, HasSubstr("built from their start and their buffer"));
  EXPECT_EQ(find("source").what, "ringbuf");
}

TEST_F(SourceFindings, WithoutAStartEitherSurfaceFlingerServesThem) {
  EXPECT_THAT(find("libhwui").meaning, HasSubstr("SurfaceFlinger's intervals only"));
  EXPECT_THAT(find("source").what, HasSubstr("surfaceflinger (ringbuf, perf, tracefs: "));
  EXPECT_THAT(find("source").what, HasSubstr("only games would be seen"));
}

TEST_F(SourceFindings, ZygiskThatIsAskedForAndHasNotLoadedIsWhatIsMissing) {
  input_.choice = SourceChoice::kZygisk;
  EXPECT_EQ(find("source").health, Health::kMissing);
  // init/module/customize.sh looks for it.
  EXPECT_THAT(find("source").what, HasSubstr("service.source is zygisk"));
}

TEST_F(SourceFindings, WithoutUprobesZygiskIsTheBetterWay) {
  input_.kernel.uprobe_pmu = input_.kernel.uprobe_events = false;
  input_.kernel.bpf = Support::kNo;
  EXPECT_THAT(find("source").what, HasSubstr("surfaceflinger (ringbuf, perf"));
  EXPECT_THAT(find("source").action, HasSubstr("switch Zygisk on"));
  input_.zygisk = true;
  EXPECT_THAT(find("source").what, HasSubstr("zygisk (ringbuf, perf"));
  EXPECT_EQ(find("source").health, Health::kDegraded);
  EXPECT_EQ(find("source").action, "");
  EXPECT_THAT(find("libhwui").meaning, HasSubstr("from within the apps"));
}

TEST_F(SourceFindings, WithoutSurfaceFlingerItIsGamesOnly) {
  input_.dumpsys = false;
  EXPECT_EQ(find("libhwui").meaning, "games only: apps' frames are not seen");
  EXPECT_EQ(find("source").what, "ringbuf");
}

TEST_F(SourceFindings, AnOwnersChoiceMayMeanGamesOnly) {
  input_.choice = SourceChoice::kRingBuffer;
  EXPECT_EQ(find("libhwui").meaning, "games only: apps' frames are not seen");
}

TEST_F(SourceFindings, WhereAppsTellTheirTargetsIsNamedAndNeverMissed) {
  EXPECT_EQ(find("libandroid").health, Health::kOk);
  EXPECT_THAT(find("libandroid").what, HasSubstr("are learned"));
  input_.android.library = "/system/lib64/libandroid.so";
  input_.android.sites = {site_of(SiteKind::kHintSession), site_of(SiteKind::kHintTarget)};
  EXPECT_EQ(find("libandroid").what, "/system/lib64/libandroid.so: hint-session, hint-target");
}

TEST_F(SourceFindings, KindsOfFrameThatAreSeenAreNamed) {
  input_.gui.sites.push_back(site_of(SiteKind::kFrameStart));
  EXPECT_EQ(find("frames").what,
            "views, Compose, Flutter, Unity, Unreal and other games in 64-bit apps; not Chrome's "
            "pages");
  input_.gui.sites.pop_back();
  input_.choice = SourceChoice::kRingBuffer;
  EXPECT_THAT(find("frames").what, HasSubstr("not views"));
  input_.choice = SourceChoice::kSurfaceFlinger;
  EXPECT_THAT(find("frames").what, HasSubstr("whatever draws"));
  input_.choice = SourceChoice::kZygisk;
  EXPECT_EQ(find("frames").id, "") << "nobody's: the source says why";
  input_.zygisk = true;
  EXPECT_THAT(find("frames").what, HasSubstr("views, Compose and games in 64-bit apps"));
  input_.choice = {};
  input_.gui.sites.clear();
  input_.hwui.sites = {site_of(SiteKind::kFrameInfo)};
  EXPECT_THAT(find("frames").what, HasSubstr("not games"));
}

TEST_F(SourceFindings, WithoutASiteInLibguiNobodySaysGamesOnly) {
  input_.gui.sites.clear();
  EXPECT_THAT(find("libhwui").meaning, HasSubstr("SurfaceFlinger's intervals only"));
  EXPECT_THAT(find("libgui").meaning, HasSubstr("games and RenderThread's part are not seen"));
  input_.dumpsys = false;
  EXPECT_EQ(find("libhwui").meaning, "no frames are seen");
  EXPECT_EQ(find("source").health, Health::kMissing);
}

}  // namespace
}  // namespace framegov
