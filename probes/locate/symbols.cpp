// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/symbols.h"

#include <elf.h>

#include <algorithm>

namespace framegov {

namespace {

constexpr std::uint64_t kMaxName = 512;

std::size_t visit_functions(ByteView symbols, std::uint64_t count, ByteView names,
                            const SymbolVisitor& visit) {
  count = std::min(count, symbols.size() / sizeof(Elf64_Sym));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = *symbols.read<Elf64_Sym>(i * sizeof(Elf64_Sym));
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) {
      continue;
    }
    if (const auto name = names.c_string(symbol.st_name, kMaxName)) {
      visit(*name, symbol.st_value);
    }
  }
  return count;
}

/// The highest symbol index in a DT_GNU_HASH table, plus one.
std::uint64_t gnu_hash_count(ByteView table) {
  struct GnuHash {
    std::uint32_t buckets, first_symbol, bloom_words, bloom_shift;
  };
  const auto header = table.read<GnuHash>(0);
  if (!header) {
    return 0;
  }
  const std::uint64_t buckets_at = sizeof(GnuHash) + std::uint64_t{header->bloom_words} * 8;
  std::uint32_t last = 0;
  for (std::uint64_t i = 0; i < header->buckets; ++i) {
    const auto bucket = table.read<std::uint32_t>(buckets_at + i * 4);
    if (!bucket) {
      return 0;
    }
    last = std::max(last, *bucket);
  }
  if (last < header->first_symbol) {
    return header->first_symbol;
  }
  const std::uint64_t chains_at = buckets_at + std::uint64_t{header->buckets} * 4;
  for (std::uint64_t index = last;; ++index) {
    const auto chain = table.read<std::uint32_t>(chains_at + (index - header->first_symbol) * 4);
    if (!chain || (*chain & 1U) != 0) {
      return index + 1;
    }
  }
}

std::uint64_t exported_count(const ElfImage& image) {
  if (const auto address = image.dynamic(DT_HASH)) {
    // nbucket, nchain; one chain entry for each symbol.
    return image.read<std::uint32_t>(*address + 4).value_or(0);
  }
  if (const auto address = image.dynamic(DT_GNU_HASH)) {
    return gnu_hash_count(image.bytes_from(*address));
  }
  return 0;
}

}  // namespace

std::size_t for_each_exported_function(const ElfImage& image, const SymbolVisitor& visit) {
  const auto address = image.dynamic(DT_SYMTAB);
  const auto names = image.dynamic_table(DT_STRTAB, DT_STRSZ);
  if (!address || !names || !*names) {
    return 0;
  }
  return visit_functions(image.bytes_from(*address), exported_count(image), **names, visit);
}

std::size_t for_each_local_function(const ElfSections& sections, const SymbolVisitor& visit) {
  const auto symbols = sections.of_type(SHT_SYMTAB);
  const auto names = symbols ? sections.at(symbols->link) : std::nullopt;
  if (!names || names->type != SHT_STRTAB) {
    return 0;
  }
  return visit_functions(symbols->bytes, symbols->bytes.size() / sizeof(Elf64_Sym), names->bytes,
                         visit);
}

}  // namespace framegov
