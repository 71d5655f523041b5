// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "probes/locate/instruction_follower.h"

namespace framegov {

namespace {

constexpr std::size_t kStackPointer = 31;
constexpr std::size_t kZeroRegister = 32;
constexpr std::size_t kNoRegister = 33;

// AAPCS64: x0-x18 and x30 are the callee's to use.
constexpr std::size_t kLastScratch = 18;
constexpr std::size_t kLinkRegister = 30;

struct Register {
  std::size_t index = kNoRegister;
  bool wide = false;  ///< 64 bits
};

Register to_register(unsigned id) {
  if (id >= ARM64_REG_W0 && id <= ARM64_REG_W30) {
    return {id - ARM64_REG_W0, false};
  }
  if (id >= ARM64_REG_X0 && id <= ARM64_REG_X28) {
    return {id - ARM64_REG_X0, true};
  }
  switch (id) {
    case ARM64_REG_X29:
      return {29, true};
    case ARM64_REG_X30:
      return {kLinkRegister, true};
    case ARM64_REG_SP:
      return {kStackPointer, true};
    case ARM64_REG_WSP:
      return {kStackPointer, false};
    case ARM64_REG_XZR:
      return {kZeroRegister, true};
    case ARM64_REG_WZR:
      return {kZeroRegister, false};
    default:
      return {};
  }
}

/// Bytes that a register operand of a load or store moves; vectors by their names' first letters.
std::uint64_t register_size(unsigned id) {
  const Register reg = to_register(id);
  if (reg.index != kNoRegister) {
    return reg.wide ? 8 : 4;
  }
  if (id >= ARM64_REG_Q0 && id <= ARM64_REG_Q31) {
    return 16;
  }
  return id >= ARM64_REG_D0 && id <= ARM64_REG_D31 ? 8 : 4;
}

class Arm64Follower final : public InstructionFollower {
 public:
  explicit Arm64Follower(Disassembler disassembler) : disassembler_(std::move(disassembler)) {}

  [[nodiscard]] CallState entry_state() const override {
    CallState state;
    for (int n = 0; n < 5; ++n) {
      state.set(argument_register(n), AbstractValue::argument(n));
    }
    state.set(kStackPointer, AbstractValue::stack(0));
    return state;
  }

  [[nodiscard]] std::size_t argument_register(int n) const override {
    return static_cast<std::size_t>(n);
  }

  void after_call(CallState& state) const override {
    for (std::size_t i = 0; i <= kLastScratch; ++i) {
      state.forget(i);
    }
    state.forget(kLinkRegister);
  }

  [[nodiscard]] Step step(ByteView code, std::uint64_t address, CallState& state) override;

 private:
  void apply(const cs_insn& instruction, CallState& state) const;
  void apply_memory(const cs_insn& instruction, CallState& state, bool is_load) const;

  Disassembler disassembler_;
};

AbstractValue value_of(const CallState& state, unsigned id) {
  const Register reg = to_register(id);
  if (reg.index == kZeroRegister) {
    return AbstractValue::constant(0);
  }
  if (reg.index == kNoRegister) {
    return {};
  }
  return reg.wide ? state.at(reg.index) : state.at(reg.index).low_half();
}

void assign(CallState& state, unsigned id, AbstractValue value) {
  const Register reg = to_register(id);
  if (reg.index < CallState::kRegisters) {
    state.set(reg.index, reg.wide ? value : value.low_half());
  }
}

std::span<const cs_arm64_op> operands_of(const cs_insn& instruction) {
  const cs_arm64& detail = instruction.detail->arm64;
  return {detail.operands, detail.op_count};
}

bool is_register(const cs_arm64_op& operand) { return operand.type == ARM64_OP_REG; }

/// Everything that the instruction may write becomes unknown.
void forget_written(const cs_insn& instruction, CallState& state) {
  const auto operands = operands_of(instruction);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool written = i == 0 || (operands[i].access & CS_AC_WRITE) != 0;
    if (is_register(operands[i]) && written) {
      assign(state, operands[i].reg, {});
    } else if (operands[i].type == ARM64_OP_MEM && instruction.detail->arm64.writeback) {
      assign(state, operands[i].mem.base, {});
    }
  }
}

/// The value of the last operand of mov, add and sub where it is a plain number or register.
AbstractValue plain_value(const CallState& state, const cs_arm64_op& operand) {
  if (operand.type == ARM64_OP_IMM) {
    const unsigned shift = operand.shift.type == ARM64_SFT_LSL ? operand.shift.value & 63U : 0;
    return AbstractValue::constant(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.imm) << shift));
  }
  const bool plain = is_register(operand) && operand.shift.type == ARM64_SFT_INVALID &&
                     operand.ext == ARM64_EXT_INVALID;
  return plain ? value_of(state, operand.reg) : AbstractValue{};
}

AbstractValue sum(AbstractValue a, AbstractValue b, bool subtract) {
  using Kind = AbstractValue::Kind;
  if (!subtract && a.is(Kind::kConstant)) {
    std::swap(a, b);
  }
  if (!b.is(Kind::kConstant)) {
    return {};
  }
  const auto offset = static_cast<std::uint64_t>(b.number);
  return a.plus(static_cast<std::int64_t>(subtract ? 0 - offset : offset));
}

AbstractValue address_of(const CallState& state, const arm64_op_mem& memory,
                         const cs_arm64_op& operand) {
  const AbstractValue base = value_of(state, memory.base);
  if (memory.index == ARM64_REG_INVALID) {
    return base.plus(memory.disp);
  }
  const bool plain = operand.shift.value == 0 && operand.ext == ARM64_EXT_INVALID;
  return plain ? sum(base, value_of(state, memory.index), false) : AbstractValue{};
}

void Arm64Follower::apply_memory(const cs_insn& instruction, CallState& state, bool is_load) const {
  const auto operands = operands_of(instruction);
  std::size_t memory_at = 0;
  while (memory_at < operands.size() && operands[memory_at].type != ARM64_OP_MEM) {
    ++memory_at;
  }
  if (memory_at == operands.size()) {  // a load from beside the code
    forget_written(instruction, state);
    return;
  }
  const cs_arm64_op& memory = operands[memory_at];
  // Post-indexed: the number stands behind the memory operand and counts only afterwards.
  const bool post_indexed = memory_at + 1 < operands.size();
  AbstractValue address = address_of(state, memory.mem, memory);
  const AbstractValue after =
      post_indexed ? sum(address, plain_value(state, operands[memory_at + 1]), false) : address;
  const bool narrow = instruction.id != ARM64_INS_LDR && instruction.id != ARM64_INS_LDUR &&
                      instruction.id != ARM64_INS_LDP && instruction.id != ARM64_INS_STR &&
                      instruction.id != ARM64_INS_STUR && instruction.id != ARM64_INS_STP;
  const bool word = instruction.id == ARM64_INS_LDRSW || instruction.id == ARM64_INS_LDURSW ||
                    instruction.id == ARM64_INS_LDPSW;
  for (std::size_t i = 0; i < memory_at; ++i) {
    const unsigned id = operands[i].reg;
    const std::uint64_t size = word ? 4 : narrow ? 1 : register_size(id);
    if (is_load) {
      assign(state, id, narrow && !word ? AbstractValue{} : state.load(address, size));
    } else {
      // Half words are stored as one byte: enough to make the slot unknown.
      state.store(address, size, narrow ? AbstractValue{} : value_of(state, id));
    }
    address = address.plus(static_cast<std::int64_t>(size));
  }
  if (instruction.detail->arm64.writeback || post_indexed) {
    assign(state, memory.mem.base, after);
  }
}

void Arm64Follower::apply(const cs_insn& instruction, CallState& state) const {
  const auto operands = operands_of(instruction);
  switch (instruction.id) {
    case ARM64_INS_MOV:
    case ARM64_INS_MOVZ:
    case ARM64_INS_ADR:
    case ARM64_INS_ADRP:
      if (operands.size() == 2 && is_register(operands[0])) {
        assign(state, operands[0].reg, plain_value(state, operands[1]));
        return;
      }
      break;
    case ARM64_INS_ADD:
    case ARM64_INS_SUB:
      if (operands.size() == 3 && is_register(operands[0]) && is_register(operands[1])) {
        assign(state, operands[0].reg,
               sum(value_of(state, operands[1].reg), plain_value(state, operands[2]),
                   instruction.id == ARM64_INS_SUB));
        return;
      }
      break;
    case ARM64_INS_SXTW:
      if (operands.size() == 2 && is_register(operands[0]) && is_register(operands[1])) {
        assign(state, operands[0].reg, value_of(state, operands[1].reg).low_half());
        return;
      }
      break;
    case ARM64_INS_LDR:
    case ARM64_INS_LDUR:
    case ARM64_INS_LDP:
    case ARM64_INS_LDRSW:
    case ARM64_INS_LDURSW:
    case ARM64_INS_LDPSW:
    case ARM64_INS_LDRB:
    case ARM64_INS_LDRH:
    case ARM64_INS_LDRSB:
    case ARM64_INS_LDRSH:
    case ARM64_INS_LDURB:
    case ARM64_INS_LDURH:
      apply_memory(instruction, state, true);
      return;
    case ARM64_INS_STR:
    case ARM64_INS_STUR:
    case ARM64_INS_STP:
    case ARM64_INS_STRB:
    case ARM64_INS_STRH:
    case ARM64_INS_STURB:
    case ARM64_INS_STURH:
      apply_memory(instruction, state, false);
      return;
    case ARM64_INS_CMP:
    case ARM64_INS_CMN:
    case ARM64_INS_TST:
    case ARM64_INS_CCMP:
    case ARM64_INS_CCMN:
    case ARM64_INS_PRFM:
    case ARM64_INS_HINT:
    case ARM64_INS_NOP:
      return;
    default:
      break;
  }
  forget_written(instruction, state);
}

/// Instructions newer than the disassembler: their first operand, by the encoding's low bits, is
/// taken as written. Branches of that kind end the path.
Step step_over_unknown(ByteView code, CallState& state) {
  Step step{Step::Flow::kEnd, 4, 0, {}};
  const auto word = code.read<std::uint32_t>(0);
  if (!word) {
    return step;
  }
  const std::uint32_t group = (*word >> 26U) & 7U;
  constexpr std::uint32_t kBranchesAndSystem = 5;
  if (group != kBranchesAndSystem && *word != 0) {
    state.forget(*word & 31U);
    step.flow = Step::Flow::kNext;
  }
  return step;
}

Step Arm64Follower::step(ByteView code, std::uint64_t address, CallState& state) {
  const cs_insn* instruction = disassembler_.decode(code, address);
  if (instruction == nullptr) {
    return step_over_unknown(code, state);
  }
  Step step{Step::Flow::kNext, instruction->size, 0, {}};
  const auto operands = operands_of(*instruction);
  if (!operands.empty() && operands.back().type == ARM64_OP_IMM) {
    step.target = static_cast<std::uint64_t>(operands.back().imm);
  }
  switch (instruction->id) {
    case ARM64_INS_B:
      step.flow = instruction->detail->arm64.cc == ARM64_CC_INVALID ? Step::Flow::kJump
                                                                    : Step::Flow::kBranch;
      break;
    case ARM64_INS_CBZ:
    case ARM64_INS_CBNZ:
    case ARM64_INS_TBZ:
    case ARM64_INS_TBNZ:
      step.flow = Step::Flow::kBranch;
      break;
    case ARM64_INS_BL:
      step.flow = Step::Flow::kCall;
      break;
    case ARM64_INS_BLR:
      step.flow = Step::Flow::kIndirectCall;
      step.callee = operands.empty() ? AbstractValue{} : value_of(state, operands[0].reg);
      break;
    case ARM64_INS_BR:
      step.flow = Step::Flow::kIndirectJump;
      step.callee = operands.empty() ? AbstractValue{} : value_of(state, operands[0].reg);
      break;
    case ARM64_INS_RET:
    case ARM64_INS_BRK:
      step.flow = Step::Flow::kEnd;
      break;
    default:
      apply(*instruction, state);
  }
  return step;
}

}  // namespace

std::unique_ptr<InstructionFollower> make_arm64_follower() {
  auto disassembler = Disassembler::open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN);
  return disassembler ? std::make_unique<Arm64Follower>(*std::move(disassembler)) : nullptr;
}

}  // namespace framegov
