// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/elf_sections.h"

#include <elf.h>

#include <string>

namespace framegov {

Result<ElfSections> ElfSections::parse(ByteView file) {
  ElfSections sections;
  sections.file_ = file;
  const auto elf = file.read<Elf64_Ehdr>(0);
  if (!elf || elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_ident[EI_DATA] != ELFDATA2LSB ||
      std::memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0) {
    return fail(ExitCode::kBadInput, "not a 64-bit little-endian ELF file");
  }
  if (elf->e_shnum == 0 || elf->e_shentsize != sizeof(Elf64_Shdr)) {
    return sections;
  }
  // The linker writes the section headers last: where they are cut off, the file is, although all
  // that is loaded may still be there.
  const auto table = file.sub(elf->e_shoff, std::uint64_t{elf->e_shnum} * sizeof(Elf64_Shdr));
  if (!table) {
    return fail(ExitCode::kBadInput,
                "truncated: the section headers are past the end of the file (" +
                    std::to_string(file.size()) + " bytes)");
  }
  sections.names_ = elf->e_shstrndx;
  sections.headers_.reserve(elf->e_shnum);
  for (std::uint64_t i = 0; i < elf->e_shnum; ++i) {
    const auto header = *table->read<Elf64_Shdr>(i * sizeof(Elf64_Shdr));
    sections.headers_.push_back(
        {header.sh_name, header.sh_type, header.sh_link, header.sh_offset, header.sh_size});
  }
  return sections;
}

std::optional<ElfSections::Section> ElfSections::at(std::uint32_t index) const {
  if (index >= headers_.size()) {
    return std::nullopt;
  }
  const Header& header = headers_[index];
  const auto bytes = header.type == SHT_NOBITS ? ByteView{} : file_.sub(header.offset, header.size);
  return bytes ? std::optional(Section{header.type, header.link, *bytes}) : std::nullopt;
}

std::optional<ElfSections::Section> ElfSections::named(std::string_view name) const {
  const auto names = at(names_);
  for (std::uint32_t i = 0; names && i < headers_.size(); ++i) {
    if (names->bytes.c_string(headers_[i].name, name.size() + 1) == name) {
      return at(i);
    }
  }
  return std::nullopt;
}

std::optional<ElfSections::Section> ElfSections::of_type(std::uint32_t type) const {
  for (std::uint32_t i = 0; i < headers_.size(); ++i) {
    if (headers_[i].type == type) {
      return at(i);
    }
  }
  return std::nullopt;
}

}  // namespace framegov
