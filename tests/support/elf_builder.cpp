// SPDX-License-Identifier: Apache-2.0
#include "tests/support/elf_builder.h"

#include <elf.h>

#include <cstring>
#include <span>

namespace framegov::test {

namespace {

constexpr std::uint64_t kTablesAddress = 0x4000000;
constexpr std::uint64_t kHeaders = 0x400;  // room for the ELF and program headers

template <class T>
void append_value(std::vector<std::byte>& bytes, const T& value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

void align(std::vector<std::byte>& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

}  // namespace

/// Relocations, symbols, note and PT_DYNAMIC: a segment of their own, behind the others.
struct ElfBuilder::Tables {
  std::vector<std::byte> bytes;
  std::vector<Elf64_Dyn> dynamic;
  std::uint64_t dynamic_at{}, dynamic_size{}, note_at{}, note_size{};

  void add(std::int64_t address_tag, std::int64_t size_tag, const std::vector<std::byte>& table) {
    align(bytes, 8);
    add_entry(address_tag, kTablesAddress + bytes.size());
    if (size_tag != 0) {
      add_entry(size_tag, table.size());
    }
    bytes.insert(bytes.end(), table.begin(), table.end());
  }
  void add_entry(std::int64_t tag, std::uint64_t value) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    dynamic.push_back(entry);
  }
};

void append_sleb(std::vector<std::byte>& bytes, std::int64_t value) {
  for (bool more = true; more;) {
    const auto low = static_cast<std::uint8_t>(value & 0x7f);
    value >>= 7;
    more = !((value == 0 && (low & 0x40U) == 0) || (value == -1 && (low & 0x40U) != 0));
    bytes.push_back(static_cast<std::byte>(low | (more ? 0x80U : 0U)));
  }
}

std::vector<std::byte> encode_relr(const std::vector<std::uint64_t>& addresses) {
  std::vector<std::byte> table;
  for (std::size_t i = 0; i < addresses.size();) {
    append_value(table, addresses[i]);
    std::uint64_t base = addresses[i++] + 8;
    while (i < addresses.size()) {
      std::uint64_t bits = 0;
      while (i < addresses.size() && addresses[i] - base < 63 * 8) {
        bits |= std::uint64_t{1} << ((addresses[i] - base) / 8);
        ++i;
      }
      if (bits == 0) {
        break;
      }
      append_value(table, (bits << 1U) | 1U);
      base += 63 * 8;
    }
  }
  return table;
}

std::uint64_t ElfBuilder::append(Segment& segment, const void* bytes, std::size_t size) {
  const std::uint64_t address = segment.address + segment.bytes.size();
  const auto* raw = static_cast<const std::byte*>(bytes);
  segment.bytes.insert(segment.bytes.end(), raw, raw + size);
  return address;
}

std::uint64_t ElfBuilder::add_code(const std::vector<std::uint32_t>& instructions) {
  align(code_.bytes, 4);
  return append(code_, instructions.data(), instructions.size() * 4);
}

std::uint64_t ElfBuilder::add_code_bytes(const std::vector<std::uint8_t>& bytes) {
  return append(code_, bytes.data(), bytes.size());
}

std::uint64_t ElfBuilder::add_string(const std::string& text) {
  return append(strings_, text.c_str(), text.size() + 1);
}

std::uint64_t ElfBuilder::add_words(std::size_t count) {
  const std::vector<std::uint64_t> zeros(count);
  return append(data_, zeros.data(), count * 8);
}

void ElfBuilder::relocate(std::uint64_t address, std::uint64_t value, Encoding encoding) {
  switch (encoding) {
    case Encoding::kRela:
      rela_[address] = value;
      return;
    case Encoding::kPacked:
      packed_[address] = value;
      return;
    case Encoding::kRelr:
    case Encoding::kAndroidRelr:
      (encoding == Encoding::kRelr ? relr_ : android_relr_)[address] = value;
      std::memcpy(data_.bytes.data() + (address - data_.address), &value, sizeof(value));
  }
}

std::uint64_t ElfBuilder::add_jni_row(const std::string& name, const std::string& signature,
                                      std::uint64_t function, Encoding encoding) {
  const std::uint64_t row = add_words(3);
  relocate(row, add_string(name), encoding);
  relocate(row + 8, add_string(signature), encoding);
  relocate(row + 16, function, encoding);
  return row;
}

void ElfBuilder::export_function(const std::string& name, std::uint64_t address) {
  exports_.emplace_back(name, address);
}

void ElfBuilder::add_section(const std::string& name, std::vector<std::byte> content) {
  sections_.emplace_back(name, std::move(content));
}

ElfBuilder::Tables ElfBuilder::make_tables() const {
  Tables tables;
  const std::uint64_t relative = machine_ == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
  if (!rela_.empty()) {
    std::vector<std::byte> rela;
    for (const auto& [address, value] : rela_) {
      append_value(rela, Elf64_Rela{address, relative, static_cast<std::int64_t>(value)});
    }
    tables.add(DT_RELA, DT_RELASZ, rela);
  }
  if (!packed_.empty()) {
    std::vector<std::byte> packed;
    for (const char c : std::string("APS2")) {
      packed.push_back(static_cast<std::byte>(c));
    }
    append_sleb(packed, static_cast<std::int64_t>(packed_.size()));
    append_sleb(packed, 0);
    append_sleb(packed, static_cast<std::int64_t>(packed_.size()));  // one group
    append_sleb(packed, 1 | 8);  // of one kind, with addends of their own
    append_sleb(packed, static_cast<std::int64_t>(relative));
    std::uint64_t last_address = 0;
    std::uint64_t last_value = 0;
    for (const auto& [address, value] : packed_) {
      append_sleb(packed, static_cast<std::int64_t>(address - last_address));
      append_sleb(packed, static_cast<std::int64_t>(value - last_value));
      last_address = address;
      last_value = value;
    }
    tables.add(0x60000011, 0x60000012, packed);
  }
  const auto addresses_of = [](const std::map<std::uint64_t, std::uint64_t>& words) {
    std::vector<std::uint64_t> addresses;
    addresses.reserve(words.size());
    for (const auto& [address, value] : words) {
      addresses.push_back(address);
    }
    return addresses;
  };
  if (!relr_.empty()) {
    tables.add(0x24, 0x23, encode_relr(addresses_of(relr_)));
  }
  if (!android_relr_.empty()) {
    tables.add(0x6fffe000, 0x6fffe001, encode_relr(addresses_of(android_relr_)));
  }
  std::vector<std::byte> names(1);
  std::vector<std::byte> symbols;
  append_value(symbols, Elf64_Sym{});
  for (const auto& [name, address] : exports_) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = address;
    append_value(symbols, symbol);
    const auto* raw = reinterpret_cast<const std::byte*>(name.c_str());
    names.insert(names.end(), raw, raw + name.size() + 1);
  }
  tables.add(DT_SYMTAB, 0, symbols);
  tables.add(DT_STRTAB, DT_STRSZ, names);
  std::vector<std::byte> hash;
  const auto count = static_cast<std::uint32_t>(exports_.size() + 1);
  append_value(hash, std::uint32_t{1});
  append_value(hash, count);
  hash.resize(hash.size() + (1 + count) * 4);
  tables.add(DT_HASH, 0, hash);

  align(tables.bytes, 8);
  tables.note_at = tables.bytes.size();
  if (!build_id_.empty()) {
    append_value(tables.bytes, Elf64_Nhdr{4, static_cast<Elf64_Word>(build_id_.size()), 3});
    append_value(tables.bytes, std::uint32_t{0x554e47});  // "GNU"
    const auto raw = std::as_bytes(std::span(build_id_));
    tables.bytes.insert(tables.bytes.end(), raw.begin(), raw.end());
  }
  tables.note_size = tables.bytes.size() - tables.note_at;
  align(tables.bytes, 8);
  tables.add_entry(DT_NULL, 0);
  tables.dynamic_at = tables.bytes.size();
  for (const Elf64_Dyn& entry : tables.dynamic) {
    append_value(tables.bytes, entry);
  }
  tables.dynamic_size = tables.bytes.size() - tables.dynamic_at;
  return tables;
}

std::vector<std::byte> ElfBuilder::build() const {
  const Tables tables = make_tables();
  std::vector<std::byte> file(kHeaders);
  std::vector<Elf64_Phdr> headers;
  const auto load = [&](std::uint64_t address, std::uint32_t flags,
                        const std::vector<std::byte>& bytes) {
    align(file, 16);
    Elf64_Phdr header{};
    header.p_type = PT_LOAD;
    header.p_flags = flags;
    header.p_offset = file.size();
    header.p_vaddr = address;
    header.p_filesz = header.p_memsz = bytes.size();
    headers.push_back(header);
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  load(code_.address, code_.flags, code_.bytes);
  load(strings_.address, strings_.flags, strings_.bytes);
  load(data_.address, data_.flags, data_.bytes);
  load(kTablesAddress, 4, tables.bytes);
  const auto part = [&](std::uint32_t type, std::uint64_t at, std::uint64_t size) {
    Elf64_Phdr header = headers[3];
    header.p_type = type;
    header.p_offset += at;
    header.p_vaddr += at;
    header.p_filesz = header.p_memsz = size;
    headers.push_back(header);
  };
  part(PT_DYNAMIC, tables.dynamic_at, tables.dynamic_size);
  part(PT_NOTE, tables.note_at, tables.note_size);

  Elf64_Ehdr elf{};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_ident[EI_CLASS] = ELFCLASS64;
  elf.e_ident[EI_DATA] = ELFDATA2LSB;
  elf.e_ident[EI_VERSION] = EV_CURRENT;
  elf.e_type = ET_DYN;
  elf.e_machine = machine_;
  elf.e_phoff = sizeof(elf);
  elf.e_phentsize = sizeof(Elf64_Phdr);
  elf.e_phnum = static_cast<Elf64_Half>(headers.size());
  if (!sections_.empty()) {
    std::vector<Elf64_Shdr> table(1);
    std::vector<std::byte> names(1);
    const auto add = [&](std::uint32_t type, const std::vector<std::byte>& content) {
      Elf64_Shdr header{};
      header.sh_name = static_cast<Elf64_Word>(names.size());
      header.sh_type = type;
      header.sh_offset = file.size();
      header.sh_size = content.size();
      table.push_back(header);
      file.insert(file.end(), content.begin(), content.end());
    };
    for (const auto& [name, content] : sections_) {
      add(SHT_PROGBITS, content);
      const auto* raw = reinterpret_cast<const std::byte*>(name.c_str());
      names.insert(names.end(), raw, raw + name.size() + 1);
    }
    add(SHT_STRTAB, names);
    elf.e_shoff = file.size();
    elf.e_shentsize = sizeof(Elf64_Shdr);
    elf.e_shnum = static_cast<Elf64_Half>(table.size());
    elf.e_shstrndx = static_cast<Elf64_Half>(table.size() - 1);
    for (const Elf64_Shdr& header : table) {
      append_value(file, header);
    }
  }
  std::memcpy(file.data(), &elf, sizeof(elf));
  std::memcpy(file.data() + sizeof(elf), headers.data(), headers.size() * sizeof(Elf64_Phdr));
  return file;
}

std::uint64_t ElfBuilder::offset_of(std::uint64_t address) const {
  std::uint64_t offset = kHeaders;
  for (const Segment* segment : {&code_, &strings_, &data_}) {
    offset = (offset + 15) / 16 * 16;
    if (address >= segment->address && address - segment->address < segment->bytes.size()) {
      return offset + (address - segment->address);
    }
    offset += segment->bytes.size();
  }
  return 0;
}

std::vector<std::uint32_t> sync_and_draw_code() {
  return {
      0xa9bd7bfd,  // stp x29, x30, [sp, #-48]!
      0x910003fd,  // mov x29, sp
      0xa90153f3,  // stp x19, x20, [sp, #16]
      0xf90013f5,  // str x21, [sp, #32]
      0xaa0003f4,  // mov x20, x0
      0xaa0203f3,  // mov x19, x2
      0xaa0303f5,  // mov x21, x3
      0x7100249f,  // cmp w4, #9
      0x540001c1,  // b.ne +14 instructions: the assert
      0xf9400288,  // ldr x8, [x20]
      0x91014264,  // add x4, x19, #80
      0xaa1403e0,  // mov x0, x20
      0xaa1503e1,  // mov x1, x21
      0x2a1f03e2,  // mov w2, wzr
      0x52800123,  // mov w3, #9
      0xf9433108,  // ldr x8, [x8, #1632]
      0xd63f0100,  // blr x8
      0xf94013f5,  // ldr x21, [sp, #32]
      0xa94153f3,  // ldp x19, x20, [sp, #16]
      0xa8c37bfd,  // ldp x29, x30, [sp], #48
      0x52800000,  // mov w0, #0
      0xd65f03c0,  // ret
      0x94000000,  // bl, the assert
      0xd4200020,  // brk #1
  };
}

SmallLibrary small_library(ElfBuilder::Encoding encoding, int decoys) {
  ElfBuilder elf;
  elf.set_build_id({0xde, 0xad, 0xbe, 0xef});
  const std::uint64_t neighbour = elf.add_code({0xd65f03c0});
  const std::uint64_t function = elf.add_code(sync_and_draw_code());
  for (int i = 0; i < decoys; ++i) {
    elf.add_jni_row("nMethod" + std::to_string(i), "(J[JI)I", neighbour, encoding);
  }
  elf.add_jni_row("nSyncAndDrawFrame", "(J[JI)I", function, encoding);
  elf.add_jni_row("nSyncAndDrawFrameX", "(J[JI)I", neighbour, encoding);
  SmallLibrary library;
  library.bytes = elf.build();
  library.function = elf.offset_of(function);
  library.call = library.function + kSyncAndDrawCall * 4;
  return library;
}

}  // namespace framegov::test
