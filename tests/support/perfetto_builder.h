// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace framegov::test {

/// Builds protobuf messages byte by byte, independently of the library under test.
class Message {
 public:
  Message& varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    raw_varint(value);
    return *this;
  }
  Message& bytes(std::uint32_t field, std::string_view value) {
    key(field, 2);
    raw_varint(value.size());
    bytes_.append(value);
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return bytes(field, value.str()); }
  Message& packed(std::uint32_t field, std::initializer_list<std::uint64_t> values) {
    Message inner;
    for (const std::uint64_t value : values) {
      inner.raw_varint(value);
    }
    return bytes(field, inner.str());
  }
  [[nodiscard]] const std::string& str() const { return bytes_; }

 private:
  void key(std::uint32_t field, std::uint32_t type) {
    raw_varint((std::uint64_t{field} << 3U) | type);
  }
  void raw_varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
      value >>= 7U;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};

/// A trace of packets.
inline std::string trace_of(const std::vector<Message>& packets) {
  Message trace;
  for (const Message& packet : packets) {
    trace.message(1, packet);
  }
  return trace.str();
}

inline std::string deflated(std::string_view bytes, bool gzip = false) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip ? 15 + 16 : 15, 8,
               Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Messages of google/perfetto's protos, by their field numbers.

inline Message ftrace_event(std::uint64_t at, std::uint64_t tid, std::uint32_t field,
                            const Message& body) {
  return Message().varint(1, at).varint(2, tid).message(field, body);
}
inline Message print_event(std::uint64_t at, std::uint64_t tid, std::string_view text) {
  return ftrace_event(at, tid, 3, Message().varint(1, 1).bytes(2, std::string(text) + "\n"));
}
inline Message switch_event(std::uint64_t at, std::uint64_t prev, std::uint64_t next) {
  return ftrace_event(at, prev, 4,
                      Message().bytes(1, "prev").varint(2, prev).bytes(5, "next").varint(6, next));
}
inline Message frequency_event(std::uint64_t at, std::uint64_t cpu, std::uint64_t khz) {
  return ftrace_event(at, 0, 11, Message().varint(1, khz).varint(2, cpu));
}
inline Message limits_event(std::uint64_t at, std::uint64_t cpu, std::uint64_t min_khz,
                            std::uint64_t max_khz) {
  return ftrace_event(at, 0, 12, Message().varint(1, min_khz).varint(2, max_khz).varint(3, cpu));
}
/// One instant on the clocks MONOTONIC and BOOTTIME, ns.
inline Message clock_snapshot(std::uint64_t monotonic, std::uint64_t boottime) {
  return Message().message(6, Message()
                                  .message(1, Message().varint(1, 3).varint(2, monotonic))
                                  .message(1, Message().varint(1, 6).varint(2, boottime)));
}
/// `lost`: events of the CPU before these were.
inline Message bundle_packet(std::uint64_t cpu, const std::vector<Message>& events,
                             bool lost = false) {
  Message bundle;
  bundle.varint(1, cpu);
  if (lost) {
    bundle.varint(3, 1);
  }
  for (const Message& event : events) {
    bundle.message(2, event);
  }
  return Message().message(1, bundle).varint(10, 1);
}

}  // namespace framegov::test
