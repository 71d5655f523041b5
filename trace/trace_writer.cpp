// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_writer.h"

#include <protozero/pbf_writer.hpp>
#include <utility>

#include "trace/perfetto_fields.h"

namespace framegov {

namespace {

namespace pb = perfetto;

// One writer is one packet sequence; the number only has to differ from a system trace's when two
// are concatenated.
constexpr std::uint32_t kSequenceId = 0x66676f76;

void add_clock(protozero::pbf_writer& snapshot, std::uint32_t clock_id, std::int64_t ns) {
  if (ns == 0) {
    return;
  }
  protozero::pbf_writer clock(snapshot, pb::clock::kClocks);
  clock.add_uint32(pb::clock::kClockId, clock_id);
  clock.add_uint64(pb::clock::kClockTimestamp, static_cast<std::uint64_t>(ns));
}

void add_annotation(protozero::pbf_writer& event, const Annotation& annotation) {
  protozero::pbf_writer message(event, pb::event::kDebugAnnotations);
  message.add_string(pb::annotation::kName, annotation.name.data(), annotation.name.size());
  if (const auto* integer = std::get_if<std::int64_t>(&annotation.value)) {
    message.add_int64(pb::annotation::kInt, *integer);
  } else if (const auto* number = std::get_if<double>(&annotation.value)) {
    message.add_double(pb::annotation::kDouble, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&annotation.value)) {
    message.add_string(pb::annotation::kString, text->data(), text->size());
  }
}

}  // namespace

TraceWriter::TraceWriter(Output output) : output_(std::move(output)) {
  constexpr std::size_t kUsualPacket = 1024;
  body_.reserve(kUsualPacket);
  framed_.reserve(kUsualPacket);
}

void TraceWriter::emit() {
  framed_.clear();
  protozero::pbf_writer trace(framed_);
  trace.add_message(pb::kTracePacket, body_);
  ++(output_(framed_) ? written_ : dropped_);
}

void TraceWriter::clock_snapshot(const ClockReadings& readings) {
  body_.clear();
  protozero::pbf_writer packet(body_);
  packet.add_uint32(pb::packet::kSequenceId, kSequenceId);
  {
    protozero::pbf_writer snapshot(packet, pb::packet::kClockSnapshot);
    add_clock(snapshot, pb::clock::kMonotonic, to_ns(readings.monotonic));
    add_clock(snapshot, pb::clock::kBoottime, readings.boottime_ns);
    add_clock(snapshot, pb::clock::kRealtime, readings.realtime_ns);
    if (readings.boottime_ns == 0) {
      snapshot.add_uint32(pb::clock::kPrimaryTraceClock, pb::clock::kMonotonic);
    }
  }
  emit();
}

void TraceWriter::describe_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name,
                                 bool is_counter) {
  body_.clear();
  protozero::pbf_writer packet(body_);
  packet.add_uint32(pb::packet::kSequenceId, kSequenceId);
  {
    protozero::pbf_writer track(packet, pb::packet::kTrackDescriptor);
    track.add_uint64(pb::track::kUuid, uuid);
    track.add_string(pb::track::kName, name.data(), name.size());
    if (parent != 0) {
      track.add_uint64(pb::track::kParentUuid, parent);
    }
    if (is_counter) {
      track.add_message(pb::track::kCounter, "", 0);
    }
  }
  emit();
}

void TraceWriter::track(std::uint64_t uuid, std::uint64_t parent, std::string_view name) {
  describe_track(uuid, parent, name, false);
}

void TraceWriter::counter_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name) {
  describe_track(uuid, parent, name, true);
}

void TraceWriter::event(const TrackEvent& event) {
  body_.clear();
  protozero::pbf_writer packet(body_);
  packet.add_uint64(pb::packet::kTimestamp, static_cast<std::uint64_t>(event.at));
  packet.add_uint32(pb::packet::kTimestampClockId, pb::clock::kMonotonic);
  packet.add_uint32(pb::packet::kSequenceId, kSequenceId);
  {
    protozero::pbf_writer message(packet, pb::packet::kTrackEvent);
    message.add_enum(pb::event::kType, static_cast<std::int32_t>(event.type));
    message.add_uint64(pb::event::kTrackUuid, event.track);
    if (!event.name.empty()) {
      message.add_string(pb::event::kName, event.name.data(), event.name.size());
    }
    if (event.type == TrackEventType::kCounter) {
      message.add_double(pb::event::kDoubleCounterValue, event.counter);
    }
    for (const Annotation& annotation : event.annotations) {
      add_annotation(message, annotation);
    }
  }
  emit();
}

void TraceWriter::slice_begin(Instant at, std::uint64_t track, std::string_view name,
                              std::span<const Annotation> annotations) {
  event({.at = to_ns(at),
         .type = TrackEventType::kSliceBegin,
         .track = track,
         .name = name,
         .counter = 0,
         .annotations = annotations});
}

void TraceWriter::slice_end(Instant at, std::uint64_t track) {
  event({.at = to_ns(at),
         .type = TrackEventType::kSliceEnd,
         .track = track,
         .name = {},
         .counter = 0,
         .annotations = {}});
}

void TraceWriter::instant(Instant at, std::uint64_t track, std::string_view name,
                          std::span<const Annotation> annotations) {
  event({.at = to_ns(at),
         .type = TrackEventType::kInstant,
         .track = track,
         .name = name,
         .counter = 0,
         .annotations = annotations});
}

void TraceWriter::counter(Instant at, std::uint64_t track, double value) {
  event({.at = to_ns(at),
         .type = TrackEventType::kCounter,
         .track = track,
         .name = {},
         .counter = value,
         .annotations = {}});
}

}  // namespace framegov
