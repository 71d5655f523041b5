// SPDX-License-Identifier: Apache-2.0
#include "socs/soc_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace framegov {

namespace {

struct Alias {
  std::string_view device;
  std::string_view soc;
};

// Devices whose traces are often met, by the product or device name of the build fingerprint.
constexpr Alias kDevices[] = {
    {"oriole", "gs101"},    {"raven", "gs101"},          {"bluejay", "gs101"},
    {"panther", "gs201"},   {"cheetah", "gs201"},        {"lynx", "gs201"},
    {"felix", "gs201"},     {"tangorpro", "gs201"},      {"shiba", "zuma"},
    {"husky", "zuma"},      {"akita", "zuma"},           {"tokay", "zumapro"},
    {"caiman", "zumapro"},  {"komodo", "zumapro"},       {"comet", "zumapro"},
    {"tegu", "zumapro"},    {"blueline", "sdm845"},      {"crosshatch", "sdm845"},
    {"polaris", "sdm845"},  {"beryllium", "sdm845"},     {"enchilada", "sdm845"},
    {"fajita", "sdm845"},   {"flame", "sm8150"},         {"coral", "sm8150"},
    {"redfin", "sm7250"},   {"bramble", "sm7250"},       {"barbet", "sm7250"},
    {"x1q", "sm8250"},      {"y2q", "sm8250"},           {"z3q", "sm8250"},
    {"c1q", "sm8250"},      {"c2q", "sm8250"},           {"apollo", "sm8250"},
    {"alioth", "sm8250"},   {"lmi", "sm8250"},           {"umi", "sm8250"},
    {"cmi", "sm8250"},      {"instantnoodle", "sm8250"}, {"kebab", "sm8250"},
    {"venus", "sm8350"},    {"lemonade", "sm8350"},      {"o1q", "sm8350"},
    {"osborn", "sdm660"},   {"taimen", "msm8998"},       {"walleye", "msm8998"},
    {"sargo", "sdm670"},    {"bonito", "sdm670"},        {"sunfish", "sm7150"},
    {"raphael", "sm8150"},  {"cepheus", "sm8150"},       {"guacamole", "sm8150"},
    {"hotdog", "sm8150ac"}, {"vayu", "sm8150ac"},        {"dipper", "sdm845"},
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

const KnownSoc* soc_named(std::string_view name) {
  const std::string wanted = lower(name);
  const auto socs = known_socs();
  const auto found = std::find_if(socs.begin(), socs.end(),
                                  [&](const KnownSoc& soc) { return soc.name == wanted; });
  return found == socs.end() ? nullptr : &*found;
}

const KnownSoc* by_alias(std::span<const Alias> aliases, std::string_view name) {
  const std::string wanted = lower(name);
  const auto found = std::find_if(aliases.begin(), aliases.end(),
                                  [&](const Alias& alias) { return alias.device == wanted; });
  return found == aliases.end() ? nullptr : soc_named(found->soc);
}

const SocCluster* cluster_with(const KnownSoc& soc, int cpu) {
  const auto found =
      std::find_if(soc.clusters.begin(), soc.clusters.end(), [cpu](const SocCluster& cluster) {
        return cpu >= cluster.first_cpu && cpu < cluster.first_cpu + cluster.cpu_count;
      });
  return found == soc.clusters.end() ? nullptr : &*found;
}

bool has_each(const SocCluster& cluster, const std::vector<std::uint32_t>& seen) {
  return std::all_of(seen.begin(), seen.end(), [&](std::uint32_t khz) {
    return std::binary_search(cluster.opps.begin(), cluster.opps.end(), khz);
  });
}

/// Whether it makes a difference which of them it is.
bool same_cores(const KnownSoc& a, const KnownSoc& b) {
  constexpr double kSame = 0.05;
  const auto close = [](double x, double y) { return std::abs(x - y) <= kSame * y; };
  return close(a.coremark_per_mhz, b.coremark_per_mhz) &&
         std::equal(a.clusters.begin(), a.clusters.end(), b.clusters.begin(), b.clusters.end(),
                    [&](const SocCluster& x, const SocCluster& y) {
                      return x.first_cpu == y.first_cpu &&
                             close(x.relative_per_mhz, y.relative_per_mhz);
                    });
}

std::size_t opp_count(const KnownSoc& soc) {
  std::size_t count = 0;
  for (const SocCluster& cluster : soc.clusters) {
    count += cluster.opps.size();
  }
  return count;
}

}  // namespace

bool has_all(const KnownSoc& soc, const SeenFrequencies& seen) {
  if (static_cast<std::size_t>(soc.cpu_count()) < seen.size()) {  // the last may have slept
    return false;
  }
  for (std::size_t cpu = 0; cpu < seen.size(); ++cpu) {
    if (!has_each(*cluster_with(soc, static_cast<int>(cpu)), seen[cpu])) {
      return false;
    }
  }
  return true;
}

const KnownSoc* find_soc(std::string_view name) {
  // Simulated phones, vendors' code names, and the numbers of qcom,ids.h, which soc_id tells.
  constexpr Alias kPhones[] = {
      {"tensor_g1", "gs101"},  {"tensor_g4", "zumapro"}, {"msmnile", "sm8150"},
      {"kona", "sm8250"},      {"lahaina", "sm8350"},    {"kalama", "sm8550"},
      {"pineapple", "sm8650"}, {"sun", "sm8750"},        {"lito", "sm7250"},
      {"lagoon", "sm7225"},    {"atoll", "sm7125"},      {"sdmmagpie", "sm7150"},
      {"yupik", "sm7325"},     {"trinket", "sm6125"},    {"bengal", "sm6115"},
      {"246", "msm8996"},      {"292", "msm8998"},       {"317", "sdm660"},
      {"318", "sdm630"},       {"321", "sdm845"},        {"339", "sm8150"},
      {"345", "sdm636"},       {"349", "sdm632"},        {"356", "sm8250"},
      {"394", "sm6125"},       {"439", "sm8350"},        {"444", "sm6115"},
      {"459", "sm7225"},       {"519", "sm8550"}};
  if (const KnownSoc* soc = soc_named(name)) {
    return soc;
  }
  const KnownSoc* soc = by_alias(kPhones, name);
  return soc != nullptr ? soc : by_alias(kDevices, name);
}

const KnownSoc* find_soc(std::string_view soc_model, std::string_view fingerprint) {
  // SystemInfo writes the marketing part numbers for Google's.
  constexpr Alias kModels[] = {
      {"tensor", "gs101"}, {"tensor g2", "gs201"}, {"tensor g3", "zuma"}, {"tensor g4", "zumapro"}};
  if (const KnownSoc* soc = soc_named(soc_model)) {
    return soc;
  }
  const KnownSoc* soc = by_alias(kModels, soc_model);
  return soc != nullptr ? soc : by_alias(kDevices, device_of(fingerprint));
}

const KnownSoc* find_soc_by_opps(const SeenFrequencies& seen) {
  // Lists of one vendor share values: a few that fit may do so by chance.
  constexpr std::size_t kFewest = 8;
  const KnownSoc* best = nullptr;
  bool unclear = false;
  for (const KnownSoc& soc : known_socs()) {
    if (!has_all(soc, seen)) {
      continue;
    }
    unclear = unclear || (best != nullptr && !same_cores(*best, soc));
    // The shortest lists that hold all: the same cores with a higher top come in a faster phone.
    best = best == nullptr || opp_count(soc) < opp_count(*best) ? &soc : best;
  }
  if (best == nullptr || unclear) {
    return nullptr;
  }
  std::set<std::pair<const SocCluster*, std::uint32_t>> told;
  std::set<const SocCluster*> clusters;
  for (std::size_t cpu = 0; cpu < seen.size(); ++cpu) {
    const SocCluster* const cluster = cluster_with(*best, static_cast<int>(cpu));
    for (const std::uint32_t khz : seen[cpu]) {
      told.emplace(cluster, khz);
      clusters.insert(cluster);
    }
  }
  return told.size() >= kFewest && clusters.size() > 1 ? best : nullptr;
}

}  // namespace framegov
