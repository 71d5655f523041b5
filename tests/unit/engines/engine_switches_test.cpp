// SPDX-License-Identifier: Apache-2.0
#include "governor/engines/engine_switches.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "cli/engine_phone.h"
#include "governor/startup/startup.h"
#include "tests/unit/engines/engine_phone_fixture.h"

namespace framegov::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Root can write whatever its mode forbids; for its own lifetime this process is not root, and
/// `folder` is its own.
class AsNobody {
 public:
  explicit AsNobody(const fs::path& folder) {
    if (::geteuid() == 0) {
      give(folder);
      for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        give(entry.path());
      }
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() { EXPECT_EQ(::seteuid(::getuid()), 0); }

 private:
  static constexpr uid_t kNobody = 65534;
  static void give(const fs::path& path) {
    EXPECT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0) << path;
  }
};

class EngineSwitchesTest : public EnginePhoneTest {
 protected:
  static constexpr const char* kSaved = "state/saved_engines";
  [[nodiscard]] bool saved() const { return fs::exists(folder_.path() / kSaved); }
  [[nodiscard]] Error error_of_opening() const {
    const auto switches = EngineSwitches::open(roots(), settings_.state_dir);
    return switches ? Error{ExitCode::kOk, "opened", ""} : switches.error();
  }
  [[nodiscard]] Status recover() const {
    const auto log = Log::open_anyway(LogLevel::kError, {});
    return recover_engines(settings_, *log);
  }
};

TEST_F(EngineSwitchesTest, OffIsPutBackExactly) {
  write("sys/module/fpsgo/parameters/enable", "Y\n");
  write("sys/module/fpsgo/parameters/fpsgo_enable", "0\n");
  ASSERT_TRUE(open().off(engine("fpsgo")));
  EXPECT_EQ(read(kFpsgo), "0\n");
  EXPECT_EQ(read("sys/module/fpsgo/parameters/enable"), "N\n");
  EXPECT_EQ(read(kSaved),
            "framegov saved engines 1\nboot this-boot\n"
            "engine fpsgo was 1 at /sys/kernel/fpsgo/common/fpsgo_enable\n"
            "engine fpsgo was Y at /sys/module/fpsgo/parameters/enable\nend\n");
  // Another command, later: off already, and what it was is not forgotten.
  ASSERT_TRUE(open().off(engine("fpsgo")));
  ASSERT_TRUE(open().on(engine("fpsgo")));
  EXPECT_EQ(read(kFpsgo), "1\n");
  EXPECT_EQ(read("sys/module/fpsgo/parameters/enable"), "Y\n");
  EXPECT_EQ(read("sys/module/fpsgo/parameters/fpsgo_enable"), "0\n") << "it was off before";
  EXPECT_FALSE(saved());
}

TEST_F(EngineSwitchesTest, EachEngineIsPutBackAlone) {
  ASSERT_TRUE(open().off(engine("fpsgo")));
  ASSERT_TRUE(open().off(engine("hmbird")));
  ASSERT_TRUE(open().on(engine("fpsgo")));
  EXPECT_EQ(read(kFpsgo), "1\n");
  EXPECT_EQ(read("proc/hmbird_sched/scx_enable"), "0\n");
  EXPECT_TRUE(open().saved().has(engine("hmbird")));
  EXPECT_FALSE(open().saved().has(engine("fpsgo")));
}

TEST_F(EngineSwitchesTest, RestorePutsAllBackAndNothingTwice) {
  ASSERT_TRUE(open().off(engine("fpsgo")));
  ASSERT_TRUE(open().off(engine("hmbird")));
  write(kFpsgo, "1\n");  // somebody else has switched it on meanwhile
  ASSERT_TRUE(recover());
  EXPECT_EQ(read(kFpsgo), "1\n");
  EXPECT_EQ(read("proc/hmbird_sched/scx_enable"), "1\n");
  EXPECT_FALSE(saved());
  write(kFpsgo, "0\n");
  ASSERT_TRUE(recover());
  EXPECT_EQ(read(kFpsgo), "0\n");
}

TEST_F(EngineSwitchesTest, WhatACrashedServiceLeftDoesNotSwitchEnginesOn) {
  // `framegovd --restore` does; the supervisor and the next start put back limits and threads only.
  const TemporaryCpufreqTree cpus;
  settings_.cpu_root = cpus.root();
  const auto log = Log::open_anyway(LogLevel::kError, {});
  ASSERT_TRUE(open().off(engine("fpsgo")));
  ASSERT_TRUE(restore_only(settings_, *log));
  EXPECT_EQ(read(kFpsgo), "0\n");
  ASSERT_TRUE(restore_engines(settings_, *log));
  EXPECT_EQ(read(kFpsgo), "1\n");
}

TEST_F(EngineSwitchesTest, AFileFromBeforeARebootIsNotObeyed) {
  ASSERT_TRUE(open().off(engine("fpsgo")));
  write("proc/sys/kernel/random/boot_id", "next-boot\n");
  EXPECT_FALSE(open().saved().has(engine("fpsgo")));
  ASSERT_TRUE(recover());
  EXPECT_EQ(read(kFpsgo), "0\n") << "the reboot itself has put it back; this is somebody else's";
  EXPECT_FALSE(saved());
}

TEST_F(EngineSwitchesTest, AnUnknownNodeIsRefusedAndNotWritten) {
  write("proc/sys/vm/enable", "0\n");
  for (const char* node : {"/proc/sys/vm/enable", "/sys/kernel/fpsgo/../../../proc/sys/vm/enable",
                           "/sys/kernel/fpsgo/fbt/enable_ceiling"}) {
    write(kSaved, std::string("framegov saved engines 1\nboot this-boot\nengine fpsgo was 1 at ") +
                      node + "\nend\n");
    fs::permissions(settings_.state_dir, fs::perms::owner_all);
    EXPECT_EQ(error_of_opening().code, ExitCode::kBadInput) << node;
    EXPECT_THAT(error_of_opening().message, HasSubstr("saved_engines:3: ")) << node;
    ASSERT_TRUE(recover()) << "told, and removed";
    EXPECT_EQ(read("proc/sys/vm/enable"), "0\n") << node;
    EXPECT_FALSE(saved());
  }
}

TEST_F(EngineSwitchesTest, AFileThatOthersMayWriteIsNotObeyed) {
  ASSERT_TRUE(open().off(engine("fpsgo")));
  fs::permissions(folder_.path() / kSaved, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(error_of_opening().code, ExitCode::kNoPermission);
  EXPECT_FALSE(recover());
  EXPECT_EQ(read(kFpsgo), "0\n");
  EXPECT_TRUE(saved());
}

TEST_F(EngineSwitchesTest, ANodeThatRefusesLeavesAllAsItWas) {
  // The second in order of paths: /sys/kernel/fpsgo/common/... comes before it.
  write("sys/kernel/fpsgo/fpsgo_enable", "1\n");
  fs::permissions(folder_.path() / "sys/kernel/fpsgo/fpsgo_enable", fs::perms::owner_read);
  const AsNobody nobody(folder_.path());
  const Status off = open().off(engine("fpsgo"));
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().code, ExitCode::kNoPermission);
  EXPECT_EQ(read(kFpsgo), "1\n");
  EXPECT_FALSE(saved());
}

TEST_F(EngineSwitchesTest, WhatIsNotThereOrHasNoSwitchIsUnsupported) {
  EXPECT_EQ(open().off(engine("hyperframe")).error().code, ExitCode::kUnsupported);
  const Status none = open().off(engine("frame_boost"));
  EXPECT_EQ(none.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(none.error().message, HasSubstr("no switch"));
  EXPECT_FALSE(saved());
}

TEST_F(EngineSwitchesTest, WhatSomebodyElseSwitchedOffStaysOff) {
  write(kFpsgo, "0\n");
  ASSERT_TRUE(open().off(engine("fpsgo")));
  EXPECT_FALSE(saved()) << "there is nothing to put back";
  const Status on = open().on(engine("fpsgo"));
  ASSERT_FALSE(on);
  EXPECT_EQ(on.error().code, ExitCode::kBadInput);
  EXPECT_EQ(read(kFpsgo), "0\n");
  write(kFpsgo, "1\n");
  EXPECT_TRUE(open().on(engine("fpsgo"))) << "it is on";
}

TEST_F(EngineSwitchesTest, ANodeThatWentWithItsModuleIsForgotten) {
  ASSERT_TRUE(open().off(engine("fpsgo")));
  fs::remove_all(folder_.path() / "sys/kernel/fpsgo");
  EXPECT_TRUE(open().on(engine("fpsgo")));
  EXPECT_FALSE(saved());
}

TEST_F(EngineSwitchesTest, ANodeThatCannotBeReadKeepsTheFile) {
  ASSERT_TRUE(open().off(engine("fpsgo")));
  write(kFpsgo, "something else\n");
  EXPECT_FALSE(open().on(engine("fpsgo")));
  EXPECT_TRUE(saved());
  write(kFpsgo, "0\n");
  EXPECT_TRUE(recover());
  EXPECT_EQ(read(kFpsgo), "1\n");
}

TEST_F(EngineSwitchesTest, TwoCommandsAreNotAtItAtOnce) {
  const EngineSwitches first = open();
  EXPECT_THAT(error_of_opening().message, HasSubstr("another framegov command"));
}

/// The windows of an experiment as its phone sees them.
class QuietPhone final : public ab::Phone {
 public:
  [[nodiscard]] Status use(ab::Arm) override { return {}; }
  [[nodiscard]] Result<ab::Observation> observe() override { return ab::Observation{}; }
  [[nodiscard]] Instant now() override { return {}; }
  [[nodiscard]] bool wait_until(Instant) override { return true; }
};

TEST_F(EngineSwitchesTest, AnExperimentPlaysTheEngineAgainstFramegov) {
  auto phone = cli::against_engine(std::make_unique<QuietPhone>(), settings_, engine("fpsgo"));
  ASSERT_TRUE(phone) << phone.error().to_string();
  EXPECT_EQ(read(kFpsgo), "1\n");
  ASSERT_TRUE((*phone)->use(ab::Arm::kFramegov));
  EXPECT_EQ(read(kFpsgo), "0\n");
  ASSERT_TRUE((*phone)->use(ab::Arm::kStock));
  EXPECT_EQ(read(kFpsgo), "1\n");
  ASSERT_TRUE((*phone)->use(ab::Arm::kFramegov));
  phone->reset();  // however it ends
  EXPECT_EQ(read(kFpsgo), "1\n");
  EXPECT_FALSE(saved());
}

TEST_F(EngineSwitchesTest, AnExperimentNeedsAnEngineThatIsOn) {
  const auto refused = [&](const char* name) {
    const auto phone = cli::against_engine(std::make_unique<QuietPhone>(), settings_, engine(name));
    return phone ? ExitCode::kOk : phone.error().code;
  };
  EXPECT_EQ(refused("hyperframe"), ExitCode::kUnsupported);
  EXPECT_EQ(refused("frame_boost"), ExitCode::kUnsupported);
  write(kFpsgo, "0\n");
  EXPECT_EQ(refused("fpsgo"), ExitCode::kFailure);
}

}  // namespace
}  // namespace framegov::test
