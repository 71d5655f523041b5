// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/zygisk_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "probes/sources/record_reader.h"

namespace framegov {
namespace {

AssemblySettings assembly_of_rings(AssemblySettings settings) {
  settings.source = SourceKind::kZygisk;
  return settings;
}

void add_counts(const AppRingReader& ring, SourceCounters& to) {
  to.events += ring.taken();
  to.rejected += ring.rejected();
  to.lost += ring.lost();
}

}  // namespace

ZygiskSource::ZygiskSource(WaitSet waits, RingDoor door, const CpuTopology& topology,
                           const ZygiskOptions& options)
    : options_(options),
      waits_(std::move(waits)),
      door_(std::move(door)),
      assembler_(topology, assembly_of_rings(options.assembly)),
      decoder_(assembler_) {
  rings_.reserve(kMostRings);
  watched_.reserve(kMostRings);
}

Result<std::unique_ptr<ZygiskSource>> ZygiskSource::open(const CpuTopology& topology,
                                                         const ZygiskOptions& options) {
  FRAMEGOV_TRY(auto waits, WaitSet::create());
  FRAMEGOV_TRY(auto door, RingDoor::open(options.state_dir, options.peer));
  FRAMEGOV_TRY_STATUS(waits.add(door.fd()));
  return std::unique_ptr<ZygiskSource>(
      new ZygiskSource(std::move(waits), std::move(door), topology, options));
}

Result<bool> ZygiskSource::drain(FrameBatch& batch) {
  const Instant now = options_.clock();
  std::array<int, 16> room{};
  for (const int fd : waits_.ready(room)) {
    on_ready(fd, now);
  }
  const std::size_t first = turn_;
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    const std::size_t at = (first + i) % rings_.size();
    Ring& ring = rings_[at];
    if (ring.due && !ring.over && has_room(batch)) {
      read(ring, batch, now);
      turn_ = at + 1;  // one that never ends leaves room for the others
    }
    ring.over = ring.over || (ring.ended && !ring.due);
  }
  drop_those_over();
  assembler_.expire(decoder_.newest(), batch);
  const bool more =
      std::any_of(rings_.begin(), rings_.end(), [](const Ring& ring) { return ring.due; });
  waits_.set_backlog(more);
  return more;
}

void ZygiskSource::on_ready(int fd, Instant now) {
  if (fd == door_.fd()) {
    if (const int caller = door_.let_in(); caller >= 0) {
      (void)waits_.add(caller);  // one that cannot be waited for gives way to the next
    }
    return;
  }
  const auto found = std::find_if(rings_.begin(), rings_.end(), [fd](const Ring& ring) {
    return ring.wake.get() == fd || ring.connection.get() == fd;
  });
  if (found == rings_.end()) {
    if (auto handed = door_.take(fd)) {
      take_ring(*std::move(handed), now);
    }
  } else if (found->connection.get() == fd) {
    found->ended = true;  // nobody speaks here but by going
    found->due = found->wanted;
  } else {
    found->due = found->wanted;
  }
}

void ZygiskSource::take_ring(HandedRing handed, Instant now) {
  const bool watched = !options_.watched || options_.watched(handed.package());
  auto reader = AppRingReader::open(std::move(handed.memory), handed.pid);
  if (!watched || !reader) {
    gone_.rejected += watched ? 1U : 0U;
    answer(handed.connection, kAppRingRefused);
    return;
  }
  make_room(handed);
  rings_.push_back(
      {*std::move(reader), std::move(handed.connection), std::move(handed.wake), handed.uid, now});
  Ring& ring = rings_.back();
  want(ring, is_wanted(handed.pid));
  if (ring.over) {
    ++gone_.rejected;
  } else {
    answer(ring.connection, kAppRingTaken);
  }
}

void ZygiskSource::make_room(const HandedRing& handed) {
  const auto same_user = [&handed](const Ring& ring) { return ring.uid == handed.uid; };
  for (Ring& ring : rings_) {
    if (ring.reader.pid() == handed.pid) {
      give_up(ring);  // of a process that has gone: the number is this one's now
    }
  }
  drop_those_over();
  const bool too_many_of_user = std::count_if(rings_.begin(), rings_.end(), same_user) >=
                                static_cast<std::ptrdiff_t>(kMostRingsOfUser);
  if (!too_many_of_user && rings_.size() < kMostRings) {
    return;
  }
  Ring* oldest = nullptr;
  for (Ring& ring : rings_) {
    if ((!too_many_of_user || same_user(ring)) && (oldest == nullptr || ring.used < oldest->used)) {
      oldest = &ring;
    }
  }
  oldest->over = true;
  drop_those_over();
}

bool ZygiskSource::is_wanted(std::int32_t pid) const {
  return watched_.empty() || std::find(watched_.begin(), watched_.end(), pid) != watched_.end();
}

void ZygiskSource::want(Ring& ring, bool wanted) {
  if (ring.wanted == wanted) {
    return;
  }
  ring.wanted = wanted;
  ring.due = false;
  if (!wanted) {
    waits_.remove(ring.wake.get());  // its app may write into it all the same
    assembler_.forget(ring.reader.pid());
  }
  if (wanted ? !waits_.add_unread(ring.wake.get()) || !ring.reader.resume()
             : !ring.reader.pause()) {
    give_up(ring);
  }
}

void ZygiskSource::give_up(Ring& ring) {
  answer(ring.connection, kAppRingRefused);
  ring.over = true;
}

void ZygiskSource::watch_only(std::span<const std::int32_t> pids) {
  watched_.assign(pids.begin(), pids.end());
  for (Ring& ring : rings_) {
    want(ring, is_wanted(ring.reader.pid()));
  }
}

void ZygiskSource::read(Ring& ring, FrameBatch& batch, Instant now) {
  const std::uint64_t before = ring.reader.handed_on();
  const auto more = ring.reader.read(decoder_, batch, options_.clock);
  ring.due = more.value_or(false);
  ring.idle_wakes = ring.reader.handed_on() == before ? ring.idle_wakes + 1 : 0;
  ring.used = now;
  if (!more || ring.idle_wakes > kMostIdleWakes) {
    give_up(ring);
  }
}

void ZygiskSource::drop_those_over() {
  for (Ring& ring : rings_) {
    if (ring.over) {
      (void)ring.reader.pause();  // or its app would write for nobody
      add_counts(ring.reader, gone_);
      assembler_.forget(ring.reader.pid());
    }
  }
  // The app and its companion hold the files of these descriptors too: closing alone would leave
  // them in the set.
  for (const Ring& ring : rings_) {
    if (ring.over) {
      waits_.remove(ring.wake.get());
      waits_.remove(ring.connection.get());
    }
  }
  std::erase_if(rings_, [](const Ring& ring) { return ring.over; });
}

SourceCounters ZygiskSource::counters() const {
  SourceCounters counters = gone_;
  for (const Ring& ring : rings_) {
    add_counts(ring.reader, counters);
  }
  counters.frames = assembler_.frames();
  counters.rejected += assembler_.rejected() + decoder_.malformed();
  return counters;
}

}  // namespace framegov
