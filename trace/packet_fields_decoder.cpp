// SPDX-License-Identifier: Apache-2.0
#include "trace/packet_fields_decoder.h"

#include <algorithm>

#include "base/time.h"
#include "trace/proto_fields.h"

namespace framegov {

namespace {

namespace pb = perfetto;

void decode_process_tree(std::string_view message, TraceSink& sink) {
  constexpr pb::Field kProcesses = 1;
  constexpr pb::Field kThreads = 2;
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    const auto kind = field.tag();
    if (!wire::is_bytes(field)) {
      field.skip();
      continue;
    }
    ThreadInfo thread;
    thread.is_command_line = kind == kProcesses;
    const pb::Field name_field = kind == kProcesses ? 3 : 2;
    protozero::pbf_reader member = wire::reader(wire::view(field));
    while (member.next()) {
      const auto tag = member.tag();
      if (wire::is_varint(member)) {
        const std::uint64_t value = member.get_uint64();
        if (tag == 1) {
          thread.tid = i32(value);
        } else if (tag == 3 && kind == kThreads) {
          thread.tgid = i32(value);
        } else if (tag == 5 && kind == kProcesses) {
          thread.uid = value;
        }
      } else if (tag == name_field && wire::is_bytes(member)) {
        const std::string_view part = wire::view(member);
        thread.name = thread.name.empty() ? part : thread.name;
      } else {
        member.skip();
      }
    }
    if (kind == kProcesses) {
      thread.tgid = thread.tid;
    }
    if (kind == kProcesses || kind == kThreads) {
      sink.on_thread(thread);
    }
  }
}

void decode_packages(std::string_view message, TraceSink& sink) {
  wire::each_message(message, 1, [&](std::string_view bytes) {
    std::string_view name;
    std::uint64_t uid = 0;
    protozero::pbf_reader field = wire::reader(bytes);
    while (field.next()) {
      if (field.tag() == 1 && wire::is_bytes(field)) {
        name = wire::view(field);
      } else if (field.tag() == 2 && wire::is_varint(field)) {
        uid = field.get_uint64();
      } else {
        field.skip();
      }
    }
    sink.on_package(name, uid);
  });
}

void decode_system_info(std::string_view message, TraceSink& sink) {
  DeviceInfo device;
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    const auto tag = field.tag();
    if ((tag == 2 || tag == 9) && wire::is_bytes(field)) {
      (tag == 2 ? device.fingerprint : device.soc) = wire::view(field);
    } else if (tag == 5 && wire::is_varint(field)) {
      device.sdk = u32(field.get_uint64());
    } else {
      field.skip();
    }
  }
  sink.on_device(device);
}

/// Calls `handle(value)` for a repeated varint field, packed or not.
template <class Handler>
void each_repeated(protozero::pbf_reader& field, Handler&& handle) {
  if (wire::is_bytes(field)) {
    for (const std::uint64_t value : field.get_packed_uint64()) {
      handle(value);
    }
  } else if (wire::is_varint(field)) {
    handle(field.get_uint64());
  } else {
    field.skip();
  }
}

void decode_cpu_info(std::string_view message, TraceSink& sink) {
  std::int32_t index = 0;
  wire::each_message(message, 1, [&](std::string_view bytes) {
    CpuDescription cpu;
    cpu.cpu = index++;
    protozero::pbf_reader field = wire::reader(bytes);
    while (field.next()) {
      if (field.tag() == 2) {
        each_repeated(field,
                      [&](std::uint64_t khz) { cpu.max_khz = std::max(cpu.max_khz, u32(khz)); });
      } else if (field.tag() == 3 && wire::is_varint(field)) {
        cpu.capacity = u32(field.get_uint64());
      } else {
        field.skip();
      }
    }
    sink.on_cpu(cpu);
  });
}

void decode_track_descriptor(std::string_view message, TraceSink& sink) {
  TrackInfo track;
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    const auto tag = field.tag();
    if (wire::is_varint(field)) {
      const std::uint64_t value = field.get_uint64();
      if (tag == pb::track::kUuid) {
        track.uuid = value;
      } else if (tag == pb::track::kParentUuid) {
        track.parent = value;
      }
    } else if ((tag == pb::track::kName || tag == pb::track::kStaticName) &&
               wire::is_bytes(field)) {
      track.name = wire::view(field);
    } else if (tag == pb::track::kThread && wire::is_bytes(field)) {
      wire::each_varint(wire::view(field), [&](auto member, std::uint64_t value) {
        if (member == 1) {
          track.tgid = i32(value);
        } else if (member == 2) {
          track.tid = i32(value);
        }
      });
    } else {
      track.is_counter = track.is_counter || tag == pb::track::kCounter;
      field.skip();
    }
  }
  sink.on_track(track);
}

}  // namespace

void decode_power_rails(std::string_view message, const BootClock& clock, TraceSink& sink) {
  wire::each_message(message, 1, [&](std::string_view bytes) {
    PowerRail rail;
    protozero::pbf_reader field = wire::reader(bytes);
    while (field.next()) {
      const auto tag = field.tag();
      if (tag == 1 && wire::is_varint(field)) {
        rail.index = u32(field.get_uint64());
      } else if ((tag == 2 || tag == 3) && wire::is_bytes(field)) {
        (tag == 2 ? rail.name : rail.subsystem) = wire::view(field);
      } else {
        field.skip();
      }
    }
    sink.on_power_rail(rail);
  });
  wire::each_message(message, 2, [&](std::string_view bytes) {
    EnergySample sample;
    wire::each_varint(bytes, [&](auto tag, std::uint64_t value) {
      if (tag == 1) {
        sample.rail = u32(value);
      } else if (tag == 2) {
        sample.at = clock.trace_time(i64(value * std::uint64_t{kNsPerMs}));
      } else if (tag == 3) {
        sample.microwatt_seconds = value;
      }
    });
    sink.on_energy(sample);
  });
}

void decode_frame_timeline(std::string_view message, std::int64_t at, TraceSink& sink) {
  protozero::pbf_reader outer = wire::reader(message);
  while (outer.next()) {
    const auto kind = outer.tag();
    if (kind < pb::frame_timeline::kExpectedDisplay || kind > pb::frame_timeline::kFrameEnd ||
        !wire::is_bytes(outer)) {
      outer.skip();
      continue;
    }
    FrameTimelineEvent event;
    event.at = at;
    event.kind = static_cast<FrameTimelineKind>(kind);
    const bool surface =
        kind == pb::frame_timeline::kExpectedSurface || kind == pb::frame_timeline::kActualSurface;
    // Display frames have their pid where surface frames have the display frame's token, and every
    // later field two earlier.
    const pb::Field shift = surface ? 0 : 2;
    protozero::pbf_reader field = wire::reader(wire::view(outer));
    while (field.next()) {
      const auto tag = field.tag();
      if (wire::is_varint(field)) {
        const std::uint64_t value = field.get_uint64();
        if (tag == 1) {
          event.cookie = i64(value);
        } else if (tag == 2) {
          event.token = i64(value);
        } else if (tag == 3 && surface) {
          event.display_token = i64(value);
        } else if (tag == (surface ? 4U : 3U)) {
          event.pid = i32(value);
        } else if (tag + shift == 6) {
          event.present_type = u32(value);
        } else if (tag + shift == 7) {
          event.on_time_finish = value != 0;
        } else if (tag + shift == 9) {
          event.jank_type = u32(value);
        } else if (tag == 11 && surface) {
          event.is_buffer = value != 0;
        }
      } else if (tag == 5 && surface && wire::is_bytes(field)) {
        event.layer = wire::view(field);
      } else {
        field.skip();
      }
    }
    sink.on_frame_timeline(event);
  }
}

void decode_sys_stats(std::string_view message, std::int64_t at, TraceSink& sink) {
  constexpr pb::Field kCpuFrequencyKhz = 11;
  CpuFrequencySample sample{.at = at, .cpu = 0, .khz = 0};
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    if (field.tag() != kCpuFrequencyKhz) {
      field.skip();
      continue;
    }
    each_repeated(field, [&](std::uint64_t khz) {
      sample.khz = u32(khz);
      if (khz != 0) {  // 0: the CPU is offline
        sink.on_polled_frequency(sample);
      }
      ++sample.cpu;
    });
  }
}

void decode_untimed_packet(pb::Field tag, std::string_view message, RingBuffers& buffers,
                           TraceSink& sink) {
  switch (tag) {
    case pb::packet::kProcessTree:
      decode_process_tree(message, sink);
      break;
    case pb::packet::kPackagesList:
      decode_packages(message, sink);
      break;
    case pb::packet::kSystemInfo:
      decode_system_info(message, sink);
      break;
    case pb::packet::kCpuInfo:
      decode_cpu_info(message, sink);
      break;
    case pb::packet::kTraceConfig:
      buffers.take_config(message);
      break;
    case pb::packet::kTraceStats:
      buffers.take_statistics(message, sink);
      break;
    case pb::packet::kTrackDescriptor:
      decode_track_descriptor(message, sink);
      break;
    default:
      break;
  }
}

Annotation decode_annotation(std::string_view message, const InternedNames& names) {
  Annotation annotation;
  protozero::pbf_reader field = wire::reader(message);
  while (field.next()) {
    const auto tag = field.tag();
    if (wire::is_varint(field)) {
      const std::uint64_t value = field.get_uint64();
      if (tag == pb::annotation::kNameIid) {
        if (const auto name = names.find(value); name != names.end()) {
          annotation.name = name->second;
        }
      } else if (tag == pb::annotation::kBool || tag == pb::annotation::kUint ||
                 tag == pb::annotation::kInt) {
        annotation.value = i64(value);
      }
    } else if (tag == pb::annotation::kName && wire::is_bytes(field)) {
      annotation.name = wire::view(field);
    } else if (tag == pb::annotation::kString && wire::is_bytes(field)) {
      annotation.value = wire::view(field);
    } else if (tag == pb::annotation::kDouble &&
               field.wire_type() == protozero::pbf_wire_type::fixed64) {
      annotation.value = field.get_double();
    } else {
      field.skip();
    }
  }
  return annotation;
}

}  // namespace framegov
