// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/process_memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "base/file.h"
#include "base/unique_fd.h"

namespace framegov {
namespace {

/// 0 or an errno. Fewer bytes than asked for are EFAULT.
int read_by_call(std::int32_t tid, std::uint64_t address, std::span<std::int64_t> words) {
  iovec local{words.data(), words.size_bytes()};
  iovec remote{};
  // An address of another process, never followed in this one.
  std::memcpy(&remote.iov_base, &address, sizeof remote.iov_base);
  remote.iov_len = words.size_bytes();
  const ssize_t got = ::process_vm_readv(tid, &local, 1, &remote, 1, 0);
  return got < 0 ? errno : got == static_cast<ssize_t>(words.size_bytes()) ? 0 : EFAULT;
}

int read_by_file(const std::filesystem::path& proc, std::int32_t tid, std::uint64_t address,
                 std::span<std::int64_t> words) {
  const UniqueFd memory = open_file(proc / std::to_string(tid) / "mem", O_RDONLY);
  if (!memory) {
    return errno;
  }
  const ssize_t got =
      ::pread(memory.get(), words.data(), words.size_bytes(), static_cast<off_t>(address));
  return got < 0 ? errno : got == static_cast<ssize_t>(words.size_bytes()) ? 0 : EFAULT;
}

/// Signals are the loop's.
std::thread start_without_signals(std::function<void()> run) {
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(run));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

/// A thread and what it is asked.
class ProcessMemory::Reader {
 public:
  Reader(const std::filesystem::path& proc, bool through_files)
      : desk_(std::make_shared<Desk>()),
        thread_(start_without_signals([desk = desk_, proc, through_files] {
          ::pthread_setname_np(::pthread_self(), "memory");
          work(*desk, proc, through_files);
        })) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  /// One that waits ends with the page's owner, or with this process.
  ~Reader() {
    bool waits = false;
    {
      const std::lock_guard lock(desk_->mutex);
      waits = desk_->asked;
      desk_->ended = true;
    }
    desk_->changed.notify_all();
    if (waits) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  /// The thread that it waits for; 0: it is free.
  [[nodiscard]] std::int32_t waits_for() const {
    const std::lock_guard lock(desk_->mutex);
    return desk_->asked ? desk_->tid : 0;
  }

  [[nodiscard]] bool read(std::int32_t tid, std::uint64_t address, std::span<std::int64_t> words) {
    std::unique_lock lock(desk_->mutex);
    desk_->asked = true;
    desk_->tid = tid;
    desk_->address = address;
    desk_->count = words.size();
    desk_->changed.notify_all();
    if (!desk_->changed.wait_for(lock, kLongest, [this] { return !desk_->asked; }) ||
        !desk_->succeeded) {
      return false;
    }
    std::copy_n(desk_->words.begin(), words.size(), words.begin());
    return true;
  }

 private:
  struct Desk {
    std::mutex mutex;
    std::condition_variable changed;
    bool asked = false;  ///< and not yet answered
    bool ended = false;
    bool succeeded = false;
    std::int32_t tid{};
    std::uint64_t address{};
    std::size_t count{};
    std::array<std::int64_t, kMostWords> words{};  ///< the thread's own while `asked`
  };

  static void work(Desk& desk, const std::filesystem::path& proc, bool through_files) {
    std::unique_lock lock(desk.mutex);
    while (true) {
      desk.changed.wait(lock, [&] { return desk.asked || desk.ended; });
      if (desk.ended) {
        return;
      }
      const std::span words(desk.words.data(), desk.count);
      const std::int32_t tid = desk.tid;
      const std::uint64_t address = desk.address;
      lock.unlock();
      const int error = through_files ? read_by_file(proc, tid, address, words)
                                      : read_by_call(tid, address, words);
      lock.lock();
      desk.succeeded = error == 0;
      desk.asked = false;
      desk.changed.notify_all();
    }
  }

  std::shared_ptr<Desk> desk_;
  std::thread thread_;
};

ProcessMemory::ProcessMemory(std::filesystem::path proc) : proc_(std::move(proc)) {}
ProcessMemory::ProcessMemory(ProcessMemory&&) noexcept = default;
ProcessMemory& ProcessMemory::operator=(ProcessMemory&&) noexcept = default;
ProcessMemory::~ProcessMemory() = default;

Result<ProcessMemory> ProcessMemory::open(const std::filesystem::path& proc) {
  ProcessMemory memory(proc);
  const std::array<std::int64_t, 1> known{0x6d656d};
  std::array<std::int64_t, 1> found{};
  const auto address = reinterpret_cast<std::uintptr_t>(known.data());
  const int by_call = read_by_call(::getpid(), address, found);
  if (by_call == 0) {
    return memory;
  }
  const int by_file = read_by_file(proc, ::getpid(), address, found);
  if (by_file == 0 && found == known) {
    memory.through_files_ = true;
    return memory;
  }
  return fail(
      ExitCode::kUnsupported,
      "apps' memory cannot be read: process_vm_readv: " + std::generic_category().message(by_call) +
          "; " + proc.string() + "/PID/mem: " + std::generic_category().message(by_file));
}

ProcessMemory::Reader* ProcessMemory::reader_for(std::int32_t tid) {
  Reader* free = nullptr;
  for (const auto& reader : readers_) {
    const std::int32_t waits_for = reader ? reader->waits_for() : 0;
    if (waits_for == tid) {
      return nullptr;
    }
    if (reader && waits_for == 0) {
      free = reader.get();
    }
  }
  const auto place = std::find(readers_.begin(), readers_.end(), nullptr);
  if (free == nullptr && place != readers_.end()) {
    try {
      *place = std::make_unique<Reader>(proc_, through_files_);
    } catch (const std::system_error&) {  // the kernel has no thread to give
    }
    free = place->get();
  }
  return free;
}

bool ProcessMemory::read(std::int32_t tid, std::uint64_t address, std::span<std::int64_t> words) {
  Reader* const reader = words.size() <= kMostWords ? reader_for(tid) : nullptr;
  return reader != nullptr && reader->read(tid, address, words);
}

}  // namespace framegov
