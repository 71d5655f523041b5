// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/elf_image.h"

#include <elf.h>

#include <algorithm>

#include "probes/locate/hex.h"

namespace framegov {

namespace {

// Far above what any library has; a file beyond them was made to cost time.
constexpr std::size_t kMaxLoadSegments = 64;
constexpr std::size_t kMaxDynamicEntries = 1024;
constexpr std::size_t kMaxBuildId = 64;
constexpr int kMaxNotes = 256;

tl::unexpected<Error> bad(std::string message) {
  return fail(ExitCode::kBadInput, std::move(message));
}

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_ARM:
      return "arm";
    case EM_386:
      return "x86";
    case EM_RISCV:
      return "riscv";
    case EM_MIPS:
      return "mips";
    default:
      return "machine " + std::to_string(machine);
  }
}

Result<Architecture> architecture_of(std::uint16_t machine) {
  switch (machine) {
    case EM_AARCH64:
      return Architecture::kArm64;
    case EM_X86_64:
      return Architecture::kX86_64;
    default:
      return bad("a library for " + machine_name(machine) + ": only arm64 and x86_64 are known");
  }
}

}  // namespace

Result<ElfImage> ElfImage::parse(ByteView file) {
  const auto ident = file.sub(0, EI_NIDENT);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) {
    return bad(file.size() < EI_NIDENT ? "not an ELF file: too short" : "not an ELF file");
  }
  const auto ident_byte = [&](int i) { return std::to_integer<int>(ident->data()[i]); };
  if (ident_byte(EI_CLASS) == ELFCLASS32) {
    const auto machine = file.read<Elf32_Ehdr>(0).value_or(Elf32_Ehdr{}).e_machine;
    return bad("a 32-bit library (" + machine_name(machine) +
               "): 32-bit processes cannot be probed");
  }
  if (ident_byte(EI_CLASS) != ELFCLASS64 || ident_byte(EI_DATA) != ELFDATA2LSB) {
    return bad("not a 64-bit little-endian ELF file");
  }
  const auto header = file.read<Elf64_Ehdr>(0);
  if (!header) {
    return bad("truncated: the ELF header is cut off");
  }
  FRAMEGOV_TRY(const auto architecture, architecture_of(header->e_machine));
  if (header->e_type != ET_DYN) {
    return bad("not a shared library (ELF type " + std::to_string(header->e_type) + ")");
  }
  if (header->e_phnum == 0 || header->e_phentsize != sizeof(Elf64_Phdr)) {
    return bad("corrupt: no program headers");
  }
  ElfImage image;
  image.file_ = file;
  image.architecture_ = architecture;
  FRAMEGOV_TRY_STATUS(image.read_program_headers(header->e_phoff, header->e_phnum));
  FRAMEGOV_TRY(auto sections, ElfSections::parse(file));
  image.sections_ = std::move(sections);
  return image;
}

Status ElfImage::read_program_headers(std::uint64_t offset, std::uint16_t count) {
  const auto table = file_.sub(offset, std::uint64_t{count} * sizeof(Elf64_Phdr));
  if (!table) {
    return bad("truncated: the program headers are past the end of the file");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto header = *table->read<Elf64_Phdr>(i * sizeof(Elf64_Phdr));
    if (header.p_type != PT_LOAD && header.p_type != PT_DYNAMIC && header.p_type != PT_NOTE) {
      continue;
    }
    const auto bytes = file_.sub(header.p_offset, header.p_filesz);
    if (!bytes) {
      return bad("truncated: segment " + std::to_string(i) + " ends past the end of the file (" +
                 std::to_string(file_.size()) + " bytes)");
    }
    if (header.p_type == PT_DYNAMIC) {
      read_dynamic(*bytes);
    } else if (header.p_type == PT_NOTE) {
      read_build_id(*bytes);
    } else {
      if (header.p_vaddr + header.p_filesz < header.p_vaddr || header.p_filesz > header.p_memsz) {
        return bad("corrupt: segment " + std::to_string(i) + " has an impossible size");
      }
      if (segments_.size() == kMaxLoadSegments) {
        return bad("corrupt: more than " + std::to_string(kMaxLoadSegments) + " loaded segments");
      }
      segments_.push_back(
          {header.p_vaddr, header.p_offset, header.p_filesz, (header.p_flags & PF_X) != 0});
    }
  }
  if (segments_.empty()) {
    return bad("corrupt: nothing in it is loaded");
  }
  return {};
}

void ElfImage::read_dynamic(ByteView bytes) {
  for (std::uint64_t at = 0; dynamic_.size() < kMaxDynamicEntries; at += sizeof(Elf64_Dyn)) {
    const auto entry = bytes.read<Elf64_Dyn>(at);
    if (!entry || entry->d_tag == DT_NULL) {
      return;
    }
    dynamic_.push_back({entry->d_tag, entry->d_un.d_val});
  }
}

void ElfImage::read_build_id(ByteView notes) {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  std::uint64_t at = 0;
  for (int i = 0; i < kMaxNotes && build_id_.empty(); ++i) {
    const auto note = notes.read<Elf64_Nhdr>(at);
    if (!note) {
      return;
    }
    const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
    const std::uint64_t content_at = name_at + padded(note->n_namesz);
    const auto content = notes.sub(content_at, note->n_descsz);
    if (note->n_type == NT_GNU_BUILD_ID && notes.c_string(name_at, 4) == "GNU" && content &&
        !content->empty() && content->size() <= kMaxBuildId) {
      build_id_ = hex_bytes(*content);
    }
    at = content_at + padded(note->n_descsz);
  }
}

std::optional<std::uint64_t> ElfImage::offset_of(std::uint64_t address, std::uint64_t size) const {
  for (const LoadSegment& segment : segments_) {
    const std::uint64_t within = address - segment.address;
    if (address >= segment.address && within < segment.file_size &&
        size <= segment.file_size - within) {
      return segment.offset + within;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ElfImage::code_offset_of(std::uint64_t address) const {
  const std::uint64_t alignment = architecture_ == Architecture::kArm64 ? 4 : 1;
  const auto offset = address % alignment == 0 ? offset_of(address, alignment) : std::nullopt;
  return offset && is_code_offset(*offset) ? offset : std::nullopt;
}

bool ElfImage::is_code_offset(std::uint64_t offset) const {
  return std::any_of(segments_.begin(), segments_.end(), [&](const LoadSegment& segment) {
    return segment.executable && offset >= segment.offset &&
           offset - segment.offset < segment.file_size;
  });
}

ByteView ElfImage::bytes_from(std::uint64_t address) const {
  for (const LoadSegment& segment : segments_) {
    const std::uint64_t within = address - segment.address;
    if (address >= segment.address && within < segment.file_size) {
      return file_.sub(segment.offset + within, segment.file_size - within).value_or(ByteView{});
    }
  }
  return ByteView{};
}

ByteView ElfImage::code_at(std::uint64_t address, std::uint64_t max) const {
  for (const LoadSegment& segment : segments_) {
    const std::uint64_t within = address - segment.address;
    if (segment.executable && address >= segment.address && within < segment.file_size) {
      return file_.sub(segment.offset + within, std::min(max, segment.file_size - within))
          .value_or(ByteView{});
    }
  }
  return ByteView{};
}

bool ElfImage::has_string_at(std::uint64_t address, std::string_view text) const {
  const auto offset = offset_of(address, text.size() + 1);
  if (!offset) {
    return false;
  }
  const std::byte* found = file_.data() + *offset;
  return std::memcmp(found, text.data(), text.size()) == 0 && found[text.size()] == std::byte{0};
}

std::optional<std::string_view> ElfImage::string_at(std::uint64_t address,
                                                    std::uint64_t max) const {
  const auto offset = offset_of(address);
  return offset ? file_.c_string(*offset, max) : std::nullopt;
}

std::optional<std::uint64_t> ElfImage::dynamic(std::int64_t tag) const {
  const auto found = std::find_if(dynamic_.rbegin(), dynamic_.rend(),
                                  [&](const DynamicEntry& entry) { return entry.tag == tag; });
  return found == dynamic_.rend() ? std::nullopt : std::optional(found->value);
}

Result<std::optional<ByteView>> ElfImage::dynamic_table(std::int64_t address_tag,
                                                        std::int64_t size_tag) const {
  const auto address = dynamic(address_tag);
  const auto size = dynamic(size_tag);
  if (!address || !size || *size == 0) {
    return std::optional<ByteView>{};
  }
  const auto offset = offset_of(*address, *size);
  if (!offset) {
    return bad("corrupt: the table at " + hex_number(*address) + " (" + std::to_string(*size) +
               " bytes) is not in the file");
  }
  return file_.sub(*offset, *size);
}

}  // namespace framegov
