// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/locate.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>

#include <random>

#include "tests/support/elf_builder.h"

namespace framegov {
namespace {

using test::ElfBuilder;
using test::kSyncAndDrawCall;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Bytes = std::vector<std::byte>;
using Encoding = ElfBuilder::Encoding;

constexpr const char* kName = "nSyncAndDrawFrame";
constexpr const char* kSignature = "(J[JI)I";

Result<LibrarySites> locate_in(const Bytes& file, const LocateOptions& options = {}) {
  return locate_bytes(ByteView(file), "lib.so", options);
}

std::string refusal(const Bytes& file) {
  const auto found = locate_in(file);
  if (found) {
    return "not refused";
  }
  EXPECT_EQ(found.error().code, ExitCode::kBadInput);
  EXPECT_EQ(found.error().to_string().find('\n'), std::string::npos);
  return found.error().message;
}

TEST(Locate, FindsWhereAppsTellTheirTargetsByWholeNames) {
  ElfBuilder builder;
  const std::uint64_t create = builder.add_code({0xd503201f, 0xd65f03c0});
  const std::uint64_t update = builder.add_code({0xd503201f, 0xd65f03c0});
  const std::uint64_t other = builder.add_code({0xd503201f, 0xd65f03c0});
  builder.export_function("APerformanceHint_createSession", create);
  builder.export_function("APerformanceHint_createSessionUsingConfig", other);
  builder.export_function("APerformanceHint_updateTargetWorkDuration", update);
  const auto found = locate_in(builder.build());
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(found->sites, SizeIs(2));
  EXPECT_EQ(found->sites[0].kind, SiteKind::kHintSession);
  EXPECT_EQ(found->sites[0].function, builder.offset_of(create));
  EXPECT_EQ(found->sites[1].kind, SiteKind::kHintTarget);
  EXPECT_EQ(found->sites[1].function, builder.offset_of(update));
}

class EveryEncoding : public ::testing::TestWithParam<Encoding> {};
INSTANTIATE_TEST_SUITE_P(Locate, EveryEncoding,
                         ::testing::Values(Encoding::kRela, Encoding::kPacked, Encoding::kRelr,
                                           Encoding::kAndroidRelr));

TEST_P(EveryEncoding, FindsTheCallAmongDecoys) {
  const test::SmallLibrary library = test::small_library(GetParam(), 2000);
  const auto found = locate_in(library.bytes);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(found->sites, SizeIs(1));
  const ProbeSite& site = found->sites[0];
  EXPECT_EQ(site.kind, SiteKind::kFrameInfo);
  EXPECT_EQ(site.method, LocateMethod::kJniTable);
  EXPECT_EQ(site.function, library.function);
  EXPECT_EQ(site.call, library.call);
  EXPECT_EQ(site.return_offset, library.call + 4);
  EXPECT_EQ(site.destination_register, 4);
  EXPECT_EQ(found->build_id, "deadbeef");
  EXPECT_THAT(found->sha1, SizeIs(40));
}

TEST_P(EveryEncoding, SaysThatAndroid5sSignatureIsNotUsable) {
  ElfBuilder elf;
  elf.add_jni_row(kName, "(JJJF)I", elf.add_code(test::sync_and_draw_code()), GetParam());
  EXPECT_THAT(refusal(elf.build()), HasSubstr("(JJJF)I"));
}

TEST(Locate, TakesNoDecoyForTheRow) {
  ElfBuilder elf;
  const std::uint64_t code = elf.add_code(test::sync_and_draw_code());
  const std::uint64_t data = elf.add_words(4);
  elf.add_jni_row(kName, "(J[JII)I", code, Encoding::kRela);
  elf.add_jni_row("nSyncAndDrawFrameX", kSignature, code, Encoding::kRela);
  elf.add_jni_row(kName, kSignature, data, Encoding::kRela);
  const std::string why = refusal(elf.build());
  EXPECT_THAT(why, HasSubstr("(J[JII)I"));
  EXPECT_THAT(why, HasSubstr("does not point to code"));
}

TEST(Locate, ReadsNamesInsideMergedStrings) {
  ElfBuilder elf;
  const std::uint64_t code = elf.add_code(test::sync_and_draw_code());
  const std::string longer = "android_nSyncAndDrawFrame";
  const std::uint64_t tail = elf.add_string(longer) + longer.size() - std::strlen(kName);
  const std::uint64_t signature = elf.add_string("x(J[JI)I") + 1;
  const std::uint64_t row = elf.add_words(3);
  elf.relocate(row, tail, Encoding::kRelr);
  elf.relocate(row + 8, signature, Encoding::kPacked);
  elf.relocate(row + 16, code, Encoding::kRela);
  const auto found = locate_in(elf.build());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->sites[0].call, elf.offset_of(code) + kSyncAndDrawCall * 4);
}

TEST(Locate, RefusesTwoDifferentFunctions) {
  ElfBuilder elf;
  elf.add_jni_row(kName, kSignature, elf.add_code(test::sync_and_draw_code()), Encoding::kRela);
  elf.add_jni_row(kName, kSignature, elf.add_code(test::sync_and_draw_code()), Encoding::kRela);
  EXPECT_THAT(refusal(elf.build()), HasSubstr("2 different functions"));
}

TEST(Locate, OfTwoFunctionsTakesTheOneWithTheCall) {
  ElfBuilder elf;
  const std::uint64_t empty = elf.add_code({0xd65f03c0});
  const std::uint64_t code = elf.add_code(test::sync_and_draw_code());
  elf.add_jni_row(kName, kSignature, empty, Encoding::kRela);
  elf.add_jni_row(kName, kSignature, code, Encoding::kRela);
  const auto found = locate_in(elf.build());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->sites[0].function, elf.offset_of(code));
}

TEST(Locate, SkipsTheHintAtAFunctionsStart) {
  ElfBuilder elf;
  std::vector<std::uint32_t> code = test::sync_and_draw_code();
  code.insert(code.begin(), 0xd503233f);  // paciasp
  const std::uint64_t function = elf.add_code(code);
  elf.add_jni_row(kName, kSignature, function, Encoding::kRela);
  const auto found = locate_in(elf.build());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->sites[0].function, elf.offset_of(function));
  EXPECT_EQ(found->sites[0].function_past_hints, elf.offset_of(function) + 4);
}

TEST(Locate, FindsLibguisFunctionsBestFirst) {
  ElfBuilder elf;
  const std::uint64_t code = elf.add_code({0xd503233f, 0xd65f03c0, 0xd65f03c0, 0xd65f03c0});
  elf.export_function("_ZN7android20DisplayEventReceiver9getEventsEPNS0_5EventEm", code + 4);
  elf.export_function("_ZN7android7Surface11queueBufferEP19ANativeWindowBufferi", code + 8);
  elf.export_function(
      "_ZN7android7Surface16hook_queueBufferEP13ANativeWindowP19ANativeWindowBufferi", code);
  elf.export_function("_ZN7android7Surface12cancelBufferEP19ANativeWindowBufferi", code + 12);
  const auto found = locate_in(elf.build());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->sites,
              ElementsAre(Field(&ProbeSite::symbol, HasSubstr("hook_queueBuffer")),
                          Field(&ProbeSite::symbol, HasSubstr("Surface11queueBuffer")),
                          Field(&ProbeSite::symbol, HasSubstr("getEvents"))));
  EXPECT_EQ(found->sites[0].function, elf.offset_of(code));
  EXPECT_EQ(found->sites[0].function_past_hints, elf.offset_of(code) + 4);
  EXPECT_EQ(found->sites[2].kind, SiteKind::kFrameStart);
}

Bytes xz(const Bytes& content) {
  Bytes packed(lzma_stream_buffer_bound(content.size()));
  std::size_t size = 0;
  EXPECT_EQ(
      lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr,
                              reinterpret_cast<const std::uint8_t*>(content.data()), content.size(),
                              reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
      LZMA_OK);
  packed.resize(size);
  return packed;
}

TEST(Locate, SurvivesMiniDebugInfoThatIsNone) {
  for (const Bytes& content :
       {Bytes(100), xz(Bytes(1000)), xz(Bytes(std::size_t{40} << 20U)), Bytes{}}) {
    ElfBuilder elf;
    const std::uint64_t function = elf.add_code(test::sync_and_draw_code());
    elf.add_jni_row(kName, kSignature, function, Encoding::kRela);
    elf.add_section(".gnu_debugdata", content);
    const auto found = locate_in(elf.build());
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_THAT(found->notes, Contains(HasSubstr("mini-debug-info: not used")));
  }
}

TEST(Locate, ComparesTheTableWithWhatItSees) {
  const test::SmallLibrary library = test::small_library(Encoding::kRela);
  const auto with_row = [&](std::uint64_t call, std::uint64_t after) {
    const auto table =
        ProbeTable::parse("sites: [{build_id: DEADBEEF, call: " + std::to_string(call) +
                              ", register: 4, return: " + std::to_string(after) + "}]",
                          "t.yaml");
    EXPECT_TRUE(table) << table.error().message;
    return locate_in(library.bytes, LocateOptions{*table});
  };
  const auto agreeing = with_row(library.call - 4, library.call + 8);
  ASSERT_TRUE(agreeing);
  EXPECT_GT(agreeing->sites[0].confidence, 0.95);
  EXPECT_THAT(agreeing->notes, Contains(HasSubstr("t.yaml:1: agrees")));
  const auto differing = with_row(library.function, library.function + 4);
  ASSERT_TRUE(differing);
  EXPECT_EQ(differing->sites[0].call, library.call);
  EXPECT_LT(differing->sites[0].confidence, 0.5);
  EXPECT_THAT(differing->notes, Contains(HasSubstr("DISAGREES")));
}

TEST(Locate, UsesTheTableWhereNothingElseAnswers) {
  ElfBuilder elf;
  elf.set_build_id({1, 2, 3});
  const std::uint64_t code = elf.add_code(test::sync_and_draw_code());
  const std::string row =
      "sites: [{build_id: '010203', call: " + std::to_string(elf.offset_of(code) + 4) +
      ", register: 19, return: " + std::to_string(elf.offset_of(code) + 16) + "}]";
  const auto found = locate_in(elf.build(), LocateOptions{*ProbeTable::parse(row, "t.yaml")});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->sites[0].method, LocateMethod::kTable);
  EXPECT_EQ(found->sites[0].destination_register, 19);
  EXPECT_EQ(found->sites[0].return_offset, elf.offset_of(code) + 16);
}

TEST(Locate, RefusesWhatIsNoLibraryOfAPhone) {
  EXPECT_THAT(refusal({}), HasSubstr("not an ELF file"));
  EXPECT_THAT(refusal(Bytes(64)), HasSubstr("not an ELF file"));
  Bytes file = test::small_library(Encoding::kRela).bytes;
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Bytes changed = file;
    changed[at] = static_cast<std::byte>(value);
    return refusal(changed);
  };
  EXPECT_THAT(with(EI_CLASS, ELFCLASS32), HasSubstr("32-bit"));
  EXPECT_THAT(with(EI_DATA, ELFDATA2MSB), HasSubstr("little-endian"));
  EXPECT_THAT(with(16, ET_REL), HasSubstr("not a shared library"));
  EXPECT_THAT(with(18, EM_RISCV), HasSubstr("riscv"));
  EXPECT_THAT(with(56, 0), HasSubstr("no program headers"));
}

TEST(Locate, RefusesEveryTruncation) {
  ElfBuilder elf;
  elf.add_jni_row(kName, kSignature, elf.add_code(test::sync_and_draw_code()), Encoding::kRela);
  elf.add_section(".comment", Bytes(16));
  const Bytes file = elf.build();
  ASSERT_TRUE(locate_in(file));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(locate_in(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))))
        << size;
  }
}

TEST(Locate, DamagedFilesGiveAnAnswerOrAReason) {
  std::mt19937_64 random(9);
  for (const Encoding encoding : {Encoding::kRela, Encoding::kPacked, Encoding::kRelr}) {
    const test::SmallLibrary library = test::small_library(encoding);
    for (int round = 0; round < 1500; ++round) {
      Bytes damaged = library.bytes;
      for (std::uint64_t i = 0; i < 1 + round % 4U; ++i) {
        const auto bits = random();
        damaged[random() % damaged.size()] =
            static_cast<std::byte>(bits % 3 == 0   ? 0xffU
                                   : bits % 3 == 1 ? 0U
                                                   : static_cast<unsigned>(bits >> 8U));
      }
      if (const auto found = locate_in(damaged); !found) {
        EXPECT_THAT(found.error().message, HasSubstr("lib.so: "));
      }
    }
  }
}

}  // namespace
}  // namespace framegov
