// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/frame_info_call.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/elf_builder.h"

namespace framegov {
namespace {

using test::ElfBuilder;
using ::testing::HasSubstr;
using Code = std::vector<std::uint32_t>;

constexpr std::uint32_t kRet = 0xd65f03c0;
constexpr std::uint32_t kMovX1X3 = 0xaa0303e1;
constexpr std::uint32_t kMovW2Zero = 0x2a1f03e2;
constexpr std::uint32_t kMovW3W4 = 0x2a0403e3;
constexpr std::uint32_t kAddX4X2 = 0x91014044;      // add x4, x2, #80
constexpr std::uint32_t kLoadTable = 0xf9400008;    // ldr x8, [x0]
constexpr std::uint32_t kLoadSlot204 = 0xf9433108;  // ldr x8, [x8, #1632]
constexpr std::uint32_t kLoadSlot205 = 0xf9433508;  // ldr x8, [x8, #1640]
constexpr std::uint32_t kBlrX8 = 0xd63f0100;
constexpr std::uint32_t kBrX8 = 0xd61f0100;

/// Decodes one function; the call as a byte offset from its start.
Result<FrameInfoCall> decode(const Code& code) {
  ElfBuilder elf;
  const std::uint64_t function = elf.add_code(code);
  const auto file = elf.build();
  const auto image = ElfImage::parse(ByteView(file));
  EXPECT_TRUE(image);
  auto call = find_frame_info_call(*image, function);
  if (call) {
    call->call -= function;
    call->return_address -= function;
  }
  return call;
}

TEST(FrameInfoCall, FollowsTheBranchOverAnAssertThatStandsInline) {
  // cmp w4, #9; b.eq +3; bl assert; brk; then the real path
  const auto call = decode({0x7100249f, 0x54000060, 0x94000100, 0xd4200020, kMovX1X3, kMovW2Zero,
                            kMovW3W4, kAddX4X2, kLoadTable, kLoadSlot204, kBlrX8, kRet});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->call, 40U);
  EXPECT_EQ(call->return_address, 44U);
  EXPECT_TRUE(call->arguments_verified);
}

TEST(FrameInfoCall, FollowsSpillsToTheStack) {
  const auto call = decode({
      0xd10103ff,  // sub sp, sp, #64
      0xf9000fe0,  // str x0, [sp, #24]
      0xf9000be3,  // str x3, [sp, #16]
      0xb9000fe4,  // str w4, [sp, #12]
      0x94000100,  // bl: x0 to x18 are lost
      0xf9400fe0,  // ldr x0, [sp, #24]
      kLoadTable,
      0xf9400be1,  // ldr x1, [sp, #16]
      kMovW2Zero,
      0xb9400fe3,  // ldr w3, [sp, #12]
      kLoadSlot204,
      kBlrX8,
      kRet,
  });
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->call, 44U);
  EXPECT_TRUE(call->arguments_verified);
}

TEST(FrameInfoCall, TakesNoOtherObjectsSlot204) {
  const Code other_object = {0xf9400048,  // ldr x8, [x2]: not the JNIEnv
                             kLoadSlot204, kBlrX8, kRet};
  EXPECT_FALSE(decode(other_object));
  const Code other_receiver = {kLoadTable, kLoadSlot204,
                               0xaa0203e0,  // mov x0, x2: called for another object
                               kBlrX8, kRet};
  EXPECT_FALSE(decode(other_receiver));
  const Code other_array = {kLoadTable, kLoadSlot204,
                            0xaa0203e1,  // mov x1, x2: another array
                            kMovW3W4,   kBlrX8,       kRet};
  EXPECT_FALSE(decode(other_array));
  EXPECT_FALSE(decode({kMovX1X3, kMovW3W4, kLoadTable, kLoadSlot205, kBlrX8, kRet}));
}

TEST(FrameInfoCall, DoesNotTakeACallOfTheNextFunction) {
  const auto call = decode({kRet, kMovX1X3, kMovW3W4, kLoadTable, kLoadSlot204, kBlrX8, kRet});
  ASSERT_FALSE(call);
  EXPECT_THAT(call.error().message, HasSubstr("no call through JNIEnv slot 204"));
}

TEST(FrameInfoCall, FollowsJumpsAndLoops) {
  // b +2; (dead) ret; loop: subs w9, w9, #1; b.ne loop; ...
  const auto call = decode({0x14000002, kRet, 0x71000529, 0x54ffffe1, kMovX1X3, kMovW3W4,
                            kLoadTable, kLoadSlot204, kBlrX8, kRet});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->call, 32U);
}

TEST(FrameInfoCall, TakesTheCallOfAWrapper) {
  // mov x1, x3; mov w2, wzr; mov w3, w4; add x4, x2, #80; bl +2; ret; wrapper: ldr, ldr, br
  const auto call = decode({kMovX1X3, kMovW2Zero, kMovW3W4, kAddX4X2, 0x94000002, kRet, kLoadTable,
                            kLoadSlot204, kBrX8});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->call, 16U);
  EXPECT_EQ(call->return_address, 20U);
}

TEST(FrameInfoCall, RefusesATailCall) {
  const auto call = decode({kMovX1X3, kMovW3W4, kLoadTable, kLoadSlot204, kBrX8});
  ASSERT_FALSE(call);
  EXPECT_THAT(call.error().message, HasSubstr("never comes back"));
}

TEST(FrameInfoCall, RefusesTwoCalls) {
  const auto call = decode({0x34000064,  // cbz w4, +3
                            kMovX1X3, kMovW3W4, kMovX1X3, kMovW3W4,
                            0x34000084,  // cbz w4, +4
                            kLoadTable, kLoadSlot204, kBlrX8, kLoadTable, kLoadSlot204, kBlrX8});
  ASSERT_FALSE(call);
  EXPECT_THAT(call.error().message, HasSubstr("2 places"));
}

TEST(FrameInfoCall, X8664InOneInstruction) {
  ElfBuilder elf;
  elf.set_machine(EM_X86_64);
  const std::uint64_t function = elf.add_code_bytes({
      0xf3, 0x0f, 0x1e, 0xfa,              // endbr64
      0x53,                                // push rbx
      0x48, 0x89, 0xd3,                    // mov rbx, rdx
      0x41, 0x83, 0xf8, 0x09,              // cmp r8d, 9
      0x75, 0x1b,                          // jne, to the ud2
      0x48, 0x89, 0xce,                    // mov rsi, rcx
      0x44, 0x89, 0xc1,                    // mov ecx, r8d
      0x4c, 0x8d, 0x43, 0x50,              // lea r8, [rbx + 80]
      0x31, 0xd2,                          // xor edx, edx
      0x48, 0x8b, 0x07,                    // mov rax, [rdi]
      0xff, 0x90, 0x60, 0x06, 0x00, 0x00,  // call [rax + 0x660]
      0x31, 0xc0,                          // xor eax, eax
      0x5b, 0xc3,                          // pop rbx; ret
      0x0f, 0x0b,                          // ud2
  });
  const auto file = elf.build();
  const auto image = ElfImage::parse(ByteView(file));
  ASSERT_TRUE(image);
  const auto call = find_frame_info_call(*image, function);
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->call - function, 29U);
  EXPECT_EQ(call->return_address - function, 35U);
  EXPECT_TRUE(call->arguments_verified);
}

}  // namespace
}  // namespace framegov
