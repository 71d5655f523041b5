// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/relocations.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/elf_builder.h"

namespace framegov {
namespace {

using test::append_sleb;
using test::ElfBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Bytes = std::vector<std::byte>;

Bytes packed(std::initializer_list<std::int64_t> numbers) {
  Bytes bytes;
  for (const char c : std::string("APS2")) {
    bytes.push_back(static_cast<std::byte>(c));
  }
  for (const std::int64_t number : numbers) {
    append_sleb(bytes, number);
  }
  return bytes;
}

struct Unpacked {
  Status status;
  std::vector<RelocationRecord> records;
};

Unpacked unpack(const Bytes& bytes) {
  Unpacked unpacked;
  unpacked.status = for_each_packed_relocation(
      ByteView(bytes), [&](const RelocationRecord& r) { unpacked.records.push_back(r); });
  return unpacked;
}

auto record(std::uint64_t offset, std::uint64_t info, std::int64_t addend) {
  return ::testing::AllOf(::testing::Field(&RelocationRecord::offset, offset),
                          ::testing::Field(&RelocationRecord::info, info),
                          ::testing::Field(&RelocationRecord::addend, addend));
}

TEST(PackedRelocations, GroupFlagsAloneAndTogether) {
  // count, first offset, then groups: size, flags (1 info, 2 offset delta, 4 addend, 8 has addend)
  const Unpacked unpacked = unpack(packed({7,  0x1000,  //
                                           2,  1 | 2 | 4 | 8,
                                           8,  7,
                                           5,  // everything shared
                                           2,  8,
                                           16, 9,
                                           1,  24,
                                           10, -3,  // nothing shared
                                           1,  1 | 2,
                                           8,  11,  // without addend: zero
                                           2,  2 | 8,
                                           8,  3,
                                           1,  4,
                                           2}));  // only the delta shared
  ASSERT_TRUE(unpacked.status) << unpacked.status.error().message;
  EXPECT_THAT(unpacked.records,
              ElementsAre(record(0x1008, 7, 5), record(0x1010, 7, 5), record(0x1020, 9, 6),
                          record(0x1038, 10, 3), record(0x1040, 11, 0), record(0x1048, 3, 1),
                          record(0x1050, 4, 3)));
}

TEST(PackedRelocations, SharedAddendAddsToTheLastOne) {
  const Unpacked unpacked = unpack(packed({2, 0, 1, 1 | 8, 7, 8, 100, 1, 1 | 4 | 8, 7, 20, 8}));
  ASSERT_TRUE(unpacked.status);
  EXPECT_THAT(unpacked.records, ElementsAre(record(8, 7, 100), record(16, 7, 120)));
}

TEST(PackedRelocations, RefusesWhatDoesNotDecode) {
  EXPECT_THAT(unpack({}).status.error().message, HasSubstr("magic"));
  EXPECT_THAT(unpack(packed({})).status.error().message, HasSubstr("ends early"));
  EXPECT_THAT(unpack(packed({3, 0, 3, 8, 8, 7})).status.error().message, HasSubstr("ends early"));
  EXPECT_THAT(unpack(packed({3, 0, 4, 3, 8, 7})).status.error().message,
              HasSubstr("larger than the table"));
  EXPECT_THAT(unpack(packed({3, 0, -1, 3, 8, 7})).status.error().message,
              HasSubstr("larger than the table"));
  EXPECT_THAT(unpack(packed({-1, 0, -1, 3, 0, 7})).status.error().message, HasSubstr("more than"));
  Bytes endless = packed({1, 0});
  endless.resize(endless.size() + 40, std::byte{0x80});  // a number without an end
  EXPECT_FALSE(unpack(endless).status);
}

/// Writes any records as groups of random sizes, sharing at random what can be shared.
Bytes encode_at_random(const std::vector<RelocationRecord>& records, std::mt19937_64& random) {
  Bytes bytes = packed({static_cast<std::int64_t>(records.size()), 0});
  RelocationRecord last{};
  for (std::size_t begin = 0; begin < records.size();) {
    std::size_t end = begin + 1;
    while (end < records.size() && random() % 4 != 0) {
      ++end;
    }
    const auto all = [&](auto test) {
      for (std::size_t i = begin; i < end; ++i) {
        const RelocationRecord& before = i == begin ? last : records[i - 1];
        if (!test(before, records[i])) {
          return false;
        }
      }
      return true;
    };
    const std::uint64_t delta = records[begin].offset - last.offset;
    const bool info = all([&](auto&, auto& r) { return r.info == records[begin].info; });
    const bool step = all([&](auto& b, auto& r) { return r.offset - b.offset == delta; });
    const bool no_addend = all([&](auto&, auto& r) { return r.addend == 0; });
    const bool addend = all([&](auto&, auto& r) { return r.addend == records[begin].addend; });
    const bool share_info = info && random() % 2 == 0;
    const bool share_step = step && random() % 2 == 0;
    const bool share_addend = !no_addend && addend && random() % 2 == 0;
    append_sleb(bytes, static_cast<std::int64_t>(end - begin));
    append_sleb(bytes, (share_info ? 1 : 0) | (share_step ? 2 : 0) | (share_addend ? 4 : 0) |
                           (no_addend ? 0 : 8));
    if (share_step) {
      append_sleb(bytes, static_cast<std::int64_t>(delta));
    }
    if (share_info) {
      append_sleb(bytes, static_cast<std::int64_t>(records[begin].info));
    }
    if (share_addend) {
      append_sleb(bytes, records[begin].addend - last.addend);
      last.addend = records[begin].addend;
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (!share_step) {
        append_sleb(bytes, static_cast<std::int64_t>(records[i].offset - last.offset));
      }
      if (!share_info) {
        append_sleb(bytes, static_cast<std::int64_t>(records[i].info));
      }
      if (!no_addend && !share_addend) {
        append_sleb(bytes, records[i].addend - last.addend);
      }
      last = records[i];
    }
    begin = end;
  }
  return bytes;
}

TEST(PackedRelocations, AnyGroupingDecodesToTheSameRecords) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<RelocationRecord> records(random() % 60);
    std::uint64_t offset = random() % 0x10000;
    for (RelocationRecord& r : records) {
      offset += random() % 3 == 0 ? random() % 100 * 8 : 8;
      r = {offset, random() % 3 == 0 ? random() : 1027U,
           random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 4)};
    }
    const Unpacked unpacked = unpack(encode_at_random(records, random));
    ASSERT_TRUE(unpacked.status) << unpacked.status.error().message << " in round " << round;
    ASSERT_EQ(unpacked.records.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      ASSERT_THAT(unpacked.records[i],
                  record(records[i].offset, records[i].info, records[i].addend))
          << i << " in round " << round;
    }
  }
}

TEST(Relr, AnyAddressesComeBack) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> addresses;
    std::uint64_t address = 8 * (random() % 1000);
    for (std::uint64_t i = random() % 200; i > 0; --i) {
      address += 8 * (1 + (random() % 5 == 0 ? random() % 300 : 0));
      addresses.push_back(address);
    }
    std::vector<std::uint64_t> unpacked;
    const Bytes table = test::encode_relr(addresses);
    ASSERT_TRUE(
        for_each_relr_address(ByteView(table), [&](std::uint64_t a) { unpacked.push_back(a); }));
    ASSERT_EQ(unpacked, addresses) << "round " << round;
  }
}

TEST(Relr, RefusesOddSizesAndEndlessTables) {
  const auto ignore = [](std::uint64_t) {};
  EXPECT_FALSE(for_each_relr_address(ByteView(Bytes(12)), ignore));
  const Bytes bitmaps(std::size_t{1} << 20U, std::byte{0xff});
  EXPECT_FALSE(for_each_relr_address(ByteView(bitmaps), ignore));
}

TEST(RelocatedWords, EveryEncodingInOneFile) {
  ElfBuilder elf;
  elf.add_code({0xd65f03c0});
  const std::uint64_t words = elf.add_words(8);
  elf.relocate(words, 0x10, ElfBuilder::Encoding::kRela);
  elf.relocate(words + 8, 0x20, ElfBuilder::Encoding::kPacked);
  elf.relocate(words + 16, 0x30, ElfBuilder::Encoding::kRelr);
  elf.relocate(words + 24, 0x40, ElfBuilder::Encoding::kAndroidRelr);
  const Bytes file = elf.build();
  const auto image = ElfImage::parse(ByteView(file));
  ASSERT_TRUE(image) << image.error().message;
  std::map<std::uint64_t, std::uint64_t> found;
  const auto status = for_each_relocated_word(
      *image, [&](std::uint64_t address, std::uint64_t value) { found[address] = value; });
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(found, UnorderedElementsAre(Pair(words, 0x10U), Pair(words + 8, 0x20U),
                                          Pair(words + 16, 0x30U), Pair(words + 24, 0x40U)));
  EXPECT_EQ(relocation_encodings(*image), "RELR + Android RELR + APS2 + RELA");
}

}  // namespace
}  // namespace framegov
