// SPDX-License-Identifier: Apache-2.0
#include "trace/packet_reader.h"

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>
#include <string>

#include "trace/perfetto_fields.h"

namespace framegov {

namespace {

constexpr std::size_t kMaxHeader = 20;  // a tag and a length, each a varint of 10 bytes at most
constexpr const char* kRecordAgain = "record or copy it again; --partial takes what comes before";

}  // namespace

Result<std::optional<std::string_view>> PacketReader::next() {
  source_.consume(pending_);
  pending_ = 0;
  packet_offset_ = source_.offset();
  const auto at = [this] { return " at offset " + std::to_string(packet_offset_); };

  FRAMEGOV_TRY_STATUS(source_.require(kMaxHeader));
  std::string_view window = source_.window();
  if (window.empty()) {
    return std::nullopt;
  }
  std::uint64_t length = 0;
  std::size_t header = 0;
  try {
    const char* position = window.data();
    const char* const end = position + window.size();
    const std::uint64_t key = protozero::decode_varint(&position, end);
    constexpr std::uint64_t kPacketKey = (std::uint64_t{perfetto::kTracePacket} << 3U) | 2U;
    if (key != kPacketKey) {
      return fail(ExitCode::kBadInput, "no Perfetto packet" + at() + ": the trace is damaged",
                  kRecordAgain);
    }
    length = protozero::decode_varint(&position, end);
    header = static_cast<std::size_t>(position - window.data());
  } catch (const protozero::exception&) {
    return fail(ExitCode::kBadInput, "the trace is cut off or damaged" + at(), kRecordAgain);
  }
  if (length > kMaxPacketSize) {
    return fail(
        ExitCode::kBadInput,
        "the packet" + at() + " claims " + std::to_string(length) + " bytes: the trace is damaged",
        kRecordAgain);
  }
  const auto size = static_cast<std::size_t>(length);
  FRAMEGOV_TRY_STATUS(source_.require(header + size));
  window = source_.window();
  if (window.size() < header + size) {
    return fail(ExitCode::kBadInput,
                "the trace is cut off: the packet" + at() + " has " +
                    std::to_string(window.size() - header) + " of its " + std::to_string(size) +
                    " bytes",
                kRecordAgain);
  }
  pending_ = header + size;
  return window.substr(header, size);
}

}  // namespace framegov
