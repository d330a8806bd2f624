// SPDX-License-Identifier: Apache-2.0
#include "report/trace.h"

#include <gtest/gtest.h>

namespace kp::report {
namespace {

TEST(Trace, KnowsItsForms) {
  EXPECT_EQ(trace_form("flashinfer"), TraceForm::kFlashInfer);
  EXPECT_EQ(trace_form("sol"), TraceForm::kSol);
  EXPECT_FALSE(trace_form("other"));
}

}  // namespace
}  // namespace kp::report
