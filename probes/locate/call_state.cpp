// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/call_state.h"

#include <algorithm>

namespace framegov {

namespace {

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

bool leads_to_method(const AbstractValue& value) {
  return value.is_env() || value.is(AbstractValue::Kind::kTable) ||
         value.is(AbstractValue::Kind::kMethod);
}

}  // namespace

AbstractValue AbstractValue::plus(std::int64_t offset) const {
  switch (kind) {
    case Kind::kConstant:
    case Kind::kStack:
    case Kind::kTable:
      return {kind, wrapping_add(number, offset)};
    case Kind::kArgument:
      return offset == 0 ? *this : AbstractValue{};
    default:
      return {};
  }
}

AbstractValue AbstractValue::low_half() const {
  if (is(Kind::kConstant)) {
    return constant(static_cast<std::int32_t>(static_cast<std::uint32_t>(number)));
  }
  return is(Kind::kArgument) && number != 0 ? *this : AbstractValue{};
}

AbstractValue CallState::load(AbstractValue address, std::uint64_t size) const {
  using Kind = AbstractValue::Kind;
  constexpr std::uint64_t kPointer = 8;
  if (address.is_env() && size == kPointer) {
    return {Kind::kTable, 0};
  }
  if (address.is(Kind::kTable) && size == kPointer && address.number == kGetLongArrayRegionOffset) {
    return {Kind::kMethod, 0};
  }
  if (address.is(Kind::kConstant) && size == kPointer) {
    return {Kind::kLoaded, address.number};
  }
  if (address.is(Kind::kStack)) {
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) {
      return s.offset == address.number && s.size >= static_cast<std::int64_t>(size);
    });
    if (slot != slots_.end() && size >= 4) {
      return size == kPointer ? slot->value : slot->value.low_half();
    }
  }
  return {};
}

void CallState::store(AbstractValue address, std::uint64_t size, AbstractValue value) {
  if (!address.is(AbstractValue::Kind::kStack)) {
    return;
  }
  const auto bytes = static_cast<std::int64_t>(size);
  const std::int64_t begin = address.number;
  std::erase_if(slots_, [&](const Slot& s) {
    return s.offset < wrapping_add(begin, bytes) && begin < wrapping_add(s.offset, s.size);
  });
  if (!value.is(AbstractValue::Kind::kUnknown) && slots_.size() < kMaxSlots) {
    slots_.push_back({begin, bytes, value});
  }
}

bool CallState::can_reach_method() const {
  return std::any_of(registers_.begin(), registers_.end(), leads_to_method) ||
         std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return leads_to_method(slot.value); });
}

}  // namespace framegov
