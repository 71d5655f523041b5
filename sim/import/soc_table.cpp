// SPDX-License-Identifier: Apache-2.0
#include "sim/import/soc_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string>

namespace framegov {

namespace {

// Relative performance per MHz: capacity-dmips-mhz of the vendor's device tree where it has one,
// else CoreMark rate per MHz at the top OPP (kdrag0n/freqbench). CoreMark per MHz: the same runs,
// single thread, rate at the top OPP / its MHz.
constexpr std::string_view kDeviceTree = "capacity-dmips-mhz of the device tree";
constexpr std::string_view kFreqbench = "CoreMark per MHz (freqbench)";

constexpr SocCluster kGs101[] = {{0, 4, 250.0 / 1024, khz(1803000)},
                                 {4, 2, 620.0 / 1024, khz(2253000)},
                                 {6, 2, 1, khz(2850000)}};
constexpr SocCluster kGs201[] = {{0, 4, (6690.0 / 1803) / (26499.0 / 2850), khz(1803000)},
                                 {4, 2, (21377.0 / 2348) / (26499.0 / 2850), khz(2348000)},
                                 {6, 2, 1, khz(2850000)}};
constexpr SocCluster kZuma[] = {{0, 4, (8071.0 / 1704) / (31273.0 / 2914), khz(1704000)},
                                {4, 4, (20520.0 / 2367) / (31273.0 / 2914), khz(2367000)},
                                {8, 1, 1, khz(2914000)}};
constexpr SocCluster kZumaPro[] = {{0, 4, (9138.0 / 1950) / (33092.0 / 3105), khz(1950000)},
                                   {4, 3, (23094.0 / 2600) / (33092.0 / 3105), khz(2600000)},
                                   {7, 1, 1, khz(3105000)}};
constexpr SocCluster kSdm660[] = {{0, 4, (5986.0 / 1843.2) / (11551.0 / 2208), khz(1843200)},
                                  {4, 4, 1, khz(2208000)}};
constexpr SocCluster kSdm845[] = {{0, 4, 611.0 / 1024, khz(1766400)}, {4, 4, 1, khz(2803200)}};
constexpr SocCluster kSm7250[] = {{0, 6, (6696.0 / 1804.8) / (18686.0 / 2400), khz(1804800)},
                                  {6, 1, (17179.0 / 2208) / (18686.0 / 2400), khz(2208000)},
                                  {7, 1, 1, khz(2400000)}};
constexpr SocCluster kSm8150[] = {
    {0, 4, 488.0 / 1024, khz(1785600)}, {4, 3, 1, khz(2419200)}, {7, 1, 1, khz(2841600)}};
constexpr SocCluster kSm8250[] = {
    {0, 4, 448.0 / 1024, khz(1804800)}, {4, 3, 1, khz(2419200)}, {7, 1, 1, khz(2841600)}};
constexpr SocCluster kSm8350[] = {{0, 4, (6699.0 / 1804.8) / (26390.0 / 2841.6), khz(1804800)},
                                  {4, 3, (22007.0 / 2419.2) / (26390.0 / 2841.6), khz(2419200)},
                                  {7, 1, 1, khz(2841600)}};

constexpr KnownSoc kSocs[] = {
    {"gs101", "cortex-x1", 26494.0 / 2850, kDeviceTree, kGs101},
    {"gs201", "cortex-x1", 26499.0 / 2850, kFreqbench, kGs201},
    {"zuma", "cortex-x3", 31273.0 / 2914, kFreqbench, kZuma},
    {"zumapro", "cortex-x4", 33092.0 / 3105, kFreqbench, kZumaPro},
    {"sdm660", "cortex-a73", 11551.0 / 2208, kFreqbench, kSdm660},
    {"sdm845", "kryo385-gold", 17425.0 / 2803.2, kDeviceTree, kSdm845},
    {"sm7250", "kryo475-prime", 18686.0 / 2400, kFreqbench, kSm7250},
    {"sm8150", "kryo485-prime", 22147.0 / 2841.6, kDeviceTree, kSm8150},
    {"sm8250", "kryo585-prime", 23953.0 / 2841.6, kDeviceTree, kSm8250},
    {"sm8350", "cortex-x1", 26390.0 / 2841.6, kFreqbench, kSm8350},
};

struct Alias {
  std::string_view device;
  std::string_view soc;
};

// Devices whose traces are often met, by the product or device name of the build fingerprint.
constexpr Alias kDevices[] = {
    {"oriole", "gs101"},   {"raven", "gs101"},          {"bluejay", "gs101"},
    {"panther", "gs201"},  {"cheetah", "gs201"},        {"lynx", "gs201"},
    {"felix", "gs201"},    {"tangorpro", "gs201"},      {"shiba", "zuma"},
    {"husky", "zuma"},     {"akita", "zuma"},           {"tokay", "zumapro"},
    {"caiman", "zumapro"}, {"komodo", "zumapro"},       {"comet", "zumapro"},
    {"tegu", "zumapro"},   {"blueline", "sdm845"},      {"crosshatch", "sdm845"},
    {"polaris", "sdm845"}, {"beryllium", "sdm845"},     {"enchilada", "sdm845"},
    {"fajita", "sdm845"},  {"flame", "sm8150"},         {"coral", "sm8150"},
    {"redfin", "sm7250"},  {"bramble", "sm7250"},       {"barbet", "sm7250"},
    {"x1q", "sm8250"},     {"y2q", "sm8250"},           {"z3q", "sm8250"},
    {"c1q", "sm8250"},     {"c2q", "sm8250"},           {"apollo", "sm8250"},
    {"alioth", "sm8250"},  {"lmi", "sm8250"},           {"umi", "sm8250"},
    {"cmi", "sm8250"},     {"instantnoodle", "sm8250"}, {"kebab", "sm8250"},
    {"venus", "sm8350"},   {"lemonade", "sm8350"},      {"o1q", "sm8350"},
    {"osborn", "sdm660"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// "google/bluejay/bluejay:13/TQ1A..." -> "bluejay", the third part up to the colon.
std::string_view device_of(std::string_view fingerprint) {
  for (int i = 0; i < 2; ++i) {
    const std::size_t slash = fingerprint.find('/');
    if (slash == std::string_view::npos) {
      return {};
    }
    fingerprint.remove_prefix(slash + 1);
  }
  return fingerprint.substr(0, fingerprint.find(':'));
}

}  // namespace

const KnownSoc* find_soc(std::string_view name) {
  const std::string wanted = lower(name);
  const auto* const found = std::find_if(std::begin(kSocs), std::end(kSocs),
                                         [&](const KnownSoc& soc) { return soc.name == wanted; });
  return found == std::end(kSocs) ? nullptr : found;
}

const KnownSoc* find_soc(std::string_view soc_model, std::string_view fingerprint) {
  // SystemInfo writes the marketing part numbers for Google's.
  constexpr Alias kModels[] = {
      {"tensor", "gs101"}, {"tensor g2", "gs201"}, {"tensor g3", "zuma"}, {"tensor g4", "zumapro"}};
  if (const KnownSoc* soc = find_soc(soc_model)) {
    return soc;
  }
  const auto by_alias = [](std::span<const Alias> aliases, std::string_view name) {
    const auto found = std::find_if(aliases.begin(), aliases.end(),
                                    [&](const Alias& alias) { return alias.device == name; });
    return found == aliases.end() ? nullptr : find_soc(found->soc);
  };
  if (const KnownSoc* soc = by_alias(kModels, lower(soc_model))) {
    return soc;
  }
  return by_alias(kDevices, lower(device_of(fingerprint)));
}

}  // namespace framegov
