// SPDX-License-Identifier: Apache-2.0
#include "probes/context/gpu_nodes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kHz = 1;
constexpr std::int64_t kKiloHz = 1'000;
constexpr std::int64_t kMegaHz = 1'000'000;
constexpr std::int64_t kPercent = 100;

/// Where one driver tells what, below its folder.
struct Driver {
  const char* busy;
  const char* clock;
  const char* top;
  std::int64_t hz_per_unit = kHz;
  int clock_word = 0;
};

/// kbase has one folder on every phone; what stands in it is the vendor's.
constexpr std::array kMali = {
    Driver{"utilization", "cur_freq", "scaling_max_freq", kKiloHz},  // Pixel
    Driver{"utilization", "clock", "max_clock", kMegaHz},            // Exynos
    Driver{"utilisation", "cur_freq", "max_freq", kKiloHz}};
constexpr std::array kKgsl = {Driver{"gpu_busy_percentage", "gpuclk", "max_gpuclk"}};
constexpr std::array kExynos = {Driver{"gpu_busy", "gpu_clock", "gpu_max_clock", kMegaHz}};
// "index kHz"
constexpr std::array kGed = {Driver{"gpu_utilization", "current_freqency", "", kKiloHz, 1}};
constexpr std::array kGedModule = {Driver{"gpu_loading", "", ""}};
constexpr std::array kDevfreq = {Driver{"mali_ondemand/utilisation", "cur_freq", "max_freq"},
                                 Driver{"load", "cur_freq", "max_freq"}};

/// Devices of other kinds (memory, buses) have a load too.
std::vector<fs::path> gpus_of_devfreq(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> entries = entries_of(folder, ignored);
  std::erase_if(entries, [](const fs::path& entry) {
    const std::string name = entry.filename();
    return name.find("gpu") == std::string::npos && name.find("mali") == std::string::npos &&
           name.find("kgsl-3d") == std::string::npos;
  });
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string_view text_of(const UniqueFd& node, std::array<char, 64>& room) {
  const ssize_t size = node ? ::pread(node.get(), room.data(), room.size(), 0) : 0;
  return {room.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// The number at `word`, counted from 0.
std::optional<std::int64_t> number_at(std::string_view text, int word) {
  constexpr std::string_view kSpace = " \t\n";
  for (;; --word) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (word == 0 || text.empty()) {
      break;
    }
    text.remove_prefix(std::min(text.find_first_of(kSpace), text.size()));
  }
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<double> busy_in(std::string_view text) {
  const auto percent = number_at(text, 0);
  return percent && *percent >= 0 && *percent <= kPercent
             ? std::optional(static_cast<double>(*percent) / kPercent)
             : std::nullopt;
}

GpuNodes::GpuNodes(const fs::path& sys) {
  const auto take = [this](const fs::path& folder, const auto& drivers) {
    for (const Driver& driver : drivers) {
      UniqueFd busy = open_file(folder / driver.busy, O_RDONLY);
      UniqueFd clock = open_file(folder / driver.clock, O_RDONLY);
      std::array<char, 64> room{};
      const bool tells_more = file_.empty() || (clock && !clock_);
      if (tells_more && busy_in(text_of(busy, room))) {
        file_ = (folder / driver.busy).string();
        busy_ = std::move(busy);
        clock_ = std::move(clock);
        top_ = open_file(folder / driver.top, O_RDONLY);
        hz_per_unit_ = driver.hz_per_unit;
        clock_word_ = driver.clock_word;
      }
    }
    return !file_.empty();
  };
  if (take(sys / "class/kgsl/kgsl-3d0", kKgsl) || take(sys / "class/misc/mali0/device", kMali) ||
      take(sys / "kernel/gpu", kExynos) || take(sys / "kernel/ged/hal", kGed) ||
      take(sys / "module/ged/parameters", kGedModule)) {
    return;
  }
  for (const fs::path& gpu : gpus_of_devfreq(sys / "class/devfreq")) {
    if (take(gpu, kDevfreq)) {
      return;
    }
  }
}

std::optional<GpuReading> GpuNodes::read() const {
  std::array<char, 64> room{};
  const auto busy = busy_in(text_of(busy_, room));
  if (!busy) {
    return std::nullopt;
  }
  const auto frequency = [&](const UniqueFd& node, int word) {
    constexpr std::int64_t kMost = 100'000'000'000;  // Hz: no GPU has it
    const auto value = number_at(text_of(node, room), word).value_or(0);
    const bool sane = value > 0 && value <= kMost / hz_per_unit_;
    return sane ? khz(value * hz_per_unit_ / kKiloHz) : Frequency{};
  };
  return GpuReading{*busy, frequency(clock_, clock_word_), frequency(top_, 0)};
}

}  // namespace framegov
