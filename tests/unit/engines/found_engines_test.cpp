// SPDX-License-Identifier: Apache-2.0
#include "governor/engines/found_engines.h"

#include <gmock/gmock.h>

#include <set>

#include "governor/doctor/findings.h"
#include "tests/unit/engines/engine_phone_fixture.h"

namespace framegov::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FrameEngineTest, NamesAreDistinctAndEachSaysInASentenceWhatItAsksFor) {
  std::set<std::string_view> names;
  for (const FrameEngine& each : known_engines()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(each.asks.ends_with('.')) << each.asks;
    EXPECT_TRUE(bears_name(each, each.name)) << each.name;
  }
  const auto unknown = find_engine("fpsg");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ExitCode::kUsage);
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean 'fpsgo'?"));
}

TEST(FrameEngineTest, AVendorsWordsMayStandAroundTheNameButNotGrowIntoIt) {
  const FrameEngine& fpsgo = **find_engine("fpsgo");
  for (const char* name : {"fpsgo", "mtk_fpsgo", "FPSGO-v3", "com.vendor.fpsgo"}) {
    EXPECT_TRUE(bears_name(fpsgo, name)) << name;
  }
  for (const char* name : {"", "fpsg", "fpsgos", "xfpsgo"}) {
    EXPECT_FALSE(bears_name(fpsgo, name)) << name;
  }
  EXPECT_FALSE(bears_name(**find_engine("perfmgr"), "libperfmgr"));
  // A root module's program has no other words around it; an app's name may have any word.
  EXPECT_TRUE(bears_name(**find_engine("encore"), "encore"));
  EXPECT_FALSE(bears_name(**find_engine("encore"), "com.example.encore"));
}

TEST(FrameEngineTest, ASwitchIsANodeCalledEnableInAFolderOfTheEngine) {
  const FrameEngine& fpsgo = **find_engine("fpsgo");
  for (const char* path :
       {"/sys/kernel/fpsgo/common/fpsgo_enable", "/sys/module/mtk_fpsgo/parameters/enable",
        "/proc/fpsgo/enabled", "/proc/sys/kernel/fpsgo/fpsgo_enabled"}) {
    EXPECT_TRUE(is_switch(fpsgo, path)) << path;
  }
  for (const char* path :
       {"", "/", "/sys/kernel/fpsgo_enable", "/sys/kernel/fpsgo/fbt/enable_ceiling",
        "/sys/kernel/fpsgo/../../proc/enable", "/sys/kernel/fpsgo//enable",
        "/sys/kernel/fpsgo/a/b/c/enable", "/sys/kernel/other/fpsgo/enable",
        "/sys/kernel/hmbird_sched/enable", "/data/fpsgo/enable", "/sys/kernelfpsgo/enable",
        "/sys/kernel/fpsgo/enable_enable", "/sys/kernel/fpsgo/enable_", "/sys/kernel/fpsgo/a b"}) {
    EXPECT_FALSE(is_switch(fpsgo, path)) << path;
  }
  EXPECT_TRUE(is_switch(**find_engine("hmbird"), "/proc/hmbird_sched/scx_enable"));
  EXPECT_FALSE(is_switch(**find_engine("hmbird"), "/proc/hmbird_sched/heartbeat_enable"));
  EXPECT_TRUE(
      is_switch(**find_engine("frame_boost"), "/proc/oplus_frame_boost/frame_boost_enabled"));
}

TEST(FrameEngineTest, QualcommsServicesBearManyNames) {
  const FrameEngine& hal = **find_engine("perf-hal");
  for (const char* name :
       {"vendor.qti.hardware.perf@1.0-service", "vendor.qti.hardware.perf@2.2-service",
        "vendor.qti.hardware.perf-hal-service", "vendor.qti.hardware.perf2-service", "perfservice",
        "init.svc.vendor.perfservice", "init.svc.perf-hal-2-2"}) {
    EXPECT_TRUE(bears_name(hal, name)) << name;
  }
  for (const char* name : {"vendor.qti.hardware.perfetto", "perf", "perfd", "com.example.perf"}) {
    EXPECT_FALSE(bears_name(hal, name)) << name;
  }
  EXPECT_TRUE(bears_name(**find_engine("perfd"), "init.svc.perfd"));
  EXPECT_FALSE(bears_name(**find_engine("perfd"), "perfdump"));
}

TEST_F(EnginePhoneTest, SceneIsFoundByItsDaemonAndItsApp) {
  process(910, "/data/user/0/com.omarea.vtools/files/scene-daemon");
  process(911, "com.omarea.vtools");
  process(912, "com.example.scene");
  EXPECT_THAT(found("scene").marks,
              ElementsAre("process com.omarea.vtools (911)", "process scene-daemon (910)"));
  EXPECT_EQ(found("scene").state(), EngineState::kThere);
}

TEST_F(EnginePhoneTest, EnginesAreFoundByModulesNodesProcessesAndProperties) {
  properties("[init.svc.vendor.joyose]: [running]\n[ro.product.model]: [fpsgos]");
  const auto all = find_engines(roots());
  std::vector<std::string> names;
  for (const FoundEngine& each : all) {
    names.emplace_back(each.engine->name);
  }
  EXPECT_THAT(names,
              ElementsAre("fpsgo", "frame_boost", "hmbird", "libperfmgr", "joyose", "uperf"));
  EXPECT_THAT(found("fpsgo").marks, ElementsAre("node /sys/kernel/fpsgo", "module mtk_fpsgo"));
  EXPECT_THAT(found("libperfmgr").marks,
              ElementsAre("process android.hardware.power-service.pixel-libperfmgr (812)"));
  EXPECT_THAT(found("joyose").marks, ElementsAre("property init.svc.vendor.joyose=running"));
  EXPECT_THAT(found("uperf").marks, ElementsAre("process uperf (902)"));
}

TEST_F(EnginePhoneTest, OnlyTheEnginesOwnSwitchesAreTaken) {
  EXPECT_THAT(found("fpsgo").switches,
              ElementsAre(EngineSwitch{"/sys/kernel/fpsgo/common/fpsgo_enable", '1'}));
  EXPECT_THAT(found("hmbird").switches,
              ElementsAre(EngineSwitch{"/proc/hmbird_sched/scx_enable", '1'}));
  EXPECT_EQ(found("fpsgo").state(), EngineState::kOn);
  EXPECT_EQ(found("frame_boost").state(), EngineState::kThere);
  write(kFpsgo, "0\n");
  EXPECT_EQ(found("fpsgo").state(), EngineState::kOff);
}

TEST_F(EnginePhoneTest, ANodeThatReadsSomethingElseOrIsALinkIsNoSwitch) {
  for (const char* text : {"", "2\n", "1 0\n", "11\n", "on\n"}) {
    write(kFpsgo, text);
    EXPECT_THAT(found("fpsgo").switches, IsEmpty()) << text;
  }
  write("elsewhere", "1\n");
  fs::remove(folder_.path() / kFpsgo);
  fs::create_symlink(folder_.path() / "elsewhere", folder_.path() / kFpsgo);
  EXPECT_THAT(found("fpsgo").switches, IsEmpty());
  fs::remove_all(folder_.path() / "sys/kernel/fpsgo/common");
  write("somewhere/fpsgo_enable", "1\n");
  fs::create_symlink(folder_.path() / "somewhere", folder_.path() / "sys/kernel/fpsgo/common");
  EXPECT_THAT(found("fpsgo").switches, IsEmpty());
}

TEST_F(EnginePhoneTest, ManyProcessesOfAnEnginesNameAreCutOff) {
  for (int pid = 2000; pid < 2040; ++pid) {
    process(pid, "com.example.joyose:" + std::to_string(pid));
  }
  EXPECT_EQ(found("joyose").marks.size(), 8U);
}

std::string doctor_text(const ServiceSettings& settings) {
  std::string text;
  for (const DoctorFinding& each : examine_engines(settings)) {
    text += std::string(name_of(each.health)) + " " + each.what + "|" + each.meaning + "|" +
            each.action + "\n";
  }
  return text;
}

TEST_F(EnginePhoneTest, DoctorNamesEachWhatItAsksForAndHowToSwitchItOff) {
  const std::string text = doctor_text(settings_);
  EXPECT_THAT(text, HasSubstr("degraded fpsgo (MediaTek), on: node /sys/kernel/fpsgo, module "
                              "mtk_fpsgo|It clamps a game's threads"));
  EXPECT_THAT(text, HasSubstr("framegov engine fpsgo off"));
  EXPECT_THAT(text, HasSubstr("ok frame_boost (OPLUS), no switch of it is known: node "
                              "/proc/oplus_frame_boost|It asks for a speed"));
  ASSERT_TRUE(open().off(engine("fpsgo")));
  EXPECT_THAT(doctor_text(settings_), HasSubstr("ok fpsgo (MediaTek), off by framegov: "));
  EXPECT_THAT(doctor_text(settings_), HasSubstr("framegov engine fpsgo on puts it back"));
}

TEST(EngineFindings, APhoneWithoutEnginesIsWell) {
  const TemporaryFolder folder;
  ServiceSettings settings;
  settings.sys_root = settings.proc_root = folder.path() / "nothing";
  settings.state_dir = folder.path() / "state";
  settings.getprop = folder.path() / "getprop";
  EXPECT_EQ(doctor_text(settings), "ok no other frame engine was found||\n");
  EXPECT_FALSE(fs::exists(settings.state_dir)) << "doctor makes nothing";
}

}  // namespace
}  // namespace framegov::test
