// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_run.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"
#include "base/monotonic_clock.h"
#include "base/output_file.h"
#include "base/unique_fd.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/ranks/queue_share.h"
#include "cli/ranks/ranks.h"
#include "cli/sweep/result_store.h"
#include "cli/sweep/slurm_script.h"
#include "cli/sweep/sweep_messages.h"
#include "sim/devices/content_hash.h"
#include "sim/devices/device_catalog.h"
#include "sim/sweep/sweep_key.h"
#include "sim/sweep/sweep_queue.h"
#include "sim/sweep/sweep_table.h"

namespace framegov::cli {

namespace {

constexpr std::size_t kLargestPlan = std::size_t{64} << 20U;

Result<sim::SweepPlan> load_plan(const SweepArguments& arguments) {
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load(arguments.device_dir));
  FRAMEGOV_TRY(const std::string yaml,
               read_file(arguments.plan, "name a plan (docs/sweep.md)", kLargestPlan));
  return sim::parse_sweep_plan(yaml, arguments.plan,
                               std::filesystem::path(arguments.plan).parent_path(), catalog);
}

std::string store_of(const SweepArguments& arguments) {
  return arguments.store.empty()
             ? std::filesystem::path(arguments.plan).replace_extension(".sqlite").string()
             : arguments.store;
}

/// Says how far the work is until it goes: on a terminal all the time, else a line each minute.
class SweepProgress {
 public:
  SweepProgress(std::size_t before, std::size_t todo)
      : before_(before),
        todo_(todo),
        thread_([this](const std::stop_token& over) { show(over); }) {}

  void add(std::size_t runs) { done_ += runs; }

 private:
  void show(const std::stop_token& over) {
    if (todo_ == 0) {
      return;
    }
    constexpr std::chrono::minutes kEvery{1};
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    ProgressLine line;
    const Instant began = monotonic_now();
    for (Instant said = began; !over.stop_requested();
         std::this_thread::sleep_for(std::chrono::milliseconds{100})) {
      const std::size_t done = done_;
      const std::string what =
          std::to_string(before_ + done) + " of " + std::to_string(before_ + todo_) + " runs";
      const double part = static_cast<double>(done) / static_cast<double>(todo_);
      line.show(what, part);
      if (!terminal && monotonic_now() - said >= kEvery) {
        said = monotonic_now();
        std::cerr << what + ": " + progress_text(part, said - began) + "\n";
      }
    }
  }

  std::size_t before_;
  std::size_t todo_;
  std::atomic<std::size_t> done_{0};
  std::jthread thread_;
};

/// Results go from the workers through here into the store, one unit at a time.
class Collector {
 public:
  Collector(const sim::SweepPlan& plan, ResultStore& store, SweepProgress& progress)
      : plan_(&plan), store_(&store), progress_(&progress) {}

  bool take(const sim::SweepUnit& /*unit*/, Result<sim::SweepUnitResults> done) {
    const std::scoped_lock lock(mutex_);
    if (!done) {
      std::cerr << done.error().to_string() + "\n";
      return true;  // others may be read
    }
    stored_ = store_->add(*plan_, *done);
    progress_->add(done->results.size());
    return stored_.has_value();
  }
  [[nodiscard]] const Status& stored() const { return stored_; }

 private:
  const sim::SweepPlan* plan_;
  ResultStore* store_;
  SweepProgress* progress_;
  std::mutex mutex_;
  Status stored_;
};

/// Looks results up for a plan. It keeps the hash of the input that it was asked for last.
class Lookup {
 public:
  Lookup(const sim::SweepPlan& plan, ResultStore& store) : plan_(&plan), store_(&store) {}

  /// Of what is stored. A recording whose hash is not known is read for it where `reads`.
  Result<std::optional<std::string>> figures(std::size_t scene, std::size_t variant, bool reads) {
    const std::size_t input = plan_->scene(scene).input;
    if (input != input_) {
      input_ = input;
      FRAMEGOV_TRY(hash_, hash_of(plan_->inputs[input], reads));
    }
    if (!hash_) {
      return std::nullopt;
    }
    return store_->figures(sim::sweep_key(*plan_, scene, variant, *hash_));
  }

 private:
  Result<std::optional<std::string>> hash_of(const sim::SweepInput& input, bool reads) {
    if (input.is_generated()) {
      return std::string();
    }
    FRAMEGOV_TRY(sim::InputStamp stamp, sim::stamp_of(input.path));
    FRAMEGOV_TRY(std::optional<std::string> known, store_->known_hash(input.path));
    if (!known && reads) {
      FRAMEGOV_TRY(stamp.sha256, sim::sha256_of(input.path));
      FRAMEGOV_TRY_STATUS(store_->keep_hash(input.path, stamp));
      known = stamp.sha256;
    }
    return known;
  }

  const sim::SweepPlan* plan_;
  ResultStore* store_;
  std::size_t input_ = static_cast<std::size_t>(-1);
  std::optional<std::string> hash_;
};

/// Shards share out inputs where there are enough of them: each is read once then.
bool in_shard(const sim::SweepPlan& plan, std::size_t scene, std::size_t variant,
              const SweepShard& shard) {
  constexpr std::size_t kEnough = 4;
  const std::size_t number = plan.inputs.size() >= kEnough * shard.count
                                 ? plan.scene(scene).input
                                 : scene * plan.units_of_a_scene() + variant / sim::kUnitRuns;
  return number % shard.count == shard.number - 1;
}

Result<sim::SweepQueue::Units> what_is_left(const sim::SweepPlan& plan, ResultStore& store,
                                            const SweepShard& shard) {
  FRAMEGOV_TRY(const bool empty, store.is_empty());
  Lookup lookup(plan, store);
  Status looked;
  auto units = sim::all_units(plan, [&](std::size_t scene, std::size_t variant) {
    if (!looked || !in_shard(plan, scene, variant, shard)) {
      return false;
    }
    if (empty) {
      return true;
    }
    const auto found = lookup.figures(scene, variant, false);
    if (!found) {
      looked = tl::unexpected(found.error());
      return false;
    }
    return !found->has_value();
  });
  if (!looked) {
    return tl::unexpected(looked.error());
  }
  return units;
}

std::size_t runs_in(const sim::SweepQueue::Units& units) {
  std::size_t runs = 0;
  for (const sim::SweepUnit& unit : units) {
    runs += static_cast<std::size_t>(__builtin_popcount(unit.runs));
  }
  return runs;
}

std::size_t runs_of_shard(const sim::SweepPlan& plan, const SweepShard& shard) {
  return shard.count == 1
             ? plan.runs()
             : runs_in(sim::all_units(plan, [&](std::size_t scene, std::size_t variant) {
                 return in_shard(plan, scene, variant, shard);
               }));
}

std::filesystem::path meeting_of(const SweepArguments& arguments) {
  return store_of(arguments) + ".ranks";
}

Status work_as(const Rank& rank, const sim::SweepPlan& plan, const SweepArguments& arguments) {
  return work_for_rank_0(
      rank, meeting_of(arguments), sweep_work(plan), arguments.jobs.value_or(1), [&] {
        // A worker keeps what it has read, and std::function copies.
        const auto worker = std::make_shared<sim::SweepWorker>(plan);
        return [&plan, worker](const nlohmann::json& message, const RankSend& send) {
          const auto units = units_in(message, plan);
          return units && std::all_of(units->begin(), units->end(), [&](const auto& unit) {
                   return send(to_json(RankUnit{unit, worker->run(unit)}));
                 });
        };
      });
}

Status do_the_rest(const sim::SweepPlan& plan, ResultStore& store, const Rank& rank,
                   const SweepArguments& arguments) {
  std::optional<RankListener> listener;
  if (rank.count > 1) {
    FRAMEGOV_TRY(listener, RankListener::open(rank, meeting_of(arguments)));
  }
  FRAMEGOV_TRY(const sim::SweepQueue::Units left, what_is_left(plan, store, arguments.shard));
  const std::size_t jobs = sim::threads_of(arguments.jobs.value_or(rank.count > 1 ? 1 : 0));
  const std::size_t runs = runs_in(left);
  SweepProgress progress(runs_of_shard(plan, arguments.shard) - runs, runs);
  Collector collector(plan, store, progress);
  const sim::SweepSink sink = [&](const sim::SweepUnit& unit, Result<sim::SweepUnitResults> done) {
    return collector.take(unit, std::move(done));
  };
  sim::SweepQueue queue(plan, left, jobs + rank.count - 1);
  std::optional<RankServer> server;
  if (listener) {
    server.emplace(rank, *std::move(listener), sweep_work(plan),
                   shares_of(SharedQueue<sim::SweepUnit, RankUnit>{
                       &queue, [](const auto& units) { return to_json(units); },
                       [&](const nlohmann::json& message) { return unit_in(message, plan); },
                       [&](RankUnit unit) { return sink(unit.unit, std::move(unit.done)); }}));
  }
  sim::work_off(plan, queue, jobs, sink);
  server.reset();
  return collector.stored();
}

/// A large table on its way to a file, or to stdout.
class TableWriter {
 public:
  /// Error: the file cannot be made. An empty path takes nothing.
  static Result<TableWriter> open(const std::string& path) {
    TableWriter writer(path);
    if (!path.empty() && path != "-") {
      FRAMEGOV_TRY(writer.file_, create_output(path));
    }
    return writer;
  }
  [[nodiscard]] bool is_open() const { return !path_.empty(); }
  void add(std::string_view text) {
    constexpr std::size_t kPart = std::size_t{1} << 20U;
    part_ += text;
    if (part_.size() >= kPart) {
      write();
    }
  }
  [[nodiscard]] Status finish() {
    write();
    return written_;
  }

 private:
  explicit TableWriter(std::string path) : path_(std::move(path)) {}
  void write() {
    if (path_ == "-") {
      std::cout << part_;
    } else if (written_ && is_open()) {
      written_ = write_all(file_, path_, part_);
    }
    part_.clear();
  }

  std::string path_;
  UniqueFd file_;
  std::string part_;
  Status written_;
};

nlohmann::json json_of(const sim::SweepRow& row) {
  nlohmann::json object = row.figures;
  object["input"] = row.input;
  object["device"] = row.device;
  object["world"] = row.world;
  object["deadline"] = row.deadline;
  object["seed"] = row.seed;
  object["policy"] = row.policy;
  object["parameters"] = row.parameters;
  return object;
}

/// The best of each world.
void print_rankings(const std::map<std::string, sim::Ranking>& rankings) {
  constexpr std::size_t kShown = 30;
  for (const auto& [world, ranking] : rankings) {
    std::vector<sim::RankedPolicy> best = ranking.policies();
    const std::size_t all = best.size();
    best.resize(std::min(all, kShown));
    std::cout << '\n';
    sim::print_ranking(std::cout, best, world);
    if (all > kShown) {
      std::cout << "the first " << kShown << " of " << all << "; --csv has all\n";
    }
  }
}

/// Writes and prints what is stored of the plan.
Status show_results(const sim::SweepPlan& plan, ResultStore& store,
                    const SweepArguments& arguments) {
  FRAMEGOV_TRY(TableWriter csv, TableWriter::open(arguments.csv));
  csv.add(sim::sweep_csv_head());
  nlohmann::json rows = nlohmann::json::array();
  std::map<std::string, sim::Ranking> rankings;
  Lookup lookup(plan, store);
  FRAMEGOV_TRY(const sim::SweepCount count, sim::for_each_row(
                                                plan,
                                                [&](std::size_t scene, std::size_t variant) {
                                                  return lookup.figures(scene, variant, true);
                                                },
                                                [&](const sim::SweepRow& row) {
                                                  if (!row.failed()) {
                                                    rankings[row.world].add(sim::ranked_run(row));
                                                  }
                                                  if (csv.is_open()) {
                                                    csv.add(sim::sweep_csv_line(row));
                                                  }
                                                  if (!arguments.json.empty()) {
                                                    rows.push_back(json_of(row));
                                                  }
                                                }));
  FRAMEGOV_TRY_STATUS(csv.finish());
  if (!arguments.json.empty()) {
    const nlohmann::json all{{"meta",
                              {{"schema", "framegov-sweep"},
                               {"schema_version", 1},
                               {"program", "framegov"},
                               {"version", sim::simulator_version()},
                               {"plan_sha256", plan.sha256()},
                               {"runs", plan.runs()},
                               {"missing", count.missing}}},
                             {"runs", std::move(rows)}};
    FRAMEGOV_TRY_STATUS(write_output(arguments.json, json_text(all) + '\n'));
  }
  if (arguments.csv != "-" && arguments.json != "-") {
    std::cout << plan.runs() << " runs, " << count.missing << " missing; " << count.failed
              << " had nothing to replay. Results: " << store_of(arguments) << '\n';
    print_rankings(rankings);
  }
  if (count.missing > 0) {
    return fail(
        ExitCode::kFailure,
        std::to_string(count.missing) + " of " + std::to_string(plan.runs()) + " runs are missing",
        "run the sweep again: it does what is left");
  }
  return {};
}

void print_plan(const sim::SweepPlan& plan, const SweepShard& shard) {
  std::cout << plan.inputs.size() << " inputs x " << plan.devices.size() << " devices x "
            << plan.worlds.size() << " worlds x " << plan.seeds.size() << " seeds x "
            << plan.policies.size() << " policies" << (plan.bounds ? " and the bounds" : "") << ": "
            << plan.runs() << " runs\n";
  if (shard.count > 1) {
    std::cout << "shard " << shard.number << " of " << shard.count << ": "
              << runs_of_shard(plan, shard) << " runs\n";
  }
}

Status write_slurm_script(const SweepArguments& arguments) {
  std::error_code error;
  const auto absolute = [&](const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path, error).lexically_normal().string();
  };
  const std::string script =
      slurm_script({.program = std::filesystem::read_symlink("/proc/self/exe", error).string(),
                    .plan = absolute(arguments.plan),
                    .device_dir = absolute(arguments.device_dir),
                    .store = absolute(store_of(arguments)),
                    .shards = arguments.shards,
                    .threads = std::max<std::size_t>(arguments.jobs.value_or(1), 1)});
  FRAMEGOV_TRY_STATUS(write_output_file(arguments.slurm, script, 0755));
  std::cout << "sbatch " << arguments.slurm << "\nand when all have ended:\n"
            << "framegov sweep " << arguments.plan << " --merge " << store_of(arguments)
            << ".shard-*\n";
  return {};
}

}  // namespace

Status run_sweep(const SweepArguments& arguments) {
  FRAMEGOV_TRY_STATUS(require_outputs(
      {{"--csv", arguments.csv}, {"--json", arguments.json}, {"--slurm", arguments.slurm}},
      {arguments.plan}));
  FRAMEGOV_TRY(const sim::SweepPlan plan, load_plan(arguments));
  if (arguments.dry_run) {
    print_plan(plan, arguments.shard);
    return {};
  }
  if (!arguments.slurm.empty()) {
    return write_slurm_script(arguments);
  }
  const Rank rank = own_rank();
  if (rank.number > 0) {
    return work_as(rank, plan, arguments);
  }
  FRAMEGOV_TRY(ResultStore store, ResultStore::open(store_of(arguments)));
  for (const std::string& shard : arguments.merge) {
    FRAMEGOV_TRY(const std::size_t added, store.merge(shard));
    std::cerr << shard << ": " << added << " new results\n";
  }
  if (arguments.merge.empty()) {
    FRAMEGOV_TRY_STATUS(do_the_rest(plan, store, rank, arguments));
  }
  if (arguments.shard.count > 1) {
    return {};  // the whole is shown when shards are merged
  }
  return show_results(plan, store, arguments);
}

}  // namespace framegov::cli
