// SPDX-License-Identifier: Apache-2.0
#include "trace/packet_decoder.h"

#include <zlib.h>

#include <algorithm>
#include <protozero/exception.hpp>
#include <string>

#include "trace/ftrace_decoder.h"
#include "trace/packet_fields_decoder.h"
#include "trace/perfetto_fields.h"
#include "trace/proto_fields.h"

namespace framegov {

namespace {

namespace pb = perfetto;

constexpr std::size_t kMaxWaitingBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxInternedNames = std::size_t{1} << 20U;
constexpr int kMaxDepth = 1;  // compressed packets do not nest
constexpr const char* kCopyAgain = "record or copy it again; --partial takes what comes before";

/// `why`: protozero's "end of buffer exception".
tl::unexpected<Error> malformed(std::uint64_t offset, std::string_view why) {
  return fail(ExitCode::kBadInput,
              "the packet at offset " + std::to_string(offset) + " is malformed (" +
                  std::string(why.substr(0, why.rfind(" exception"))) + "): the trace is damaged",
              kCopyAgain);
}

}  // namespace

Status PacketDecoder::decode(std::string_view packet, std::uint64_t offset) {
  offset_ = offset;
  try {
    decode_body(TracePacket::parse(packet, 0));
  } catch (const protozero::exception& error) {
    return malformed(offset_, error.what());
  }
  if (error_) {
    error_->message += " at offset " + std::to_string(offset_);
    return tl::unexpected(*error_);
  }
  return {};
}

void PacketDecoder::decode_body(const TracePacket& packet) {
  if (packet.machine_id != 0) {
    ++left_out_.other_machine;
    return;
  }
  Sequence& sequence = sequences_[packet.sequence_id];
  if (packet.dropped_before) {
    sequence.lost_state = true;
    dropped_bundles_.on_dropped(packet.sequence_id);
  }
  if ((packet.flags & pb::packet::kFlagIncrementalStateCleared) != 0) {
    sequence = Sequence{};
  }
  if (!packet.defaults.empty()) {
    take_defaults(sequence, packet.defaults);
  }
  if (!packet.interned.empty()) {
    take_interned(sequence, packet.interned);
  }
  if (sequence.lost_state && (packet.flags & pb::packet::kFlagNeedsIncrementalState) != 0) {
    ++left_out_.nameless;
    return;
  }
  switch (packet.data_tag) {
    case pb::packet::kFtraceEvents:
    case pb::packet::kPowerRails:
      take_boot_times(packet);
      break;
    case pb::packet::kClockSnapshot:
      take_snapshot(packet);
      break;
    case pb::packet::kCompressedPackets:
      if (packet.depth < kMaxDepth) {
        inflate_packets(packet.data);
      } else {
        error_ =
            Error{ExitCode::kBadInput, "compressed packets within compressed packets", kCopyAgain};
      }
      break;
    case pb::packet::kZstdCompressedPackets:
      error_ = Error{ExitCode::kUnsupported, "the trace has zstd-compressed packets",
                     "convert it with `traceconv decompress_packets`"};
      break;
    case pb::packet::kTrackEvent:
    case pb::packet::kFrameTimelineEvent:
    case pb::packet::kSysStats: {
      const auto at = trace_time(packet);
      if (!at) {
        break;
      }
      if (packet.data_tag == pb::packet::kTrackEvent) {
        decode_track_event(sequence, *at, packet.data);
      } else if (packet.data_tag == pb::packet::kFrameTimelineEvent) {
        decode_frame_timeline(packet.data, *at, sink_);
      } else {
        decode_sys_stats(packet.data, *at, sink_);
      }
      break;
    }
    default:
      if (packet.has_timestamp) {
        sequence.clocks.next(sequence.clock_of(packet), packet.timestamp);
      }
      decode_untimed_packet(packet.data_tag, packet.data, ring_buffers_, sink_);
      break;
  }
}

std::optional<std::int64_t> PacketDecoder::trace_time(const TracePacket& packet) {
  Sequence& sequence = sequences_[packet.sequence_id];
  const std::uint32_t clock = sequence.clock_of(packet);
  if (clock == 0) {
    return packet.timestamp;
  }
  const std::int64_t time =
      finishing_ ? packet.timestamp : sequence.clocks.next(clock, packet.timestamp);
  const auto translated =
      clocks_.translate(clock_key(clock, packet.sequence_id), time, trace_clock_);
  if (translated) {
    return translated;
  }
  if (!wait(packet, time, clock)) {
    ++left_out_.timeless;
  }
  return std::nullopt;
}

bool PacketDecoder::wait(const TracePacket& packet, std::int64_t time, std::uint32_t clock) {
  if (finishing_ || waiting_bytes_ + packet.data.size() > kMaxWaitingBytes) {
    return false;
  }
  waiting_bytes_ += packet.data.size() + sizeof(Waiting);
  Waiting& waiting = waiting_.emplace_back(Waiting{offset_, std::string(packet.data), packet});
  waiting.packet.timestamp = time;
  waiting.packet.clock_id = clock;
  // What these change has been changed.
  waiting.packet.interned = waiting.packet.defaults = {};
  waiting.packet.flags = 0;
  waiting.packet.dropped_before = false;
  return true;
}

bool PacketDecoder::knows_boot_clock() {
  // The first snapshot may name another clock for the trace. Which moment is asked does not matter.
  return has_snapshot_ && clocks_.translate(pb::clock::kBoottime, 0, trace_clock_).has_value();
}

void PacketDecoder::take_boot_times(TracePacket packet) {
  if (packet.data_tag == pb::packet::kFtraceEvents && !finishing_) {
    packet.events_lost_before = dropped_bundles_.before(packet.sequence_id, packet.data);
  }
  if (knows_boot_clock() || !wait(packet, packet.timestamp, pb::clock::kBoottime)) {
    decode_boot_times(packet);
  }
}

void PacketDecoder::decode_boot_times(const TracePacket& packet) {
  if (has_snapshot_ && !knows_boot_clock()) {
    ++left_out_.timeless;
    return;
  }
  const BootClock clock(clocks_, trace_clock_);
  if (packet.data_tag == pb::packet::kFtraceEvents) {
    decode_ftrace_bundle(packet.data, packet.events_lost_before, clock, ring_buffers_, sink_);
  } else {
    decode_power_rails(packet.data, clock, sink_);
  }
}

Status PacketDecoder::finish() {
  finishing_ = true;
  try {
    for (Waiting& waiting : waiting_) {
      waiting.packet.data = waiting.body;
      offset_ = waiting.offset;
      decode_body(waiting.packet);
    }
  } catch (const protozero::exception& error) {
    return malformed(offset_, error.what());
  }
  waiting_.clear();
  if (left_out_.timeless + left_out_.nameless + left_out_.other_machine != 0) {
    sink_.on_left_out(left_out_);
  }
  return {};
}

void PacketDecoder::take_snapshot(const TracePacket& packet) {
  constexpr std::size_t kMaxClocks = 64;
  Sequence& sequence = sequences_[packet.sequence_id];
  std::vector<ClockReading> readings;
  protozero::pbf_reader field = wire::reader(packet.data);
  while (field.next()) {
    if (field.tag() == pb::clock::kPrimaryTraceClock && wire::is_varint(field)) {
      const ClockKey named = field.get_uint64();
      trace_clock_ = trace_clock_is_named_ ? trace_clock_ : named;
      trace_clock_is_named_ = true;
    } else if (field.tag() == pb::clock::kClocks && wire::is_bytes(field)) {
      std::uint32_t id = 0;
      std::uint64_t time = 0;
      std::uint64_t unit = 1;
      bool incremental = false;
      wire::each_varint(wire::view(field), [&](auto tag, std::uint64_t value) {
        if (tag == pb::clock::kClockId) {
          id = static_cast<std::uint32_t>(value);
        } else if (tag == pb::clock::kClockTimestamp) {
          time = value;
        } else if (tag == pb::clock::kIsIncremental) {
          incremental = value != 0;
        } else if (tag == pb::clock::kUnitMultiplier && value != 0) {
          unit = value;
        }
      });
      time *= unit;
      sequence.clocks.take(id, static_cast<std::int64_t>(time), static_cast<std::int64_t>(unit),
                           incremental);
      if (readings.size() < kMaxClocks) {
        readings.push_back({clock_key(id, packet.sequence_id), static_cast<std::int64_t>(time)});
      }
    } else {
      field.skip();
    }
  }
  clocks_.add_snapshot(readings);
  has_snapshot_ = true;
}

void PacketDecoder::take_defaults(Sequence& sequence, std::string_view bytes) {
  protozero::pbf_reader field = wire::reader(bytes);
  while (field.next()) {
    if (field.tag() == pb::packet::kTimestampClockId && wire::is_varint(field)) {
      sequence.default_clock = static_cast<std::uint32_t>(field.get_uint64());
    } else if (field.tag() == pb::packet::kTrackEvent && wire::is_bytes(field)) {
      wire::each_varint(wire::view(field), [&](auto tag, std::uint64_t value) {
        if (tag == pb::event::kTrackUuid) {
          sequence.default_track = value;
        }
      });
    } else {
      field.skip();
    }
  }
}

void PacketDecoder::take_interned(Sequence& sequence, std::string_view bytes) {
  constexpr pb::Field kEventNames = 2;
  constexpr pb::Field kAnnotationNames = 3;
  const auto take = [&](InternedNames& names) {
    return [&names](std::string_view entry) {
      std::uint64_t id = 0;
      std::string_view name;
      protozero::pbf_reader field = wire::reader(entry);
      while (field.next()) {
        if (field.tag() == 1 && wire::is_varint(field)) {
          id = field.get_uint64();
        } else if (field.tag() == 2 && wire::is_bytes(field)) {
          name = wire::view(field);
        } else {
          field.skip();
        }
      }
      if (names.size() < kMaxInternedNames) {
        names[id] = name;
      }
    };
  };
  wire::each_message(bytes, kEventNames, take(sequence.event_names));
  wire::each_message(bytes, kAnnotationNames, take(sequence.annotation_names));
}

void PacketDecoder::decode_track_event(const Sequence& sequence, std::int64_t at,
                                       std::string_view bytes) {
  annotations_.clear();
  TrackEvent event;
  event.at = at;
  event.track = sequence.default_track;
  std::uint64_t type = 0;
  protozero::pbf_reader field = wire::reader(bytes);
  while (field.next()) {
    const auto tag = field.tag();
    if (wire::is_varint(field)) {
      const std::uint64_t value = field.get_uint64();
      if (tag == pb::event::kType) {
        type = value;
      } else if (tag == pb::event::kTrackUuid) {
        event.track = value;
      } else if (tag == pb::event::kCounterValue) {
        event.counter = static_cast<double>(static_cast<std::int64_t>(value));
      } else if (tag == pb::event::kNameIid) {
        if (const auto name = sequence.event_names.find(value);
            name != sequence.event_names.end()) {
          event.name = name->second;
        }
      }
    } else if (tag == pb::event::kName && wire::is_bytes(field)) {
      event.name = wire::view(field);
    } else if (tag == pb::event::kDebugAnnotations && wire::is_bytes(field)) {
      annotations_.push_back(decode_annotation(wire::view(field), sequence.annotation_names));
    } else if (tag == pb::event::kDoubleCounterValue &&
               field.wire_type() == protozero::pbf_wire_type::fixed64) {
      event.counter = field.get_double();
    } else {
      field.skip();
    }
  }
  if (type < static_cast<std::uint64_t>(TrackEventType::kSliceBegin) ||
      type > static_cast<std::uint64_t>(TrackEventType::kCounter)) {
    return;
  }
  event.type = static_cast<TrackEventType>(type);
  event.annotations = annotations_;
  sink_.on_track_event(event);
}

void PacketDecoder::inflate_packets(std::string_view bytes) {
  // zlib's best ratio is about 1000; perfetto's packets inflate to less than 1 MiB.
  constexpr std::size_t kMaxInflated = std::size_t{64} << 20U;
  std::string inflated(std::min(kMaxInflated, bytes.size() * 8 + 4096), '\0');
  z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) {
    error_ = Error{ExitCode::kFailure, "no memory to inflate packets", {}};
    return;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::size_t size = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    if (size == inflated.size()) {
      if (size >= kMaxInflated) {
        break;
      }
      inflated.resize(std::min(kMaxInflated, size * 2));
    }
    stream.next_out = reinterpret_cast<Bytef*>(inflated.data() + size);
    stream.avail_out = static_cast<uInt>(inflated.size() - size);
    code = ::inflate(&stream, Z_NO_FLUSH);
    size = inflated.size() - stream.avail_out;
  }
  ::inflateEnd(&stream);
  if (code != Z_STREAM_END) {
    error_ = Error{ExitCode::kBadInput, "damaged compressed packets", kCopyAgain};
    return;
  }
  wire::each_message(std::string_view(inflated).substr(0, size), pb::kTracePacket,
                     [&](std::string_view inner) { decode_body(TracePacket::parse(inner, 1)); });
}

void DroppedBundles::on_dropped(std::uint32_t sequence) {
  if (const auto found = awaited_.find(sequence); found != awaited_.end()) {
    found->second = ~std::uint64_t{0};
  }
}

bool DroppedBundles::before(std::uint32_t sequence, std::string_view bundle) {
  std::uint64_t& awaited = awaited_[sequence];
  if (awaited == 0) {
    return false;
  }
  std::uint64_t cpu = 0;
  wire::each_varint(bundle, [&](auto tag, std::uint64_t value) {
    cpu = tag == perfetto::bundle::kCpu ? value : cpu;
  });
  const std::uint64_t bit = cpu < 64 ? std::uint64_t{1} << cpu : 0;
  const bool first_of_round = (awaited & bit) != 0;
  // A CPU's second bundle begins the round after: the others had nothing to tell in this one.
  awaited = first_of_round ? awaited & ~bit : 0;
  return first_of_round;
}

}  // namespace framegov
