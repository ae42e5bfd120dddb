// SPDX-License-Identifier: Apache-2.0
// Tests the checks themselves: all of these operators except the toy break a rule on purpose.
#include "testing/two_phases.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/status.h"
#include "calls/tensor_builder.h"
#include "exec/toy_fixture.h"

namespace portacl::testing {

using calls::TensorBuilder;
using calls::TensorHandle;

namespace {

TEST(TwoPhases, RunAnOperatorThatKeepsItsPromises) {
  const DeviceArray<float> x({1, 2}), out(2);
  const TensorHandle x_tensor = TensorBuilder(ACL_FLOAT, {2}).Data(x.data()).Build();
  const TensorHandle out_tensor = TensorBuilder(ACL_FLOAT, {2}).Data(out.data()).Build();
  EXPECT_EQ(PhaseOne(exec::aclnnToyGetWorkspaceSize, x_tensor.get(), x_tensor.get(), out_tensor.get()), 0);
  EXPECT_EQ(PhaseOne(exec::aclnnToyGetWorkspaceSize, x_tensor.get(), nullptr, out_tensor.get()), 161001);
  RunPhases(exec::aclnnToyGetWorkspaceSize, exec::aclnnToy, x_tensor.get(), x_tensor.get(), out_tensor.get());
  EXPECT_EQ(out.ToHost(), std::vector<float>({2, 4}));
}

TEST(TwoPhases, NoticeARefusalWithoutAMessage) {
  Failf(161002, "left by an earlier call");
  const auto silent = [](uint64_t*, aclOpExecutor**) -> aclnnStatus { return 161002; };
  EXPECT_NONFATAL_FAILURE(PhaseOne(silent), "message");
}

TEST(TwoPhases, NoticeARefusalThatWritesTheSize) {
  const auto writes = [](uint64_t* bytes, aclOpExecutor**) -> aclnnStatus {
    *bytes = 0;
    return Failf(161002, "refused");
  };
  EXPECT_NONFATAL_FAILURE(PhaseOne(writes), "kUntouched");
}

TEST(TwoPhases, NoticeASuccessWithoutAnExecutor) {
  const auto plans_nothing = [](uint64_t* bytes, aclOpExecutor**) -> aclnnStatus {
    *bytes = 0;
    return 0;
  };
  EXPECT_NONFATAL_FAILURE(PhaseOne(plans_nothing), "executor");
}

TEST(TwoPhases, ANeededWorkspaceIsNoticedAndGiven) {
  const auto plan = [](uint64_t* bytes, aclOpExecutor** executor) -> aclnnStatus {
    const TensorHandle x = TensorBuilder(ACL_FLOAT, {0}).Build();
    const aclnnStatus status = exec::aclnnToyGetWorkspaceSize(x.get(), x.get(), x.get(), bytes, executor);
    *bytes = 64;
    return status;
  };
  const auto run = [](void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream) -> aclnnStatus {
    EXPECT_EQ(bytes, 64u);
    EXPECT_EQ(aclrtMemset(workspace, bytes, 0, bytes), ACL_SUCCESS);
    return aclDestroyAclOpExecutor(executor);
  };
  EXPECT_EQ(TryPhaseOne(plan).bytes, 64u);
  EXPECT_NONFATAL_FAILURE(PhaseOne(plan), "bytes");
  RunPhasesInWorkspace(plan, run);
}

}  // namespace
}  // namespace portacl::testing
