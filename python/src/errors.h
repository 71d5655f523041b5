// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>

#include "base/result.h"

namespace framegov::python {

/// Becomes `framegov.Error`, with the words that the program would print.
class PackageError : public std::runtime_error {
 public:
  explicit PackageError(const Error& error) : std::runtime_error(error.to_string()) {}
};

/// The value of `result`. Throws PackageError where there is none.
template <class T>
[[nodiscard]] T unwrap(Result<T> result) {
  if (!result) {
    throw PackageError(result.error());
  }
  if constexpr (!std::is_void_v<T>) {
    return *std::move(result);
  }
}

}  // namespace framegov::python
