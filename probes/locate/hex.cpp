// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/hex.h"

#include <sha1.h>

#include <array>

namespace framegov {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string hex_number(std::uint64_t number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), kDigits[number & 0xFU]);
    number >>= 4U;
  } while (number != 0);
  return "0x" + digits;
}

std::string hex_bytes(ByteView bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::uint64_t i = 0; i < bytes.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(bytes.data()[i]);
    text.push_back(kDigits[byte >> 4U]);
    text.push_back(kDigits[byte & 0xFU]);
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxShown = 40;
  std::string shown = "\"";
  for (const char c : text.substr(0, kMaxShown)) {
    shown.push_back(c >= ' ' && c <= '~' ? c : '?');
  }
  return shown + (text.size() > kMaxShown ? "...\"" : "\"");
}

std::string sha1_hex(ByteView bytes) {
  SHA1_CTX context;
  ::SHA1Init(&context);
  ::SHA1Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::array<std::uint8_t, SHA1_DIGEST_LENGTH> digest{};
  ::SHA1Final(digest.data(), &context);
  return hex_bytes(ByteView(std::as_bytes(std::span(digest))));
}

}  // namespace framegov
