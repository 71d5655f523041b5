// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/ranks.h"

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
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"
#include "base/monotonic_clock.h"
#include "base/output_file.h"
#include "cli/sweep/line_socket.h"
#include "cli/sweep/rank_messages.h"
#include "sim/devices/content_hash.h"
#include "sim/sweep/sweep_key.h"

namespace framegov::cli {

namespace {

using nlohmann::json;
using sim::SweepQueue;
using sim::SweepUnit;
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

std::filesystem::path meeting_of(const std::filesystem::path& store) {
  return store.string() + ".ranks";
}

std::string host_name() {
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Both sides have to mean the same by a unit's number.
std::string work_hash(const sim::SweepPlan& plan) {
  return sim::sha256_hex(plan.sha256() + std::string(sim::simulator_version()));
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

/// Of the server's thread alone, but for end().
class RankServer::Loop {
 public:
  Loop(const Rank& rank, Listener listener, std::string secret, const sim::SweepPlan& plan,
       SweepQueue& queue, sim::SweepSink sink)
      : ranks_(rank.count),
        listener_(std::move(listener)),
        secret_(std::move(secret)),
        work_(work_hash(plan)),
        plan_(&plan),
        queue_(&queue),
        sink_(std::move(sink)) {}

  void run(const std::stop_token& over) {
    constexpr seconds kLateComers{10};
    std::optional<Instant> over_since;
    for (;;) {
      if (over.stop_requested()) {
        over_since = over_since.value_or(monotonic_now());
        const bool all_came = seen_.size() + 1 >= ranks_;
        if ((all_came && clients_.empty()) || monotonic_now() - *over_since > kLateComers) {
          return;
        }
      }
      turn();
    }
  }

 private:
  struct Client {
    explicit Client(UniqueFd socket) : line(std::move(socket)) {}
    LineSocket line;
    bool known = false;
    bool asks = false;
    SweepQueue::Units units;  ///< that it has
  };

  void turn() {
    constexpr int kTurn = 50;  // ms: how long a rank that waits does not see what came back
    std::vector<::pollfd> fds{{listener_.socket.get(), POLLIN, 0}};
    for (const Client& client : clients_) {
      fds.push_back({client.line.fd(), POLLIN, 0});
    }
    (void)::poll(fds.data(), fds.size(), kTurn);
    auto polled = fds.begin() + 1;
    for (auto client = clients_.begin(); client != clients_.end();) {
      const bool ready = (polled++)->revents != 0;
      if ((!ready || hear(*client)) && answer(*client)) {
        ++client;
      } else {
        queue_->give_back(client->units);
        client = clients_.erase(client);
      }
    }
    if (fds.front().revents != 0) {
      UniqueFd socket(::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (socket) {
        make_room();
        clients_.emplace_back(std::move(socket));
      }
    }
  }

  /// Who says nothing keeps no rank out: the one that has done so for longest goes.
  void make_room() {
    const auto is_stranger = [](const Client& each) { return !each.known; };
    if (std::count_if(clients_.begin(), clients_.end(), is_stranger) >= kMostStrangers) {
      clients_.erase(std::find_if(clients_.begin(), clients_.end(), is_stranger));
    }
  }

  /// False: it is lost, or speaks another language.
  bool hear(Client& client) {
    const bool open = client.line.read_some(client.known ? kLongestMessage : kLongestGreeting);
    while (const auto message = client.line.next()) {
      if (!hear(client, *message)) {
        return false;
      }
    }
    return open;
  }

  bool hear(Client& client, const json& message) {
    if (!client.known) {
      const auto greeting = greeting_in(message);
      if (!greeting || greeting->secret != secret_) {
        return false;
      }
      client.known = true;
      seen_.insert(greeting->rank);
      if (greeting->work != work_) {
        (void)client.line.send({{"other", true}});
        return false;
      }
      return true;
    }
    if (message.contains("unit")) {
      auto unit = unit_in(message, *plan_);
      const auto had = std::find_if(client.units.begin(), client.units.end(),
                                    [&](const auto& each) { return unit && each == unit->unit; });
      if (had == client.units.end()) {
        return false;
      }
      const bool goes_on = sink_(unit->unit, std::move(unit->done));
      client.units.erase(had);
      queue_->finish();
      if (!goes_on) {
        queue_->stop();
      }
    }
    client.asks = client.asks || message.contains("next");
    return true;
  }

  bool answer(Client& client) {
    if (!client.asks) {
      return true;
    }
    const auto units = queue_->take_now();
    if (!units) {
      return true;
    }
    client.asks = false;
    client.units = *units;
    return client.line.send(to_json(*units));
  }

  std::size_t ranks_;
  Listener listener_;
  std::string secret_;
  std::string work_;
  const sim::SweepPlan* plan_;
  SweepQueue* queue_;
  sim::SweepSink sink_;
  std::list<Client> clients_;
  std::set<std::size_t> seen_;
};

RankServer::RankServer(std::filesystem::path meeting, std::unique_ptr<Loop> loop)
    : meeting_(std::move(meeting)),
      loop_(std::move(loop)),
      thread_([loop = loop_.get()](const std::stop_token& over) { loop->run(over); }) {}

RankServer::RankServer(RankServer&&) noexcept = default;

Result<RankServer> RankServer::start(const Rank& rank, const std::filesystem::path& store,
                                     const sim::SweepPlan& plan, SweepQueue& queue,
                                     sim::SweepSink sink) {
  std::array<char, 32> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return fail_errno(errno, "getrandom");
  }
  const std::string secret = sim::sha256_hex({random.data(), random.size()});
  FRAMEGOV_TRY(Listener listener, listen_on_free_port(rank.one_machine));
  const RankMeeting where{rank.job, host_name(), listener.addresses, listener.port, secret};
  // Whole or not at all, for those that look meanwhile.
  const std::filesystem::path meeting = meeting_of(store);
  const std::filesystem::path draft = meeting.string() + ".new";
  std::error_code error;
  std::filesystem::remove(draft, error);
  FRAMEGOV_TRY_STATUS(write_output_file(draft, json_line(to_json(where)), 0600));
  std::filesystem::rename(draft, meeting, error);
  if (error) {
    return fail_errno(error.value(), meeting.string());
  }
  return RankServer(meeting, std::make_unique<Loop>(rank, std::move(listener), secret, plan, queue,
                                                    std::move(sink)));
}

RankServer::~RankServer() {
  if (!loop_) {
    return;
  }
  thread_.request_stop();
  thread_.join();
  std::error_code error;
  std::filesystem::remove(meeting_, error);
}

namespace {

/// A connection to rank 0 that knows us; nothing yet where it does not answer.
std::optional<LineSocket> greet(const Rank& rank, const std::filesystem::path& meeting,
                                const std::string& work) {
  const auto text = read_file(meeting, "", kLongestGreeting * 16);
  const auto where = text ? meeting_in(json::parse(*text, nullptr, false)) : std::nullopt;
  if (!where || where->job != rank.job) {
    return std::nullopt;  // not there yet, or of a start before this one
  }
  const std::vector<std::string> addresses =
      where->host == host_name() ? std::vector<std::string>{"127.0.0.1"} : where->addresses;
  for (const std::string& address : addresses) {
    auto line = connect_to(address, where->port);
    if (line && line->send(to_json(RankGreeting{where->secret, rank.number, work}))) {
      return line;
    }
  }
  return std::nullopt;
}

Status work_on(LineSocket line, const sim::SweepPlan& plan) {
  const auto lost = [] {
    return fail(ExitCode::kFailure, "rank 0 went away",
                "run the sweep again: it goes on from there");
  };
  sim::SweepWorker worker(plan);
  for (;;) {
    if (!line.send({{"next", true}})) {
      return lost();
    }
    const auto message = line.receive();
    if (message && message->contains("other")) {
      return fail(ExitCode::kBadInput, "rank 0 has another plan or another framegov",
                  "start all ranks with the same");
    }
    const auto units = message ? units_in(*message, plan) : std::nullopt;
    if (!units) {
      return lost();
    }
    if (units->empty()) {
      return {};
    }
    for (const SweepUnit& unit : *units) {
      if (!line.send(to_json(RankUnit{unit, worker.run(unit)}))) {
        return lost();
      }
    }
  }
}

}  // namespace

Status work_for_rank_0(const Rank& rank, const std::filesystem::path& store,
                       const sim::SweepPlan& plan, std::size_t jobs) {
  constexpr seconds kPatience{60};
  const std::filesystem::path meeting = meeting_of(store);
  const std::string work = work_hash(plan);
  std::mutex mutex;
  Status all;
  const auto one = [&] {
    const Instant since = monotonic_now();
    std::optional<LineSocket> line = greet(rank, meeting, work);
    while (!line && monotonic_now() - since < kPatience) {
      std::this_thread::sleep_for(milliseconds{50});
      line = greet(rank, meeting, work);
    }
    Status done =
        line ? work_on(*std::move(line), plan)
             : Status(fail(ExitCode::kFailure, "rank 0 is not to be found by " + meeting.string(),
                           "all ranks need the folder of the store"));
    const std::scoped_lock lock(mutex);
    if (!done && all) {
      all = std::move(done);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < jobs; ++i) {
      threads.emplace_back(one);
    }
    one();
  }
  return all;
}

}  // namespace framegov::cli
