// SPDX-License-Identifier: Apache-2.0
// The guest's end of the virtual phone: pid 1 after init. It runs the commands that the host sends
// over a virtio serial port and sends back what they print and how they end. When it dies the
// kernel panics, so the host always learns of it.
//
// A message is a Header and `length` bytes; tests/vm/phonelib/link.py is the other end.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace framegov::vm {
namespace {

constexpr const char* kPortName = "org.framegov.agent";
constexpr std::size_t kChunk = 64 * 1024;

enum class Message : std::uint32_t {
  // from the host
  kStart = 1,     // payload: a shell command
  kInput = 2,     // payload: bytes for its standard input
  kInputEnd = 3,  //
  kSignal = 4,    // payload: signal number, for its whole process group
  // to the host
  kHello = 10,        //
  kOutput = 11,       // payload: bytes of its standard output
  kErrorOutput = 12,  // payload: bytes of its standard error
  kExit = 13,         // payload: exit code, or 128 + signal number
};

struct Header {
  std::uint32_t length;
  std::uint32_t id;  // chosen by the host, one per command
  Message type;
};
static_assert(sizeof(Header) == 12);

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "phone_agent: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

/// The /dev node of the virtio port that QEMU gave our name.
std::string find_port() {
  const std::string root = "/sys/class/virtio-ports";
  for (int attempt = 0; attempt < 500; ++attempt) {
    if (DIR* folder = ::opendir(root.c_str())) {
      while (const dirent* entry = ::readdir(folder)) {
        std::string name;
        std::getline(std::ifstream(root + "/" + entry->d_name + "/name"), name);
        if (name == kPortName) {
          std::string path = std::string("/dev/") + entry->d_name;
          ::closedir(folder);
          return path;
        }
      }
      ::closedir(folder);
    }
    ::usleep(10'000);
  }
  errno = ENODEV;
  die("virtio port");
}

struct Command {
  pid_t pid = -1;
  UniqueFd input;
  UniqueFd output;
  UniqueFd error_output;
  std::string waiting_input;
  bool input_ended = false;
};

class Agent {
 public:
  explicit Agent(const std::string& port) : port_(::open(port.c_str(), O_RDWR | O_CLOEXEC)) {
    if (!port_) {
      die(port.c_str());
    }
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    children_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    send(0, Message::kHello, {});
  }

  /// Waits once and handles all that is ready.
  void step() {
    std::vector<pollfd> fds{{port_.get(), POLLIN, 0}, {children_.get(), POLLIN, 0}};
    std::vector<std::uint32_t> ids{0, 0};
    const auto add = [&](const UniqueFd& fd, short events, std::uint32_t id) {
      if (fd) {
        fds.push_back({fd.get(), events, 0});
        ids.push_back(id);
      }
    };
    for (const auto& [id, command] : commands_) {
      add(command.output, POLLIN, id);
      add(command.error_output, POLLIN, id);
      if (!command.waiting_input.empty()) {
        add(command.input, POLLOUT, id);
      }
    }
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      return;
    }
    for (std::size_t i = 2; i < fds.size(); ++i) {
      if (fds[i].revents != 0) {
        serve(ids[i], fds[i].fd);
      }
    }
    if (fds[0].revents != 0) {
      receive();
    }
    if (fds[1].revents != 0) {
      reap();
    }
  }

 private:
  void send(std::uint32_t id, Message type, std::string_view payload) {
    const Header header{static_cast<std::uint32_t>(payload.size()), id, type};
    write_all(&header, sizeof(header));
    write_all(payload.data(), payload.size());
  }

  void write_all(const void* data, std::size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(port_.get(), at, size);
      if (written < 0 && errno != EINTR && errno != EAGAIN) {
        die("write to host");
      }
      if (written > 0) {
        at += written;
        size -= static_cast<std::size_t>(written);
      }
    }
  }

  void receive() {
    std::array<char, kChunk> chunk;
    const ssize_t size = ::read(port_.get(), chunk.data(), chunk.size());
    if (size <= 0) {
      // The host end is closed between two QEMU connections; do not spin on it.
      ::usleep(10'000);
      return;
    }
    received_.append(chunk.data(), static_cast<std::size_t>(size));
    std::size_t at = 0;
    while (received_.size() - at >= sizeof(Header)) {
      Header header;
      std::memcpy(&header, received_.data() + at, sizeof(header));
      if (received_.size() - at - sizeof(header) < header.length) {
        break;
      }
      handle(header, std::string_view(received_).substr(at + sizeof(header), header.length));
      at += sizeof(header) + header.length;
    }
    received_.erase(0, at);
  }

  void handle(const Header& header, std::string_view payload) {
    if (header.type == Message::kStart) {
      start(header.id, std::string(payload));
      return;
    }
    const auto found = commands_.find(header.id);
    if (found == commands_.end()) {
      return;  // it has ended meanwhile
    }
    Command& command = found->second;
    if (header.type == Message::kInput) {
      command.waiting_input.append(payload);
      feed(command);
    } else if (header.type == Message::kInputEnd) {
      command.input_ended = true;
      feed(command);
    } else if (header.type == Message::kSignal && payload.size() == sizeof(std::int32_t)) {
      std::int32_t number;
      std::memcpy(&number, payload.data(), sizeof(number));
      ::kill(-command.pid, number);
    }
  }

  void start(std::uint32_t id, const std::string& line) {
    std::array<std::array<int, 2>, 3> pipes;
    for (auto& pipe : pipes) {
      if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        die("pipe");
      }
    }
    const pid_t pid = ::fork();
    if (pid < 0) {
      die("fork");
    }
    if (pid == 0) {
      ::setsid();
      ::dup2(pipes[0][0], 0);
      ::dup2(pipes[1][1], 1);
      ::dup2(pipes[2][1], 2);
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      ::signal(SIGPIPE, SIG_DFL);
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    Command& command = commands_[id];
    command.pid = pid;
    command.input.reset(pipes[0][1]);
    command.output.reset(pipes[1][0]);
    command.error_output.reset(pipes[2][0]);
    ::close(pipes[0][0]);
    ::close(pipes[1][1]);
    ::close(pipes[2][1]);
    for (const UniqueFd* fd : {&command.input, &command.output, &command.error_output}) {
      ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
    }
  }

  void serve(std::uint32_t id, int fd) {
    const auto found = commands_.find(id);
    if (found == commands_.end()) {
      return;
    }
    Command& command = found->second;
    if (fd == command.input.get()) {
      feed(command);
    } else if (fd == command.output.get()) {
      forward(id, command.output, Message::kOutput);
    } else if (fd == command.error_output.get()) {
      forward(id, command.error_output, Message::kErrorOutput);
    }
  }

  void feed(Command& command) {
    while (command.input && !command.waiting_input.empty()) {
      const ssize_t size =
          ::write(command.input.get(), command.waiting_input.data(), command.waiting_input.size());
      if (size < 0 && errno == EAGAIN) {
        return;
      }
      if (size < 0) {
        command.waiting_input.clear();
        command.input.reset();
        return;
      }
      command.waiting_input.erase(0, static_cast<std::size_t>(size));
    }
    if (command.input_ended) {
      command.input.reset();
    }
  }

  /// Sends one chunk on. Returns false when nothing waits.
  bool forward(std::uint32_t id, UniqueFd& fd, Message type) {
    std::array<char, kChunk> chunk;
    const ssize_t size = fd ? ::read(fd.get(), chunk.data(), chunk.size()) : 0;
    if (size > 0) {
      send(id, type, {chunk.data(), static_cast<std::size_t>(size)});
      return true;
    }
    if (size == 0) {
      fd.reset();
    }
    return false;
  }

  void reap() {
    std::array<signalfd_siginfo, 16> ignored;
    while (::read(children_.get(), ignored.data(), sizeof(ignored)) > 0) {
    }
    int status = 0;
    while (const pid_t pid = ::waitpid(-1, &status, WNOHANG)) {
      if (pid < 0) {
        return;
      }
      for (auto it = commands_.begin(); it != commands_.end(); ++it) {
        if (it->second.pid == pid) {
          finish(it->first, it->second, status);
          commands_.erase(it);
          break;
        }
      }
    }
  }

  /// What the command left in its pipes goes out first. Background children may keep the pipes
  /// open; they are not waited for.
  void finish(std::uint32_t id, Command& command, int status) {
    while (forward(id, command.output, Message::kOutput)) {
    }
    while (forward(id, command.error_output, Message::kErrorOutput)) {
    }
    const std::int32_t code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    send(id, Message::kExit, {reinterpret_cast<const char*>(&code), sizeof(code)});
  }

  UniqueFd port_;
  UniqueFd children_;
  std::string received_;
  std::map<std::uint32_t, Command> commands_;
};

}  // namespace
}  // namespace framegov::vm

int main() {
  ::setenv("PATH", "/bin", 1);
  ::setenv("HOME", "/tmp", 1);
  framegov::vm::Agent agent(framegov::vm::find_port());
  while (true) {
    agent.step();
  }
}
