// SPDX-License-Identifier: Apache-2.0
#include "base/target.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/environment.h"

namespace portacl {
namespace {

class Target : public ::testing::Test {
 protected:
  void TearDown() override { Choose(nullptr); }

  static void Choose(const char* name) {
    if (name == nullptr)
      unsetenv("PORTACL_TARGET");
    else
      setenv("PORTACL_TARGET", name, 1);
    ForgetVariablesForTest();
    SetActiveTargetForTest(0);
  }
};

TEST_F(Target, UsableTargetsAreCompiledOnesBestFirst) {
  const auto usable = UsableTargets();
  ASSERT_FALSE(usable.empty());
  EXPECT_TRUE(std::is_sorted(usable.begin(), usable.end()));
  for (const int64_t target : usable) {
    EXPECT_NE(target & (HWY_TARGETS), 0);
    EXPECT_STRNE(TargetName(target), "Unknown");
  }
  EXPECT_EQ(std::count(usable.begin(), usable.end(), int64_t{HWY_STATIC_TARGET}), 1);
}

TEST_F(Target, TheBestOneIsTheDefault) {
  Choose(nullptr);
  EXPECT_EQ(ActiveTarget(), UsableTargets().front());
}

TEST_F(Target, TheVariableLowersIt) {
  for (const int64_t target : UsableTargets()) {
    Choose(TargetName(target));
    EXPECT_EQ(ActiveTarget(), target) << TargetName(target);
  }
}

TEST_F(Target, AnUnusableNameGivesTheDefault) {
  // No machine has both of the last two targets.
  for (const char* name : {"AVX1024", "avx2", "SSSE3", HWY_ARCH_X86 ? "NEON" : "AVX2"}) {
    Choose(name);
    EXPECT_EQ(ActiveTarget(), UsableTargets().front()) << name;
    VariableRecord records[static_cast<size_t>(Variable::kCount)];
    ListVariables(records, std::size(records));
    EXPECT_TRUE(records[static_cast<size_t>(Variable::kTarget)].rejected) << name;
  }
}

TEST_F(Target, ATestMayForceOne) {
  SetActiveTargetForTest(UsableTargets().back());
  EXPECT_EQ(ActiveTarget(), UsableTargets().back());
}

}  // namespace
}  // namespace portacl
