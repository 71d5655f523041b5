// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <capstone/capstone.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "probes/locate/byte_view.h"
#include "probes/locate/call_state.h"
#include "probes/locate/probe_sites.h"

namespace framegov {

/// What one instruction does to a path.
struct Step {
  enum class Flow : std::uint8_t {
    kNext,          ///< goes on after it
    kBranch,        ///< goes on after it or at `target`
    kJump,          ///< goes on at `target`
    kCall,          ///< calls `target`, then goes on after it
    kIndirectCall,  ///< calls `callee`, then goes on after it
    kIndirectJump,  ///< jumps to `callee`
    kEnd,           ///< return, trap, or nothing that can be decoded
  };
  Flow flow = Flow::kNext;
  std::uint64_t size{};    ///< of the instruction, bytes
  std::uint64_t target{};  ///< virtual address
  AbstractValue callee;    ///< what is called or jumped to
};

/// One architecture's instructions and calling convention.
class InstructionFollower {
 public:
  InstructionFollower() = default;
  InstructionFollower(const InstructionFollower&) = delete;
  InstructionFollower& operator=(const InstructionFollower&) = delete;
  virtual ~InstructionFollower() = default;

  /// Registers as they are when a JNI function is entered.
  [[nodiscard]] virtual CallState entry_state() const = 0;
  /// The register that carries argument `n` (0 to 4).
  [[nodiscard]] virtual std::size_t argument_register(int n) const = 0;
  /// Applies the instruction at `address` (its bytes start `code`) to `state`. Calls are not
  /// entered and change nothing: see after_call().
  [[nodiscard]] virtual Step step(ByteView code, std::uint64_t address, CallState& state) = 0;
  /// What a callee does to the registers it need not keep.
  virtual void after_call(CallState& state) const = 0;
};

/// Nothing when capstone cannot be set up.
[[nodiscard]] std::unique_ptr<InstructionFollower> make_arm64_follower();
[[nodiscard]] std::unique_ptr<InstructionFollower> make_x86_64_follower();

/// Owns a capstone handle and one instruction's space.
class Disassembler {
 public:
  static std::optional<Disassembler> open(cs_arch architecture, cs_mode mode);

  /// The instruction at the start of `code`, valid until the next call; null when it has none.
  [[nodiscard]] const cs_insn* decode(ByteView code, std::uint64_t address);
  [[nodiscard]] csh handle() const { return *handle_; }

 private:
  struct CloseHandle {
    void operator()(csh* handle) const;
  };
  struct FreeInstruction {
    void operator()(cs_insn* instruction) const { cs_free(instruction, 1); }
  };
  std::unique_ptr<csh, CloseHandle> handle_;
  std::unique_ptr<cs_insn, FreeInstruction> instruction_;
};

}  // namespace framegov
