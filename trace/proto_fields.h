// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace framegov {

// A varint of the wire comes as 64 bits; these give the field the type its message declares.

[[nodiscard]] constexpr std::uint32_t u32(std::uint64_t varint) {
  return static_cast<std::uint32_t>(varint);
}
[[nodiscard]] constexpr std::int32_t i32(std::uint64_t varint) {
  return static_cast<std::int32_t>(varint);
}
[[nodiscard]] constexpr std::int64_t i64(std::uint64_t varint) {
  return static_cast<std::int64_t>(varint);
}

namespace wire {

// Small helpers over protozero for the decoders in this folder. Fields of an unexpected wire type
// are skipped, as protobuf asks. Malformed bytes throw protozero::exception; the folder's public
// functions catch it.

[[nodiscard]] inline protozero::pbf_reader reader(std::string_view bytes) {
  return protozero::pbf_reader{bytes.data(), bytes.size()};
}

[[nodiscard]] inline std::string_view view(protozero::pbf_reader& field) {
  const protozero::data_view data = field.get_view();
  return {data.data(), data.size()};
}

[[nodiscard]] inline bool is_varint(const protozero::pbf_reader& field) {
  return field.wire_type() == protozero::pbf_wire_type::varint;
}

[[nodiscard]] inline bool is_bytes(const protozero::pbf_reader& field) {
  return field.wire_type() == protozero::pbf_wire_type::length_delimited;
}

/// Calls `handle(field number, value)` for each varint field of `message`, skipping the others.
template <class Handler>
void each_varint(std::string_view message, Handler&& handle) {
  protozero::pbf_reader field = reader(message);
  while (field.next()) {
    if (is_varint(field)) {
      const auto tag = field.tag();
      handle(tag, field.get_uint64());
    } else {
      field.skip();
    }
  }
}

/// Calls `handle(bytes)` for each length-delimited field `tag` of `message`.
template <class Handler>
void each_message(std::string_view message, protozero::pbf_tag_type tag, Handler&& handle) {
  protozero::pbf_reader field = reader(message);
  while (field.next()) {
    if (field.tag() == tag && is_bytes(field)) {
      handle(view(field));
    } else {
      field.skip();
    }
  }
}

}  // namespace wire

}  // namespace framegov
