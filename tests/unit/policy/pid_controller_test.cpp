// SPDX-License-Identifier: Apache-2.0
#include "policy/pid_controller.h"

#include <gtest/gtest.h>

#include "policy/demand_envelope.h"

namespace framegov {
namespace {

TEST(PidController, FirstStepAfterResetSeesNoChangeOfError) {
  PidController pid({1.0, 0.25, 1.0});
  EXPECT_DOUBLE_EQ(pid.step(0.4), 0.25 * 0.4);
  pid.step(-0.2);
  pid.reset();
  EXPECT_DOUBLE_EQ(pid.step(0.4), 0.25 * 0.4);
}

TEST(PidController, StepsByHand) {
  PidController pid({0.5, 0.2, 0.1});
  EXPECT_DOUBLE_EQ(pid.step(0.0), 0.0);
  EXPECT_DOUBLE_EQ(pid.step(1.0), 0.5 + 0.2 + 0.1);
  EXPECT_DOUBLE_EQ(pid.step(1.0), 0.0 + 0.2 + 0.1 * (1.0 - 2.0 + 0.0));
}

TEST(PidController, OneWildErrorHasABoundedAnswer) {
  PidController pid({0.5, 0.2, 0.1});
  pid.step(0.0);
  PidController same = pid;
  EXPECT_DOUBLE_EQ(pid.step(1e9), same.step(3.0));
}

TEST(DemandEnvelope, RisesFastAndFallsSlowly) {
  DemandEnvelope envelope(0.5, 0.1);
  envelope.add(Speed{100});
  EXPECT_DOUBLE_EQ(envelope.value().count(), 100);
  envelope.add(Speed{200});
  EXPECT_DOUBLE_EQ(envelope.value().count(), 150);
  envelope.add(Speed{50});
  EXPECT_DOUBLE_EQ(envelope.value().count(), 140);
}

}  // namespace
}  // namespace framegov
