// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer: hands every file of the folders given to the fuzzed function, once.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

// NOLINTNEXTLINE(readability-redundant-declaration): not for who compiles this file alone
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      std::cerr << entry.path().filename().string() << '\n';  // the last one is the one that broke
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  std::cout << files << " files replayed\n";
  return files > 0 ? 0 : 1;
}
