// SPDX-License-Identifier: Apache-2.0
#include "policy/work_window.h"

#include <algorithm>
#include <cmath>

namespace framegov {

void WorkWindow::add(Work work) {
  const double value = work.count();
  double* const begin = sorted_.data();
  if (size_ == kCapacity) {
    double* const old = std::lower_bound(begin, begin + size_, by_arrival_[next_]);
    std::move(old + 1, begin + size_, old);
    --size_;
  }
  double* const place = std::lower_bound(begin, begin + size_, value);
  std::move_backward(place, begin + size_, begin + size_ + 1);
  *place = value;
  ++size_;
  by_arrival_[next_] = value;
  next_ = (next_ + 1) % kCapacity;
}

Work WorkWindow::quantile(double q) const {
  if (size_ == 0) {
    return Work{};
  }
  const double rank = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(size_));
  return Work{sorted_[rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1]};
}

}  // namespace framegov
