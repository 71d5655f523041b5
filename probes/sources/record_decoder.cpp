// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/record_decoder.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "probes/bpf/wire.h"

namespace framegov {

static_assert(GameSurfaces::kWaited == std::chrono::nanoseconds{WIRE_WAITED_NS});

void RecordDecoder::take(const void* data, std::size_t size, FrameBatch& batch) {
  ++records_;
  const auto* const header = static_cast<const wire_header*>(data);
  if (size < sizeof(wire_header) || header->version != WIRE_VERSION) {
    ++malformed_;
    return;
  }
  const ProbeHit hit{static_cast<std::int32_t>(header->tgid),
                     static_cast<std::int32_t>(header->tid), static_cast<std::int16_t>(header->cpu),
                     instant_from_ns(static_cast<std::int64_t>(header->time_ns))};
  if (is_plausible(hit.at)) {
    newest_ = std::max(newest_, hit.at);
  }
  if (header->kind == WIRE_FRAME_INFO && size == sizeof(wire_frame_info)) {
    const auto& record = *static_cast<const wire_frame_info*>(data);
    std::array<std::int64_t, WIRE_FRAME_INFO_FIELDS> fields{};
    std::copy(std::begin(record.fields), std::end(record.fields), fields.begin());
    const std::size_t count = record.count <= fields.size() ? record.count : 0;
    assembler_.frame_info(hit, std::span(fields).first(count), batch);
  } else if (header->kind == WIRE_QUEUE_BUFFER && size == sizeof(wire_queue_buffer)) {
    const auto& record = *static_cast<const wire_queue_buffer*>(data);
    assembler_.queue_buffer({hit, record.surface, record.render_thread != 0}, batch);
  } else if (header->kind == WIRE_DEQUEUE_BUFFER && size == sizeof(wire_dequeue_buffer)) {
    const auto& record = *static_cast<const wire_dequeue_buffer*>(data);
    assembler_.dequeue_buffer({hit, record.surface, record.render_thread != 0},
                              instant_from_ns(static_cast<std::int64_t>(record.entered_ns)), batch);
  } else if (header->kind == WIRE_FRAME_START) {
    assembler_.frame_start(hit, batch);
  } else if (header->kind == WIRE_FRAME_FINISHED && size == sizeof(wire_frame_finished)) {
    const auto& record = *static_cast<const wire_frame_finished*>(data);
    std::array<std::int64_t, WIRE_FINISHED_FIELDS> fields{};
    std::copy(std::begin(record.fields), std::end(record.fields), fields.begin());
    assembler_.frame_finished(hit, fields);
  } else if (header->kind == WIRE_HINT_TARGET && size == sizeof(wire_hint_target)) {
    const auto& record = *static_cast<const wire_hint_target*>(data);
    assembler_.hint_target(hit, Duration{record.target_ns}, batch);
  } else {
    ++malformed_;
  }
}

}  // namespace framegov
