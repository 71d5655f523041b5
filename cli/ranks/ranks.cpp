// SPDX-License-Identifier: Apache-2.0
#include "cli/ranks/ranks.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <list>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"
#include "base/monotonic_clock.h"
#include "base/output_file.h"
#include "base/unique_fd.h"
#include "cli/ranks/rank_messages.h"
#include "sim/devices/content_hash.h"
#include "sim/run/on_threads.h"

namespace framegov::cli {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kLongestGreeting = 4096;
/// A rank greets with its first packet: so many that have not yet are no ranks.
constexpr std::ptrdiff_t kMostStrangers = 32;
constexpr std::size_t kLongestMessage = std::size_t{64} << 20U;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<std::size_t> number_of(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

std::string host_name() {
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

Rank own_rank() {
  struct Starter {
    const char *number, *count, *here, *job;
  };
  constexpr std::array<Starter, 3> kStarters{{
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
       "OMPI_MCA_ess_base_jobid"},
      {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "PMI_JOBID"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_JOB_ID"},
  }};
  for (const Starter& each : kStarters) {
    const auto number = number_of(variable(each.number));
    const auto count = number_of(variable(each.count));
    if (number && count && *count > 1 && *number < *count) {
      return {*number, *count, number_of(variable(each.here)) == count,
              variable(each.job) + '.' + variable("SLURM_STEP_ID")};
    }
  }
  return {};
}

void RankListener::RemoveFile::operator()(const std::filesystem::path* path) const {
  std::error_code error;
  std::filesystem::remove(*path, error);
  delete path;
}

RankListener::RankListener(Listener listener, std::string secret,
                           const std::filesystem::path& meeting)
    : listener_(std::move(listener)),
      secret_(std::move(secret)),
      meeting_(new std::filesystem::path(meeting)) {}

Result<RankListener> RankListener::open(const Rank& rank, const std::filesystem::path& meeting) {
  std::array<char, 32> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return fail_errno(errno, "getrandom");
  }
  const std::string secret = sim::sha256_hex({random.data(), random.size()});
  FRAMEGOV_TRY(Listener listener, listen_on_free_port(rank.one_machine));
  const RankMeeting where{rank.job, host_name(), listener.addresses, listener.port, secret};
  // Whole or not at all, for those that look meanwhile.
  const std::filesystem::path draft = meeting.string() + ".new";
  std::error_code error;
  std::filesystem::remove(draft, error);
  FRAMEGOV_TRY_STATUS(write_output_file(draft, json_line(to_json(where)), 0600));
  std::filesystem::rename(draft, meeting, error);
  if (error) {
    return fail_errno(error.value(), meeting.string());
  }
  return RankListener(std::move(listener), secret, meeting);
}

/// Of the server's thread; lost() when that has ended.
class RankServer::Loop {
 public:
  Loop(const Rank& rank, RankListener listener, std::string work, RankShares shares)
      : ranks_(rank.count),
        listener_(std::move(listener)),
        work_(std::move(work)),
        shares_(std::move(shares)) {}

  void run(const std::stop_token& over) {
    constexpr seconds kLateComers{10};
    std::optional<Instant> over_since;
    for (;;) {
      if (over.stop_requested()) {
        over_since = over_since.value_or(monotonic_now());
        if ((all_came() && clients_.empty()) || monotonic_now() - *over_since > kLateComers) {
          return;
        }
      }
      turn(over_since.has_value());
    }
  }

  [[nodiscard]] std::vector<std::size_t> lost() const {
    std::set<std::size_t> lost = lost_;
    for (std::size_t rank = 1; rank < ranks_; ++rank) {
      if (!seen_.contains(rank)) {
        lost.insert(rank);
      }
    }
    for (const Client& client : clients_) {
      if (client.share) {
        lost.insert(client.rank);
      }
    }
    return {lost.begin(), lost.end()};
  }

 private:
  struct Client {
    explicit Client(UniqueFd socket) : line(std::move(socket)) {}
    LineSocket line;
    std::size_t rank{};                ///< 0: it has not greeted
    std::unique_ptr<RankShare> share;  ///< of a rank whose work is not over
    bool asks = false;
  };

  [[nodiscard]] bool all_came() const { return seen_.size() + 1 >= ranks_; }

  void turn(bool over) {
    constexpr int kTurn = 10;  // ms: how long a rank that waits does not see new work
    std::vector<::pollfd> fds{{listener_.fd(), POLLIN, 0}};
    for (const Client& client : clients_) {
      fds.push_back({client.line.fd(), POLLIN, 0});
    }
    (void)::poll(fds.data(), fds.size(), kTurn);
    auto polled = fds.begin() + 1;
    for (auto client = clients_.begin(); client != clients_.end();) {
      const bool ready = (polled++)->revents != 0;
      if ((!ready || hear(*client)) && answer(*client, over)) {
        ++client;
      } else {
        if (client->share) {
          lost_.insert(client->rank);
        }
        client = clients_.erase(client);
      }
    }
    // One a turn, so that it is heard before others could take it for a stranger.
    if (UniqueFd socket(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC)); socket) {
      make_room();
      clients_.emplace_back(std::move(socket));
    }
  }

  /// Who says nothing keeps no rank out: the one that has done so for longest goes.
  void make_room() {
    const auto is_stranger = [](const Client& each) { return each.rank == 0; };
    if (std::count_if(clients_.begin(), clients_.end(), is_stranger) >= kMostStrangers) {
      clients_.erase(std::find_if(clients_.begin(), clients_.end(), is_stranger));
    }
  }

  /// False: it is lost, or speaks another language.
  bool hear(Client& client) {
    const bool open = client.line.read_some(client.rank > 0 ? kLongestMessage : kLongestGreeting);
    while (const auto message = client.line.next()) {
      if (client.rank == 0 ? !greets(client, *message) : !hear(client, *message)) {
        return false;
      }
    }
    return open;
  }

  bool greets(Client& client, const json& message) {
    const auto greeting = greeting_in(message);
    if (!greeting || greeting->secret != listener_.secret() || greeting->rank == 0 ||
        greeting->rank >= ranks_) {
      return false;
    }
    client.rank = greeting->rank;
    client.share = shares_();
    seen_.insert(client.rank);
    if (all_came()) {
      listener_.remove_file();
    }
    if (greeting->work != work_) {
      (void)client.line.send({{"other", true}});
      return false;
    }
    return true;
  }

  static bool hear(Client& client, const json& message) {
    if (message.contains("next")) {
      client.asks = true;
      return true;
    }
    return client.share && client.share->take(message);
  }

  static bool answer(Client& client, bool over) {
    if (!client.asks) {
      return true;
    }
    if (over) {
      client.asks = false;
      client.share.reset();
      return client.line.send({{"over", true}});
    }
    const auto work = client.share->more();
    client.asks = !work;
    return !work || client.line.send(*work);
  }

  std::size_t ranks_;
  RankListener listener_;
  std::string work_;
  RankShares shares_;
  std::list<Client> clients_;
  std::set<std::size_t> seen_;
  std::set<std::size_t> lost_;
};

RankServer::RankServer(const Rank& rank, RankListener listener, std::string work, RankShares shares)
    : loop_(std::make_unique<Loop>(rank, std::move(listener), std::move(work), std::move(shares))),
      thread_([this](const std::stop_token& over) { loop_->run(over); }) {}

RankServer::~RankServer() { (void)end(); }

std::vector<std::size_t> RankServer::end() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  return loop_->lost();
}

namespace {

/// What `meeting` says of this start of ranks; nothing while there is no such file.
std::optional<RankMeeting> meet(const Rank& rank, const std::filesystem::path& meeting) {
  const auto text = read_file(meeting, "", kLongestGreeting * 16);
  auto where = text ? meeting_in(json::parse(*text, nullptr, false)) : std::nullopt;
  return where && where->job == rank.job ? std::move(where) : std::nullopt;
}

/// A connection to rank 0 that knows us; nothing where it does not answer.
std::optional<LineSocket> greet(const Rank& rank, const RankMeeting& where,
                                const std::string& work) {
  const std::vector<std::string> addresses =
      where.host == host_name() ? std::vector<std::string>{"127.0.0.1"} : where.addresses;
  for (const std::string& address : addresses) {
    auto line = connect_to(address, where.port);
    if (line && line->send(to_json(RankGreeting{where.secret, rank.number, work}))) {
      return line;
    }
  }
  return std::nullopt;
}

Status work_on(LineSocket line, const RankWorker& worker) {
  const RankSend send = [&line](const json& message) { return line.send(message); };
  for (;;) {
    const auto message = send({{"next", true}}) ? line.receive() : std::nullopt;
    if (message && message->contains("over")) {
      return {};
    }
    if (message && message->contains("other")) {
      return fail(ExitCode::kBadInput,
                  "rank 0 has another plan, other recordings or another framegov",
                  "start all ranks with the same");
    }
    if (!message || !worker(*message, send)) {
      return fail(ExitCode::kFailure, "rank 0 went away", "run the same command again");
    }
  }
}

}  // namespace

Status work_for_rank_0(const Rank& rank, const std::filesystem::path& meeting,
                       const std::string& work, std::size_t jobs,
                       const std::function<RankWorker()>& make_worker) {
  constexpr seconds kPatience{60};
  std::vector<LineSocket> lines;
  for (const Instant since = monotonic_now(); lines.empty();) {
    // All threads connect before one works: rank 0 removes the file when it has seen every rank,
    // and ends when those have that it knows of.
    if (const auto where = meet(rank, meeting)) {
      while (lines.size() < sim::threads_of(jobs)) {
        auto line = greet(rank, *where, work);
        if (!line) {
          break;
        }
        lines.push_back(*std::move(line));
      }
    }
    if (lines.empty()) {
      if (monotonic_now() - since > kPatience) {
        return fail(ExitCode::kFailure, "rank 0 is not to be found by " + meeting.string(),
                    "all ranks need that folder");
      }
      std::this_thread::sleep_for(milliseconds{50});
    }
  }
  std::mutex mutex;
  Status all;
  sim::on_threads(lines.size(), lines.size(), [&](std::size_t i) {
    Status done = work_on(std::move(lines[i]), make_worker());
    const std::scoped_lock lock(mutex);
    if (!done && all) {
      all = std::move(done);
    }
  });
  return all;
}

}  // namespace framegov::cli
