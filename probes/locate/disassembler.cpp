// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/instruction_follower.h"

namespace framegov {

void Disassembler::CloseHandle::operator()(csh* handle) const {
  cs_close(handle);
  delete handle;
}

std::optional<Disassembler> Disassembler::open(cs_arch architecture, cs_mode mode) {
  auto handle = std::make_unique<csh>();
  if (cs_open(architecture, mode, handle.get()) != CS_ERR_OK) {
    return std::nullopt;
  }
  Disassembler disassembler;
  disassembler.handle_.reset(handle.release());
  cs_option(disassembler.handle(), CS_OPT_DETAIL, CS_OPT_ON);
  disassembler.instruction_.reset(cs_malloc(disassembler.handle()));
  if (disassembler.instruction_ == nullptr) {
    return std::nullopt;
  }
  return disassembler;
}

const cs_insn* Disassembler::decode(ByteView code, std::uint64_t address) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(code.data());
  std::size_t size = code.size();
  const bool decoded = cs_disasm_iter(handle(), &bytes, &size, &address, instruction_.get());
  return decoded ? instruction_.get() : nullptr;
}

}  // namespace framegov
