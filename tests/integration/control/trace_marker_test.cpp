// SPDX-License-Identifier: Apache-2.0
#include "governor/observers/trace_marker.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/import/atrace.h"
#include "sim/import/text_trace.h"
#include "tests/integration/uprobes/mounted_tracefs.h"
#include "tests/support/phone_topology.h"
#include "trace/byte_source.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Collects atrace lines.
class Prints final : public TraceSink {
 public:
  void on_print(const PrintLine& line) override {
    text.emplace_back(line.text);
    if (const auto atrace = sim::parse_atrace(line.text)) {
      lines.push_back(*atrace);
    }
  }
  std::vector<std::string> text;
  std::vector<sim::AtraceLine> lines;
};

/// A real trace buffer of our own, so that nobody's recording is disturbed.
class TraceMarkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to record a trace";
    }
    if (tracefs_.path().empty()) {
      GTEST_SKIP() << tracefs_.why_not();
    }
    folder_ = tracefs_.path() / "instances" / ("framegov-marker-" + std::to_string(::getpid()));
    std::error_code error;
    if (!fs::create_directory(folder_, error)) {
      GTEST_SKIP() << "no trace buffer of our own: " << error.message();
    }
    auto marker = TraceMarker::open(folder_, test::phone_topology());
    ASSERT_TRUE(marker) << marker.error().to_string();
    marker_ = *std::move(marker);
  }
  void TearDown() override {
    marker_.reset();
    std::error_code ignored;
    fs::remove(folder_, ignored);  // rmdir: the kernel takes its files away
  }

  void make_frame(Duration slack, Frequency cap) {
    now_ += 8ms;
    Frame frame;
    frame.ready = now_;
    frame.deadline = now_ + slack;
    FrequencyPlan plan = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
    plan.clusters[1] = {cap, mhz(800)};
    marker_->on_decision({now_, DecisionCause::kFrameEnd, AppId{1}, &frame, &plan});
    marker_->on_frame(frame, "com.a", now_);
    StepReport report;
    report.now = now_;
    marker_->on_step(report);
  }
  void record(bool on) const { std::ofstream(folder_ / "tracing_on") << (on ? 1 : 0); }
  void import(Prints& prints) const {
    std::ifstream file(folder_ / "trace");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = bytes_in_memory(text);
    if (const auto read = sim::read_text_trace(**bytes, prints); !read) {
      prints.text.push_back(read.error().message);
    }
  }
  /// The recorded values of the counter of that name, in order.
  [[nodiscard]] std::vector<std::int64_t> recorded(const std::string& name) const {
    Prints prints;
    import(prints);
    return values(prints, name);
  }
  static std::vector<std::int64_t> values(const Prints& prints, const std::string& name) {
    std::vector<std::int64_t> found;
    for (const std::string& text : prints.text) {
      if (text.find("|" + name + "|") != std::string::npos) {
        found.push_back(sim::parse_atrace(text)->value);
      }
    }
    return found;
  }

  test::MountedTracefs tracefs_;
  fs::path folder_;
  std::unique_ptr<TraceMarker> marker_;
  Instant now_ = instant_from_ns(1'000'000'000'000);
};

TEST_F(TraceMarkerTest, OurImporterReadsTheCountersOfARealTrace) {
  record(true);
  make_frame(2500us, mhz(1200));
  make_frame(-300us, mhz(1200));
  make_frame(1ms, mhz(2250));
  Prints prints;
  import(prints);
  EXPECT_THAT(values(prints, "framegov slack_us"), ::testing::ElementsAre(2500, -300, 1000));
  EXPECT_THAT(values(prints, "framegov policy4 cap_khz"),
              ::testing::ElementsAre(1'200'000, 2'250'000));
  EXPECT_THAT(values(prints, "framegov policy4 floor_khz"), ::testing::ElementsAre(800'000));
  EXPECT_THAT(values(prints, "framegov policy0 cap_khz"), ::testing::ElementsAre(0));
  int begins = 0;
  int ends = 0;
  for (const sim::AtraceLine& line : prints.lines) {
    begins += line.phase == sim::AtracePhase::kBegin ? 1 : 0;
    ends += line.phase == sim::AtracePhase::kEnd ? 1 : 0;
    EXPECT_TRUE(line.tgid == ::getpid() || line.tgid == 0);
  }
  EXPECT_EQ(begins, 3);
  EXPECT_EQ(ends, 3);
  EXPECT_THAT(prints.text, Contains(HasSubstr("framegov frame: tracking")));
}

TEST_F(TraceMarkerTest, NothingIsTriedAgainForASecondWhileNobodyRecords) {
  record(false);
  make_frame(1ms, mhz(1200));
  record(true);
  make_frame(1ms, mhz(1200));
  EXPECT_THAT(recorded("framegov slack_us"), IsEmpty());
  now_ += 1s;
  make_frame(1ms, mhz(1200));
  EXPECT_EQ(recorded("framegov slack_us").size(), 1U);
  EXPECT_EQ(recorded("framegov policy4 cap_khz").size(), 1U);
}

TEST(TraceMarker, WithoutTracefsThereIsOneError) {
  const auto marker = TraceMarker::open("/nonexistent", test::phone_topology());
  ASSERT_FALSE(marker);
  EXPECT_THAT(marker.error().message, HasSubstr("/nonexistent/trace_marker"));
}

}  // namespace
}  // namespace framegov
