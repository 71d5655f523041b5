// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "probes/locate/byte_view.h"
#include "probes/locate/elf_image.h"

namespace framegov {

/// A word that the loader writes: `value` at `address`, both as if the library were loaded at 0.
using RelocatedWordVisitor = std::function<void(std::uint64_t address, std::uint64_t value)>;

/// Calls `visit` with every pointer that relative and absolute relocations put into the library, in
/// the loader's order (a later one wins): RELR (DT_RELR and DT_ANDROID_RELR), APS2 packed
/// (DT_ANDROID_RELA, DT_ANDROID_REL), RELA and REL, GOT slots included, whichever and however many
/// the file has.
///
/// Errors (kBadInput): a table that is outside of the file or does not decode, or more relocations
/// than any real library has. Words visited before the error are not to be relied upon.
/// Source: bionic linker_relocs.h, linker_reloc_iterators.h; the RELR proposal of the generic ABI.
[[nodiscard]] Status for_each_relocated_word(const ElfImage& image,
                                             const RelocatedWordVisitor& visit);

/// The encodings that the file has, such as "RELA + RELR"; empty when it has none.
[[nodiscard]] std::string relocation_encodings(const ElfImage& image);

/// One relocation record as RELA has it.
struct RelocationRecord {
  std::uint64_t offset{};
  std::uint64_t info{};
  std::int64_t addend{};
};

// The decoders by themselves. Each stops with an error after `kMaxRelocations` records: three times
// what the largest libraries of phones have.
inline constexpr std::uint64_t kMaxRelocations = std::uint64_t{1} << 20U;

/// APS2: "APS2", then SLEB128 numbers: count, first offset, groups. Relocations without an addend
/// have 0.
[[nodiscard]] Status for_each_packed_relocation(
    ByteView table, const std::function<void(const RelocationRecord&)>& visit);

/// RELR: an even entry is an address, an odd one a bitmap of the 63 words after the last address.
[[nodiscard]] Status for_each_relr_address(ByteView table,
                                           const std::function<void(std::uint64_t)>& visit);

}  // namespace framegov
