// SPDX-License-Identifier: Apache-2.0
// What phase 2 checks, in which order, and what it leaves behind.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "exec/executor_fixture.h"
#include "exec/plan.h"
#include "exec/toy_operator.h"
#include "testing/device_array.h"
#include "testing/tensor_builder.h"

namespace portacl::exec {
namespace {

// Phase 2, row by row. aclnnScratch wants workspace.
constexpr SchemaOf kScratch({.api = "aclnnScratch"}, {In("x"), Out("out")},
                            {NotNull("x", "out"), NotNull("executor", "workspaceSize"), MaxRank("x", "out")});
struct ScratchParameters {
  Region floats;
  Region bytes;
  char filler[3000];  // larger than what an executor holds inside
};

int32_t RunScratch(const RunContext& run) {
  const auto& parameters = run.Parameters<ScratchParameters>();
  auto* floats = run.Get<float>(parameters.floats);
  auto* bytes = run.Get<char>(parameters.bytes);
  if (reinterpret_cast<uintptr_t>(floats) % 64 != 0 || reinterpret_cast<uintptr_t>(bytes) % 256 != 0) return 507015;
  for (int i = 0; i < 3; ++i) floats[i] = static_cast<float>(i);
  for (int i = 0; i < 5; ++i) bytes[i] = static_cast<char>(i);
  *reinterpret_cast<float*>(run.Address(1)) =
      floats[2] + static_cast<float>(bytes[4]) + static_cast<float>(parameters.filler[2999]);
  return 0;
}

class PhaseTwo : public ExecutorTest {
 protected:
  aclOpExecutor* PlanScratch(uint64_t* size, aclTensor* x = nullptr) {
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(MakePlan(kScratch, {x == nullptr ? x_tensor_.get() : x, out_tensor_.get()}, size, &executor,
                       [](PlanBuilder& plan) {
                         ScratchParameters parameters{
                             plan.Book<float>("floats", 3), plan.Book<char>("bytes", 5, 256), {}};
                         parameters.filler[2999] = 36;
                         plan.Run(RunScratch, parameters, 10);
                       }),
              kSuccess);
    return executor;
  }
};

TEST_F(PhaseTwo, RegionsAreAlignedAndApart) {
  uint64_t size = 0;
  aclOpExecutor* executor = PlanScratch(&size);
  EXPECT_GE(size, 256u + 5u);
  DeviceArray<char> workspace(size + 1);
  EXPECT_EQ(RunPlan(kScratch, workspace.data() + 1, size, executor, nullptr), kSuccess);  // odd address
  EXPECT_EQ(Result(out_)[0], 42);
}

TEST_F(PhaseTwo, AForeignExecutorIsLeftUntouched) {
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(RunPlan(kScratch, nullptr, 8, executor, nullptr), kInternal);  // comes before the workspace
  ExpectMessage(
      "aclnnScratch: argument 'executor': expected one made by aclnnScratchGetWorkspaceSize, got one of aclnnToy");
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
}

TEST_F(PhaseTwo, MissingWorkspaceConsumes) {
  uint64_t size = 0;
  aclOpExecutor* executor = PlanScratch(&size);
  EXPECT_EQ(RunPlan(kScratch, nullptr, size, executor, nullptr), kNullPointer);
  ExpectMessage("aclnnScratch: argument 'workspace': expected a pointer to " + std::to_string(size) +
                " bytes, got NULL");
  EXPECT_EQ(RunPlan(kScratch, nullptr, size, executor, nullptr), kInternal);
}

TEST_F(PhaseTwo, ASmallWorkspaceConsumes) {
  uint64_t size = 0;
  aclOpExecutor* executor = PlanScratch(&size);
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kInvalid);
  ExpectMessage("aclnnScratch: argument 'workspaceSize': expected at least " + std::to_string(size) + ", got 0");
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kInternal);
}

TEST_F(PhaseTwo, ANullAddressComesBeforeALeftBlock) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const TensorHandle null_data = TensorBuilder(ACL_FLOAT, {2}).Build();
  const TensorHandle too_long = TensorBuilder(ACL_FLOAT, {1000}).Data(out_.data()).Build();
  const PlanFunction plan = [](PlanBuilder& builder) { builder.Run(RunToy, ToyParameters{0, {}}, 1); };
  ASSERT_EQ(MakePlan(kScratch, {null_data.get(), too_long.get()}, &size, &executor, plan), kSuccess);
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kNullPointer);
  ExpectMessage("aclnnScratch: argument 'x': expected the address of 8 bytes, got NULL");
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kInternal);
}

TEST_F(PhaseTwo, AViewThatLeavesItsBlockIsRefused) {
  uint64_t size = 0;
  const PlanFunction plan = [](PlanBuilder& builder) { builder.Run(RunToy, ToyParameters{0, {}}, 1); };
  const struct {
    Dims shape;
    Dims strides;
    int64_t offset;
    aclnnStatus status;
  } rows[] = {
      {{2}, {1}, 0, kSuccess},
      {{1000}, {0}, 0, kSuccess},                // expanded: touches one element
      {{2}, {1}, 1 << 20, kInvalid},             // offset
      {{2}, {1 << 20}, 0, kInvalid},             // stride
      {{1 << 20}, {1}, 0, kInvalid},             // count
      {{2}, {(int64_t{1} << 60)}, 0, kInvalid},  // an end far beyond any memory
      {{0}, {1}, 1 << 20, kSuccess},             // nothing is touched
  };
  for (const auto& row : rows) {
    const TensorHandle out =
        TensorBuilder(ACL_FLOAT, row.shape).Strides(row.strides).Offset(row.offset).Data(out_.data()).Build();
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(MakePlan(kScratch, {x_tensor_.get(), out.get()}, &size, &executor, plan), kSuccess);
    EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), row.status)
        << row.shape[0] << " " << row.strides[0] << " " << row.offset;
    if (row.status != kSuccess) ExpectMessage("aclnnScratch: argument 'out': expected a view within its block");
  }
  // Memory that is not ours is the client's business.
  float mine[2] = {};
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {2}).Data(mine).Build();
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(MakePlan(kScratch, {x_tensor_.get(), out.get()}, &size, &executor, plan), kSuccess);
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kSuccess);
}

TEST_F(PhaseTwo, ABadStreamConsumesAndNamesTheRuntimeCode) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  aclOpExecutor* executor = Plan();
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, stream), kRuntimeError);
  ExpectMessage("aclnnToy: argument 'stream': expected one that takes the task, got runtime error 107017");
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107017);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kInternal);

  executor = Plan();
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, stream), kRuntimeError);
  EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
  EXPECT_EQ(Result(out_), (Floats{11, 22}));
}

TEST_F(PhaseTwo, ExceptionsOfAPlanBecomeStatuses) {
  uint64_t size = 7;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(MakePlan(kScratch, {x_tensor_.get(), out_tensor_.get()}, &size, &executor,
                     [](PlanBuilder&) { throw std::bad_alloc(); }),
            kNoExecutor);
  EXPECT_EQ(MakePlan(kScratch, {x_tensor_.get(), out_tensor_.get()}, &size, &executor, [](PlanBuilder&) { throw 1; }),
            kInternal);
  EXPECT_EQ(MakePlan(kScratch, {x_tensor_.get(), out_tensor_.get()}, &size, &executor,
                     [](PlanBuilder& plan) { plan.Book<double>("too much", INT64_MAX); }),
            kNoExecutor);
  EXPECT_EQ(size, 7u);
  EXPECT_EQ(executor, nullptr);
}

}  // namespace
}  // namespace portacl::exec
