// SPDX-License-Identifier: Apache-2.0
// Built only where Highway's library is installed: only this test needs it.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "base/target.h"

namespace portacl {
namespace {

TEST(HighwayTarget, AreTheOnesHighwayDetects) {
  int64_t ours = 0;
  for (const int64_t target : UsableTargets()) ours |= target;
  EXPECT_EQ(ours, (hwy::SupportedTargets() & (HWY_TARGETS)) | (HWY_STATIC_TARGET));
}

}  // namespace
}  // namespace portacl
