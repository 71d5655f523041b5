# SPDX-License-Identifier: Apache-2.0
# Bytes as numbers: any text survives, whatever quotes, brackets or semicolons it holds.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include <string_view>
namespace framegov::embedded {
namespace {
constexpr unsigned char ${NAME}_bytes[] = {${bytes}0};
}
extern const std::string_view ${NAME};
const std::string_view ${NAME}{reinterpret_cast<const char*>(${NAME}_bytes), sizeof(${NAME}_bytes) - 1};
}  // namespace framegov::embedded
")
