// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <span>

#include "probes/locate/instruction_follower.h"

namespace framegov {

namespace {

enum : std::size_t { kRax, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi, kR8 };
constexpr std::size_t kNoRegister = CallState::kRegisters;
constexpr std::int64_t kWord = 8;

// System V ABI: the first five integer arguments, and what a callee need not keep.
constexpr std::array<std::size_t, 5> kArguments = {kRdi, kRsi, kRdx, kRcx, kR8};
constexpr std::array<std::size_t, 9> kScratch = {kRax, kRcx, kRdx, kRsi, kRdi, kR8, 9, 10, 11};

struct Register {
  std::size_t index = kNoRegister;
  std::uint64_t size = 0;  ///< bytes
};

struct RegisterNames {
  unsigned quad, dword;
};
constexpr std::array<RegisterNames, 16> kNames = {{
    {X86_REG_RAX, X86_REG_EAX},
    {X86_REG_RCX, X86_REG_ECX},
    {X86_REG_RDX, X86_REG_EDX},
    {X86_REG_RBX, X86_REG_EBX},
    {X86_REG_RSP, X86_REG_ESP},
    {X86_REG_RBP, X86_REG_EBP},
    {X86_REG_RSI, X86_REG_ESI},
    {X86_REG_RDI, X86_REG_EDI},
    {X86_REG_R8, X86_REG_R8D},
    {X86_REG_R9, X86_REG_R9D},
    {X86_REG_R10, X86_REG_R10D},
    {X86_REG_R11, X86_REG_R11D},
    {X86_REG_R12, X86_REG_R12D},
    {X86_REG_R13, X86_REG_R13D},
    {X86_REG_R14, X86_REG_R14D},
    {X86_REG_R15, X86_REG_R15D},
}};

// Bytes and half words keep the rest of their register: followed only as "no longer known".
constexpr std::array<std::array<unsigned, 3>, 16> kPartialNames = {{
    {X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_SP, X86_REG_SPL, X86_REG_SPL},
    {X86_REG_BP, X86_REG_BPL, X86_REG_BPL},
    {X86_REG_SI, X86_REG_SIL, X86_REG_SIL},
    {X86_REG_DI, X86_REG_DIL, X86_REG_DIL},
    {X86_REG_R8W, X86_REG_R8B, X86_REG_R8B},
    {X86_REG_R9W, X86_REG_R9B, X86_REG_R9B},
    {X86_REG_R10W, X86_REG_R10B, X86_REG_R10B},
    {X86_REG_R11W, X86_REG_R11B, X86_REG_R11B},
    {X86_REG_R12W, X86_REG_R12B, X86_REG_R12B},
    {X86_REG_R13W, X86_REG_R13B, X86_REG_R13B},
    {X86_REG_R14W, X86_REG_R14B, X86_REG_R14B},
    {X86_REG_R15W, X86_REG_R15B, X86_REG_R15B},
}};

Register to_register(unsigned id) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].quad == id) {
      return {i, 8};
    }
    if (kNames[i].dword == id) {
      return {i, 4};
    }
    for (const unsigned partial : kPartialNames[i]) {
      if (partial == id) {
        return {i, 1};
      }
    }
  }
  return {};
}

AbstractValue value_of(const CallState& state, unsigned id) {
  const Register reg = to_register(id);
  if (reg.index == kNoRegister || reg.size < 4) {
    return {};
  }
  return reg.size == 8 ? state.at(reg.index) : state.at(reg.index).low_half();
}

void assign(CallState& state, unsigned id, AbstractValue value) {
  const Register reg = to_register(id);
  if (reg.index == kNoRegister) {
    return;
  }
  state.set(reg.index, reg.size == 8 ? value : reg.size == 4 ? value.low_half() : AbstractValue{});
}

/// `next` is the address of the instruction behind the one whose operand this is.
AbstractValue address_of(const CallState& state, const x86_op_mem& memory, std::uint64_t next) {
  if (memory.segment != X86_REG_INVALID) {
    return {};
  }
  if (memory.base == X86_REG_RIP) {
    return AbstractValue::constant(static_cast<std::int64_t>(next)).plus(memory.disp);
  }
  if (memory.index == X86_REG_INVALID) {
    return value_of(state, memory.base).plus(memory.disp);
  }
  const AbstractValue index = value_of(state, memory.index);
  if (memory.scale != 1 || !index.is(AbstractValue::Kind::kConstant)) {
    return {};
  }
  return value_of(state, memory.base).plus(index.number).plus(memory.disp);
}

AbstractValue operand_value(const CallState& state, const cs_x86_op& operand, std::uint64_t next) {
  switch (operand.type) {
    case X86_OP_REG:
      return value_of(state, operand.reg);
    case X86_OP_IMM:
      return AbstractValue::constant(operand.imm);
    case X86_OP_MEM:
      return state.load(address_of(state, operand.mem, next), operand.size);
    default:
      return {};
  }
}

void write_operand(CallState& state, const cs_x86_op& operand, AbstractValue value,
                   std::uint64_t next) {
  if (operand.type == X86_OP_REG) {
    assign(state, operand.reg, value);
  } else if (operand.type == X86_OP_MEM) {
    state.store(address_of(state, operand.mem, next), operand.size, value);
  }
}

void push(CallState& state, AbstractValue value) {
  state.set(kRsp, state.at(kRsp).plus(-kWord));
  state.store(state.at(kRsp), kWord, value);
}

AbstractValue pop(CallState& state) {
  const AbstractValue value = state.load(state.at(kRsp), kWord);
  state.set(kRsp, state.at(kRsp).plus(kWord));
  return value;
}

std::span<const cs_x86_op> operands_of(const cs_insn& instruction) {
  const cs_x86& detail = instruction.detail->x86;
  return {detail.operands, detail.op_count};
}

class X8664Follower final : public InstructionFollower {
 public:
  explicit X8664Follower(Disassembler disassembler) : disassembler_(std::move(disassembler)) {}

  [[nodiscard]] CallState entry_state() const override {
    CallState state;
    for (int n = 0; n < 5; ++n) {
      state.set(argument_register(n), AbstractValue::argument(n));
    }
    state.set(kRsp, AbstractValue::stack(0));
    return state;
  }

  [[nodiscard]] std::size_t argument_register(int n) const override {
    return kArguments.at(static_cast<std::size_t>(n));
  }

  void after_call(CallState& state) const override {
    for (const std::size_t index : kScratch) {
      state.forget(index);
    }
  }

  [[nodiscard]] Step step(ByteView code, std::uint64_t address, CallState& state) override;

 private:
  void apply(const cs_insn& instruction, CallState& state) const;
  void forget_written(const cs_insn& instruction, CallState& state) const;

  Disassembler disassembler_;
};

void X8664Follower::forget_written(const cs_insn& instruction, CallState& state) const {
  const auto operands = operands_of(instruction);
  const std::uint64_t next = instruction.address + instruction.size;
  for (const cs_x86_op& operand : operands) {
    if ((operand.access & CS_AC_WRITE) != 0) {
      write_operand(state, operand, {}, next);
    }
  }
  const cs_detail& detail = *instruction.detail;
  for (std::size_t i = 0; i < detail.regs_write_count; ++i) {
    assign(state, detail.regs_write[i], {});
  }
}

void X8664Follower::apply(const cs_insn& instruction, CallState& state) const {
  const auto operands = operands_of(instruction);
  const bool two = operands.size() == 2;
  const std::uint64_t next = instruction.address + instruction.size;
  switch (instruction.id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVSXD:
      if (two) {
        // A sign-extended int is still the int that was passed.
        write_operand(state, operands[0], operand_value(state, operands[1], next), next);
        return;
      }
      break;
    case X86_INS_LEA:
      if (two && operands[1].type == X86_OP_MEM) {
        write_operand(state, operands[0], address_of(state, operands[1].mem, next), next);
        return;
      }
      break;
    case X86_INS_XOR:
      if (two && operands[0].type == X86_OP_REG && operands[1].type == X86_OP_REG &&
          operands[0].reg == operands[1].reg) {
        write_operand(state, operands[0], AbstractValue::constant(0), next);
        return;
      }
      break;
    case X86_INS_ADD:
    case X86_INS_SUB:
      if (two && operands[0].type == X86_OP_REG && operands[1].type == X86_OP_IMM) {
        const auto number = static_cast<std::uint64_t>(operands[1].imm);
        const auto offset = instruction.id == X86_INS_SUB ? 0 - number : number;
        write_operand(
            state, operands[0],
            operand_value(state, operands[0], next).plus(static_cast<std::int64_t>(offset)), next);
        return;
      }
      break;
    case X86_INS_PUSH:
      if (operands.size() == 1 && operands[0].size == kWord) {
        push(state, operand_value(state, operands[0], next));
        return;
      }
      break;
    case X86_INS_POP:
      if (operands.size() == 1 && operands[0].size == kWord) {
        write_operand(state, operands[0], pop(state), next);
        return;
      }
      break;
    case X86_INS_LEAVE:
      state.set(kRsp, state.at(kRbp));
      state.set(kRbp, pop(state));
      return;
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_NOP:
      return;
    default:
      break;
  }
  forget_written(instruction, state);
}

Step X8664Follower::step(ByteView code, std::uint64_t address, CallState& state) {
  const cs_insn* instruction = disassembler_.decode(code, address);
  if (instruction == nullptr) {
    return {Step::Flow::kEnd, 0, 0, {}};
  }
  Step step{Step::Flow::kNext, instruction->size, 0, {}};
  const auto operands = operands_of(*instruction);
  const bool direct = operands.size() == 1 && operands[0].type == X86_OP_IMM;
  if (direct) {
    step.target = static_cast<std::uint64_t>(operands[0].imm);
  } else if (operands.size() == 1) {
    step.callee = operand_value(state, operands[0], address + instruction->size);
  }
  switch (instruction->id) {
    case X86_INS_CALL:
      step.flow = direct ? Step::Flow::kCall : Step::Flow::kIndirectCall;
      break;
    case X86_INS_JMP:
      step.flow = direct ? Step::Flow::kJump : Step::Flow::kIndirectJump;
      break;
    case X86_INS_RET:
    case X86_INS_UD2:
    case X86_INS_INT3:
    case X86_INS_HLT:
      step.flow = Step::Flow::kEnd;
      break;
    default:
      if (direct && cs_insn_group(disassembler_.handle(), instruction, CS_GRP_JUMP)) {
        step.flow = Step::Flow::kBranch;
      } else {
        apply(*instruction, state);
      }
  }
  return step;
}

}  // namespace

std::unique_ptr<InstructionFollower> make_x86_64_follower() {
  auto disassembler = Disassembler::open(CS_ARCH_X86, CS_MODE_64);
  return disassembler ? std::make_unique<X8664Follower>(*std::move(disassembler)) : nullptr;
}

}  // namespace framegov
