// SPDX-License-Identifier: Apache-2.0
#include "probes/context/probe_programs.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

namespace framegov {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint32_t code(std::uint32_t major, std::uint32_t minor, std::uint32_t patch) {
  return major << 16U | minor << 8U | patch;
}

/// An ELF image of one segment of notes, one of them "Linux".
class NotedImage {
 public:
  NotedImage(const char* owner, std::uint32_t type, std::uint32_t value) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof header + sizeof segment;
    append(&header, sizeof header);
    const std::size_t segment_at = bytes_.size();
    append(&segment, sizeof segment);
    note("GNU", NT_GNU_BUILD_ID, 0x12345678);
    note(owner, type, value);
    segment.p_filesz = bytes_.size() - segment.p_offset;
    std::memcpy(bytes_.data() + segment_at, &segment, sizeof segment);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    const auto* const begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
    bytes_.resize((bytes_.size() + 3) & ~std::size_t{3});
  }
  void note(const char* owner, std::uint32_t type, std::uint32_t value) {
    const Elf64_Nhdr header{static_cast<Elf64_Word>(std::strlen(owner) + 1), sizeof value, type};
    append(&header, sizeof header);
    append(owner, header.n_namesz);
    append(&value, sizeof value);
  }
  std::vector<std::byte> bytes_;
};

TEST(VersionCode, IsReadFromTheNoteOfItsOwner) {
  EXPECT_EQ(noted_version_code(NotedImage("Linux", 0, code(4, 14, 255)).bytes()), code(4, 14, 255));
  EXPECT_EQ(noted_version_code(NotedImage("Linux", 0x100, 1).bytes()), 0U);
  EXPECT_EQ(noted_version_code(NotedImage("Xen", 0, 7).bytes()), 0U);
  EXPECT_EQ(noted_version_code({}), 0U);
}

TEST(VersionCode, OfAnImageThatEndsEarlyIsNone) {
  const NotedImage image("Linux", 0, code(4, 19, 255));
  for (std::size_t size = 0; size < image.bytes().size(); ++size) {
    EXPECT_EQ(noted_version_code(image.bytes().first(size)), 0U) << size;
  }
}

TEST(VersionCode, OfThisKernelStandsInItsVdso) {
  const auto address = ::getauxval(AT_SYSINFO_EHDR);
  if (address == 0) {
    GTEST_SKIP() << "this kernel gives no vDSO";
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells it as a number
  const std::span image(reinterpret_cast<const std::byte*>(address),
                        static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  const KernelRelease release = running_kernel();
  const std::uint32_t noted = noted_version_code(image);
  EXPECT_EQ(noted >> 16U, static_cast<std::uint32_t>(release.major));
  EXPECT_EQ(noted >> 8U & 0xffU, static_cast<std::uint32_t>(release.minor));
}

TEST(VersionCode, CandidatesBeginWithTheNoteAndEndWithTheLastPatch) {
  EXPECT_THAT(probe_version_codes(code(4, 14, 255), "4.14.180-perf+"),
              ElementsAre(code(4, 14, 255), code(4, 14, 180)));
  EXPECT_THAT(probe_version_codes(0, "4.19.87-g12"),
              ElementsAre(code(4, 19, 87), code(4, 19, 255)));
  EXPECT_THAT(probe_version_codes(0, "4.14.336"), ElementsAre(code(4, 14, 255)));
  EXPECT_THAT(probe_version_codes(0, "5.4"), ElementsAre(code(5, 4, 0), code(5, 4, 255)));
}

/// As kernels before 5.0 do it.
class OldKernel {
 public:
  explicit OldKernel(std::uint32_t built_as) : built_as_(built_as) {}
  [[nodiscard]] ProgramLoader loader() {
    return [this](AskedProgram kind, std::uint32_t with) {
      tried_.insert(with);
      return kind == AskedProgram::kTracepoint || with == built_as_ ? 0 : EINVAL;
    };
  }
  [[nodiscard]] const std::set<std::uint32_t>& tried() const { return tried_; }

 private:
  std::uint32_t built_as_;
  std::set<std::uint32_t> tried_;
};

TEST(ProbePrograms, CarryTheCodeThatTheKernelWants) {
  OldKernel clamped(code(4, 14, 255));
  const auto answer = ask_for_probe_programs(probe_version_codes(0, "4.14.180"), clamped.loader());
  EXPECT_EQ(answer.support, Support::kYes);
  EXPECT_EQ(answer.version_code, code(4, 14, 255));
  EXPECT_EQ(answer.refusal, "");
}

TEST(ProbePrograms, ThatAreRefusedSayWhy) {
  const auto codes = probe_version_codes(0, "4.14.180");
  OldKernel odd(code(4, 14, 117));
  const auto by_version = ask_for_probe_programs(codes, odd.loader());
  EXPECT_EQ(by_version.support, Support::kNo);
  EXPECT_THAT(by_version.refusal, HasSubstr("version of its vDSO"));
  EXPECT_THAT(by_version.refusal, Not(HasSubstr("CONFIG_")));

  const auto all = [](int error) {
    return [error](AskedProgram /*kind*/, std::uint32_t /*code*/) { return error; };
  };
  EXPECT_THAT(ask_for_probe_programs(codes, all(ENOSYS)).refusal, HasSubstr("CONFIG_BPF_SYSCALL"));
  EXPECT_THAT(ask_for_probe_programs(codes, all(EINVAL)).refusal, HasSubstr("CONFIG_BPF_EVENTS"));
  EXPECT_THAT(ask_for_probe_programs(codes, all(E2BIG)).refusal, HasSubstr("too long"));
  EXPECT_EQ(ask_for_probe_programs(codes, all(EPERM)).support, Support::kForbidden);
}

TEST(ProbePrograms, AreTakenHereWithTheCodeThatIsTold) {
  const ProbeProgramAnswer answer = ask_for_probe_programs();
  if (answer.support != Support::kYes) {
    GTEST_SKIP() << answer.refusal;
  }
  EXPECT_EQ(answer.version_code >> 16U, static_cast<std::uint32_t>(running_kernel().major));
}

TEST(VerifierLog, ItsLastWordsAreThoseOfTheProgram) {
  EXPECT_EQ(last_verifier_line("0: (b7) r1 = 0\nR1 invalid mem access 'inv'\n"
                               "processed 9 insns (limit 131072), stack depth 0\n"),
            "R1 invalid mem access 'inv'");
  EXPECT_EQ(last_verifier_line("processed 2 insns\n"), "");
  EXPECT_EQ(last_verifier_line(""), "");
}

}  // namespace
}  // namespace framegov
