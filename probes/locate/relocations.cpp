// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/relocations.h"

#include <elf.h>

#include <array>
#include <optional>

namespace framegov {

namespace {

// Android's own tags (bionic, elf.h). DT_RELR is newer than some C libraries' headers.
constexpr std::int64_t kDtRelr = 36;
constexpr std::int64_t kDtRelrSize = 35;
constexpr std::int64_t kDtAndroidRel = 0x6000000f;
constexpr std::int64_t kDtAndroidRelSize = 0x60000010;
constexpr std::int64_t kDtAndroidRela = 0x60000011;
constexpr std::int64_t kDtAndroidRelaSize = 0x60000012;
constexpr std::int64_t kDtAndroidRelr = 0x6fffe000;
constexpr std::int64_t kDtAndroidRelrSize = 0x6fffe001;

enum class Encoding : std::uint8_t { kRelr, kPackedRela, kPackedRel, kRela, kRel };

struct TableKind {
  Encoding encoding;
  std::int64_t address_tag;
  std::int64_t size_tag;
  const char* name;  ///< null: it never holds registration rows, so it is not worth naming
};

constexpr std::array<TableKind, 7> kTables = {{
    {Encoding::kRelr, kDtRelr, kDtRelrSize, "RELR"},
    {Encoding::kRelr, kDtAndroidRelr, kDtAndroidRelrSize, "Android RELR"},
    {Encoding::kPackedRel, kDtAndroidRel, kDtAndroidRelSize, "APS2"},
    {Encoding::kPackedRela, kDtAndroidRela, kDtAndroidRelaSize, "APS2"},
    {Encoding::kRel, DT_REL, DT_RELSZ, "REL"},
    {Encoding::kRela, DT_RELA, DT_RELASZ, "RELA"},
    {Encoding::kRela, DT_JMPREL, DT_PLTRELSZ, nullptr},
}};

constexpr std::uint64_t kGroupedByInfo = 1;
constexpr std::uint64_t kGroupedByOffsetDelta = 2;
constexpr std::uint64_t kGroupedByAddend = 4;
constexpr std::uint64_t kGroupHasAddend = 8;

tl::unexpected<Error> corrupt(const std::string& what) {
  return fail(ExitCode::kBadInput, "corrupt relocations: " + what);
}

tl::unexpected<Error> too_many() {
  return corrupt("more than " + std::to_string(kMaxRelocations) + " of them");
}

/// Reads SLEB128 numbers one after the other. Arithmetic is modulo 2^64, as in the loader.
class SlebReader {
 public:
  SlebReader(ByteView bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

  std::optional<std::uint64_t> next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = bytes_.read<std::uint8_t>(at_);
      if (!byte) {
        return std::nullopt;
      }
      ++at_;
      value |= static_cast<std::uint64_t>(*byte & 0x7FU) << shift;
      if ((*byte & 0x80U) == 0) {
        const bool negative = (*byte & 0x40U) != 0 && shift + 7 < 64;
        return negative ? value | (~std::uint64_t{0} << (shift + 7)) : value;
      }
    }
    return std::nullopt;
  }

 private:
  ByteView bytes_;
  std::uint64_t at_;
};

/// What the loader writes for a record, or nothing for records that make no pointer into this
/// library (thread-locals, other libraries' symbols).
class RecordResolver {
 public:
  RecordResolver(const ElfImage& image, const RelocatedWordVisitor& visit)
      : image_(image), visit_(visit), symbols_(image.dynamic(DT_SYMTAB)) {}

  void resolve(RelocationRecord record, bool addend_in_place) const {
    const Meaning meaning = meaning_of(ELF64_R_TYPE(record.info));
    const auto symbol = ELF64_R_SYM(record.info);
    if (meaning == Meaning::kOther) {
      return;
    }
    auto value = static_cast<std::uint64_t>(record.addend);
    if (addend_in_place) {
      value = image_.read<std::uint64_t>(record.offset).value_or(0);
    }
    if (meaning == Meaning::kSymbol && symbol != 0) {
      const auto symbol_value = defined_symbol(symbol);
      if (!symbol_value) {
        return;
      }
      value += *symbol_value;
    }
    visit_(record.offset, value);
  }

 private:
  enum class Meaning : std::uint8_t { kRelative, kSymbol, kOther };

  [[nodiscard]] Meaning meaning_of(std::uint64_t type) const {
    if (image_.architecture() == Architecture::kArm64) {
      switch (type) {
        case R_AARCH64_RELATIVE:
          return Meaning::kRelative;
        case R_AARCH64_ABS64:
        case R_AARCH64_GLOB_DAT:
        case R_AARCH64_JUMP_SLOT:
          return Meaning::kSymbol;
        default:
          return Meaning::kOther;
      }
    }
    switch (type) {
      case R_X86_64_RELATIVE:
        return Meaning::kRelative;
      case R_X86_64_64:
      case R_X86_64_GLOB_DAT:
      case R_X86_64_JUMP_SLOT:
        return Meaning::kSymbol;
      default:
        return Meaning::kOther;
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> defined_symbol(std::uint64_t index) const {
    if (!symbols_) {
      return std::nullopt;
    }
    const auto symbol = image_.read<Elf64_Sym>(*symbols_ + index * sizeof(Elf64_Sym));
    return symbol && symbol->st_shndx != SHN_UNDEF ? std::optional(symbol->st_value) : std::nullopt;
  }

  const ElfImage& image_;
  const RelocatedWordVisitor& visit_;
  std::optional<std::uint64_t> symbols_;
};

Status visit_records(ByteView table, bool has_addend, const RecordResolver& resolver) {
  const std::uint64_t size = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  if (table.size() % size != 0) {
    return corrupt("the table's size is not a multiple of " + std::to_string(size));
  }
  if (table.size() / size > kMaxRelocations) {
    return too_many();
  }
  for (std::uint64_t at = 0; at < table.size(); at += size) {
    const auto plain = *table.read<Elf64_Rel>(at);
    const auto addend = has_addend ? *table.read<std::int64_t>(at + sizeof(Elf64_Rel)) : 0;
    resolver.resolve({plain.r_offset, plain.r_info, addend}, !has_addend);
  }
  return {};
}

Status visit_table(const ElfImage& image, Encoding encoding, ByteView table,
                   const RelocatedWordVisitor& visit) {
  const RecordResolver resolver(image, visit);
  switch (encoding) {
    case Encoding::kRelr:
      return for_each_relr_address(table, [&](std::uint64_t address) {
        // The addend stands in place.
        if (const auto value = image.read<std::uint64_t>(address)) {
          visit(address, *value);
        }
      });
    case Encoding::kPackedRela:
    case Encoding::kPackedRel:
      return for_each_packed_relocation(table, [&](const RelocationRecord& record) {
        resolver.resolve(record, encoding == Encoding::kPackedRel);
      });
    case Encoding::kRela:
    case Encoding::kRel:
      return visit_records(table, encoding == Encoding::kRela, resolver);
  }
  return {};
}

}  // namespace

Status for_each_packed_relocation(ByteView table,
                                  const std::function<void(const RelocationRecord&)>& visit) {
  constexpr std::string_view kMagic = "APS2";
  if (!table.contains(0, kMagic.size()) ||
      std::memcmp(table.data(), kMagic.data(), kMagic.size()) != 0) {
    return corrupt("no APS2 magic");
  }
  SlebReader reader(table, kMagic.size());
  const auto count = reader.next();
  const auto first_offset = reader.next();
  if (!count || !first_offset) {
    return corrupt("APS2 ends early");
  }
  if (*count > kMaxRelocations) {
    return too_many();
  }
  RelocationRecord record{*first_offset, 0, 0};
  for (std::uint64_t done = 0; done < *count;) {
    const auto group_size = reader.next();
    const auto flags = reader.next();
    if (!group_size || !flags) {
      return corrupt("APS2 ends early");
    }
    if (*group_size > *count - done) {
      return corrupt("an APS2 group is larger than the table");
    }
    const auto flag = [&](std::uint64_t bit) { return (*flags & bit) != 0; };
    bool complete = true;
    const auto number = [&] {
      const auto value = reader.next();
      complete = complete && value.has_value();
      return value.value_or(0);
    };
    const auto add = [&] {
      record.addend =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(record.addend) + number());
    };
    const std::uint64_t delta = flag(kGroupedByOffsetDelta) ? number() : 0;
    if (flag(kGroupedByInfo)) {
      record.info = number();
    }
    if (!flag(kGroupHasAddend)) {
      record.addend = 0;
    } else if (flag(kGroupedByAddend)) {
      add();
    }
    for (std::uint64_t i = 0; i < *group_size && complete; ++i) {
      record.offset += flag(kGroupedByOffsetDelta) ? delta : number();
      if (!flag(kGroupedByInfo)) {
        record.info = number();
      }
      if (flag(kGroupHasAddend) && !flag(kGroupedByAddend)) {
        add();
      }
      if (complete) {
        visit(record);
      }
    }
    if (!complete) {
      return corrupt("APS2 ends early");
    }
    // A group may be empty; the numbers it is made of still run out.
    done += *group_size;
  }
  return {};
}

Status for_each_relr_address(ByteView table, const std::function<void(std::uint64_t)>& visit) {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  if (table.size() % kWord != 0) {
    return corrupt("the RELR table's size is not a multiple of 8");
  }
  std::uint64_t visited = 0;
  std::uint64_t base = 0;
  for (std::uint64_t at = 0; at < table.size(); at += kWord) {
    const auto entry = *table.read<std::uint64_t>(at);
    if ((entry & 1U) == 0) {
      visit(entry);
      ++visited;
      base = entry + kWord;
    } else {
      std::uint64_t address = base;
      for (std::uint64_t bits = entry >> 1U; bits != 0; bits >>= 1U, address += kWord) {
        if ((bits & 1U) != 0) {
          visit(address);
          ++visited;
        }
      }
      base += 63 * kWord;
    }
    if (visited > kMaxRelocations) {
      return too_many();
    }
  }
  return {};
}

Status for_each_relocated_word(const ElfImage& image, const RelocatedWordVisitor& visit) {
  for (const TableKind& kind : kTables) {
    const auto table = image.dynamic_table(kind.address_tag, kind.size_tag);
    if (!table) {
      return corrupt(table.error().message);
    }
    if (!*table) {
      continue;
    }
    FRAMEGOV_TRY_STATUS(visit_table(image, kind.encoding, **table, visit));
  }
  return {};
}

std::string relocation_encodings(const ElfImage& image) {
  std::string names;
  for (const TableKind& kind : kTables) {
    if (kind.name != nullptr && image.dynamic(kind.address_tag) &&
        image.dynamic(kind.size_tag).value_or(0) != 0) {
      names += (names.empty() ? "" : " + ") + std::string(kind.name);
    }
  }
  return names;
}

}  // namespace framegov
