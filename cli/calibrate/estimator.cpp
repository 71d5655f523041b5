// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/estimator.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/median.h"
#include "cli/ab/paired_test.h"

namespace framegov::calibrate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr double kKnotEvery = 300;  // s
constexpr double kWideMw = 1e4;     // no phone takes more
/// A baseline moves by about this much from knot to knot, where no segment says.
constexpr double kBaselineStepMw = 60;
/// Static power bends at a knot by about this part of what a busy CPU takes at the one below.
constexpr double kStaticBend = 0.06;
/// And between knots it is off the line by about this part of a busy CPU's power.
constexpr double kOffTheLine = 0.015;
/// What the model leaves out (a memory that speeds up, leakage of one cluster), of the power.
constexpr double kModelError = 0.006;
/// Segments of one load are not wholly independent: the gauge's step is at the same place in many.
/// With it the intervals hold what they promise (tests/unit/calibrate).
constexpr double kDependence = 1.2;
constexpr double kLeastBusyMw = 20;
constexpr double kLeakPerKelvin = 0.004;
constexpr double kHuberDeviations = 3;
constexpr double kFewestDegrees = 4;
constexpr int kRounds = 6;

/// Weights of the two knots about `x`, knots ascending; `x` beyond them counts as the end.
struct Between {
  std::size_t lower = 0;
  double upper_weight = 0;
};
Between between(const std::vector<double>& knots, double x) {
  std::size_t lower = 0;
  while (lower + 2 < knots.size() && knots[lower + 1] <= x) {
    ++lower;
  }
  if (knots.size() < 2) {
    return {};
  }
  const double part = (x - knots[lower]) / (knots[lower + 1] - knots[lower]);
  return {lower, std::clamp(part, 0.0, 1.0)};
}

/// Unknowns at knots: the first one's column, and where the knots are.
struct Hats {
  Index first = 0;
  std::vector<double> knots;

  /// Calls `set(column, weight)` for the unknowns that the value at `x` is made of.
  template <class Set>
  void at(double x, const Set& set) const {
    if (knots.empty()) {
      return;
    }
    const Between at = between(knots, x);
    const Index lower = first + static_cast<Index>(at.lower);
    set(lower, 1 - at.upper_weight);
    if (at.upper_weight > 0) {
      set(lower + 1, at.upper_weight);
    }
  }
};

class Regression {
 public:
  Regression(const std::vector<ClusterShape>& shapes, std::span<const Segment> segments)
      : shapes_(shapes), segments_(segments) {
    lay_out_columns();
    fill_rows();
    set_priors();
  }

  [[nodiscard]] Estimate solve() {
    for (int round = 0; round < kRounds; ++round) {
      solve_once();
      update_static_prior();
      update_leakage();
      update_weights();
    }
    solve_once();
    covariance_ = normal_.inverse();  // before anything is held: that is no knowledge
    hold_negative_static();
    Estimate estimate;
    estimate.celsius = celsius_;
    estimate.reading_noise_mw = std::sqrt(variance_);
    estimate.clusters.resize(shapes_.size());
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      for (std::size_t opp = 0; opp < shapes_[c].mhz.size(); ++opp) {
        estimate.clusters[c].push_back(of(c, opp));
      }
    }
    return estimate;
  }

 private:
  void lay_out_columns() {
    std::map<int, double> ends;
    std::set<std::pair<std::size_t, std::size_t>> loaded;
    double heat = 0;
    double heat_weight = 0;
    for (const Segment& segment : segments_) {
      double& end = ends[segment.session];
      end = std::max(end, segment.at_s);
      if (segment.load.busy > 0) {
        loaded.insert({segment.load.cluster, segment.load.opp});
        heat += segment.celsius.value_or(0);
        heat_weight += segment.celsius ? 1 : 0;
      }
    }
    for (const auto& [session, end] : ends) {
      Hats& hats = baselines_[session];
      hats.first = columns_;
      const int intervals = std::max(1, static_cast<int>(std::lround(end / kKnotEvery)));
      for (int i = 0; i <= intervals; ++i) {
        hats.knots.push_back(std::max(end, 1.0) * i / intervals);
      }
      columns_ += intervals + 1;
    }
    statics_.resize(shapes_.size());
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      statics_[c].first = columns_;
      for (const std::size_t opp : static_anchors(shapes_[c])) {
        statics_[c].knots.push_back(shapes_[c].mhz[opp]);
      }
      columns_ += static_cast<Index>(statics_[c].knots.size());
    }
    for (const auto& each : loaded) {
      active_[each] = columns_++;
    }
    leak_ = columns_++;
    if (heat_weight > 0) {
      celsius_ = heat / heat_weight;
    }
  }

  void fill_rows() {
    const auto n = static_cast<Index>(segments_.size());
    std::vector<Eigen::Triplet<double>> entries;
    mean_ = VectorXd(n);
    base_weight_ = VectorXd(n);
    for (Index i = 0; i < n; ++i) {
      const Segment& segment = segments_[static_cast<std::size_t>(i)];
      const Load& load = segment.load;
      const auto set = [&](Index column, double value) { entries.emplace_back(i, column, value); };
      baselines_[segment.session].at(segment.at_s, set);
      if (load.busy > 0) {
        statics_[load.cluster].at(shapes_[load.cluster].mhz[load.opp], set);
        set(active_.at({load.cluster, load.opp}), static_cast<double>(load.busy));
        set(leak_, 0);
      }
      mean_(i) = segment.mean_mw;
      base_weight_(i) = segment.readings;
    }
    rows_.resize(n, columns_);
    rows_.setFromTriplets(entries.begin(), entries.end());
    weight_ = base_weight_;
  }

  void set_priors() {
    prior_ = MatrixXd::Identity(columns_, columns_) / (kWideMw * kWideMw);
    prior_mean_ = VectorXd::Zero(columns_);
    for (const auto& [session, hats] : baselines_) {
      constexpr double kStiff = 1 / (kBaselineStepMw * kBaselineStepMw);
      for (Index i = hats.first; i + 1 < hats.first + static_cast<Index>(hats.knots.size()); ++i) {
        prior_(i, i) += kStiff;
        prior_(i + 1, i + 1) += kStiff;
        prior_(i, i + 1) -= kStiff;
        prior_(i + 1, i) -= kStiff;
      }
    }
    prior_(leak_, leak_) = 1 / (kLeakPerKelvin * kLeakPerKelvin);
    prior_mean_(leak_) = kLeakPerKelvin;
    wide_prior_ = prior_;
  }

  /// Static power is nearly a line from knot to knot: so what is known of the upper ones, where the
  /// gauge's steps matter less, helps with the lowest.
  void update_static_prior() {
    prior_ = wide_prior_;
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      const Hats& hats = statics_[c];
      const std::vector<std::size_t> anchors = static_anchors(shapes_[c]);
      for (std::size_t j = 1; j + 1 < hats.knots.size(); ++j) {
        const double part =
            (hats.knots[j] - hats.knots[j - 1]) / (hats.knots[j + 1] - hats.knots[j - 1]);
        const Eigen::Vector3d bend(part - 1, 1, -part);
        const auto below = active_.find({c, anchors[j - 1]});
        const Index first = hats.first + static_cast<Index>(j) - 1;
        const double busy = below == active_.end() ? 0 : found_(below->second) + found_(first);
        const double usual = kStaticBend * std::max(busy, kLeastBusyMw);
        // Where the segments say that it bends more, it is not drawn back.
        const double seen = bend.dot(found_.segment<3>(first));
        prior_.block<3, 3>(first, first) += bend * bend.transpose() / (usual * usual + seen * seen);
      }
    }
  }

  void solve_once() {
    const Rows weighted = (weight_ / variance_).asDiagonal() * rows_;
    normal_ = prior_ + MatrixXd(Rows(weighted.transpose() * rows_));
    const VectorXd right = prior_ * prior_mean_ + weighted.transpose() * mean_;
    found_ = normal_.ldlt().solve(right);
  }

  /// What a load adds grows with the battery's temperature: the column is what it adds by the model
  /// so far, times the kelvins.
  void update_leakage() {
    if (!celsius_) {
      return;
    }
    VectorXd of_loads = VectorXd::Zero(columns_);
    const Index first = statics_.front().first;
    of_loads.segment(first, leak_ - first) = found_.segment(first, leak_ - first);
    const VectorXd added = rows_ * of_loads;
    for (Index i = 0; i < rows_.rows(); ++i) {
      const Segment& segment = segments_[static_cast<std::size_t>(i)];
      if (segment.load.busy > 0 && segment.celsius) {
        rows_.coeffRef(i, leak_) = added(i) * (*segment.celsius - *celsius_);
      }
    }
  }

  void update_weights() {
    const VectorXd scaled = (mean_ - rows_ * found_).cwiseProduct(base_weight_.cwiseSqrt());
    std::vector<double> sizes;
    for (const double each : scaled) {
      sizes.push_back(std::abs(each));
    }
    constexpr double kDeviationOfMedian = 1.4826;  // of a normal distribution
    const double limit = kHuberDeviations * std::max(kDeviationOfMedian * median(sizes), 1e-3);
    double sum = 0;
    for (Index i = 0; i < scaled.size(); ++i) {
      const double keep = std::min(1.0, limit / std::max(std::abs(scaled(i)), 1e-9));
      weight_(i) = base_weight_(i) * keep;
      sum += keep * scaled(i) * scaled(i);
    }
    variance_ = std::max(sum / degrees_of_freedom(), 1e-6);
  }

  [[nodiscard]] double degrees_of_freedom() const {
    return std::max(static_cast<double>(rows_.rows() - columns_), kFewestDegrees);
  }

  /// No cluster gives power back: such a part is held at zero, and the others found anew.
  void hold_negative_static() {
    const Index first = statics_.front().first;
    const Index end = active_.empty() ? first : active_.begin()->second;
    bool held = false;
    for (Index i = first; i < end; ++i) {
      if (found_(i) < 0) {
        prior_(i, i) += 1e9;
        held = true;
      }
    }
    if (held) {
      solve_once();
    }
  }

  [[nodiscard]] OppEstimate of(std::size_t cluster, std::size_t opp) const {
    const auto column = active_.find({cluster, opp});
    if (column == active_.end()) {
      return {};
    }
    const double mhz = shapes_[cluster].mhz[opp];
    const std::vector<double>& knots = statics_[cluster].knots;
    VectorXd fixed = VectorXd::Zero(columns_);
    statics_[cluster].at(mhz, [&](Index at, double weight) { fixed(at) = weight; });
    VectorXd busy = fixed;
    busy(column->second) = 1;
    OppEstimate result;
    result.busy_mw = busy.dot(found_);
    if (!(result.busy_mw > 0)) {
      return {};
    }
    result.measured = true;
    result.static_mw = std::max(0.0, fixed.dot(found_));
    const double variance = busy.dot(covariance_ * busy);
    // With all CPUs busy, busy = total / n + (1 - 1/n) static.
    const double part = 1 - 1 / static_cast<double>(shapes_[cluster].cpus);
    const bool at_knot = std::find(knots.begin(), knots.end(), mhz) != knots.end();
    const double off = at_knot ? 0 : part * kOffTheLine * result.busy_mw;
    const double model = kModelError * result.busy_mw;
    const double half = ab::t_quantile(degrees_of_freedom()) *
                        std::sqrt(kDependence * kDependence * variance + off * off + model * model);
    result.low_mw = result.busy_mw - half;
    result.high_mw = result.busy_mw + half;
    result.static_share = part * part * fixed.dot(covariance_ * fixed) / variance;
    return result;
  }

  const std::vector<ClusterShape>& shapes_;
  std::span<const Segment> segments_;
  std::map<int, Hats> baselines_;
  std::vector<Hats> statics_;
  std::map<std::pair<std::size_t, std::size_t>, Index> active_;
  Index leak_ = 0;
  Index columns_ = 0;
  std::optional<double> celsius_;

  Rows rows_;             // N x p
  VectorXd mean_;         // mW
  VectorXd base_weight_;  // readings
  VectorXd weight_;       // readings that count
  MatrixXd wide_prior_;   // precision, of unknowns that nothing is known of
  MatrixXd prior_;        // with what static power is like
  VectorXd prior_mean_;
  double variance_ = 900;  // mW^2, of one reading
  MatrixXd normal_;
  VectorXd found_;
  MatrixXd covariance_;
};

/// Energy per cycle changes less from OPP to OPP than power.
void interpolate(const ClusterShape& shape, std::vector<OppEstimate>& opps) {
  std::vector<std::size_t> known;
  std::vector<double> knots;
  for (std::size_t i = 0; i < opps.size(); ++i) {
    if (opps[i].measured) {
      known.push_back(i);
      knots.push_back(shape.mhz[i]);
    }
  }
  for (std::size_t i = 0; i < opps.size(); ++i) {
    if (opps[i].measured || known.size() < 2) {
      continue;
    }
    const Between at = between(knots, shape.mhz[i]);
    const OppEstimate& lower = opps[known[at.lower]];
    const OppEstimate& upper = opps[known[at.lower + 1]];
    const double lower_part = (1 - at.upper_weight) * shape.mhz[i] / knots[at.lower];
    const double upper_part = at.upper_weight * shape.mhz[i] / knots[at.lower + 1];
    OppEstimate& opp = opps[i];
    opp.busy_mw = lower_part * lower.busy_mw + upper_part * upper.busy_mw;
    opp.static_mw = (1 - at.upper_weight) * lower.static_mw + at.upper_weight * upper.static_mw;
    const double half =
        lower_part * (lower.high_mw - lower.low_mw) + upper_part * (upper.high_mw - upper.low_mw);
    opp.low_mw = opp.busy_mw - half;
    opp.high_mw = opp.busy_mw + half;
  }
}

/// Neighbours that descend are told, and pooled as long as their mean is within the interval of
/// each.
void make_monotone(std::size_t cluster, std::vector<OppEstimate>& opps, Estimate& result) {
  struct Pool {
    std::size_t first;
    std::size_t end;
    double weight;
    double mean;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < opps.size(); ++i) {
    const double half = (opps[i].high_mw - opps[i].low_mw) / 2;
    pools.push_back({i, i + 1, 1 / std::max(half * half, 1e-9), opps[i].busy_mw});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool upper = pools.back();
      pools.pop_back();
      Pool& lower = pools.back();
      const double weight = lower.weight + upper.weight;
      lower = {lower.first, upper.end, weight,
               (lower.weight * lower.mean + upper.weight * upper.mean) / weight};
    }
  }
  for (const Pool& pool : pools) {
    const auto begin = opps.begin() + static_cast<std::ptrdiff_t>(pool.first);
    const auto end = opps.begin() + static_cast<std::ptrdiff_t>(pool.end);
    const bool within = std::all_of(begin, end, [&](const OppEstimate& opp) {
      return opp.low_mw <= pool.mean && pool.mean <= opp.high_mw;
    });
    for (std::size_t i = pool.first + 1; i < pool.end; ++i) {
      if (opps[i].busy_mw < opps[i - 1].busy_mw) {
        result.descents.push_back({cluster, i, within});
      }
    }
    for (auto opp = begin; within && opp != end; ++opp) {
      opp->busy_mw = pool.mean;
    }
  }
}

}  // namespace

std::vector<std::size_t> static_anchors(const ClusterShape& shape) {
  if (shape.cpus < 2) {
    return {};
  }
  const std::size_t last = shape.mhz.size() - 1;
  const std::set<std::size_t> anchors{0, last / 2, last * 3 / 4, last * 7 / 8, last};
  return {anchors.begin(), anchors.end()};
}

Estimate estimate(const std::vector<ClusterShape>& shapes, std::span<const Segment> segments) {
  Estimate result = Regression(shapes, segments).solve();
  for (std::size_t c = 0; c < shapes.size(); ++c) {
    interpolate(shapes[c], result.clusters[c]);
    make_monotone(c, result.clusters[c], result);
    for (OppEstimate& opp : result.clusters[c]) {
      opp.static_mw = std::min(opp.static_mw, opp.busy_mw);
    }
  }
  return result;
}

}  // namespace framegov::calibrate
