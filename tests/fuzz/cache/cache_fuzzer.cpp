// SPDX-License-Identifier: Apache-2.0
// Any bytes as what is kept of an earlier search in a library.
#include <fstream>

#include "probes/locate/hex.h"
#include "probes/locate/locate.h"
#include "probes/locate/site_cache.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  static const MemoryFolder kFolder;
  static const std::string kLibrary(4096, 'x');
  static const std::string kSha1 = sha1_hex(ByteView(std::as_bytes(std::span(kLibrary))));
  static const bool kWritten = [] {
    std::ofstream(kFolder.path() / "lib.so") << kLibrary;
    return true;
  }();
  const LocateOptions options;
  // The key is right, or nothing else is looked at.
  std::ofstream(kFolder.path() / (kSha1 + ".yaml"), std::ios::binary | std::ios::trunc)
      << "key: locator " << kLocatorVersion << " size " << kLibrary.size() << " sha1 " << kSha1
      << " table " << options.table.fingerprint() << '\n'
      << text_of(data, size);
  const auto found = locate_cached(kFolder.path() / "lib.so", kFolder.path(), options);
  need(kWritten, "there is a library");
  if (!found) {
    need_one_line(found.error().to_string());  // no cache, and the library is none
    return 0;
  }
  for (const ProbeSite& site : found->sites) {
    need(site.function < kLibrary.size() && site.call < kLibrary.size() &&
             site.return_offset < kLibrary.size() && site.function_past_hints < kLibrary.size(),
         "a site is in its library");
    need(site.kind != SiteKind::kFrameInfo || site.call < site.return_offset, "a call returns");
    need_within(site.confidence, 0, 1, "a confidence is from 0 to 1");
    need(site.destination_register >= 0 && site.destination_register <= 30, "there is a register");
  }
  return 0;
}
