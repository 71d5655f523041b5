// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_queue.h"

namespace framegov::cli {

/// Which of several processes this is, as who started them says in the environment: Open MPI's
/// mpirun, another MPI's, or Slurm's srun.
struct Rank {
  std::size_t number{};
  std::size_t count = 1;
  bool one_machine = false;  ///< all ranks are known to run on this one
  std::string job;           ///< tells this start of them from others; may be empty
};

[[nodiscard]] Rank own_rank();

/// Ranks need nothing of MPI but to be started: rank 0 listens, the others find its address in a
/// file beside the store, and each of their threads asks for units over a connection of its own.
/// A connection that ends gives its units back, so a lost rank costs what it was at. Who connects
/// has to know the secret in the file, which only its owner can read.
class RankServer {
 public:
  /// Serves `queue` until it goes. `sink` is called on its thread.
  [[nodiscard]] static Result<RankServer> start(const Rank& rank,
                                                const std::filesystem::path& store,
                                                const sim::SweepPlan& plan, sim::SweepQueue& queue,
                                                sim::SweepSink sink);
  RankServer(RankServer&&) noexcept;
  RankServer& operator=(RankServer&&) = delete;
  /// Waits until all ranks know that nothing is left, a few seconds for one that never came.
  ~RankServer();

 private:
  class Loop;
  RankServer(std::filesystem::path meeting, std::unique_ptr<Loop> loop);
  std::filesystem::path meeting_;
  std::unique_ptr<Loop> loop_;
  std::jthread thread_;
};

/// Works for rank 0 on `jobs` threads until it has no more. Error: it cannot be found, has another
/// plan or program, or went away.
[[nodiscard]] Status work_for_rank_0(const Rank& rank, const std::filesystem::path& store,
                                     const sim::SweepPlan& plan, std::size_t jobs);

}  // namespace framegov::cli
