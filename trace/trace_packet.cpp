// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_packet.h"

#include "trace/proto_fields.h"

namespace framegov {

namespace pb = perfetto;

namespace {

void take_number(TracePacket& packet, pb::Field tag, std::uint64_t value) {
  switch (tag) {
    case pb::packet::kTimestamp:
      packet.has_timestamp = true;
      packet.timestamp = static_cast<std::int64_t>(value);
      break;
    case pb::packet::kTimestampClockId:
      packet.clock_id = static_cast<std::uint32_t>(value);
      break;
    case pb::packet::kSequenceId:
      packet.sequence_id = static_cast<std::uint32_t>(value);
      break;
    case pb::packet::kMachineId:
      packet.machine_id = static_cast<std::uint32_t>(value);
      break;
    case pb::packet::kSequenceFlags:
      packet.flags |= value;
      break;
    case pb::packet::kIncrementalStateCleared:
      packet.flags |= value != 0 ? pb::packet::kFlagIncrementalStateCleared : 0;
      break;
    case pb::packet::kPreviousPacketDropped:
      packet.dropped_before = value != 0;
      break;
    default:
      break;
  }
}

}  // namespace

TracePacket TracePacket::parse(std::string_view bytes, int depth) {
  TracePacket packet;
  packet.depth = depth;
  protozero::pbf_reader field = wire::reader(bytes);
  while (field.next()) {
    const auto tag = field.tag();
    if (wire::is_varint(field)) {
      take_number(packet, tag, field.get_uint64());
    } else if (wire::is_bytes(field)) {
      const std::string_view view = wire::view(field);
      if (tag == pb::packet::kInternedData) {
        packet.interned = view;
      } else if (tag == pb::packet::kDefaults) {
        packet.defaults = view;
      } else {
        packet.data_tag = tag;
        packet.data = view;
      }
    } else {
      field.skip();
    }
  }
  return packet;
}

}  // namespace framegov
