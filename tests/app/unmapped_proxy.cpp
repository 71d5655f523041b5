// SPDX-License-Identifier: Apache-2.0
#include "tests/app/unmapped_proxy.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <system_error>

namespace demo {
namespace {

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

UnmappedProxy::UnmappedProxy(RenderProxy& real) {
  const std::size_t page = page_size();
  void* const pages =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "mmap");
  }
  pages_ = static_cast<char*>(pages);
  const auto* const source = reinterpret_cast<const char*>(&real);
  const auto before =
      static_cast<std::size_t>(reinterpret_cast<const char*>(real.frame_info()) - source);
  proxy_ = pages_ + page - before;
  std::memcpy(proxy_, source, before);
  ::mprotect(pages_ + page, page, PROT_NONE);
}

UnmappedProxy::~UnmappedProxy() { ::munmap(pages_, 2 * page_size()); }

}  // namespace demo
