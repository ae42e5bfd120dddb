// SPDX-License-Identifier: Apache-2.0
// The life of executors: who may use them, and when they are destroyed.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "exec/executor_fixture.h"
#include "exec/executor_pool.h"
#include "exec/plan.h"
#include "exec/toy_fixture.h"
#include "testing/device_array.h"

namespace portacl::exec {
namespace {

TEST_F(ExecutorTest, RunsOnceAndIsConsumed) {
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(Result(out_), (FloatVector{11, 22}));
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kInternal);
  ExpectMessage("aclnnToy: argument 'executor': expected a live executor, got an unknown or consumed one");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kInternal);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), kInternal);
}

TEST_F(ExecutorTest, DestroyedOnceIsDestroyed) {
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kInternal);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kInternal);
}

TEST_F(ExecutorTest, HandlesDoNotRepeat) {
  aclOpExecutor* first = Plan();
  EXPECT_EQ(aclDestroyAclOpExecutor(first), kSuccess);
  aclOpExecutor* second = Plan();
  EXPECT_NE(first, second);
  EXPECT_EQ(aclDestroyAclOpExecutor(first), kInternal);  // must not destroy an executor of another caller
  EXPECT_EQ(aclnnToy(nullptr, 0, second, nullptr), kSuccess);
}

TEST_F(ExecutorTest, GarbageHandlesAreRefused) {
  aclOpExecutor* live = Plan();
  const auto bits = reinterpret_cast<uintptr_t>(live);
  int on_the_stack = 0;
  std::vector<uint64_t> garbage = {1,
                                   8,
                                   ~uint64_t{0},
                                   bits + 1,
                                   bits + 2,
                                   bits ^ (uint64_t{1} << 30),
                                   uint64_t{0xA5} << 56,
                                   reinterpret_cast<uintptr_t>(&on_the_stack),
                                   reinterpret_cast<uintptr_t>(x_tensor_.get())};
  for (int bit = 0; bit < 64; ++bit) garbage.push_back(bits ^ (uint64_t{1} << bit));
  for (uint64_t wild : garbage) {
    EXPECT_EQ(aclnnToy(nullptr, 0, Handle(wild), nullptr), kInternal) << wild;
    EXPECT_EQ(aclDestroyAclOpExecutor(Handle(wild)), kInternal) << wild;
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(Handle(wild)), kInternal) << wild;
    EXPECT_EQ(aclSetTensorAddr(Handle(wild), 0, x_tensor_.get(), x_.data()), kInternal) << wild;
  }
  EXPECT_EQ(aclDestroyAclOpExecutor(live), kSuccess);
}

TEST_F(ExecutorTest, NullIsRefused) {
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), kInternalNull);
  ExpectMessage("aclSetAclOpExecutorRepeatable: argument 'executor': expected a pointer, got NULL");
  EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), kInternalNull);
  EXPECT_EQ(aclnnToy(nullptr, 0, nullptr, nullptr), kNullPointer);
  ExpectMessage("aclnnToy: argument 'executor': expected a pointer, got NULL");
}

TEST_F(ExecutorTest, TensorsMayBeDestroyedBeforeTheSynchronize) {
  aclOpExecutor* executor = Plan();
  x_tensor_.reset();  // the plan no longer needs the tensors
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  dy_tensor_.reset();
  out_tensor_.reset();
  EXPECT_EQ(Result(out_), (FloatVector{11, 22}));
}

TEST_F(ExecutorTest, ARawAddressSetAfterPhaseOneDoesNotReachThePlan) {
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(aclSetRawTensorAddr(x_tensor_.get(), dy_.data()), kSuccess);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(Result(out_), (FloatVector{11, 22}));
}

TEST_F(ExecutorTest, ARepeatableOneRunsWithThreeAddresses) {
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
  std::vector<DeviceArray<float>> inputs;
  std::vector<DeviceArray<float>> outputs;
  for (float value : {100.0F, 200.0F, 300.0F}) {
    inputs.emplace_back(FloatVector{value, value});
    outputs.emplace_back(FloatVector{0, 0});
  }
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(aclSetInputTensorAddr(executor, 0, x_tensor_.get(), inputs[i].data()), kSuccess);
    EXPECT_EQ(aclSetOutputTensorAddr(executor, 0, out_tensor_.get(), outputs[i].data()), kSuccess);
    void* address = nullptr;
    EXPECT_EQ(aclGetRawTensorAddr(x_tensor_.get(), &address), kSuccess);
    EXPECT_EQ(address, inputs[i].data());
    EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);  // all three runs may be pending at once
  }
  EXPECT_EQ(Result(outputs[0]), (FloatVector{110, 120}));
  EXPECT_EQ(Result(outputs[1]), (FloatVector{210, 220}));
  EXPECT_EQ(Result(outputs[2]), (FloatVector{310, 320}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kInternal);
}

TEST_F(ExecutorTest, ARepeatableOneSurvivesAFailedRun) {
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
  EXPECT_EQ(aclnnToy(nullptr, 8, executor, nullptr), kNullPointer);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
}

TEST_F(ExecutorTest, AddressesOfASingleUseExecutorChangeForItsOneRun) {
  DeviceArray<float> other({5, 6});
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(aclSetTensorAddr(executor, 1, dy_tensor_.get(), other.data()), kSuccess);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(Result(out_), (FloatVector{6, 8}));
}

TEST_F(ExecutorTest, AddressFunctionsCheckTensorThenExecutorThenIndex) {
  aclOpExecutor* executor = Plan();
  using Function = decltype(&aclSetTensorAddr);
  const struct {
    Function function;
    size_t count;  // number of operands
  } rows[] = {{aclSetInputTensorAddr, 2}, {aclSetOutputTensorAddr, 1}, {aclSetTensorAddr, 3},
              {AclSetInputTensorAddr, 2}, {AclSetOutputTensorAddr, 1}, {AclSetTensorAddr, 3}};
  for (const auto& row : rows) {
    EXPECT_EQ(row.function(nullptr, 0, nullptr, nullptr), kInternalNull);
    ExpectMessage("argument 'tensor'");
    EXPECT_EQ(row.function(nullptr, 0, x_tensor_.get(), x_.data()), kInternalNull);
    ExpectMessage("argument 'executor'");
    EXPECT_EQ(row.function(Handle(24), row.count, x_tensor_.get(), x_.data()), kInternal);
    EXPECT_EQ(row.function(executor, row.count - 1, out_tensor_.get(), out_.data()), kSuccess);
    EXPECT_EQ(row.function(executor, row.count, x_tensor_.get(), x_.data()), kInvalid);
    ExpectMessage("argument 'index': expected the number of a tensor that aclnnToy was given, got " +
                  std::to_string(row.count));
    EXPECT_EQ(row.function(executor, SIZE_MAX, x_tensor_.get(), x_.data()), kInvalid);
  }
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
}

constexpr SchemaOf kSum({.api = "aclnnSum"}, {InList("tensors"), OptionalIn("bias"), OutList("outs")},
                        {NotNull("tensors", "outs"), NotNull("executor", "workspaceSize"),
                         MaxRank("tensors", "bias", "outs")});

// outs[i] = tensors[i], one element each
int32_t RunSum(const RunContext& run) {
  const int count = run.Parameters<int>();
  for (int i = 0; i < count; ++i) {
    *reinterpret_cast<float*>(run.Address(count + 1 + i)) = *reinterpret_cast<const float*>(run.Address(i));
  }
  return 0;
}

TEST_F(ExecutorTest, DynamicAddressesReachTheElementsOfLists) {
  const aclTensor* tensors[] = {x_tensor_.release(), dy_tensor_.release()};
  const aclTensor* outs[] = {out_tensor_.release(),
                             TensorBuilder(ACL_FLOAT, {2}).Data(out_.data() + 1).Build().release()};
  aclTensorList* list = aclCreateTensorList(tensors, 2);
  aclTensorList* out_list = aclCreateTensorList(outs, 2);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(MakePlan(kSum, {list, static_cast<const aclTensor*>(nullptr), out_list}, &size, &executor,
                     [](PlanBuilder& plan) {
                       EXPECT_EQ(plan.Count(0), 2);
                       EXPECT_FALSE(plan.Has("bias"));
                       EXPECT_EQ(plan.Output("outs"), 3);  // after two tensors and the absent bias
                       EXPECT_EQ(plan.Operand(kSum.Index("outs"), 1), 4);
                       plan.Run(RunSum, plan.Count(0), 10);
                     }),
            kSuccess);
  DeviceArray<float> three(FloatVector{3});
  DeviceArray<float> results({0, 0});
  for (auto function :
       {aclSetDynamicInputTensorAddr, aclSetDynamicTensorAddr, AclSetDynamicInputTensorAddr, AclSetDynamicTensorAddr}) {
    EXPECT_EQ(function(executor, 0, 1, nullptr, three.data()), kInternalNull);
    EXPECT_EQ(function(nullptr, 0, 1, list, three.data()), kInternalNull);
    EXPECT_EQ(function(Handle(24), 0, 1, list, three.data()), kInternal);
    EXPECT_EQ(function(executor, 0, 2, list, three.data()), kInvalid);
    EXPECT_EQ(function(executor, 1, 1, list, three.data()), kInvalid);  // not a list
    EXPECT_EQ(function(executor, 0, 1, list, three.data()), kSuccess);
  }
  for (auto function : {aclSetDynamicOutputTensorAddr, AclSetDynamicOutputTensorAddr}) {
    EXPECT_EQ(function(executor, 0, 0, out_list, results.data()), kSuccess);
    EXPECT_EQ(function(executor, 1, 0, out_list, results.data()), kInvalid);
  }
  EXPECT_EQ(aclSetDynamicTensorAddr(executor, 2, 1, out_list, results.data() + 1), kSuccess);
  EXPECT_EQ(aclSetInputTensorAddr(executor, 1, const_cast<aclTensor*>(tensors[0]), three.data()), kInvalid);  // absent
  EXPECT_EQ(aclSetInputTensorAddr(executor, 0, const_cast<aclTensor*>(tensors[0]), x_.data()), kInvalid);     // a list
  // The views have two elements: let them lie in their blocks.
  EXPECT_EQ(RunPlan(kSum, nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(Result(results), (FloatVector{1, 3}));
  aclDestroyTensorList(list);
  aclDestroyTensorList(out_list);
}

TEST_F(ExecutorTest, EmptyTensorsSucceedWithAnExecutorThatDoesNothing) {
  const TensorHandle empty = TensorBuilder(ACL_FLOAT, {0, 4}).Build();
  uint64_t size = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnToyGetWorkspaceSize(empty.get(), empty.get(), empty.get(), &size, &executor), kSuccess);
  EXPECT_EQ(size, 0u);
  ASSERT_NE(executor, nullptr);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kInternal);
}

TEST_F(ExecutorTest, NothingGrowsAfterTheFirstCalls) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(aclnnToy(nullptr, 0, Plan(), nullptr), kSuccess);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  const size_t before = ExecutorCount();
  for (int i = 0; i < 10000; ++i) {
    aclOpExecutor* executor = Plan();
    EXPECT_EQ(i % 2 == 0 ? aclnnToy(nullptr, 0, executor, nullptr) : aclDestroyAclOpExecutor(executor), kSuccess);
    if (i % 64 == 0) {
      EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    }
  }
  EXPECT_LE(ExecutorCount(), before + 128);  // plus the runs that still wait for the worker
}

}  // namespace
}  // namespace portacl::exec
