// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "governor/engines/engine_switches.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::test {

/// A phone of files with MediaTek's and OPLUS' engines.
class EnginePhoneTest : public ::testing::Test {
 protected:
  static constexpr const char* kFpsgo = "sys/kernel/fpsgo/common/fpsgo_enable";

  EnginePhoneTest() {
    settings_.sys_root = folder_.path() / "sys";
    settings_.proc_root = folder_.path() / "proc";
    settings_.state_dir = folder_.path() / "state";
    settings_.getprop = folder_.path() / "getprop";
    write("proc/sys/kernel/random/boot_id", "this-boot\n");
    write(kFpsgo, "1\n");
    write("sys/kernel/fpsgo/common/fpsgo_status", "1\n");
    write("sys/kernel/fpsgo/fbt/enable_ceiling", "1\n");
    write("sys/module/mtk_fpsgo/parameters/boost", "1\n");
    write("proc/hmbird_sched/scx_enable", "1\n");
    write("proc/hmbird_sched/heartbeat_enable", "1\n");
    write("proc/oplus_frame_boost/stune_boost", "0 0 90\n");
    process(812, "/vendor/bin/hw/android.hardware.power-service.pixel-libperfmgr");
    process(901, "com.example.encore:push");
    process(902, "/data/adb/modules/uperf/bin/uperf");
  }

  void write(const std::filesystem::path& name, const std::string& text) const {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::string read(const std::filesystem::path& name) const {
    return folder_.read(name);
  }
  void process(int pid, const std::string& program) const {
    write("proc/" + std::to_string(pid) + "/cmdline", program + '\0' + "-x" + '\0');
  }
  /// What `getprop` prints.
  void properties(const std::string& text) const {
    write("getprop", "#!/bin/sh\necho '" + text + "'\n");
    std::filesystem::permissions(settings_.getprop, std::filesystem::perms::owner_all);
  }

  [[nodiscard]] EngineRoots roots() const { return EngineRoots(settings_); }
  [[nodiscard]] static const FrameEngine& engine(const char* name) {
    return *find_engine(name).value();
  }
  [[nodiscard]] FoundEngine found(const std::string& name) const {
    const auto all = find_engines(roots());
    const auto one = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return each.engine->name == name; });
    return one == all.end() ? FoundEngine{} : *one;
  }
  [[nodiscard]] EngineSwitches open() const {
    auto switches = EngineSwitches::open(roots(), settings_.state_dir);
    EXPECT_TRUE(switches) << switches.error().to_string();
    return *std::move(switches);
  }

  test::TemporaryFolder folder_;
  ServiceSettings settings_;
};

}  // namespace framegov::test
