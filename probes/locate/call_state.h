// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace framegov {

/// JNIEnv's slot 204, GetLongArrayRegion (jni.h), in bytes.
inline constexpr std::int64_t kGetLongArrayRegionOffset = 204 * 8;

/// What is known of a 64-bit value while a function is followed from its entry.
struct AbstractValue {
  enum class Kind : std::uint8_t {
    kUnknown,
    kArgument,  ///< the function's argument `number`, as it was passed (0: the JNIEnv*)
    kConstant,  ///< `number`
    kStack,     ///< address: the stack pointer at entry plus `number`
    kTable,     ///< address: the JNI function table plus `number`
    kMethod,    ///< the address of GetLongArrayRegion, loaded from the table
    kLoaded,    ///< what stands at the fixed address `number` (a GOT slot)
  };
  Kind kind = Kind::kUnknown;
  std::int64_t number = 0;

  bool operator==(const AbstractValue&) const = default;

  [[nodiscard]] bool is(Kind k) const { return kind == k; }
  [[nodiscard]] bool is_argument(std::int64_t n) const {
    return is(Kind::kArgument) && number == n;
  }
  [[nodiscard]] bool is_env() const { return is_argument(0); }
  /// An address of ours, or arithmetic on it.
  [[nodiscard]] AbstractValue plus(std::int64_t offset) const;
  /// What is left when only the low 32 bits are kept: pointers are lost, the ints stay.
  [[nodiscard]] AbstractValue low_half() const;

  static AbstractValue argument(std::int64_t n) { return {Kind::kArgument, n}; }
  static AbstractValue constant(std::int64_t n) { return {Kind::kConstant, n}; }
  static AbstractValue stack(std::int64_t n) { return {Kind::kStack, n}; }
};

/// Registers and stack slots on one path through a function: enough to know a JNIEnv*, its function
/// table and slot 204 when they are moved, spilled and reloaded. Everything else is unknown.
/// Memory other than the function's own stack is not followed.
class CallState {
 public:
  static constexpr std::size_t kRegisters = 32;

  [[nodiscard]] const AbstractValue& at(std::size_t index) const { return registers_.at(index); }
  void set(std::size_t index, AbstractValue value) { registers_.at(index) = value; }
  void forget(std::size_t index) { registers_.at(index) = {}; }

  /// The `size` bytes at `address`: from the stack, from the JNIEnv or from its table.
  [[nodiscard]] AbstractValue load(AbstractValue address, std::uint64_t size) const;
  /// Stores of unknown values make the slots they touch unknown.
  void store(AbstractValue address, std::uint64_t size, AbstractValue value);

  /// False when no JNIEnv*, table or method can be reached any more: the path leads nowhere.
  [[nodiscard]] bool can_reach_method() const;

  bool operator==(const CallState&) const = default;

 private:
  struct Slot {
    std::int64_t offset{};
    std::int64_t size{};
    AbstractValue value;
    bool operator==(const Slot&) const = default;
  };
  static constexpr std::size_t kMaxSlots = 128;

  std::array<AbstractValue, kRegisters> registers_{};
  std::vector<Slot> slots_;
};

}  // namespace framegov
