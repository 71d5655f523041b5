// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/app/hwui/jni.h"
#include "tests/app/hwui/render_proxy.h"

namespace demo {

/// A renderer's handle as a hostile app may forge it: good but for its FrameInfo, which lies in a
/// page that nobody may read.
class UnmappedProxy {
 public:
  explicit UnmappedProxy(RenderProxy& real);
  UnmappedProxy(const UnmappedProxy&) = delete;
  UnmappedProxy& operator=(const UnmappedProxy&) = delete;
  ~UnmappedProxy();

  [[nodiscard]] jlong handle() const { return reinterpret_cast<jlong>(proxy_); }

 private:
  char* pages_;
  char* proxy_;
};

}  // namespace demo
