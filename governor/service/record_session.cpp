// SPDX-License-Identifier: Apache-2.0
#include "governor/service/record_session.h"

#include <poll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/monotonic_clock.h"
#include "base/static_vector.h"
#include "base/unique_fd.h"

namespace framegov {

namespace {

constexpr Duration kTellEvery = std::chrono::seconds{1};

sigset_t record_signals() {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);
  return signals;
}

}  // namespace

void block_record_signals() {
  const sigset_t signals = record_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

RecordSession::RecordSession(std::unique_ptr<FrameSource> source,
                             std::unique_ptr<AppContext> context,
                             std::unique_ptr<Recorder> recorder, std::size_t clusters)
    : source_(std::move(source)),
      context_(std::move(context)),
      recorder_(std::move(recorder)),
      clusters_(clusters),
      began_(monotonic_now()) {}

RecordProgress RecordSession::progress(Instant now) const {
  return {now - began_, recorder_->frames(), recorder_->bytes(), recorder_->dropped(),
          source_->counters().lost};
}

Status RecordSession::run(Duration limit, const std::function<void(const RecordProgress&)>& tell) {
  const sigset_t wanted = record_signals();
  const UniqueFd signals(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) {
    return fail_errno(errno, "signalfd");
  }
  const Instant end = limit > Duration::zero() ? began_ + limit : Instant::max();
  Instant tell_at = began_ + kTellEvery;
  while (true) {
    const Instant next = std::min(tell_at, end);
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - monotonic_now()).count();
    std::array<pollfd, 3> fds{
        {{source_->fd(), POLLIN, 0}, {signals.get(), POLLIN, 0}, {context_->fd(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(wait, 0))) < 0 &&
        errno != EINTR) {
      return fail_errno(errno, "waiting for frames");
    }
    const Instant now = monotonic_now();
    FRAMEGOV_TRY_STATUS(take_frames(now));
    signalfd_siginfo signal{};
    const bool signalled = ::read(signals.get(), &signal, sizeof signal) == sizeof signal;
    const bool over = now >= end || (signalled && signal.ssi_signo != SIGUSR1);
    if (over || signalled) {
      take_frequencies(now);  // those since the last frame
      if (Status saved = recorder_->save(); over || !saved) {
        return saved;
      }
    }
    if (now >= tell_at) {
      take_frequencies(now);
      tell(progress(now));
      tell_at = now + kTellEvery;
    }
  }
}

Status RecordSession::take_frames(Instant now) {
  (void)context_->update(now, *source_);
  for (bool more = true; more;) {
    batch_.clear();
    FRAMEGOV_TRY(const bool drained, source_->drain(batch_));
    more = drained;
    for (FrameEvent& event : batch_) {
      take(event, now);
    }
  }
  return {};
}

void RecordSession::take(FrameEvent& event, Instant now) {
  if (context_->own(event, now, *source_) == AppContext::Owner::kOther ||
      event.kind != FrameEvent::Kind::kFrame) {
    return;
  }
  const Frame& frame = event.frame;
  if (frame.app != app_) {
    app_ = frame.app;
    recorder_->on_app(app_, context_->name(app_), now);
  }
  take_frequencies(now);
  recorder_->on_frame(frame, context_->name(frame.app), now);
}

void RecordSession::take_frequencies(Instant now) {
  if (!frequency_events_ || !know_frequencies_) {
    StaticVector<Frequency, kMaxClusters> current;
    for (std::size_t i = 0; i < clusters_; ++i) {
      current.push_back(context_->frequencies().mark(i, now).current);
    }
    recorder_->on_frequencies({current.begin(), current.size()}, now);
    know_frequencies_ = true;
  }
  if (frequency_events_) {
    changes_.clear();
    frequency_events_->drain(changes_);
    for (const FrequencyEvent& change : changes_) {
      recorder_->on_frequency(change.cluster, change.frequency, change.at);
    }
  }
}

}  // namespace framegov
