// SPDX-License-Identifier: Apache-2.0
#include "probes/context/command_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "probes/context/child_command.h"
#include "probes/context/errand_message.h"
#include "probes/context/thread_clock.h"

namespace framegov {
namespace {

using namespace std::chrono_literals;

Errands errands() {
  Errands all;
  all.commands = {
      {{"/bin/echo", "one"}},
      {{"/bin/echo", "latency"}, 1},
      {{"/bin/sleep", "1000"}},
      {{"/usr/bin/env"}, 0, {}, true},
      {{"/nonexistent/dumpsys"}},
      {{"sum"}, 2, [](const auto& rest) { return "of " + std::to_string(rest.size()); }}};
  all.counters = {kTaskClock};
  return all;
}

/// Runs `test` in a process with a runner: once started it cannot be taken back. 0 when its checks
/// hold.
int with_runner(const std::function<void()>& test) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!start_command_runner(errands(), [] { return Status{}; })) {
      ::_exit(100);
    }
    test();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string said(const CommandLine& command) {
  return run_command(command, 10s).value_or("refused");
}

TEST(CommandRunner, StartsItsErrandsAndNothingElse) {
  EXPECT_EQ(with_runner([] {
              EXPECT_EQ(said({"/bin/echo", "one"}), "one\n");
              EXPECT_EQ(said({"/bin/echo", "latency", "a b"}), "latency a b\n");
              EXPECT_EQ(said({"/bin/echo", "latency"}), "latency\n");
              EXPECT_EQ(said({"sum", "x", "y"}), "of 2");
              EXPECT_EQ(said({"/bin/echo", "two"}), "refused");
              EXPECT_EQ(said({"/bin/echo", "one", "more"}), "refused");
              EXPECT_EQ(said({"/bin/echo"}), "refused");
              EXPECT_EQ(said({"/bin/sh", "-c", "echo x"}), "refused");
              const auto missing = run_command({"/nonexistent/dumpsys"}, 1s);
              ASSERT_FALSE(missing);
              EXPECT_THAT(missing.error().message, ::testing::HasSubstr("No such file"));
            }),
            0);
}

TEST(CommandRunner, TakesNoEnvironmentThatCouldBeAProgram) {
  EXPECT_EQ(
      with_runner([] {
        const auto start = [](const CommandLine& command, const std::string& variable) {
          return ChildCommand::start(command, {variable}, ChildCommand::Output::kKeep).has_value();
        };
        EXPECT_TRUE(start({"/usr/bin/env"}, "FRAMEGOV_APP=com.a"));
        EXPECT_FALSE(start({"/usr/bin/env"}, "LD_PRELOAD=/tmp/x.so"));
        EXPECT_FALSE(start({"/usr/bin/env"}, "PATH=/tmp"));
        EXPECT_FALSE(start({"/bin/echo", "one"}, "FRAMEGOV_APP=com.a"));
      }),
      0);
}

TEST(CommandRunner, CountsWhatItMayAndNothingElse) {
  if (!ThreadClock(::getpid())) {
    GTEST_SKIP() << "perf_event_open is not allowed here";
  }
  EXPECT_EQ(with_runner([] {
              const UniqueFd clock = open_thread_counter(kTaskClock, ::getpid());
              std::uint64_t time = 0;
              EXPECT_EQ(::read(clock.get(), &time, sizeof time), 8);
              EXPECT_FALSE(open_thread_counter(
                  {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0}, ::getpid()));
              EXPECT_FALSE(open_thread_counter({PERF_TYPE_TRACEPOINT, 1, 0}, ::getpid()));
              // -1 would be a CPU's.
              EXPECT_FALSE(open_thread_counter(kTaskClock, -1));
              EXPECT_FALSE(open_thread_counter(kTaskClock, 0x7ffffff0));
            }),
            0);
}

TEST(CommandRunner, KillsWhatIsLetGoAndTellsTheEnd) {
  EXPECT_EQ(with_runner([] {
              for (int i = 0; i < 40; ++i) {  // more than run at a time
                auto started = ChildCommand::start({"/bin/sleep", "1000"}, clean_environment(),
                                                   ChildCommand::Output::kKeep);
                ASSERT_TRUE(started) << started.error().to_string();
                std::optional<ChildCommand> hung(*std::move(started));
                EXPECT_FALSE(hung->ended());
                const UniqueFd output{::dup(hung->fd())};
                hung.reset();
                pollfd wait{output.get(), POLLIN, 0};
                ASSERT_EQ(::poll(&wait, 1, 10000), 1);  // its end of the pipe is gone
              }
              auto quick = ChildCommand::start({"/bin/echo", "one"}, clean_environment(),
                                               ChildCommand::Output::kDiscard);
              ASSERT_TRUE(quick);
              for (int i = 0; i < 10000 && !quick->ended(); ++i) {
                ::usleep(1000);
              }
              EXPECT_TRUE(quick->ended());
            }),
            0);
}

TEST(CommandRunner, EndsWithTheProcessThatAsks) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  EXPECT_EQ(with_runner([] {
              static auto hung = ChildCommand::start({"/bin/sleep", "1000"}, clean_environment(),
                                                     ChildCommand::Output::kKeep);
              EXPECT_TRUE(hung);
            }),
            0);
  // The runner and its command have come to this process, and end.
  int status = 0;
  EXPECT_GT(::waitpid(-1, &status, 0), 0);
  while (::waitpid(-1, &status, 0) > 0) {  // the command, unless the runner has waited for it
  }
  EXPECT_EQ(errno, ECHILD);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

TEST(CommandRunner, OneThatCannotBeConfinedIsNone) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Status started = start_command_runner(
        errands(), [] { return Status(fail(ExitCode::kFailure, "the kernel says no")); });
    const bool said =
        !started && started.error().message.find("the kernel says no") != std::string::npos;
    ::_exit(said && !has_command_runner() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ErrandMessages, AnyBytesAreSurvived) {
  ErrandHead head;
  head.words = 2;
  const std::string good = errand_bytes(head, {"a", "b"}, {"C=d"});
  const auto parsed = parse_errand(good);
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->texts, ::testing::ElementsAre("a", "b", "C=d"));
  for (std::size_t size = 0; size < good.size(); ++size) {
    (void)parse_errand(std::string_view(good).substr(0, size));
  }
  EXPECT_FALSE(parse_errand(good.substr(0, good.size() - 1)));
  head.words = 4;
  EXPECT_FALSE(parse_errand(errand_bytes(head, {"a", "b"}, {"C=d"})));
  EXPECT_FALSE(parse_errand(""));
}

}  // namespace
}  // namespace framegov
