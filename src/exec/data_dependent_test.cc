// SPDX-License-Identifier: Apache-2.0
// Outputs whose shape depends on the data: phase 2 waits for the run, and sets the shape of the client's tensor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "exec/executor_fixture.h"
#include "exec/plan.h"

namespace portacl::exec {
namespace {

// aclnnPositive: the elements of x that are larger than 0, in their order.
constexpr SchemaOf kPositive({.api = "aclnnPositive"}, {In("x"), DataDependent(Out("out"))},
                             {NotNull("x", "out"), NotNull("executor", "workspaceSize"),
                              DtypeOneOf({"x", "out"}, {ACL_FLOAT}), MaxRank("x", "out"), Contiguous("out")});

int32_t RunPositive(const RunContext& run) {
  const auto* const x = reinterpret_cast<const float*>(run.Address(0));
  auto* const out = reinterpret_cast<float*>(run.Address(1));
  const auto is_positive = [](float value) { return value > 0; };
  const auto size = run.Parameters<int64_t>();
  const int64_t dims[] = {1, std::count_if(x, x + size, is_positive)};
  if (const int32_t status = run.SetShape(1, dims)) return status;
  std::copy_if(x, x + size, out, is_positive);
  return 0;
}

class DataDependentOutput : public ExecutorTest {
 protected:
  static TensorHandle Tensor(const DeviceArray<float>& array, const Dims& shape) {
    return TensorBuilder(ACL_FLOAT, shape).Data(array.data()).Build();
  }
  static aclOpExecutor* Plan(const aclTensor* x, aclTensor* out, int64_t cost_ns = 10) {
    static int64_t cost = 0;
    cost = cost_ns;
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(MakePlan(kPositive, {x, out}, &size, &executor,
                       [](PlanBuilder& plan) {
                         int64_t count = 0;
                         CountElements(plan.Tensor("x").dims(), &count);
                         plan.Run(RunPositive, count, cost);
                       }),
              kSuccess);
    EXPECT_EQ(size, 0u);
    return executor;
  }
  static aclnnStatus Run(aclOpExecutor* executor, aclrtStream stream = nullptr) {
    return RunPlan(kPositive, nullptr, 0, executor, stream);
  }
  static Dims Query(const aclTensor* tensor, aclnnStatus (*query)(const aclTensor*, int64_t**, uint64_t*)) {
    int64_t* dims = nullptr;
    uint64_t count = 0;
    EXPECT_EQ(query(tensor, &dims, &count), kSuccess);
    const std::unique_ptr<int64_t[]> owned(dims);
    return {dims, dims + count};
  }
  static Dims ShapeOf(const TensorHandle& tensor) { return Query(tensor.get(), aclGetViewShape); }

  const DeviceArray<float> x_{{1, -2, 3, 0, 5, -6}};
  const DeviceArray<float> out_{{9, 9, 9, 9, 9, 9}};
  const TensorHandle self_ = Tensor(x_, {6});
  const TensorHandle out_tensor_ = Tensor(out_, {6});
};

TEST_F(DataDependentOutput, HasItsShapeAndValuesWhenPhaseTwoReturns) {
  aclOpExecutor* executor = Plan(self_.get(), out_tensor_.get());
  EXPECT_EQ(ShapeOf(out_tensor_), Dims({6})) << "phase 1 leaves the shape";
  // A second tensor over the same memory keeps its shape.
  const TensorHandle other = Tensor(out_, {2, 3});
  ASSERT_EQ(Run(executor), kSuccess);
  EXPECT_EQ(ShapeOf(out_tensor_), Dims({1, 3}));
  EXPECT_EQ(Query(out_tensor_.get(), aclGetStorageShape), Dims({1, 3}));
  EXPECT_EQ(Query(out_tensor_.get(), aclGetViewStrides), Dims({3, 1}));
  EXPECT_EQ(ShapeOf(other), Dims({2, 3}));
  EXPECT_EQ(out_.ToHost(), FloatVector({1, 3, 5, 9, 9, 9})) << "what lies behind the result is unchanged";
}

TEST_F(DataDependentOutput, WaitsForTheTasksBefore) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  const DeviceArray<float> later({7, 8, 9, 10, 11, 12});
  for (const int64_t cost : {10, 1'000'000}) {
    const TensorHandle out = Tensor(out_, {6});
    aclOpExecutor* executor = Plan(self_.get(), out.get(), cost);
    ASSERT_EQ(aclrtMemcpyAsync(x_.data(), 24, later.data(), 24, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), ACL_SUCCESS);
    ASSERT_EQ(Run(executor, stream), kSuccess);
    EXPECT_EQ(ShapeOf(out), Dims({1, 6})) << cost;
  }
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(DataDependentOutput, WithoutRoomIsNotWritten) {
  const TensorHandle out = Tensor(out_, {2});
  EXPECT_EQ(Run(Plan(self_.get(), out.get())), kRuntimeError);
  ExpectMessage("aclnnPositive: argument 'out': expected room for [1,3], got 2 elements");
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 507015) << "the task has failed";
  EXPECT_EQ(ShapeOf(out), Dims({2}));
  EXPECT_EQ(out_.ToHost(), FloatVector(6, 9));
}

TEST_F(DataDependentOutput, OfAnEarlierCallHasRoomForItsShape) {
  ASSERT_EQ(Run(Plan(self_.get(), out_tensor_.get())), kSuccess);
  const DeviceArray<float> four({1, 2, 3, 4});
  const TensorHandle larger = Tensor(four, {4});
  EXPECT_EQ(Run(Plan(larger.get(), out_tensor_.get())), kRuntimeError);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 507015);
}

TEST_F(DataDependentOutput, IsRefusedAfterAFailedTask) {
  const TensorHandle small = Tensor(out_, {2});
  ASSERT_EQ(Run(Plan(self_.get(), small.get())), kRuntimeError);
  EXPECT_EQ(Run(Plan(self_.get(), out_tensor_.get())), kRuntimeError);
  ExpectMessage("aclnnPositive: argument 'stream': expected one whose tasks succeeded, got runtime error 507015");
  EXPECT_EQ(ShapeOf(out_tensor_), Dims({6}));
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 507015) << "the error is still there";
  EXPECT_EQ(Run(Plan(self_.get(), out_tensor_.get())), kSuccess);
}

TEST_F(DataDependentOutput, IsRefusedByADestroyedStream) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(Run(Plan(self_.get(), out_tensor_.get()), stream), kRuntimeError);
  EXPECT_EQ(ShapeOf(out_tensor_), Dims({6}));
}

TEST_F(DataDependentOutput, WhoseTensorIsDestroyedIsWritten) {
  TensorHandle out = Tensor(out_, {6});
  const aclTensor* const former = out.get();
  aclOpExecutor* executor = Plan(self_.get(), out.get());
  out.reset();
  // Tensors are made until one has the memory of the former.
  std::vector<TensorHandle> fresh;
  while (fresh.empty() || fresh.back().get() != former) {
    ASSERT_LT(fresh.size(), 100'000u);
    fresh.push_back(Tensor(out_, {2, 3}));
  }
  ASSERT_EQ(Run(executor), kSuccess);
  EXPECT_EQ(out_.ToHost(), FloatVector({1, 3, 5, 9, 9, 9}));
  EXPECT_EQ(ShapeOf(fresh.back()), Dims({2, 3})) << "another tensor is not touched";
}

TEST_F(DataDependentOutput, OfARepeatableExecutorIsSetByEachRun) {
  aclOpExecutor* executor = Plan(self_.get(), out_tensor_.get());
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
  const DeviceArray<float> others[] = {{{-1, -1, -1, -1, -1, 4}}, {{1, 2, 3, 4, 5, 6}}};
  for (const auto& [data, count] : {std::pair(x_.data(), 3), {others[0].data(), 1}, {others[1].data(), 6}}) {
    ASSERT_EQ(aclSetInputTensorAddr(executor, 0, self_.get(), data), kSuccess);
    ASSERT_EQ(Run(executor), kSuccess) << "with the room of phase 1";
    EXPECT_EQ(ShapeOf(out_tensor_), Dims({1, count}));
  }
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
}

TEST_F(DataDependentOutput, OfNothingIsEmpty) {
  const TensorHandle nothing = TensorBuilder(ACL_FLOAT, {0, 3}).Build();
  ASSERT_EQ(Run(Plan(nothing.get(), out_tensor_.get())), kSuccess);
  EXPECT_EQ(ShapeOf(out_tensor_), Dims({1, 0}));
  const TensorHandle no_room = TensorBuilder(ACL_FLOAT, {0}).Build();
  EXPECT_EQ(Run(Plan(nothing.get(), no_room.get())), kSuccess);
  EXPECT_EQ(Run(Plan(self_.get(), no_room.get())), kRuntimeError);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 507015);
}

TEST_F(DataDependentOutput, IsContiguous) {
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {3}).Strides({2}).Data(out_.data()).Build();
  uint64_t size = 1;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(MakePlan(kPositive, {self_.get(), out.get()}, &size, &executor, [](PlanBuilder&) {}), kInvalid);
  ExpectMessage("aclnnPositive: argument 'out': expected a contiguous tensor, got [3] with strides [2]");
}

// Each call sets the shape of its own tensor, although plans of equal calls are kept for later ones.
TEST_F(DataDependentOutput, OfEqualCallsIsEachTheirOwn) {
  const TensorHandle second = Tensor(out_, {6});
  aclOpExecutor* const executors[] = {Plan(self_.get(), out_tensor_.get()), Plan(self_.get(), second.get())};
  ASSERT_EQ(Run(executors[1]), kSuccess);
  EXPECT_EQ(ShapeOf(out_tensor_), Dims({6}));
  EXPECT_EQ(ShapeOf(second), Dims({1, 3}));
  ASSERT_EQ(Run(executors[0]), kSuccess);
  EXPECT_EQ(ShapeOf(out_tensor_), Dims({1, 3}));
}

}  // namespace
}  // namespace portacl::exec
