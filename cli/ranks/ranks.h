// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "cli/ranks/line_socket.h"

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

/// Where the other ranks find rank 0: it listens, and a file says where. Who connects has to know
/// the secret in the file, which only its owner can read. Ranks that come before there is a
/// RankServer wait.
class RankListener {
 public:
  /// Error: the file `meeting` cannot be written, or there is no port.
  [[nodiscard]] static Result<RankListener> open(const Rank& rank,
                                                 const std::filesystem::path& meeting);

  [[nodiscard]] int fd() const { return listener_.socket.get(); }
  [[nodiscard]] const std::string& secret() const { return secret_; }
  /// All have found it: the file goes, as it does with the object.
  void remove_file() { meeting_.reset(); }

 private:
  struct RemoveFile {
    void operator()(const std::filesystem::path* path) const;
  };
  RankListener(Listener listener, std::string secret, const std::filesystem::path& meeting);

  Listener listener_;
  std::string secret_;
  std::unique_ptr<const std::filesystem::path, RemoveFile> meeting_;
};

/// What one connection of a rank has of the work. Of the server's thread. When it goes, whatever it
/// has not brought back is handed out again.
class RankShare {
 public:
  virtual ~RankShare() = default;
  /// Some work as a message; nothing: none is left for now.
  [[nodiscard]] virtual std::optional<nlohmann::json> more() = 0;
  /// Results. False: they are not of what it has, so that it is no rank of ours.
  [[nodiscard]] virtual bool take(const nlohmann::json& message) = 0;
};
using RankShares = std::function<std::unique_ptr<RankShare>()>;

/// Hands out work to the other ranks, each of whose threads asks for it over a connection of its
/// own. A connection that ends gives back what it has, so a lost rank costs what it was at.
class RankServer {
 public:
  /// `work`: a hash of all that determines a result; a rank that has another is sent away.
  RankServer(const Rank& rank, RankListener listener, std::string work, RankShares shares);
  RankServer(const RankServer&) = delete;
  RankServer& operator=(const RankServer&) = delete;
  ~RankServer();

  /// To be called when all work is done, or no more is wanted. Waits until all ranks know that, a
  /// few seconds for one that never came. Returns those that were lost on the way, were sent away,
  /// or never came; ascending.
  std::vector<std::size_t> end();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  std::jthread thread_;
};

/// Sends a message to rank 0. False: it went away.
using RankSend = std::function<bool(const nlohmann::json&)>;
/// Does what a message hands out and sends each result when it has it. False: rank 0 went away, or
/// the message is none of this work.
using RankWorker = std::function<bool(const nlohmann::json& message, const RankSend& send)>;

/// Works for rank 0 on `jobs` threads, with a worker each, until it has no more. Error: it cannot
/// be found by the file `meeting`, has another `work`, or went away.
[[nodiscard]] Status work_for_rank_0(const Rank& rank, const std::filesystem::path& meeting,
                                     const std::string& work, std::size_t jobs,
                                     const std::function<RankWorker()>& make_worker);

}  // namespace framegov::cli
