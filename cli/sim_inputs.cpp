// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_inputs.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "cli/progress_line.h"
#include "sim/devices/content_hash.h"
#include "sim/workload/one_app.h"

namespace framegov::cli {

namespace {

/// The last `parts` parts of `path`.
std::string end_of(const std::filesystem::path& path, std::size_t parts) {
  const auto all = static_cast<std::size_t>(std::distance(path.begin(), path.end()));
  std::filesystem::path end;
  std::size_t i = 0;
  for (const auto& part : path) {
    if (all - i++ <= parts) {
      end /= part;
    }
  }
  return end.string();
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> whole;
  for (const std::string& path : paths) {
    whole.push_back(std::filesystem::path(path).lexically_normal());
  }
  std::vector<std::size_t> parts(paths.size(), 1);
  std::vector<std::string> names(paths.size());
  for (bool clash = true; clash;) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      names[i] = end_of(whole[i], parts[i]);
    }
    clash = false;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      // Those that clash grow together, the shorter path until it is shown in full.
      const bool grows = names[i] != whole[i].string();
      for (std::size_t k = 0; grows && k < whole.size(); ++k) {
        if (names[k] == names[i] && whole[k] != whole[i]) {
          ++parts[i];
          clash = true;
          break;
        }
      }
    }
  }
  return names;
}

Status LeftOutInputs::tell(bool any_left) const {
  if (all_.empty()) {
    return {};
  }
  if (!any_left) {
    Error none = all_.front();
    for (std::size_t i = 1; i < all_.size(); ++i) {
      none.message += "; " + all_[i].message;
    }
    return tl::unexpected(std::move(none));
  }
  for (const Error& why : all_) {
    std::cerr << why.message << ", left out\n";
    if (!why.hint.empty()) {
      std::cerr << "  " << why.hint << '\n';
    }
  }
  return {};
}

Result<std::optional<sim::Workload>> load_workload(const std::string& path,
                                                   const SimInputArguments& arguments,
                                                   LeftOutInputs& left_out) {
  if (sim::is_synthetic(path)) {
    return fail(ExitCode::kUsage,
                path + " is not a recording: --validate has nothing to compare it with",
                "name a recording");
  }
  FRAMEGOV_TRY(sim::Imported imported, sim::import_trace(path, arguments.import));
  std::optional<sim::Workload> workload = std::move(imported.workload);
  if (!workload) {
    left_out.add(*imported.no_workload);
    return std::nullopt;
  }
  if (const Status replays = sim::require_work(*workload); !replays) {
    left_out.add(replays.error());
    return std::nullopt;
  }
  if (arguments.app.empty()) {
    return workload;
  }
  std::string known;
  std::uint32_t index = 0;
  while (index < workload->apps.size() && workload->apps[index].name != arguments.app) {
    known += (known.empty() ? "" : ", ") + workload->apps[index++].name;
  }
  if (index == workload->apps.size()) {
    return fail(ExitCode::kUsage, path + ": no app '" + arguments.app + "' in it",
                "it has: " + known);
  }
  sim::keep_app(*workload, index);
  return workload;
}

Result<std::vector<sim::ReplayInput>> load_inputs(const SimInputArguments& arguments) {
  std::vector<std::string> files;
  std::copy_if(arguments.names.begin(), arguments.names.end(), std::back_inserter(files),
               [](const std::string& name) { return !sim::is_synthetic(name); });
  const std::vector<std::string> names = short_names(files);
  auto name_of_file = names.begin();
  std::vector<sim::ReplayInput> inputs;
  std::set<std::string> taken;
  LeftOutInputs left_out;
  ProgressLine line;
  std::size_t seen = 0;
  for (const std::string& name : arguments.names) {
    const double part = static_cast<double>(seen++) / static_cast<double>(arguments.names.size());
    const std::string& short_name = sim::is_synthetic(name) ? name : *name_of_file++;
    if (!taken.insert(short_name).second) {
      continue;
    }
    if (sim::is_synthetic(name)) {
      FRAMEGOV_TRY(sim::SyntheticSettings synthetic, sim::parse_synthetic(name));
      synthetic.seed = arguments.seed;
      inputs.push_back({name, synthetic, {}});
      continue;
    }
    line.show("reading", part);
    auto read = load_workload(name, arguments, left_out);
    line.clear();
    FRAMEGOV_TRY(std::optional<sim::Workload> loaded, std::move(read));
    if (!loaded) {
      continue;
    }
    sim::Workload& workload = *loaded;
    if (const Status energy = sim::require_energy(workload); !energy) {
      left_out.add(energy.error());
      continue;
    }
    if (const std::size_t beside = sim::mark_apps_beside(workload); beside != 0) {
      std::cerr << name << ": " << beside << " of " << workload.frames.size()
                << " frames are of apps that draw beside the one on top; they are replayed and "
                << "count, policies are not told of them. --app NAME takes one app's, "
                << "`framegov import` lists their names\n";
    }
    FRAMEGOV_TRY(std::string sha256, sim::sha256_of(name));
    inputs.push_back({short_name, std::make_shared<const sim::Workload>(std::move(workload)),
                      std::move(sha256)});
  }
  FRAMEGOV_TRY_STATUS(left_out.tell(!inputs.empty()));
  return inputs;
}

}  // namespace framegov::cli
