// SPDX-License-Identifier: Apache-2.0
// Phase 2 of every operator: the order of its checks, the effect of each on the executor, and that a failure writes
// nothing.
#include <cstring>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/oracle.h"
#include "exec/plan.h"
#include "exec/schema.h"
#include "testing/operator_contract.h"

namespace portacl::testing {

using calls::Call;
using calls::ElementBytes;
using calls::MakeValidCall;
using calls::TensorBuilder;
using calls::TensorHandle;
using calls::TensorSpec;
using calls::ViewExtent;

namespace {

constexpr exec::SchemaOf kOther({.api = "aclnnOther", .formula = "none", .source = "none"}, {exec::Out("out")},
                                {exec::NotNull("out", "executor", "workspaceSize"), exec::MaxRank("out")});

// A valid call with memory and contents.
Call MakeReadyCall(const exec::OperatorEntry& entry) {
  Call call = MakeValidCall(entry);
  call.AllocateData();
  calls::CompleteContents(call);
  return call;
}

// An executor that belongs to another operator.
aclOpExecutor* PlanOther(const aclTensor* out) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(exec::MakePlan(kOther, {out}, &bytes, &executor,
                           [](exec::PlanBuilder& plan) { plan.Run([](const exec::RunContext&) { return 0; }, 0, 1); }),
            exec::kSuccess);
  return executor;
}

// Saves the content of every tensor's block and tells whether it is unchanged.
class Snapshot {
 public:
  explicit Snapshot(Call& call) {
    for (const TensorSpec* tensor : call.Tensors()) {
      if (tensor->data == nullptr) continue;
      const auto bytes =
          static_cast<size_t>(ViewExtent(tensor->shape, tensor->Strides(), 0)) * ElementBytes(tensor->dtype);
      blocks_.push_back({tensor->data, Read(tensor->data, bytes)});
    }
  }
  bool Unchanged() const {
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    for (const Kept& kept : blocks_) {
      if (Read(kept.data, kept.content.size()) != kept.content) return false;
    }
    return true;
  }

 private:
  struct Kept {
    const void* data;
    std::vector<char> content;
  };
  static std::vector<char> Read(const void* data, size_t bytes) {
    std::vector<char> content(bytes);
    EXPECT_EQ(aclrtMemcpy(content.data(), bytes, data, bytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return content;
  }
  std::vector<Kept> blocks_;
};

struct Workspace {
  explicit Workspace(uint64_t size) : bytes(size) {
    EXPECT_EQ(aclrtMalloc(&data, size + 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  }
  ~Workspace() { EXPECT_EQ(aclrtFree(data), ACL_SUCCESS); }
  void* data = nullptr;
  uint64_t bytes;
};

bool Consumed(aclOpExecutor* executor) { return aclDestroyAclOpExecutor(executor) == exec::kInternal; }

TEST_P(OperatorContract, RunsOnceAndIsConsumed) {
  Call call = MakeReadyCall(entry());
  uint64_t bytes = 0;
  aclOpExecutor* executor = Plan(call, &bytes);
  const Workspace workspace(bytes);
  EXPECT_EQ(entry().run(bytes == 0 ? nullptr : workspace.data, bytes, executor, nullptr), exec::kSuccess);
  EXPECT_EQ(entry().run(workspace.data, bytes, executor, nullptr), exec::kInternal);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  EXPECT_TRUE(Consumed(executor));
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_P(OperatorContract, TakesALargerWorkspace) {
  Call call = MakeReadyCall(entry());
  uint64_t bytes = 0;
  aclOpExecutor* executor = Plan(call, &bytes);
  const Workspace workspace(bytes + 1000);
  EXPECT_EQ(entry().run(workspace.data, workspace.bytes, executor, nullptr), exec::kSuccess);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_P(OperatorContract, NullAndForeignExecutorsAreLeftAlone) {
  EXPECT_EQ(entry().run(nullptr, 0, nullptr, nullptr), exec::kNullPointer);
  EXPECT_EQ(entry().run(nullptr, 8, nullptr, nullptr), exec::kNullPointer) << "the executor comes before the workspace";
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {0}).Build();
  aclOpExecutor* other = PlanOther(out.get());
  EXPECT_EQ(entry().run(nullptr, 8, other, nullptr), exec::kInternal);
  EXPECT_EQ(exec::RunPlan(kOther, nullptr, 0, other, nullptr), exec::kSuccess) << "it stays valid for its own operator";
  alignas(64) char garbage[256] = {};
  EXPECT_EQ(entry().run(nullptr, 0, reinterpret_cast<aclOpExecutor*>(garbage), nullptr), exec::kInternal);
  EXPECT_EQ(entry().run(nullptr, 0, reinterpret_cast<aclOpExecutor*>(uintptr_t{1}), nullptr), exec::kInternal);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_P(OperatorContract, NullWorkspaceWithASizeConsumes) {
  Call call = MakeReadyCall(entry());
  const Snapshot before(call);
  aclOpExecutor* executor = Plan(call);
  EXPECT_EQ(entry().run(nullptr, 1 << 20, executor, nullptr), exec::kNullPointer);
  EXPECT_TRUE(Consumed(executor));
  EXPECT_TRUE(before.Unchanged());
}

TEST_P(OperatorContract, SmallerWorkspaceConsumes) {
  Call call = MakeReadyCall(entry());
  uint64_t bytes = 0;
  aclOpExecutor* executor = Plan(call, &bytes);
  if (bytes == 0) {
    aclDestroyAclOpExecutor(executor);
    GTEST_SKIP() << "needs no workspace";
  }
  const Workspace workspace(bytes);
  EXPECT_EQ(entry().run(workspace.data, bytes - 1, executor, nullptr), exec::kInvalid);
  EXPECT_TRUE(Consumed(executor));
}

TEST_P(OperatorContract, NullDataOfEachTensorIsRefused) {
  const size_t count = MakeValidCall(entry()).Tensors().size();
  for (size_t i = 0; i < count; ++i) {
    Call call = MakeReadyCall(entry());
    call.Tensors()[i]->data = nullptr;
    const Snapshot before(call);
    uint64_t bytes = 0;
    aclOpExecutor* executor = Plan(call, &bytes);
    const Workspace workspace(bytes);
    EXPECT_EQ(entry().run(workspace.data, bytes, executor, nullptr), exec::kNullPointer) << "tensor " << i;
    EXPECT_TRUE(Consumed(executor));
    EXPECT_TRUE(before.Unchanged());
  }
}

TEST_P(OperatorContract, ViewsThatLeaveTheirBlockAreRefused) {
  const size_t count = MakeValidCall(entry()).Tensors().size();
  for (size_t i = 0; i < count; ++i) {
    Call call = MakeReadyCall(entry());
    const Snapshot before(call);
    call.Tensors()[i]->offset = 1000;  // far beyond the padding
    uint64_t bytes = 0;
    aclOpExecutor* executor = Plan(call, &bytes);
    const Workspace workspace(bytes);
    EXPECT_EQ(entry().run(workspace.data, bytes, executor, nullptr), exec::kInvalid) << "tensor " << i;
    EXPECT_TRUE(Consumed(executor));
    EXPECT_TRUE(before.Unchanged());
  }
}

TEST_P(OperatorContract, UnusableStreamsGiveTheRuntimesCodeInTheMessage) {
  aclrtStream dead = nullptr, other = nullptr;
  aclrtContext primary = nullptr, context = nullptr;
  ASSERT_EQ(aclrtCreateStream(&dead), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetCurrentContext(primary), ACL_SUCCESS);
  const std::pair<aclrtStream, int> cases[] = {{dead, ACL_ERROR_RT_INVALID_HANDLE},
                                               {other, ACL_ERROR_RT_STREAM_CONTEXT}};
  for (const auto& [stream, code] : cases) {
    Call call = MakeReadyCall(entry());
    const Snapshot before(call);
    uint64_t bytes = 0;
    aclOpExecutor* executor = Plan(call, &bytes);
    const Workspace workspace(bytes);
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    aclGetRecentErrMsg();
    EXPECT_EQ(entry().run(workspace.data, bytes, executor, stream), exec::kRuntimeError);
    const char* message = aclGetRecentErrMsg();
    ASSERT_NE(message, nullptr);
    EXPECT_NE(std::string(message).find(std::to_string(code)), std::string::npos) << message;
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
    EXPECT_TRUE(Consumed(executor));
    EXPECT_TRUE(before.Unchanged());
  }
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(primary), ACL_SUCCESS);
}

TEST_P(OperatorContract, RepeatableExecutorSurvivesEveryOutcome) {
  Call call = MakeReadyCall(entry());
  uint64_t bytes = 0;
  aclOpExecutor* executor = Plan(call, &bytes);
  const Workspace workspace(bytes);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), exec::kSuccess);
  aclrtStream dead = nullptr;
  ASSERT_EQ(aclrtCreateStream(&dead), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  EXPECT_EQ(entry().run(nullptr, bytes + 8, executor, nullptr), exec::kNullPointer);
  EXPECT_EQ(entry().run(workspace.data, bytes, executor, dead), exec::kRuntimeError);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(entry().run(workspace.data, bytes, executor, nullptr), exec::kSuccess);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), exec::kSuccess);
  EXPECT_TRUE(Consumed(executor));
}

}  // namespace
}  // namespace portacl::testing
