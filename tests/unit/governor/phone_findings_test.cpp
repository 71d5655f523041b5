// SPDX-License-Identifier: Apache-2.0
// On a phone made of files, with commands that are scripts.
#include "governor/doctor/findings.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace framegov {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class PhoneFindings : public ::testing::Test {
 protected:
  PhoneFindings() {
    std::string name = (fs::temp_directory_path() / "phone-findings-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    settings_.dumpsys = folder_ / "dumpsys";
    settings_.settings_command = folder_ / "settings";
    settings_.proc_root = folder_ / "proc";
    settings_.top_app_groups = {folder_ / "top-app"};
    process(7, "com.example.game");
  }
  ~PhoneFindings() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  void process(int pid, const std::string& package) const {
    const fs::path process = fs::path("proc") / std::to_string(pid);
    write(process / "cmdline", package + '\0');
    write(process / "oom_score_adj", "0\n");
    write(process / "status", "Tgid:\t" + std::to_string(pid) + "\n");
  }
  void dumpsys(const std::string& answer) const {
    write("dumpsys", "#!/bin/sh\necho '" + answer + "'\n");
    fs::permissions(folder_ / "dumpsys", fs::perms::owner_all);
  }

  [[nodiscard]] DoctorFinding find(const std::string& id) const {
    const auto findings =
        examine_phone(settings_, folder_ / "tracefs", {"/system/lib64/libgui.so"});
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const DoctorFinding& finding) { return finding.id == id; });
    EXPECT_NE(found, findings.end()) << id;
    return found == findings.end() ? DoctorFinding{} : *found;
  }

  fs::path folder_;
  ServiceSettings settings_;
};

TEST_F(PhoneFindings, RefreshRateIsSurfaceFlingers) {
  dumpsys("  activeMode={id=2, vsyncRate=120.00 Hz}, renderRate=90.00 Hz");
  EXPECT_EQ(find("refresh").health, Health::kOk);
  EXPECT_EQ(find("refresh").what, "90.00 Hz (11.111 ms)");
}

TEST_F(PhoneFindings, RefreshRateThatIsNotToldIsSaid) {
  EXPECT_EQ(find("refresh").health, Health::kDegraded);
  EXPECT_THAT(find("refresh").what, HasSubstr("there is no such command"));
  dumpsys("nothing of use");
  EXPECT_EQ(find("refresh").health, Health::kDegraded);
  EXPECT_THAT(find("refresh").what, HasSubstr("unknown form"));
}

TEST_F(PhoneFindings, ForegroundComesFromTheGroup) {
  write("top-app/cgroup.procs", "7\n");
  EXPECT_EQ(find("foreground").health, Health::kOk);
  EXPECT_THAT(find("foreground").what, HasSubstr("com.example.game, known from group"));
  write("top-app/cgroup.procs", "");
  EXPECT_THAT(find("foreground").what, HasSubstr("no app on top"));
}

TEST_F(PhoneFindings, ForegroundComesFromDumpsysWithoutAGroup) {
  dumpsys("topResumedActivity=ActivityRecord{1a u0 com.example.game/.Main t1}");
  EXPECT_EQ(find("foreground").health, Health::kOk);
  EXPECT_THAT(find("foreground").what, HasSubstr("com.example.game, known from "));
}

TEST_F(PhoneFindings, ForegroundThatCannotBeKnownIsSaid) {
  EXPECT_EQ(find("foreground").health, Health::kDegraded);
  settings_.foreground = ForegroundChoice::kAll;
  EXPECT_EQ(find("foreground").health, Health::kOk);
}

TEST_F(PhoneFindings, OthersAreNamedAndCountWhereFramegovProbesToo) {
  EXPECT_THAT(find("others").what, HasSubstr("not known"));
  write("tracefs/uprobe_events", "p:framegov/queue /system/lib64/libgui.so:0x10\n");
  EXPECT_EQ(find("others").what, "no other program probes");
  write("tracefs/uprobe_events",
        "p:framegov/queue /system/lib64/libgui.so:0x10\np:ssl/read /system/lib64/libssl.so:0x20\n");
  EXPECT_EQ(find("others").health, Health::kOk);
  EXPECT_THAT(find("others").what, HasSubstr("ssl/read (/system/lib64/libssl.so)"));
  EXPECT_THAT(find("others").what, Not(HasSubstr("framegov/")));
  write("tracefs/uprobe_events", "r:tool/queue /system/lib64/libgui.so:0x10\n");
  EXPECT_EQ(find("others").health, Health::kDegraded);
  EXPECT_THAT(find("others").what, HasSubstr("tool/queue"));
}

TEST_F(PhoneFindings, WhatLibbpfDefinedForTheServiceIsNoOthers) {
  // As libbpf names them before Linux 4.17.
  write("tracefs/uprobe_events",
        "p:uprobes/libbpf_7__system_lib64_libgui_so_0x10 /system/lib64/libgui.so:0x10\n");
  write("proc/7/comm", "framegovd\n");
  EXPECT_EQ(find("others").what, "no other program probes");
  write("proc/7/comm", "bpftrace\n");
  EXPECT_EQ(find("others").health, Health::kDegraded);
  EXPECT_THAT(find("others").what, HasSubstr("uprobes/libbpf_7_"));
}

}  // namespace
}  // namespace framegov
