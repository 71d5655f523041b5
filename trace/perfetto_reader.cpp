// SPDX-License-Identifier: Apache-2.0
#include "trace/perfetto_reader.h"

#include <string>

#include "trace/packet_decoder.h"
#include "trace/packet_reader.h"

namespace framegov {

Status read_perfetto(ByteSource& source, TraceSink& sink,
                     const std::function<void(double)>& on_progress) {
  constexpr std::uint64_t kProgressStep = std::uint64_t{4} << 20U;
  PacketReader reader(source);
  PacketDecoder decoder(sink);
  std::uint64_t next_progress = kProgressStep;
  const auto too_many = [&]() -> Status {
    return fail(
        ExitCode::kBadInput,
        "the trace holds more events than fit, at offset " + std::to_string(reader.packet_offset()),
        "cut it into shorter ones, or record fewer categories");
  };
  while (true) {
    const auto packet = reader.next();
    if (!packet) {
      // What waits may still be of use to a caller who takes a damaged trace's beginning.
      static_cast<void>(decoder.finish());
      return tl::unexpected(packet.error());
    }
    if (!*packet) {
      Status finished = decoder.finish();
      return finished && sink.is_full() ? too_many() : finished;
    }
    if (auto decoded = decoder.decode(**packet, reader.packet_offset()); !decoded) {
      static_cast<void>(decoder.finish());
      return decoded;
    }
    if (sink.is_full()) {
      return too_many();
    }
    if (on_progress && reader.packet_offset() >= next_progress) {
      next_progress = reader.packet_offset() + kProgressStep;
      on_progress(source.progress());
    }
  }
}

}  // namespace framegov
