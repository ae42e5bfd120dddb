// SPDX-License-Identifier: Apache-2.0
// What phase 2 checks, in which order, and which state it leaves.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "exec/executor_fixture.h"
#include "exec/plan.h"
#include "exec/toy_fixture.h"
#include "testing/device_array.h"

namespace portacl::exec {
namespace {

// Phase 2, row by row. aclnnScratch wants workspace.
constexpr SchemaOf kScratch({.api = "aclnnScratch"}, {In("x"), Out("out")},
                            {NotNull("x", "out"), NotNull("executor", "workspaceSize"), MaxRank("x", "out")});
struct ScratchParameters {
  Region floats;
  Region bytes;
  char filler[3000];  // larger than the inline storage of an executor
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
  EXPECT_EQ(RunPlan(kScratch, nullptr, 8, executor, nullptr), kInternal);  // the executor is checked first
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
      {{1000}, {0}, 0, kSuccess},                // expanded: touches one element only
      {{2}, {1}, 1 << 20, kInvalid},             // offset
      {{2}, {1 << 20}, 0, kInvalid},             // stride
      {{1 << 20}, {1}, 0, kInvalid},             // count
      {{2}, {(int64_t{1} << 60)}, 0, kInvalid},  // an end far beyond all memory
      {{0}, {1}, 1 << 20, kSuccess},             // touches no element
  };
  for (const auto& row : rows) {
    const TensorHandle out =
        TensorBuilder(ACL_FLOAT, row.shape).Strides(row.strides).Offset(row.offset).Data(out_.data()).Build();
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(MakePlan(kScratch, {x_tensor_.get(), out.get()}, &size, &executor, plan), kSuccess);
    EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), row.status)
        << row.shape[0] << " " << row.strides[0] << " " << row.offset;
    if (row.status != kSuccess) {
      const std::string message = LastMessage();
      EXPECT_NE(message.find("aclnnScratch: argument 'out': expected a view within its block"), std::string::npos)
          << message;
      EXPECT_NE(message.find("(PORTACL_BLOCK_SLACK makes the blocks of aclrtMalloc larger)"), std::string::npos)
          << message;
    }
  }
  // Memory outside the library is not checked.
  float mine[2] = {};
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {2}).Data(mine).Build();
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(MakePlan(kScratch, {x_tensor_.get(), out.get()}, &size, &executor, plan), kSuccess);
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kSuccess);
}

// Tensors in the pools' memory or in reserved addresses, but in no live block.
class DeadAddress : public PhaseTwo {
 protected:
  static constexpr size_t kSizes[] = {1000, 200000, 5000000};  // a slot and two regions

  static std::byte* Malloc(size_t bytes) {
    void* block = nullptr;
    EXPECT_EQ(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return static_cast<std::byte*>(block);
  }
  static TensorHandle TensorAt(void* data) { return TensorBuilder(ACL_FLOAT, {2}).Data(data).Build(); }

  // A plan that reads x and writes out, which must not happen.
  aclOpExecutor* PlanCall(const aclTensor* x, const aclTensor* out) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(MakePlan(kScratch, {x, out}, &size, &executor,
                       [](PlanBuilder& plan) { plan.Run([](const RunContext&) { return ++runs, 0; }, 0, 1); }),
              kSuccess);
    return executor;
  }
  void ExpectRefused(aclOpExecutor* executor, const char* argument) {
    const int before = runs;
    aclGetRecentErrMsg();
    EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kInvalid);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    EXPECT_EQ(runs, before);
    ExpectMessage(std::string("aclnnScratch: argument '") + argument +
                  "': expected an address in a live block, got 0x");
  }
  void ExpectRefused(void* address) {
    const TensorHandle dead = TensorAt(address);
    ExpectRefused(PlanCall(dead.get(), out_tensor_.get()), "x");
    ExpectRefused(PlanCall(x_tensor_.get(), dead.get()), "out");
  }

  static inline int runs = 0;
};

TEST_F(DeadAddress, BehindABlock) {
  for (const size_t bytes : kSizes) {
    std::byte* block = Malloc(bytes);
    ExpectRefused(block + (bytes + 31) / 32 * 32 + 32);
    EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  }
}

TEST_F(DeadAddress, FreedBeforeAndBetweenThePhases) {
  for (const size_t bytes : kSizes) {
    std::byte* block = Malloc(bytes);
    const TensorHandle out = TensorAt(block + 64);
    aclOpExecutor* executor = PlanCall(x_tensor_.get(), out.get());
    ASSERT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kSuccess);  // the plan is cached from here on
    executor = PlanCall(x_tensor_.get(), out.get());
    EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
    ExpectRefused(executor, "out");
    ExpectRefused(PlanCall(x_tensor_.get(), out.get()), "out");
    ExpectRefused(block + 64);
  }
}

TEST_F(DeadAddress, OfARepeatableExecutor) {
  std::byte* block = Malloc(1000);
  const TensorHandle out = TensorAt(block);
  aclOpExecutor* executor = PlanCall(x_tensor_.get(), out.get());
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
  ASSERT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kSuccess);
  ASSERT_EQ(aclrtFree(block), ACL_SUCCESS);
  ExpectRefused(executor, "out");
  ASSERT_EQ(aclSetOutputTensorAddr(executor, 0, out.get(), out_.data()), kSuccess);
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kSuccess);
  ASSERT_EQ(aclSetInputTensorAddr(executor, 0, x_tensor_.get(), block), kSuccess);
  ExpectRefused(executor, "x");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
}

TEST_F(DeadAddress, InAList) {
  static constexpr SchemaOf kList(
      {.api = "aclnnList"}, {InList("tensors"), Out("out")},
      {NotNull("tensors", "out"), NotNull("workspaceSize", "executor"), MaxRank("tensors", "out")});
  std::byte* block = Malloc(1000);
  const aclTensor* tensors[] = {TensorAt(x_.data()).release(), TensorAt(block).release()};
  aclTensorList* list = aclCreateTensorList(tensors, 2);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const auto call = [&] {
    return MakePlan(kList, {static_cast<const aclTensorList*>(list), static_cast<const aclTensor*>(out_tensor_.get())},
                    &size, &executor,
                    [](PlanBuilder& plan) { plan.Run([](const RunContext&) { return ++runs, 0; }, 0, 1); });
  };
  ASSERT_EQ(aclrtFree(block), ACL_SUCCESS);
  const int before = runs;
  ASSERT_EQ(call(), kSuccess);
  EXPECT_EQ(RunPlan(kList, nullptr, 0, executor, nullptr), kInvalid);
  ExpectMessage("aclnnList: argument 'tensors[1]': expected an address in a live block, got 0x");
  ASSERT_EQ(call(), kSuccess);
  ASSERT_EQ(aclSetDynamicInputTensorAddr(executor, 0, 1, list, out_.data()), kSuccess);
  EXPECT_EQ(RunPlan(kList, nullptr, 0, executor, nullptr), kSuccess);
  EXPECT_EQ(runs, before + 1);
  EXPECT_EQ(aclDestroyTensorList(list), kSuccess);
}

TEST_F(DeadAddress, OfPageLockedMemory) {
  void* pinned = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, 1000), ACL_SUCCESS);
  const TensorHandle out = TensorAt(pinned);
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, PlanCall(x_tensor_.get(), out.get()), nullptr), kSuccess);
  const TensorHandle end = TensorAt(static_cast<std::byte*>(pinned) + 1020);
  aclOpExecutor* executor = PlanCall(x_tensor_.get(), end.get());
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, executor, nullptr), kInvalid);
  ExpectMessage("aclnnScratch: argument 'out': expected a view within its block, which ends 4 bytes after the address");
  ASSERT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
  ExpectRefused(pinned);
}

TEST_F(DeadAddress, InReservedAddresses) {
  constexpr size_t kPart = size_t{2} << 20;
  void* range = nullptr;
  aclrtDrvMemHandle memory = nullptr;
  aclrtPhysicalMemProp properties = {};
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  ASSERT_EQ(aclrtReserveMemAddress(&range, 2 * kPart, 0, nullptr, 0), ACL_SUCCESS);
  ExpectRefused(range);
  ASSERT_EQ(aclrtMallocPhysical(&memory, kPart, &properties, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(range, kPart, 0, memory, 0), ACL_SUCCESS);
  const TensorHandle out = TensorAt(range);
  EXPECT_EQ(RunPlan(kScratch, nullptr, 0, PlanCall(x_tensor_.get(), out.get()), nullptr), kSuccess);
  ExpectRefused(static_cast<std::byte*>(range) + kPart);
  aclOpExecutor* executor = PlanCall(x_tensor_.get(), out.get());
  ASSERT_EQ(aclrtUnmapMem(range), ACL_SUCCESS);
  ExpectRefused(executor, "out");
  EXPECT_EQ(aclrtFreePhysical(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(range), ACL_SUCCESS);
}

TEST_F(PhaseTwo, AWorkspaceMustHoldWhatIsNeeded) {
  uint64_t size = 0;
  const auto run = [&](void* workspace, uint64_t stated) {
    return RunPlan(kScratch, workspace, stated, PlanScratch(&size), nullptr);
  };
  aclOpExecutor* unused = PlanScratch(&size);
  EXPECT_EQ(aclDestroyAclOpExecutor(unused), kSuccess);
  void* block = nullptr;
  ASSERT_EQ(aclrtMallocAlign32(&block, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(run(block, size), kSuccess);
  EXPECT_EQ(run(block, size + 1000000), kSuccess) << "only what the plan needs is used";
  const uint64_t usable = (size + 31) / 32 * 32;
  auto* late = static_cast<std::byte*>(block) + (usable - size + 1);
  EXPECT_EQ(run(late, size), kInvalid);
  ExpectMessage("aclnnScratch: argument 'workspace': expected a range within its block, which ends " +
                std::to_string(size - 1) + " bytes after the address, got one of " + std::to_string(size) + " bytes");
  EXPECT_EQ(run(block, size), kSuccess);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_EQ(run(block, size), kInvalid);
  ExpectMessage("aclnnScratch: argument 'workspace': expected an address in a live block, got 0x");
  // Host memory is not checked.
  std::vector<std::byte> mine(size);
  EXPECT_EQ(run(mine.data(), size), kSuccess);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  // A null address is reported first.
  const TensorHandle null_data = TensorBuilder(ACL_FLOAT, {2}).Build();
  EXPECT_EQ(RunPlan(kScratch, block, size, PlanScratch(&size, null_data.get()), nullptr), kNullPointer);
}

// A cached plan whose addresses were found valid checks the workspace again when it is another one.
TEST_F(PhaseTwo, EachWorkspaceOfACachedPlanIsChecked) {
  const auto run = [&](void* workspace) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(MakePlan(kScratch, {x_tensor_.get(), out_tensor_.get()}, &size, &executor,
                       [](PlanBuilder& plan) {
                         plan.Run([](const RunContext&) { return 0; }, plan.Book<char>("bytes", 1000), 1);
                       }),
              kSuccess);
    return RunPlan(kScratch, workspace, size, executor, nullptr);
  };
  DeviceArray<char> large(4096);
  DeviceArray<char> small(100);
  DeviceArray<char> other(4096);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(run(large.data()), kSuccess);
    EXPECT_EQ(run(large.data()), kSuccess);
    EXPECT_EQ(run(small.data()), kInvalid);
    EXPECT_EQ(run(small.data()), kInvalid);
    EXPECT_EQ(run(other.data()), kSuccess);
  }
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
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
  EXPECT_EQ(Result(out_), (FloatVector{11, 22}));
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
