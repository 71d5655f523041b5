// SPDX-License-Identifier: Apache-2.0
// Any bytes as a browser's request: each part of the gate by itself, and all of it to the server.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/unique_fd.h"
#include "cli/web/gate.h"
#include "cli/web/server.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;
using namespace framegov::web;

const std::string kToken(32, 'a');
std::atomic<int> g_runs{0};

/// Serves until the program ends; the port.
int start_server() {
  static const MemoryFolder kFolder;
  std::filesystem::create_directory(kFolder.path() / "page");
  std::ofstream(kFolder.path() / "page/index.html") << "page";
  std::ofstream(kFolder.path() / "secret") << "secret";
  static std::atomic<int> port{0};
  std::thread([] {
    static const ServerSettings kSettings{kFolder.path() / "page", 0, kToken};
    const Runner run = [](const std::vector<std::string>& words) {
      need(!words.empty(), "only commands are run");
      ++g_runs;
      return Result<Finished>(Finished{0, "done", ""});
    };
    static_cast<void>(serve(kSettings, run, [](int number) { port = number; }));
  }).detach();
  while (port == 0) {
    std::this_thread::yield();
  }
  return port;
}

/// A port of an address cannot be had again for a minute: every few thousand connections are of
/// another one of 127.0.0.0/8.
sockaddr_in next_own_address() {
  constexpr unsigned kConnections = 8000;
  static unsigned connections = 0;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + connections++ / kConnections % 200);
  return address;
}

std::string answer_to(std::string_view request, int port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in own = next_own_address();
  need(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0,
       "there is a port for this side");
  sockaddr_in address = own;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    // The fuzzer's own alarm may interrupt, and the kernel may hold this pair of ports for a
    // minute.
    need(error == EINTR || error == EADDRNOTAVAIL || error == EADDRINUSE, std::strerror(error));
    return "";
  }
  // What it does not want to read, or to answer, is its business.
  static_cast<void>(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL));
  ::shutdown(socket.get(), SHUT_WR);
  std::string answer;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::recv(socket.get(), part.data(), part.size(), 0)) > 0;) {
    answer.append(part.data(), static_cast<std::size_t>(got));
  }
  return answer;
}

void check_gate(std::string_view text) {
  if (const auto words = allowed_words(text)) {
    need(!words->empty() && words->size() <= 8, "a command has a few words");
    for (const std::string& word : *words) {
      need(word.find('\0') == std::string::npos, "a word ends where it ends");
    }
  } else {
    need_one_line(words.error().to_string());
  }
  if (const auto file = file_of(text)) {
    need(!file->starts_with('/') && file->find("..") == std::string::npos, "a file is the page's");
    need(content_type(*file) != nullptr, "a file has a type");
  }
  if (own_host(text, 80)) {
    need(text == "127.0.0.1:80" || text == "localhost:80", "no other host is ours");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int kPort = start_server();
  std::string text(text_of(data, size));
  check_gate(text);
  // The port is any free one; a seed cannot know it.
  const std::string host = "127.0.0.1:PORT";
  if (const std::size_t at = text.find(host); at != std::string::npos) {
    text.replace(at, host.size(), "127.0.0.1:" + std::to_string(kPort));
  }
  const int before = g_runs;
  const std::string answer = answer_to(text, kPort);
  need(g_runs == before || text.find(kToken) != std::string::npos,
       "nothing runs without the token");
  need(answer.find("secret") == std::string::npos, "no other file is given away");
  return 0;
}
