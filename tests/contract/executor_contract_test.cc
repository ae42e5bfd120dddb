// SPDX-License-Identifier: Apache-2.0
// The two phases as clients use them: executors used twice, too early, too late, on other threads, and with other
// addresses.
#include <cstring>
#include <thread>
#include <vector>

#include "logit_client.h"

namespace contract {
namespace {

class Executor : public OnStream {
 protected:
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), kOk);
    OnStream::TearDown();
  }
};

TEST_F(Executor, ServesOneRun) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
  EXPECT_REFUSED(kInnerError, aclnnLogitGrad(nullptr, 0, executor, stream_));
  EXPECT_REFUSED(kInnerError, aclDestroyAclOpExecutor(executor));
  EXPECT_REFUSED(kInnerError, aclSetAclOpExecutorRepeatable(executor));
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(operands.out.Values(), LogitCase().out);
}

TEST_F(Executor, ConsumedHandleNeverMeansAnotherOne) {
  LogitOperands operands;
  aclOpExecutor* consumed = operands.Plan();
  ASSERT_EQ(aclnnLogitGrad(nullptr, 0, consumed, stream_), kOk);
  for (int i = 0; i < 100; ++i) {
    aclOpExecutor* live = operands.Plan();
    EXPECT_NE(live, consumed);
    EXPECT_EQ(aclDestroyAclOpExecutor(consumed), kInnerError);
    EXPECT_EQ(aclnnLogitGrad(nullptr, 0, live, stream_), kOk);
  }
}

TEST_F(Executor, NeverRunIsDestroyedOnce) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kOk);
  EXPECT_REFUSED(kInnerError, aclDestroyAclOpExecutor(executor));
  EXPECT_REFUSED(kInnerNull, aclDestroyAclOpExecutor(nullptr));
  EXPECT_REFUSED(kInnerNull, aclSetAclOpExecutorRepeatable(nullptr));
  alignas(64) char foreign[512] = {};
  EXPECT_REFUSED(kInnerError, aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(foreign)));
  EXPECT_REFUSED(kInnerError, aclnnLogitGrad(nullptr, 0, reinterpret_cast<aclOpExecutor*>(foreign), stream_));
}

TEST_F(Executor, TensorsMayDieBeforeTheWorkRuns) {
  LogitOperands operands;
  Gate gate;
  gate.Block(stream_);
  aclOpExecutor* executor = operands.Plan();
  EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
  operands.DestroyTensors();
  for (int i = 0; i < 10; ++i) aclDestroyTensor(MakeTensor({1}, nullptr));  // so that their memory is reused
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(operands.out.Values(), LogitCase().out);
}

TEST_F(Executor, TensorsMayDieRightAfterPlanning) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  operands.DestroyTensors();
  EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(operands.out.Values(), LogitCase().out);
}

TEST_F(Executor, RunsOnAnotherThreadThanItsPlan) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  OnFreshThread([&] {
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  });
  EXPECT_EQ(operands.out.Values(), LogitCase().out);
}

TEST_F(Executor, PlanningNeedsNoContext) {
  LogitOperands operands;
  aclOpExecutor* executor = nullptr;
  OnFreshThread([&] { executor = operands.Plan(); });
  OnFreshThread([&] {
    EXPECT_REFUSED(kRuntimeError, aclnnLogitGrad(nullptr, 0, executor, nullptr));
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), kRtNoContext);
  });
  EXPECT_REFUSED(kInnerError, aclDestroyAclOpExecutor(executor));
}

TEST_F(Executor, RepeatableRunsWithNewAddresses) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kOk);
  for (float factor : {1.0f, 2.0f, 3.0f}) {
    const LogitCase values(factor);
    const Block x(values.x), dy(values.dy), out(std::vector<float>(LogitCase::kCount, -1));
    ASSERT_EQ(aclSetInputTensorAddr(executor, 0, operands.x_tensor, x.data()), kOk);
    ASSERT_EQ(aclSetTensorAddr(executor, 1, operands.dy_tensor, dy.data()), kOk);
    ASSERT_EQ(AclSetOutputTensorAddr(executor, 0, operands.out_tensor, out.data()), kOk);
    EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
    EXPECT_EQ(out.Values(), values.out);
  }
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kOk);
  EXPECT_REFUSED(kInnerError, aclnnLogitGrad(nullptr, 0, executor, stream_));
}

TEST_F(Executor, RepeatableSurvivesFailedRuns) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kOk);
  EXPECT_EQ(aclnnLogitGrad(nullptr, 8, executor, stream_), kNullParameter);
  const aclrtStream dead = CreateStream();
  ASSERT_EQ(aclrtDestroyStream(dead), kOk);
  EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, dead), kRuntimeError);
  EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(operands.out.Values(), LogitCase().out);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kOk);
}

TEST_F(Executor, DestroyedWhileItsWorkWaitsStillDeliversIt) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kOk);
  Gate gate;
  gate.Block(stream_);
  EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kOk);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(operands.out.Values(), LogitCase().out);
}

TEST_F(Executor, AddressSettersCheckTheirArguments) {
  LogitOperands operands;
  aclOpExecutor* executor = operands.Plan();
  void* address = operands.x.data();
  EXPECT_REFUSED(kInnerNull, aclSetInputTensorAddr(nullptr, 0, operands.x_tensor, address));
  EXPECT_REFUSED(kInnerNull, aclSetInputTensorAddr(executor, 0, nullptr, address));
  EXPECT_REFUSED(kInvalidParameter, aclSetInputTensorAddr(executor, 2, operands.x_tensor, address));
  EXPECT_REFUSED(kInvalidParameter, aclSetOutputTensorAddr(executor, 1, operands.out_tensor, address));
  EXPECT_REFUSED(kInvalidParameter, aclSetTensorAddr(executor, 3, operands.out_tensor, address));
  EXPECT_REFUSED(kInvalidParameter, AclSetTensorAddr(executor, SIZE_MAX, operands.out_tensor, address));
  EXPECT_REFUSED(kInnerNull, aclSetDynamicInputTensorAddr(executor, 0, 0, nullptr, address));
  ASSERT_EQ(aclDestroyAclOpExecutor(executor), kOk);
  EXPECT_REFUSED(kInnerError, aclSetInputTensorAddr(executor, 0, operands.x_tensor, address));
  EXPECT_REFUSED(kInnerError, aclSetOutputTensorAddr(executor, 0, operands.out_tensor, address));
}

TEST_F(Executor, RawAddressChangeAfterPlanningDoesNotReachIt) {
  LogitOperands operands;
  const Block other(std::vector<float>(LogitCase::kCount, -7));
  aclOpExecutor* executor = operands.Plan();
  ASSERT_EQ(aclSetRawTensorAddr(operands.out_tensor, other.data()), kOk);
  EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(operands.out.Values(), LogitCase().out);
  EXPECT_EQ(other.Values(), std::vector<float>(LogitCase::kCount, -7));
}

TEST_F(Executor, FailedPlanNamesTheArgumentForItsThreadOnly) {
  LogitOperands operands;
  uint64_t bytes = 77;
  aclOpExecutor* executor = nullptr;
  TakeMessage();
  EXPECT_EQ(aclnnLogitGradGetWorkspaceSize(operands.x_tensor, nullptr, -1, operands.out_tensor, &bytes, &executor),
            kNullParameter);
  OnFreshThread([] { EXPECT_EQ(TakeMessage(), ""); });
  EXPECT_NE(TakeMessage().find("'dy'"), std::string::npos);
  EXPECT_EQ(bytes, 77u);
  EXPECT_EQ(executor, nullptr);
}

// A short version of the stress test: the results of two threads that share only the library.
TEST_F(Executor, TwoThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([t] {
      ASSERT_EQ(aclrtSetDevice(0), kOk);
      const aclrtStream stream = CreateStream();
      for (int i = 1; i <= 300; ++i) {
        const LogitCase values(static_cast<float>(i * (t + 1)));
        LogitOperands operands(values);
        ASSERT_EQ(aclnnLogitGrad(nullptr, 0, operands.Plan(), stream), kOk);
        ASSERT_EQ(aclrtSynchronizeStream(stream), kOk);
        ASSERT_EQ(operands.out.Values(), values.out);
      }
      EXPECT_EQ(aclrtDestroyStream(stream), kOk);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace contract
