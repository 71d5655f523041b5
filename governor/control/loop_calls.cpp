// SPDX-License-Identifier: Apache-2.0
#include "governor/control/loop_calls.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <future>

namespace framegov {

struct LoopCalls::Pending {
  Call call;
  std::promise<Status> outcome;
};

LoopCalls::LoopCalls() : waits_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

LoopCalls::~LoopCalls() { delete next_.load(); }

Status LoopCalls::make(Call call, Duration timeout) {
  auto pending = std::make_shared<Pending>();
  pending->call = std::move(call);
  std::future<Status> outcome = pending->outcome.get_future();
  // One that was never fetched is given up.
  const std::unique_ptr<std::shared_ptr<Pending>> stale(
      next_.exchange(new std::shared_ptr<Pending>(pending)));
  const std::uint64_t one = 1;
  if (::write(waits_.get(), &one, sizeof one) != sizeof one ||
      outcome.wait_for(timeout) != std::future_status::ready) {
    return fail(ExitCode::kFailure, "the service's loop did not answer in time", "try again");
  }
  return outcome.get();
}

void LoopCalls::run() {
  std::uint64_t count = 0;
  (void)!::read(waits_.get(), &count, sizeof count);  // empty when there is nothing to do
  const std::unique_ptr<std::shared_ptr<Pending>> next(next_.exchange(nullptr));
  if (next) {
    (*next)->outcome.set_value((*next)->call());
  }
}

}  // namespace framegov
