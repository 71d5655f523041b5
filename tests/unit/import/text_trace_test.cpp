// SPDX-License-Identifier: Apache-2.0
#include "sim/import/text_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/import/import.h"

namespace framegov::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class Lines : public TraceSink {
 public:
  void on_switch(const SchedSwitch& event) override {
    switches.push_back(event);
    comms.emplace_back(event.next_comm);
  }
  void on_cpu_frequency(const CpuFrequencySample& sample) override {
    frequencies.push_back(sample);
  }
  void on_cpu_minimum(const CpuFrequencySample& minimum) override { minima.push_back(minimum); }
  void on_cpu_idle(std::int64_t /*at*/, std::int32_t cpu, std::uint32_t state) override {
    idle.emplace_back(cpu, state);
  }
  void on_print(const PrintLine& line) override {
    prints.emplace_back(line.at, line.text);
    print_tids.push_back(line.tid);
  }
  void on_thread(const ThreadInfo& thread) override {
    names[thread.tid] = thread.name;
    tgids[thread.tid] = thread.tgid;
  }
  void on_lost_events(std::int32_t cpu, std::uint64_t count) override {
    lost.emplace_back(cpu, count);
  }
  void on_overwritten() override { overwritten = true; }
  void on_complete_since(std::int32_t cpu, std::int64_t at) override {
    complete_since.emplace_back(cpu, at);
  }

  bool overwritten = false;
  std::vector<SchedSwitch> switches;
  std::vector<std::string> comms;
  std::vector<CpuFrequencySample> frequencies;
  std::vector<CpuFrequencySample> minima;
  std::vector<std::pair<std::int32_t, std::uint32_t>> idle;
  std::vector<std::pair<std::int64_t, std::string>> prints;
  std::vector<std::int32_t> print_tids;
  std::map<std::int32_t, std::string> names;
  std::map<std::int32_t, std::int32_t> tgids;
  std::vector<std::pair<std::int32_t, std::uint64_t>> lost;
  std::vector<std::pair<std::int32_t, std::int64_t>> complete_since;
};

bool parse(const std::string& line, Lines& lines) {
  std::optional<std::int32_t> cpu;
  return parse_ftrace_line(line, lines, cpu) && cpu;
}

Result<TextTraceCounts> read(const std::string& text, Lines& lines) {
  const auto source = bytes_in_memory(text);
  return read_text_trace(**source, lines);
}

TEST(FtraceLine, WithAndWithoutTgidAndFlags) {
  const std::string details =
      "sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 "
      "next_prio=120";
  Lines lines;
  EXPECT_TRUE(parse("   task-959   (  959) [006] d..3   538.064659: " + details, lines));
  EXPECT_TRUE(parse("   task-959   (-----) [006] d..3   538.064659: " + details, lines));
  EXPECT_TRUE(parse("   task-959   [006] d..3.   538.064659: " + details, lines));
  EXPECT_TRUE(parse("   task-959   [006]   538.064659: " + details, lines));
  EXPECT_TRUE(parse("   task-959   [006] ....   538.064659123: " + details, lines));
  ASSERT_EQ(lines.switches.size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(lines.switches[i].at, 538'064'659'000);
    EXPECT_EQ(lines.switches[i].cpu, 6);
    EXPECT_EQ(lines.switches[i].prev_tid, 1);
    EXPECT_EQ(lines.switches[i].next_tid, 2);
  }
  EXPECT_EQ(lines.switches[4].at, 538'064'659'123);
}

TEST(FtraceLine, TaskNamesMayHoldAnything) {
  Lines lines;
  EXPECT_TRUE(
      parse(" Binder:594_5-2074  (  594) [005] ...1   1.000001: tracing_mark_write: E", lines));
  EXPECT_TRUE(
      parse(" HeapTask Daemon-77 (   70) [000] ...1   1.000001: tracing_mark_write: E", lines));
  EXPECT_TRUE(
      parse(" a [001] (b)-c-78 (   70) [000] ...1   1.000001: tracing_mark_write: E", lines));
  EXPECT_TRUE(parse(" <...>-79  (-----) [000] ...1   1.000001: tracing_mark_write: E", lines));
  EXPECT_EQ(lines.names[2074], "Binder:594_5");
  EXPECT_EQ(lines.tgids[2074], 594);
  EXPECT_EQ(lines.names[77], "HeapTask Daemon");
  EXPECT_EQ(lines.names[78], "a [001] (b)-c");
  EXPECT_FALSE(lines.names.contains(79));
  EXPECT_THAT(lines.print_tids, ElementsAre(2074, 77, 78, 79));
}

TEST(FtraceLine, SwitchesOfKernelAndTraceCmd) {
  Lines lines;
  EXPECT_TRUE(
      parse(" x-5 [003] d..2 7.5: sched_switch: prev_comm=my task prev_pid=5 prev_prio=120 "
            "prev_state=R+ ==> next_comm=x next_pid=9 next_pid=6 next_prio=97",
            lines));
  EXPECT_TRUE(
      parse("  <idle>-0     [000]  1234.567890: sched_switch:         swapper/0:0 [120] R ==> "
            "a:b:321 [98]",
            lines));
  EXPECT_EQ(lines.switches[0].next_tid, 6);
  EXPECT_EQ(lines.comms[0], "x next_pid=9");
  EXPECT_EQ(lines.switches[1].prev_tid, 0);
  EXPECT_EQ(lines.switches[1].next_tid, 321);
  EXPECT_EQ(lines.comms[1], "a:b");
}

TEST(FtraceLine, FrequenciesIdleAndMarkers) {
  Lines lines;
  EXPECT_TRUE(parse(" k-9 [001] d..2 7.5: cpu_frequency: state=1804800 cpu_id=4", lines));
  EXPECT_TRUE(
      parse(" k-9 [001] ...1 7.5: cpu_frequency_limits: min=7104 max=2419200 cpu_id=5", lines));
  EXPECT_TRUE(parse(" k-9 [001] d..2 7.5: cpu_idle: state=4294967295 cpu_id=7", lines));
  EXPECT_TRUE(parse(" k-9 [001] ...1 7.5: print: tracing_mark_write: B|9|x: y", lines));
  EXPECT_TRUE(parse(" k-9 [001] ...1 7.5: tracing_mark_write: B|9|com.a/b#0: 1", lines));
  ASSERT_EQ(lines.frequencies.size(), 1U);
  EXPECT_EQ(lines.frequencies[0].khz, 1'804'800U);
  EXPECT_EQ(lines.frequencies[0].cpu, 4);
  ASSERT_EQ(lines.minima.size(), 1U);
  EXPECT_EQ(lines.minima[0].khz, 7'104U);
  EXPECT_EQ(lines.minima[0].cpu, 5);
  EXPECT_THAT(lines.idle, ElementsAre(Pair(7, 4'294'967'295U)));
  EXPECT_EQ(lines.prints[0].second, "B|9|x: y");
  EXPECT_EQ(lines.prints[1].second, "B|9|com.a/b#0: 1");
}

TEST(FtraceLine, TraceCmdMayPrintAnEventsFieldsAlone) {
  Lines lines;
  EXPECT_TRUE(
      parse("  <idle>-0 [002]  76.25: sched_switch:          prev_comm=swapper/2 prev_pid=0 "
            "prev_prio=120 prev_state=0 next_comm=my app next_pid=1642 next_prio=120",
            lines));
  EXPECT_TRUE(parse(" a-9 [001]  76.5: print:     ip=0xffffff80 buf=B|9|x: y", lines));
  EXPECT_TRUE(parse(" a-9 [001]  76.5: tracing_mark_write: ip=18446743 buf=E", lines));
  EXPECT_FALSE(parse(" a-9 [001]  76.5: sched_switch: prev_comm=a prev_pid=9 next_co", lines));
  ASSERT_EQ(lines.switches.size(), 1U);
  EXPECT_EQ(lines.switches[0].prev_tid, 0);
  EXPECT_EQ(lines.switches[0].next_tid, 1642);
  EXPECT_EQ(lines.comms[0], "my app");
  ASSERT_EQ(lines.prints.size(), 2U);
  EXPECT_EQ(lines.prints[0].second, "B|9|x: y");
  EXPECT_EQ(lines.prints[1].second, "E");
}

TEST(FtraceLine, AMarkMayBeCalledZero) {
  Lines lines;
  EXPECT_TRUE(parse(" Binder_1-340 [000] 50260.935656: 0: C|124|VSYNC|1", lines));
  EXPECT_TRUE(parse(" k-77 (   77) [004] ....   316.196720: 0: B|77|name|0", lines));
  ASSERT_EQ(lines.prints.size(), 2U);
  EXPECT_EQ(lines.prints[0].second, "C|124|VSYNC|1");
}

TEST(FtraceLine, TimesMayBeNanosecondsAlone) {
  Lines lines;
  EXPECT_TRUE(parse(" x-5 [003] 1011456789012: cpu_frequency: state=300000 cpu_id=3", lines));
  EXPECT_TRUE(parse(" x-5 [003] d..2 1011456789013: cpu_frequency: state=300000 cpu_id=3", lines));
  EXPECT_FALSE(parse(" x-5 [003] 10114567890123456789: cpu_frequency: state=3 cpu_id=3", lines));
  EXPECT_FALSE(parse(" x-5 [003] : cpu_frequency: state=300000 cpu_id=3", lines));
  ASSERT_EQ(lines.frequencies.size(), 2U);
  EXPECT_EQ(lines.frequencies[0].at, 1'011'456'789'012);
  EXPECT_EQ(lines.frequencies[1].at, 1'011'456'789'013);
}

TEST(FtraceLine, DamagedEventsAreEventsThatCannotBeRead) {
  Lines lines;
  std::optional<std::int32_t> cpu;
  EXPECT_FALSE(parse_ftrace_line(" k-9 [001] d..2 7.5: cpu_frequency: state=", lines, cpu));
  EXPECT_EQ(cpu, 1);
  EXPECT_FALSE(parse_ftrace_line(" k-9 [001] d..2 7.5: sched_switch: prev_c", lines, cpu));
  EXPECT_EQ(cpu, 1);
  EXPECT_FALSE(parse_ftrace_line("free text", lines, cpu));
  EXPECT_EQ(cpu, std::nullopt);
  EXPECT_FALSE(parse_ftrace_line("-[0]1.1:a:", lines, cpu));
  EXPECT_EQ(cpu, std::nullopt);
}

constexpr const char* kLine =
    "   a-9   [001] d..2     7.500000: cpu_frequency: state=300000 cpu_id=0\n";

TEST(TextTrace, CountsLostEventsAndPassesOverHeaders) {
  Lines lines;
  const auto counts = read(std::string("# tracer: nop\n#\ncpus=8\nCPU:3 [LOST 120 EVENTS]\n") +
                               "##### CPU 2 buffer started ####\n" + kLine,
                           lines);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->lines, 1U);
  EXPECT_THAT(lines.lost, ElementsAre(Pair(3, 120U)));
  EXPECT_TRUE(lines.overwritten);
}

TEST(TextTrace, ACpuWithFarFewerLinesThanTheFullestHasLostNone) {
  const auto line = [](int cpu, const char* event) {
    return "   a-9   [00" + std::to_string(cpu) + "] d..2     7.500000: " + event + "\n";
  };
  std::string text = "##### CPU 2 buffer started ####\n";
  for (int i = 0; i < 8; ++i) {
    text += line(0, "cpu_idle: state=1 cpu_id=0");
  }
  text += line(1, "cpu_frequency: state=300000 cpu_id=0");
  text += line(2, "irq_handler_entry: irq=1") + line(2, "irq_handler_exit: irq=1");
  Lines lines;
  ASSERT_TRUE(read(text, lines));
  EXPECT_THAT(lines.complete_since, ElementsAre(Pair(1, 0)));
}

TEST(TextTrace, LostEventsAreToldInManyWays) {
  Lines lines;
  ASSERT_TRUE(read(std::string("CPU:3 [LOST 120 EVENTS]\nCPU:1 [LOST EVENTS]\n"
                               "CPU:7 [204600 EVENTS DROPPED]\nCPU:12 [EVENTS DROPPED]\n") +
                       kLine + " a-9 [001] ...1 7.5: print: CPU:3 [5 EVENTS DROPPED]\n",
                   lines));
  EXPECT_THAT(lines.lost, ElementsAre(Pair(3, 120U), Pair(1, 0U), Pair(7, 204600U), Pair(12, 0U)));
}

TEST(TextTrace, ReadsSystraceHtmlWithItsProcessTables) {
  Lines lines;
  const auto counts = read(
      std::string("<!DOCTYPE html>\n<html>\n<script>var x = 1;</script>\n"
                  "  <script class=\"trace-data\" type=\"application/text\">\n"
                  "PROCESS DUMP\nUSER           PID  PPID     VSZ    RSS WCHAN   ADDR S NAME\n"
                  "u0_a88        7459   622 1837000 100000 0         0 S com.example.app\n"
                  "USER           PID   TID CMD\n"
                  "u0_a88        7459  7591 RenderThread\n"
                  "  </script>\n"
                  "  <script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n") +
          kLine + "  </script>\n</html>\n",
      lines);
  ASSERT_TRUE(counts) << counts.error().to_string();
  EXPECT_EQ(lines.frequencies.size(), 1U);
  EXPECT_EQ(lines.names[7459], "com.example.app");
  EXPECT_EQ(lines.names[7591], "RenderThread");
  EXPECT_EQ(lines.tgids[7591], 7459);
}

TEST(TextTrace, TheViewersOwnScriptsAreNoTrace) {
  Lines lines;
  const auto counts = read(
      std::string("<!DOCTYPE html>\n<html>\n<script>\n"
                  "// <idle>-0 [001] d..2 50265.5: cpu_frequency: state=300000 cpu_id=1\n"
                  "  <idle>-0 [001] d..2 50265.6: cpu_frequency: state=300000 cpu_id=1\n"
                  "</script>\n"
                  "  <script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n") +
          kLine + "  </script>\n<script>\n  a-1 [001] d..2 7.6: tracing_mark_write: E\n</script>\n",
      lines);
  ASSERT_TRUE(counts) << counts.error().to_string();
  EXPECT_EQ(counts->lines, 1U);
  EXPECT_EQ(lines.frequencies.size(), 1U);
}

TEST(TextTrace, DataOfASystracePageMayBeEmpty) {
  const std::string data = "<script class=\"trace-data\" type=\"application/text\">";
  Lines lines;
  const auto counts =
      read("<html>\n" + data + "\n x-5 [003] 7.5: tracing_mark_write: E\n</script>\n" + data +
               "</script>\n</html>\n",
           lines);
  ASSERT_TRUE(counts) << counts.error().to_string();
  EXPECT_EQ(counts->lines, 1U);
}

TEST(TextTrace, ProcessTablesHaveTheNameInAColumnOfItsOwn) {
  Lines lines;
  const auto counts =
      read(std::string(
               "USER       PID  PPID     VSZ    RSS WCHAN   PC S NAME               COMM\n"
               "u0_a88    7459   622 1837000 100000 0        0 S com.example.longname "
               "xample.longname\n"
               "root      7460     2       0      0 0        0 S [my worker]         my worker\n") +
               kLine,
           lines);
  ASSERT_TRUE(counts) << counts.error().to_string();
  EXPECT_EQ(lines.names[7459], "com.example.longname");
  EXPECT_EQ(lines.names[7460], "[my");
}

TEST(TextTrace, LinesMayEndAsOnWindows) {
  Lines lines;
  const auto counts = read(
      "<html>\r\n<script class=\"trace-data\" type=\"application/text\">\r\n# tracer: nop\r\n"
      " a-9 [001] ...1 7.5: tracing_mark_write: B|9|queueBuffer\r\n</script>\r\n</html>\r\n",
      lines);
  ASSERT_TRUE(counts) << counts.error().to_string();
  EXPECT_THAT(lines.prints, ElementsAre(Pair(7'500'000'000, "B|9|queueBuffer")));
}

TEST(TextTrace, Utf16IsNamed) {
  const std::string bytes("\xff\xfe#\0 \0", 6);
  const auto imported = import_bytes(**bytes_in_memory(bytes), "test", {});
  ASSERT_FALSE(imported);
  EXPECT_THAT(imported.error().message, HasSubstr("UTF-16"));
  EXPECT_THAT(imported.error().hint, HasSubstr("iconv"));
}

TEST(TextTrace, RefusesWhatHoldsNoEventsOrIsCutOff) {
  Lines lines;
  EXPECT_THAT(read("hello\nworld\n", lines).error().message, HasSubstr("no ftrace event"));
  const auto cut =
      read(std::string("<script class=\"trace-data\" type=\"application/text\">\n") + kLine, lines);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("cut off at offset"));
  const auto damaged =
      read(std::string(kLine) +
               " a-9 [001] d..2 7.5: cpu_frequency: x\n a-9 [001] d..2 7.5: cpu_idle: x\n",
           lines);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("2 of 3"));
}

}  // namespace
}  // namespace framegov::sim
