// SPDX-License-Identifier: Apache-2.0
#include "governor/doctor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/unique_fd.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/phone_findings.h"
#include "governor/source_factory.h"
#include "probes/context/kernel_findings.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

DoctorFinding library(const char* id, const LibrarySites& sites, const std::string& why_none,
                      const char* meaning) {
  if (sites.sites.empty()) {
    return {id, Health::kDegraded, "nothing to probe: " + why_none, meaning,
            "service." + std::string(id == std::string_view("libhwui") ? "hwui" : "gui") +
                "_libraries names the paths; framegov locate looks closer"};
  }
  std::string kinds;
  std::string_view last;
  for (const ProbeSite& site : sites.sites) {
    if (name_of(site.kind) != last) {
      last = name_of(site.kind);
      kinds += (kinds.empty() ? "" : ", ") + std::string(last);
    }
  }
  return {id, Health::kOk, sites.library + ": " + kinds, "", ""};
}

DoctorFinding source(const PlanInput& input) {
  const std::vector<Rung> rungs = plan_sources(input);
  const Rung& best = best_rung(rungs);
  std::string passed_over;
  for (const std::string& line : reasons(rungs)) {
    passed_over += (passed_over.empty() ? "" : "; ") + line;
  }
  const std::string name(source_name(best.kind));
  if (best.kind == SourceKind::kNone) {
    return {"source",
            Health::kMissing,
            name + " (" + passed_over + ")",
            "no frames can be seen: nothing would be capped",
            "see the lines above",
            true};
  }
  if (best.kind == SourceKind::kBpfRingBuffer) {
    return {"source", Health::kOk, name, "", "", true};
  }
  return {"source",
          Health::kDegraded,
          name + " (" + passed_over + ")",
          best.kind == SourceKind::kSurfaceFlinger
              ? "intervals between frames only, late: little can be saved"
              : "frames at more cost than through the ring buffer",
          "",
          true};
}

std::string mhz_of(const std::optional<std::string>& khz) {
  long long value = 0;
  if (!khz || std::from_chars(khz->data(), khz->data() + khz->size(), value).ec != std::errc{}) {
    return "?";
  }
  return std::to_string(value / 1000);
}

std::string word(const std::optional<std::string>& text) {
  return text ? text->substr(0, text->find_first_of(" \n")) : "?";
}

DoctorFinding policy(const CpufreqTree& tree, const PolicyDir& dir, const std::string& mounts) {
  const auto node = [&](const char* name) { return tree.read(dir.path + "/" + name); };
  const std::string floor = mhz_of(node("scaling_min_freq"));
  const std::string cap = mhz_of(node("scaling_max_freq"));
  const std::string top = mhz_of(node("cpuinfo_max_freq"));
  const std::string bottom = mhz_of(node("cpuinfo_min_freq"));
  DoctorFinding finding{dir.name(),
                        Health::kOk,
                        bottom + " to " + top + " MHz, limits now " + floor + " to " + cap +
                            ", governor " + word(node("scaling_governor")),
                        "",
                        "",
                        true};
  const fs::path max_node = tree.root() / dir.path / "scaling_max_freq";
  if (::access(max_node.c_str(), W_OK) != 0) {
    finding.health = Health::kMissing;
    finding.meaning = "its limits cannot be written";
    finding.action = errno == EROFS ? "sysfs is mounted read-only here" : "run it as root";
  } else if (mounts.find(dir.path + "/scaling_max_freq") != std::string::npos) {
    finding.health = Health::kDegraded;
    finding.meaning = "another module has mounted a file over its limit: writes have no effect";
    finding.action = "remove that module";
  } else if (cap != top) {
    finding.health = Health::kDegraded;
    finding.meaning =
        "somebody (thermal, another module, a running framegov) holds it below its "
        "top; framegov stays below that too";
  }
  return finding;
}

std::vector<DoctorFinding> cpufreq(const ServiceSettings& settings) {
  const auto tree = CpufreqTree::open(settings.cpu_root);
  if (!tree) {
    return {{"cpufreq", Health::kMissing, tree.error().message,
             "there are no frequencies to govern", tree.error().hint, true}};
  }
  std::ifstream file(settings.proc_root / "mounts");
  const std::string mounts{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<DoctorFinding> findings;
  for (const PolicyDir& dir : tree->policies()) {
    findings.push_back(policy(*tree, dir, mounts));
  }
  return findings;
}

DoctorFinding state(const fs::path& dir) {
  struct stat status {};
  if (::lstat(dir.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid()) {
      return {"state", Health::kOk, dir.string(), "", "", true};
    }
    return {"state",
            Health::kMissing,
            dir.string() + ": no folder of this user",
            "limits could not be put back after a crash",
            "remove it",
            true};
  }
  if (::access(dir.parent_path().c_str(), W_OK) == 0) {
    return {"state", Health::kOk, dir.string() + ": made at the first start", "", "", true};
  }
  return {"state",
          Health::kMissing,
          dir.string() + ": cannot be made",
          "limits could not be put back after a crash",
          "service.state_dir in the configuration names it",
          true};
}

DoctorFinding service(const fs::path& state_dir) {
  const UniqueFd lock{::open((state_dir / "lock").c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (!lock || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return {"service", Health::kOk, "framegovd is not running", "", ""};
  }
  std::ifstream file(state_dir / "lock");
  std::string pid;
  std::getline(file, pid);
  return {"service", Health::kOk, "framegovd is running (process " + pid + ")", "", ""};
}

}  // namespace

DoctorReport examine(const ServiceSettings& settings) {
  const PlanInput input = survey_sources(settings);
  DoctorReport report;
  report.findings = examine_kernel(input.kernel);
  const auto add = [&](DoctorFinding finding) { report.findings.push_back(std::move(finding)); };
  add(library("libhwui", input.hwui, input.no_hwui, "generation times of apps are not known"));
  add(library("libgui", input.gui, input.no_gui, "games and RenderThread's part are not seen"));
  add(source(input));
  for (DoctorFinding& finding : cpufreq(settings)) {
    add(std::move(finding));
  }
  for (DoctorFinding& finding :
       examine_phone(settings, input.kernel.tracefs, {input.hwui.library, input.gui.library})) {
    add(std::move(finding));
  }
  add(state(settings.state_dir));
  add(service(settings.state_dir));
  report.can_govern =
      std::none_of(report.findings.begin(), report.findings.end(),
                   [](const DoctorFinding& f) { return f.needed && f.health == Health::kMissing; });
  return report;
}

}  // namespace framegov
