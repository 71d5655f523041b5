// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/journal.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/cpu_topology.h"
#include "base/text.h"

namespace framegov::calibrate {

namespace {

constexpr std::string_view kFirstLine = "framegov calibration 1";
constexpr double kMostMw = 1e5;
constexpr double kMostSeconds = 2e5;  // of a session: two days
constexpr std::size_t kMostKhz = 100'000'000;
constexpr double kKhzPerMhz = 1e3;
constexpr int kMostSessions = 10'000;
constexpr std::size_t kMostDrops = 1'000'000;

/// The rest of a line, read word by word. A number that does not fit counts as the least.
class Words {
 public:
  explicit Words(std::string_view line) : in_(std::string(line)) {}

  std::string word() {
    std::string text;
    good_ = static_cast<bool>(in_ >> text) && good_;
    return text;
  }
  double number(double low, double high) {
    double value = low;
    const bool fits = static_cast<bool>(in_ >> value) && value >= low && value <= high;
    good_ = fits && good_;
    return fits ? value : low;
  }
  std::size_t count(std::size_t high) {
    const double value = number(0, static_cast<double>(high));
    good_ = good_ && std::floor(value) == value;
    return static_cast<std::size_t>(value);
  }
  [[nodiscard]] bool more() { return good_ && !(in_ >> std::ws).eof(); }
  [[nodiscard]] bool all_good() { return good_ && (in_ >> std::ws).eof(); }

 private:
  std::istringstream in_;
  bool good_ = true;
};

Load read_load(Words& words) {
  Load load;
  load.cluster = words.count(kMaxClusters - 1);
  load.opp = words.count(kMaxOpps - 1);
  load.busy = words.count(kMaxCpus);
  return load;
}

bool has(const std::vector<ClusterShape>& shapes, const Load& load) {
  return load.busy == 0
             ? load == Load{}
             : load.cluster < shapes.size() && load.opp < shapes[load.cluster].mhz.size() &&
                   load.busy <= shapes[load.cluster].cpus;
}

bool read_cluster(Words& words, Journal& journal) {
  ClusterShape shape{words.count(kMaxCpus), {}};
  while (words.more()) {
    const double mhz = static_cast<double>(words.count(kMostKhz)) / kKhzPerMhz;
    if (mhz <= (shape.mhz.empty() ? 0 : shape.mhz.back())) {
      return false;
    }
    shape.mhz.push_back(mhz);
  }
  const bool good = words.all_good() && shape.cpus > 0 && !shape.mhz.empty() &&
                    shape.mhz.size() <= kMaxOpps && journal.shapes.size() < kMaxClusters;
  journal.shapes.push_back(std::move(shape));
  return good;
}

bool read_segment(Words& words, Journal& journal) {
  Segment segment;
  segment.session = static_cast<int>(words.count(kMostSessions));
  segment.at_s = words.number(0, kMostSeconds);
  segment.load = read_load(words);
  segment.readings = words.number(1, kMostSeconds);
  segment.mean_mw = words.number(-kMostMw, kMostMw);
  if (words.more()) {
    segment.celsius = words.number(-100, 200);
  }
  journal.segments.push_back(segment);
  return words.all_good() && has(journal.shapes, segment.load);
}

bool read_line(std::string_view line, Journal& journal) {
  Words words(line);
  const std::string kind = words.word();
  if (kind == "cluster") {
    return read_cluster(words, journal);
  }
  if (kind == "quick") {
    journal.quick = words.count(1) == 1;
    return words.all_good();
  }
  if (kind == "segment") {
    return read_segment(words, journal);
  }
  if (kind == "unheld") {
    const Load load = read_load(words);
    journal.given_up.insert(load);
    return words.all_good() && load.busy > 0 && has(journal.shapes, load);
  }
  if (kind == "dropped") {
    for (std::size_t& count : journal.dropped) {
      count = words.count(kMostDrops);
    }
    return words.all_good();
  }
  return false;
}

void write(std::ostream& out, const Load& load) {
  out << load.cluster << ' ' << load.opp << ' ' << load.busy;
}

}  // namespace

int Journal::next_session() const {
  int next = 0;
  for (const Segment& segment : segments) {
    next = std::max(next, segment.session + 1);
  }
  return next;
}

std::string to_text(const Journal& journal) {
  std::ostringstream out;
  out.precision(7);  // a file of the state folder has 64 KiB at most
  out << kFirstLine << "\nquick " << journal.quick << '\n';
  for (const ClusterShape& shape : journal.shapes) {
    out << "cluster " << shape.cpus;
    for (const double mhz : shape.mhz) {
      out << ' ' << std::llround(mhz * kKhzPerMhz);
    }
    out << '\n';
  }
  for (const Load& load : journal.given_up) {
    out << "unheld ";
    write(out, load);
    out << '\n';
  }
  out << "dropped";
  for (const std::size_t count : journal.dropped) {
    out << ' ' << count;
  }
  out << '\n';
  for (const Segment& segment : journal.segments) {
    out << "segment " << segment.session << ' ' << segment.at_s << ' ';
    write(out, segment.load);
    out << ' ' << segment.readings << ' ' << segment.mean_mw;
    if (segment.celsius) {
      out << ' ' << *segment.celsius;
    }
    out << '\n';
  }
  out << "end\n";
  return out.str();
}

Result<Journal> parse_journal(std::string_view text) {
  Journal journal;
  int number = 0;
  const auto bad = [&number](const std::string& what) {
    return fail(ExitCode::kBadInput,
                std::string(kJournalFile) + ":" + std::to_string(number) + ": " + what,
                "framegov calibrate --restart begins anew");
  };
  ++number;
  if (take_line(text) != kFirstLine) {
    return bad("not '" + std::string(kFirstLine) + "'");
  }
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    ++number;
    if (line == "end" && text.empty()) {
      return journal;
    }
    if (!read_line(line, journal)) {
      return bad("'" + printable(std::string(line.substr(0, 60))) +
                 "' is no line of a calibration");
    }
  }
  return bad("the end is missing");
}

}  // namespace framegov::calibrate
