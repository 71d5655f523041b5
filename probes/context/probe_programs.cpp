// SPDX-License-Identifier: Apache-2.0
#include "probes/context/probe_programs.h"

#include <bpf/bpf.h>
#include <elf.h>
#include <linux/bpf.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "probes/locate/byte_view.h"

namespace framegov {
namespace {

constexpr std::uint32_t kMostPatches = 255;

constexpr std::uint32_t version_code(std::uint32_t major, std::uint32_t minor,
                                     std::uint32_t patch) {
  return major << 16U | minor << 8U | std::min(patch, kMostPatches);
}

std::string words_of(int error) { return std::generic_category().message(error); }

int load_program(AskedProgram kind, std::uint32_t code) {
  std::array<bpf_insn, 2> nothing{};
  nothing[0].code = BPF_ALU64 | BPF_MOV | BPF_K;  // r0 = 0
  nothing[1].code = BPF_JMP | BPF_EXIT;
  LIBBPF_OPTS(bpf_prog_load_opts, options, .kern_version = code);
  const int fd = ::bpf_prog_load(
      kind == AskedProgram::kProbe ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT, nullptr,
      "GPL", nothing.data(), nothing.size(), &options);
  if (fd < 0) {
    return -fd;
  }
  ::close(fd);
  return 0;
}

/// This process's own image of the vDSO: its headers lie in its first page, its notes in the two
/// that it has at least.
std::span<const std::byte> vdso() {
  const auto address = ::getauxval(AT_SYSINFO_EHDR);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells a number.
  const auto* const begin = reinterpret_cast<const std::byte*>(address);
  return address == 0 ? std::span<const std::byte>() : std::span(begin, page);
}

std::uint32_t code_in_notes(const ByteView& notes) {
  constexpr auto kAligned = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  std::uint64_t at = 0;
  while (const auto note = notes.read<Elf64_Nhdr>(at)) {
    const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
    const std::uint64_t value_at = name_at + kAligned(note->n_namesz);
    const auto name = notes.c_string(name_at, note->n_namesz);
    const auto value = notes.read<std::uint32_t>(value_at);
    if (name && *name == "Linux" && note->n_type == 0 && note->n_descsz == sizeof *value && value) {
      return *value;
    }
    at = value_at + kAligned(note->n_descsz);
  }
  return 0;
}

std::string refusal_of(int error, const ProgramLoader& load) {
  if (error == ENOSYS) {
    return "no BPF at all (CONFIG_BPF_SYSCALL): " + words_of(error);
  }
  if (error != EINVAL) {
    return words_of(error);
  }
  // One option brings both kinds; only a probe's carries the version.
  return load(AskedProgram::kTracepoint, 0) == 0
             ? "it takes programs for tracepoints, but none for probes under the version of its "
               "vDSO or release: " +
                   words_of(error)
             : "no such kind of program (CONFIG_BPF_EVENTS): " + words_of(error);
}

}  // namespace

ProbeProgramAnswer ask_for_probe_programs() {
  return ask_for_probe_programs(
      probe_version_codes(noted_version_code(vdso()), running_kernel().text), load_program);
}

ProbeProgramAnswer ask_for_probe_programs(std::span<const std::uint32_t> codes,
                                          const ProgramLoader& load) {
  int error = 0;
  for (const std::uint32_t code : codes) {
    error = load(AskedProgram::kProbe, code);
    if (error == 0) {
      return {Support::kYes, code, {}};
    }
    if (error == EPERM || error == EACCES) {
      return {Support::kForbidden, 0, words_of(error)};
    }
  }
  return {Support::kNo, 0, refusal_of(error, load)};
}

std::vector<std::uint32_t> probe_version_codes(std::uint32_t noted, std::string_view release) {
  std::array<std::uint32_t, 3> numbers{};
  const char* at = release.data();
  const char* const end = release.data() + release.size();
  for (std::uint32_t& number : numbers) {
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) {
      break;
    }
    at = rest != end && *rest == '.' ? rest + 1 : end;
  }
  std::vector<std::uint32_t> codes;
  for (const std::uint32_t code : {noted, version_code(numbers[0], numbers[1], numbers[2]),
                                   version_code(numbers[0], numbers[1], kMostPatches)}) {
    if (code != 0 && std::find(codes.begin(), codes.end(), code) == codes.end()) {
      codes.push_back(code);
    }
  }
  return codes;
}

std::uint32_t noted_version_code(std::span<const std::byte> image) {
  const ByteView bytes(image);
  const auto header = bytes.read<Elf64_Ehdr>(0);
  if (!header || !std::equal(header->e_ident, header->e_ident + SELFMAG, ELFMAG)) {
    return 0;
  }
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = bytes.read<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
    const auto notes = segment && segment->p_type == PT_NOTE
                           ? bytes.sub(segment->p_offset, segment->p_filesz)
                           : std::nullopt;
    if (const std::uint32_t code = notes ? code_in_notes(*notes) : 0; code != 0) {
      return code;
    }
  }
  return 0;
}

std::string last_verifier_line(std::string_view log) {
  constexpr std::array<std::string_view, 4> kOwn{"processed ", "verification time ", "stack depth ",
                                                 "func#"};
  std::string last;
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    const bool own = std::any_of(kOwn.begin(), kOwn.end(),
                                 [&](std::string_view word) { return line.starts_with(word); });
    if (!line.empty() && !own) {
      last = line;
    }
  }
  return last;
}

}  // namespace framegov
