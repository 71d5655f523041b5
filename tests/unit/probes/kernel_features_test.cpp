// SPDX-License-Identifier: Apache-2.0
#include "probes/context/kernel_features.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "probes/context/kernel_findings.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

TEST(KernelRelease, ReadsTheFirstTwoNumbers) {
  const KernelRelease release = parse_release("5.10.198-android13-4-gabc");
  EXPECT_EQ(release.major, 5);
  EXPECT_EQ(release.minor, 10);
  EXPECT_TRUE(release.at_least(5, 8));
  EXPECT_TRUE(release.at_least(4, 19));
  EXPECT_FALSE(release.at_least(5, 11));
  EXPECT_FALSE(release.at_least(6, 1));
  EXPECT_EQ(parse_release("").major, 0);
  EXPECT_EQ(parse_release("six.one").major, 0);
  EXPECT_EQ(parse_release("6").major, 0);
}

/// /proc and /sys as a phone has them.
class KernelFeaturesTest : public ::testing::Test {
 protected:
  KernelFeaturesTest() {
    std::string name = fs::temp_directory_path() / "framegov-kernel-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) {
      root_ = name;
    }
  }
  ~KernelFeaturesTest() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void put(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] KernelFeatures detect() const {
    return detect_kernel_features({root_ / "proc", root_ / "sys"});
  }

  fs::path root_;
};

TEST_F(KernelFeaturesTest, ReadsWhatIsThere) {
  put("proc/sys/kernel/osrelease", "4.19.113-perf\n");
  put("sys/bus/event_source/devices/uprobe/type", "7\n");
  put("sys/bus/event_source/devices/armv8_pmuv3/cpus", "0-7\n");
  put("sys/bus/event_source/devices/armv8_pmuv3/type", "8\n");
  put("sys/bus/event_source/devices/armv8_pmuv3/events/cpu_cycles", "event=0x011\n");
  put("sys/kernel/btf/vmlinux", "");
  put("sys/fs/selinux/enforce", "1");
  put("debug/tracing/trace_pipe", "");
  put("debug/tracing/uprobe_events", "");
  put("proc/mounts",
      "proc /proc proc rw 0 0\ndebugfs " + (root_ / "debug").string() + " debugfs rw 0 0\n");
  const std::string config = "# Linux\nCONFIG_UPROBES=y\n# CONFIG_UPROBE_EVENTS is not set\n";
  gzFile file = ::gzopen((root_ / "proc/config.gz").c_str(), "wb");
  ::gzwrite(file, config.data(), static_cast<unsigned>(config.size()));
  ::gzclose(file);

  KernelFeatures features = detect();
  EXPECT_EQ(features.release.major, 4);
  EXPECT_EQ(features.release.minor, 19);
  EXPECT_TRUE(features.uprobe_pmu);
  EXPECT_TRUE(features.btf);
  EXPECT_EQ(features.cycle_pmus, 1U);
  EXPECT_EQ(features.selinux, SelinuxState::kEnforcing);
  EXPECT_EQ(features.tracefs, root_ / "debug/tracing");
  EXPECT_TRUE(features.uprobe_events);
  EXPECT_FALSE(features.trace_instances);
  EXPECT_TRUE(features.config.at("CONFIG_UPROBES"));
  EXPECT_FALSE(features.config.at("CONFIG_UPROBE_EVENTS"));
  features.arm64 = true;
  EXPECT_TRUE(features.refuses_hints());

  put("trace/trace_pipe", "");
  put("proc/mounts", "debugfs " + (root_ / "debug").string() + " debugfs rw 0 0\ntracefs " +
                         (root_ / "trace").string() + " tracefs rw 0 0\n");
  EXPECT_EQ(detect().tracefs, root_ / "trace");
}

TEST_F(KernelFeaturesTest, NothingThereIsNothingClaimed) {
  const KernelFeatures features = detect();
  EXPECT_EQ(features.release.major, 0);
  EXPECT_FALSE(features.uprobes());
  EXPECT_FALSE(features.btf);
  EXPECT_EQ(features.cycle_pmus, 0U);
  EXPECT_TRUE(features.tracefs.empty());
  EXPECT_TRUE(features.config.empty());
  EXPECT_EQ(features.selinux, SelinuxState::kAbsent);
}

TEST(KernelFindings, NameTheOptionThatIsMissing) {
  KernelFeatures kernel;
  kernel.release = parse_release("4.14.180");
  kernel.config = {{"CONFIG_UPROBES", false}};
  const auto findings = examine_kernel(kernel);
  const auto uprobes = std::find_if(findings.begin(), findings.end(),
                                    [](const DoctorFinding& f) { return f.id == "uprobes"; });
  ASSERT_NE(uprobes, findings.end());
  EXPECT_EQ(uprobes->health, Health::kMissing);
  EXPECT_NE(uprobes->what.find("CONFIG_UPROBES is not set"), std::string::npos);
  for (const DoctorFinding& finding : findings) {
    EXPECT_TRUE(finding.health == Health::kOk || !finding.meaning.empty()) << finding.id;
  }
}

TEST(KernelFindings, BlameNoOptionForARefusalOfAnotherKind) {
  KernelFeatures kernel;
  kernel.release = parse_release("4.14.180");
  kernel.bpf = Support::kNo;
  kernel.bpf_refusal = "Argument list too long";
  const auto findings = examine_kernel(kernel);
  const auto bpf = std::find_if(findings.begin(), findings.end(),
                                [](const DoctorFinding& f) { return f.id == "bpf"; });
  ASSERT_NE(bpf, findings.end());
  EXPECT_NE(bpf->what.find("Argument list too long"), std::string::npos);
  EXPECT_EQ((bpf->what + bpf->action).find("built with"), std::string::npos);
}

}  // namespace
}  // namespace framegov
