// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "base/units.h"

namespace framegov {

/// How busy a GPU is, by its driver.
struct GpuReading {
  double busy = 0;  ///< share of the driver's last sampling period, 0 to 1
  Frequency clock;  ///< zero: not told
  Frequency top;    ///< the highest that it may run at; zero: not told

  /// It works all the time at the highest clock there is for it: frames come when it is done with
  /// them, however fast CPUs are. A driver that does not tell clocks raises them long before that.
  [[nodiscard]] constexpr bool at_its_limit() const {
    constexpr double kAllOfIt = 0.95;
    return busy >= kAllOfIt && clock >= top * kAllOfIt;
  }
};

/// A percentage as drivers print it: "37 %" (kgsl), "37" (Mali), "37 0 63" (MediaTek's ged: busy,
/// blocked, idle), "37@800000000Hz" (devfreq). Nothing: no number stands there, or it is none.
[[nodiscard]] std::optional<double> busy_in(std::string_view text);

/// The GPU's load and clocks, in a tree like /sys.
///
/// Which files tell differs from driver to driver: kgsl (Adreno), kbase (Mali, as on Pixel and
/// Exynos), MediaTek's ged, HiSilicon's and others' devfreq. The first that tells a load is opened
/// once, under the names by which it tells its clock too. What reads a counter and sets it back
/// (kgsl's gpubusy) is left to those who own it. One thread.
class GpuNodes {
 public:
  explicit GpuNodes(const std::filesystem::path& sys);

  /// Nothing where no driver tells, or this one does not just now.
  [[nodiscard]] std::optional<GpuReading> read() const;
  /// The file that tells the load; empty: there is none.
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  UniqueFd busy_;
  UniqueFd clock_;
  UniqueFd top_;
  std::int64_t hz_per_unit_ = 1;
  int clock_word_ = 0;  ///< which number of the file is the clock
};

}  // namespace framegov
