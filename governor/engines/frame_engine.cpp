// SPDX-License-Identifier: Apache-2.0
#include "governor/engines/frame_engine.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/unknown_name.h"

namespace framegov {

namespace {

/// docs/engines.md says where each line comes from.
constexpr std::array kEngines = {
    FrameEngine{"fpsgo", "MediaTek", "fpsgo", "",
                "It clamps a game's threads by the load of the last frames, and raises them within "
                "a frame that is going to be late."},
    FrameEngine{
        "sbe", "MediaTek", "sbe", "",
        "While an app scrolls, it clamps the app's threads to one speed until the frame ends."},
    FrameEngine{"frame_boost", "OPLUS", "frame_boost", "",
                "It asks for a speed that grows from the frame's start to its end, whatever the "
                "frame needs."},
    FrameEngine{
        "hmbird", "OPLUS", "hmbird fengchi", "scx",
        "It brings its own scheduler and cpufreq governor, and keeps CPUs for key threads."},
    FrameEngine{"hyperframe", "Xiaomi", "hyperframe", "",
                "It sets each cluster's minimum and maximum by the load of the last frames, and "
                "raises clamps three times within a frame."},
    FrameEngine{"libperfmgr", "Google", "libperfmgr", "",
                "It raises the minimum clamp of threads that an app reports through ADPF, by how "
                "late they were."},
    FrameEngine{"joyose", "Xiaomi", "joyose", "", "What it asks for is not published."},
    FrameEngine{"perfmgr", "a kernel module", "perfmgr", "", "It writes limits of clusters."},
    FrameEngine{"ppm", "MediaTek", "ppm", "",
                "It keeps limits of clusters of its own, beside those that framegov writes."},
    FrameEngine{"msm_performance", "Qualcomm", "msm_performance", "",
                "It keeps maxima of clusters of its own, beside those that framegov writes."},
    FrameEngine{
        "perf-hal", "Qualcomm", "perf-hal perfservice qti.hardware.perf qti.hardware.perf2", "",
        "While an app starts, scrolls or plays, it raises the clusters' minima by a table of "
        "the vendor's, whatever the frames need."},
    FrameEngine{
        "perfd", "Qualcomm", "perfd", "",
        "As perf-hal, which took its place with Android 8: it raises the clusters' minima by "
        "a table of the vendor's."},
    FrameEngine{"scene", "an app with root", "scene scene-daemon com.omarea.vtools", "",
                "It sets the clusters' minimum and maximum by a profile of the app on top, and "
                "places its threads.",
                true},
    FrameEngine{"fas-rs", "a root module", "fas-rs", "",
                "It sets the clusters' minimum and maximum by a game's frame rate.", true},
    FrameEngine{"yumi", "a root module", "yumi", "",
                "It holds clusters at one speed, by a game's frame rate.", true},
    FrameEngine{"uperf", "a root module", "uperf", "",
                "It sets speed by load and touches, and sees no frames.", true},
    FrameEngine{"encore", "a root module", "encore", "", "It applies fixed profiles.", true},
};

/// The deeper ones first: a path lies in the first that it begins with.
constexpr std::array<std::string_view, 6> kPlaces = {
    "/sys/kernel/fpsgo", "/sys/kernel", "/sys/module", "/proc/sys/kernel", "/proc/sys", "/proc"};

constexpr std::size_t kDeepest = 2;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) {
      return true;
    }
  }
  return false;
}

bool is_switch_name(const FrameEngine& engine, std::string_view name) {
  int enables = 0;
  for (const std::string_view part : split(name, '_')) {
    if (part == "enable" || part == "enabled") {
      ++enables;
    } else if (part.empty() ||
               (!has_word(engine.words, part) && !has_word(engine.switch_words, part))) {
      return false;
    }
  }
  return enables == 1;
}

bool is_plain(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         std::all_of(part.begin(), part.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

/// In this place, whatever other place is nearer.
bool is_switch_below(const FrameEngine& engine, std::string_view place, std::string_view path) {
  if (!path.starts_with(place) || path.size() <= place.size() || path[place.size()] != '/') {
    return false;
  }
  const auto parts = split(path.substr(place.size() + 1), '/');
  return parts.size() >= 2 && parts.size() <= kDeepest + 2 &&
         std::all_of(parts.begin(), parts.end(), is_plain) && bears_name(engine, parts.front()) &&
         is_switch_name(engine, parts.back());
}

}  // namespace

std::span<const FrameEngine> known_engines() { return kEngines; }

std::span<const std::string_view> engine_places() { return kPlaces; }

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const FrameEngine& each : kEngines) {
    names.emplace_back(each.name);
  }
  return names;
}

Result<const FrameEngine*> find_engine(std::string_view name) {
  const auto* const found =
      std::find_if(kEngines.begin(), kEngines.end(),
                   [name](const FrameEngine& each) { return each.name == name; });
  if (found != kEngines.end()) {
    return found;
  }
  const auto names = engine_names();
  return fail_unknown(ExitCode::kUsage, "frame engine", name, {names.begin(), names.end()});
}

bool bears_name(const FrameEngine& engine, std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), lower);
  const auto words = split(engine.words, ' ');
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return engine.daemon ? small == word : has_word(small, word);
  });
}

bool is_switch(const FrameEngine& engine, std::string_view path) {
  return std::any_of(kPlaces.begin(), kPlaces.end(),
                     [&](std::string_view place) { return is_switch_below(engine, place, path); });
}

std::filesystem::path EngineRoots::real(std::string_view path) const {
  constexpr std::string_view kSys = "/sys/";
  constexpr std::string_view kProc = "/proc/";
  return path.starts_with(kSys) ? sys / path.substr(kSys.size())
                                : proc / path.substr(std::min(kProc.size(), path.size()));
}

}  // namespace framegov
