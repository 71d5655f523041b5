// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/thread_recovery.h"

#include <string>

#include "governor/threads/saved_threads.h"
#include "governor/threads/thread_release.h"

namespace framegov {

Status recover_threads(ThreadKernel& kernel, const StateDir& state_dir, std::string_view boot_id,
                       Log& log) {
  const auto text = state_dir.read_file(kSavedThreadsFile);
  if (text && (!*text || (*text)->empty())) {
    return state_dir.remove_file(kSavedThreadsFile);
  }
  const auto saved = text ? parse_saved_threads(**text) : tl::unexpected(text.error());
  if (!saved) {
    log.error("threads-unread",
              state_dir.path().string() + ": " + saved.error().message +
                  ": threads of the last app may keep their CPUs and clamps until it ends");
  } else if (saved->boot_id == boot_id) {
    int first = 0;
    for (const SavedThread& thread : saved->threads) {
      const int error = put_back(kernel, saved->pid, thread, saved->asked);
      first = first == 0 ? error : first;
    }
    const int heirs = free_heirs(kernel, *saved);
    first = first == 0 ? heirs : first;
    if (first != 0) {
      return fail_errno(first,
                        "process " + std::to_string(saved->pid) +
                            ": its threads' CPUs and clamps could not be put back",
                        "framegovd --restore tries again");
    }
    log.info("threads-released",
             "an earlier service was killed or crashed: its app's threads may run as before");
  }
  return state_dir.remove_file(kSavedThreadsFile);
}

}  // namespace framegov
