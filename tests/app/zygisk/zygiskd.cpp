// SPDX-License-Identifier: Apache-2.0
// The daemon of a Zygisk: `zygiskd MODULE SOCKET`. What connects gets a thread that runs the
// module's companion, as root's.
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <thread>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: zygiskd MODULE SOCKET\n", stderr);
    return 2;
  }
  void* const library = ::dlopen(argv[1], RTLD_NOW);
  void* const entry = library == nullptr ? nullptr : ::dlsym(library, "zygisk_companion_entry");
  if (entry == nullptr) {
    std::fprintf(stderr, "zygiskd: %s\n", ::dlerror());
    return 1;
  }
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string_view name = argv[2];
  std::copy_n(name.begin(), std::min(name.size(), sizeof address.sun_path - 1), address.sun_path);
  ::unlink(argv[2]);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, 16) != 0) {
    std::perror("zygiskd");
    return 1;
  }
  for (;;) {
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) {
      std::perror("zygiskd");
      return 1;
    }
    std::thread([client, entry] {
      reinterpret_cast<void (*)(int)>(entry)(client);
      ::close(client);
    }).detach();
  }
}
