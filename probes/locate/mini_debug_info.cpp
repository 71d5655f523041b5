// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/mini_debug_info.h"

#include <lzma.h>

#include <algorithm>
#include <memory>

namespace framegov {

namespace {

constexpr std::uint64_t kMaxDecoderMemory = std::uint64_t{80} << 20U;
constexpr std::size_t kMaxUnpacked = std::size_t{32} << 20U;
constexpr std::size_t kFirstStep = std::size_t{1} << 18U;

const char* reason(lzma_ret code) {
  switch (code) {
    case LZMA_FORMAT_ERROR:
      return "it is not xz";
    case LZMA_MEMLIMIT_ERROR:
      return "it needs too much memory";
    case LZMA_BUF_ERROR:
      return "it ends early";
    default:
      return "it is damaged";
  }
}

}  // namespace

Result<std::vector<std::byte>> unpack_mini_debug_info(ByteView packed) {
  const auto refuse = [](const char* why) {
    return fail(ExitCode::kBadInput, std::string("the mini debug info cannot be read: ") + why);
  };
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxDecoderMemory, 0) != LZMA_OK) {
    return refuse("no memory for its decoder");
  }
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, lzma_end);
  std::vector<std::byte> unpacked;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  lzma_ret code = LZMA_OK;
  while (code == LZMA_OK) {
    const std::size_t done = unpacked.size();
    if (done >= kMaxUnpacked) {
      return refuse("it unpacks to more than 32 MiB");
    }
    unpacked.resize(std::min(kMaxUnpacked, std::max(kFirstStep, done * 2)));
    stream.next_out = reinterpret_cast<std::uint8_t*>(unpacked.data() + done);
    stream.avail_out = unpacked.size() - done;
    while (code == LZMA_OK && stream.avail_out != 0) {
      code = lzma_code(&stream, LZMA_FINISH);
    }
  }
  if (code != LZMA_STREAM_END) {
    return refuse(reason(code));
  }
  unpacked.resize(unpacked.size() - stream.avail_out);
  return unpacked;
}

}  // namespace framegov
