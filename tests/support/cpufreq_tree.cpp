// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cpufreq_tree.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace framegov::test {

namespace fs = std::filesystem;

namespace {

void write_text(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::trunc);
  file << content;
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

template <class Numbers>
std::string words(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers) {
    text += std::to_string(number) + " ";
  }
  return text + "\n";
}

}  // namespace

TemporaryFolder::TemporaryFolder(const fs::path& parent) {
  std::string pattern =
      ((parent.empty() ? fs::temp_directory_path() : parent) / "framegov-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("cannot make " + pattern);
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::read(const fs::path& name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<PolicyShape> phone_policies() {
  return {{0, {0, 1, 2, 3}, {300000, 600000, 900000, 1200000, 1500000, 1800000}, 290},
          {4, {4, 5}, {400000, 800000, 1200000, 1600000, 2000000, 2250000}, 620},
          {6, {6, 7}, {500000, 1000000, 1500000, 2000000, 2400000, 2800000}, 1024}};
}

TemporaryCpufreqTree::TemporaryCpufreqTree(const std::vector<PolicyShape>& policies,
                                           const fs::path& parent)
    : folder_(parent) {
  for (const PolicyShape& shape : policies) {
    add_policy(shape);
    for (const int cpu : shape.cpus) {
      const fs::path folder = root() / ("cpu" + std::to_string(cpu));
      fs::create_directories(folder);
      fs::create_directory_symlink("../cpufreq/policy" + std::to_string(shape.id),
                                   folder / "cpufreq");
      if (shape.capacity > 0) {
        write_text(folder / "cpu_capacity", std::to_string(shape.capacity) + "\n");
      }
    }
  }
}

fs::path TemporaryCpufreqTree::policy(int id) const {
  return root() / "cpufreq" / ("policy" + std::to_string(id));
}

void TemporaryCpufreqTree::add_policy(const PolicyShape& shape) const {
  fs::create_directories(policy(shape.id));
  const std::string lowest = std::to_string(shape.khz.front()) + "\n";
  const std::string highest = std::to_string(shape.khz.back()) + "\n";
  set(shape.id, "related_cpus", words(shape.cpus));
  set(shape.id, "affected_cpus", words(shape.cpus));
  set(shape.id, "scaling_available_frequencies", words(shape.khz));
  set(shape.id, "cpuinfo_min_freq", lowest);
  set(shape.id, "cpuinfo_max_freq", highest);
  set(shape.id, "scaling_min_freq", lowest);
  set(shape.id, "scaling_max_freq", highest);
  set(shape.id, "scaling_cur_freq", highest);
}

void TemporaryCpufreqTree::set_offline(int id) const {
  fs::rename(policy(id), root() / ("offline" + std::to_string(id)));
  fs::create_directory(policy(id));
}

void TemporaryCpufreqTree::set_online(int id) const {
  fs::remove(policy(id));
  fs::rename(root() / ("offline" + std::to_string(id)), policy(id));
}

void TemporaryCpufreqTree::remove_policy(int id) const { fs::remove_all(policy(id)); }

void TemporaryCpufreqTree::set(int id, const std::string& node, const std::string& content) const {
  write_text(policy(id) / node, content);
}

void TemporaryCpufreqTree::remove(int id, const std::string& node) const {
  fs::remove_all(policy(id) / node);
}

std::int64_t TemporaryCpufreqTree::get(int id, const std::string& node) const {
  std::ifstream file(policy(id) / node);
  std::int64_t value = -1;
  return file >> value ? value : -1;
}

}  // namespace framegov::test
