// SPDX-License-Identifier: Apache-2.0
// Reads every source of the project and holds it to the dependency directions of the architecture.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace framegov {
namespace {

namespace fs = std::filesystem;

/// What each folder may include of ours, besides itself.
const std::map<std::string, std::set<std::string>> kAllowed = {
    {"base", {}},
    {"base/yaml", {"base"}},
    {"socs", {"base"}},
    {"policy", {"base"}},
    {"probes", {"base"}},
    {"probes/games", {"base"}},
    {"trace", {"base"}},
    {"config", {"base", "policy", "probes", "trace"}},
    {"governor", {"base", "policy", "probes", "socs", "trace", "config"}},
    {"sim", {"base", "policy", "socs", "trace", "probes/games"}},
    {"cli", {"base", "policy", "probes", "trace", "config", "governor", "sim"}},
    {"python", {"base", "policy", "sim"}},
};

/// Rooms of a folder from the bottom up: each may include those before it, none after it.
const std::map<std::string, std::vector<std::string>> kRooms = {
    {"governor",
     {"log", "state", "cpufreq", "threads", "engines", "confinement", "observers", "profiles",
      "control", "service", "startup", "supervisor", "doctor"}},
    {"sim",
     {"devices", "plant", "rivals", "workload", "import", "bounds", "run", "results", "report",
      "sweep", "framebench", "tune"}},
};

/// Libraries that a folder must not see: policy stays pure, sim stays off the kernel.
const std::map<std::string, std::regex> kForbidden = {
    {"base", std::regex("^(yaml-cpp|spdlog|bpf|Eigen|nlohmann)/")},
    {"policy",
     std::regex("^(yaml-cpp/|base/yaml/|spdlog/|bpf/|fstream|iostream|ctime|cstdio|unistd\\.h|"
                "base/monotonic_clock\\.h)")},
    {"sim", std::regex("^bpf/")},
};

std::vector<std::string> includes_of(const fs::path& file) {
  static const std::regex kKinclude("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
  std::vector<std::string> found;
  std::ifstream in(file);
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_search(line, match, kKinclude)) {
      found.push_back(match[1]);
    }
  }
  return found;
}

bool within(const std::string& header, const std::string& folder) {
  return header.starts_with(folder + '/');
}

/// Where `room` stands among its folder's; the top for what lies in the folder itself.
std::size_t floor_of(const std::vector<std::string>& rooms, const std::string& room) {
  return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
}

/// The room in "folder/room/file"; empty for "folder/file".
std::string room_of(const std::string& path) {
  const std::size_t begin = path.find('/') + 1;
  const std::size_t end = path.find('/', begin);
  return end == std::string::npos ? std::string() : path.substr(begin, end - begin);
}

/// Every arrow between rooms of one folder that points up, as "file includes header".
std::vector<std::string> arrows_up(const fs::path& root) {
  std::vector<std::string> wrong;
  for (const auto& [folder, rooms] : kRooms) {
    if (!fs::exists(root / folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") {
        continue;
      }
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string from = room_of(file);
      if (!from.empty() && floor_of(rooms, from) == rooms.size()) {
        wrong.push_back(file + " is in a room that kRooms does not list");
      }
      for (const std::string& header : includes_of(entry.path())) {
        if (within(header, folder) && floor_of(rooms, room_of(header)) > floor_of(rooms, from)) {
          wrong.push_back(file + " includes " + header);
        }
      }
    }
  }
  return wrong;
}

/// The entry of kAllowed that a file belongs to: its own room's, else its folder's.
std::string owner_of(const std::string& file) {
  const std::string folder = file.substr(0, file.find('/'));
  const std::string room = folder + '/' + room_of(file);
  return kAllowed.contains(room) ? room : folder;
}

/// Every wrong arrow below `root`, as "file includes header".
std::vector<std::string> wrong_arrows(const fs::path& root) {
  std::vector<std::string> wrong;
  for (const auto& [folder, allowed] : kAllowed) {
    if (!fs::exists(root / folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const bool source = extension == ".h" || extension == ".cpp" || extension == ".c";
      if (!source || owner_of(fs::relative(entry.path(), root).string()) != folder) {
        continue;
      }
      for (const std::string& header : includes_of(entry.path())) {
        const std::string target = header.substr(0, header.find('/'));
        const bool ours = kAllowed.contains(target) || target == "tests" || target == "bench";
        const bool allowed_arrow =
            within(header, folder) ||
            std::any_of(allowed.begin(), allowed.end(),
                        [&header](const std::string& each) { return within(header, each); });
        const auto forbidden = kForbidden.find(folder);
        if ((ours && !allowed_arrow) ||
            (forbidden != kForbidden.end() && std::regex_search(header, forbidden->second))) {
          wrong.push_back(fs::relative(entry.path(), root).string() + " includes " + header);
        }
      }
    }
  }
  return wrong;
}

TEST(IncludeGraph, EveryArrowPointsTheRightWay) {
  const std::vector<std::string> wrong = wrong_arrows(FRAMEGOV_SOURCE_DIR);
  for (const std::string& arrow : wrong) {
    ADD_FAILURE() << arrow;
  }
}

TEST(IncludeGraph, NoRoomIncludesARoomAboveIt) {
  for (const std::string& arrow : arrows_up(FRAMEGOV_SOURCE_DIR)) {
    ADD_FAILURE() << arrow;
  }
}

TEST(IncludeGraph, AnArrowUpwardsIsSeen) {
  const fs::path root = fs::path(::testing::TempDir()) / "rooms";
  fs::create_directories(root / "governor" / "control");
  fs::create_directories(root / "governor" / "cellar");
  std::ofstream(root / "governor" / "control" / "bad.h")
      << "#include \"governor/service/service.h\"\n#include \"governor/state/state_dir.h\"\n";
  std::ofstream(root / "governor" / "cellar" / "unlisted.h") << "#pragma once\n";
  EXPECT_EQ(arrows_up(root).size(), 2U);
  fs::remove_all(root);
}

TEST(IncludeGraph, AWrongArrowIsSeen) {
  const fs::path root = fs::path(::testing::TempDir()) / "include_graph";
  fs::create_directories(root / "policy");
  fs::create_directories(root / "sim");
  std::ofstream(root / "policy" / "bad.h") << "#include \"governor/service/service.h\"\n";
  std::ofstream(root / "policy" / "impure.cpp") << "#include <spdlog/spdlog.h>\n";
  std::ofstream(root / "policy" / "yaml.cpp") << "#include \"base/yaml/load_yaml.h\"\n";
  std::ofstream(root / "sim" / "fine.cpp") << "#include \"policy/policy.h\"\n";
  EXPECT_EQ(wrong_arrows(root).size(), 3U);
  fs::remove_all(root);
}

/// What opens a file by itself may wait for the other end of a pipe, or follow a planted link.
TEST(Sources, OpenFilesInOnePlace) {
  static const std::regex kKopens("(^|[^A-Za-z_>])::open(at)?\\(|\\bfopen\\(|\\b[io]?fstream\\b");
  const std::set<std::string> places = {"base/file.cpp", "base/output_file.cpp",
                                        "base/trusted_path.cpp", "governor/state/open_inside.cpp"};
  std::vector<std::string> found;
  for (const auto& [folder, allowed] : kAllowed) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(FRAMEGOV_SOURCE_DIR) / folder)) {
      const std::string file = fs::relative(entry.path(), FRAMEGOV_SOURCE_DIR).string();
      if (!entry.is_regular_file() || places.contains(file) ||
          (entry.path().extension() != ".cpp" && entry.path().extension() != ".h")) {
        continue;
      }
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        // O_PATH opens nothing, and folders never wait.
        if (std::regex_search(line, kKopens) && line.find("O_PATH") == std::string::npos &&
            line.find("O_DIRECTORY") == std::string::npos &&
            line.find("\"/dev/null\"") == std::string::npos) {
          found.push_back(file + ": " + line);
        }
      }
    }
  }
  EXPECT_EQ(found, std::vector<std::string>{}) << "open_file() and create_output() are for that";
}

}  // namespace
}  // namespace framegov
