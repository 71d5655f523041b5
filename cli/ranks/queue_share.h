// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "cli/ranks/ranks.h"
#include "sim/run/work_queue.h"

namespace framegov::cli {

/// A queue that ranks share, and how its units are written and read. `Done` has a member `unit`,
/// and what the unit came to.
template <class Unit, class Done>
struct SharedQueue {
  sim::WorkQueue<Unit>* queue;
  std::function<nlohmann::json(const std::vector<Unit>&)> write;
  std::function<std::optional<Done>(const nlohmann::json&)> read;
  std::function<bool(Done)> sink;  ///< false: stop. Called on the server's thread
};

/// One connection's share of it.
template <class Unit, class Done>
class QueueShare : public RankShare {
 public:
  explicit QueueShare(const SharedQueue<Unit, Done>& work) : work_(&work) {}
  QueueShare(const QueueShare&) = delete;
  QueueShare& operator=(const QueueShare&) = delete;
  ~QueueShare() override { work_->queue->give_back(units_); }

  std::optional<nlohmann::json> more() override {
    if (units_.empty()) {
      units_ = work_->queue->take_now();
    }
    if (units_.empty()) {
      return std::nullopt;
    }
    return work_->write(units_);
  }

  bool take(const nlohmann::json& message) override {
    auto done = work_->read(message);
    if (!done) {
      return false;
    }
    const auto had = std::find(units_.begin(), units_.end(), done->unit);
    if (had == units_.end()) {
      return false;
    }
    units_.erase(had);
    const bool goes_on = work_->sink(*std::move(done));
    work_->queue->finish();
    if (!goes_on) {
      work_->queue->stop();
    }
    return true;
  }

 private:
  const SharedQueue<Unit, Done>* work_;
  std::vector<Unit> units_;  ///< that it has
};

template <class Unit, class Done>
[[nodiscard]] RankShares shares_of(SharedQueue<Unit, Done> work) {
  return [work = std::move(work)] { return std::make_unique<QueueShare<Unit, Done>>(work); };
}

}  // namespace framegov::cli
