// SPDX-License-Identifier: Apache-2.0
// Repeated calls are planned once, unless anything but an address differs.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "base/soc.h"
#include "calls/tensor_builder.h"
#include "exec/executor_fixture.h"
#include "exec/executor_pool.h"
#include "exec/plan.h"
#include "exec/toy_fixture.h"
#include "testing/device_array.h"
#include "testing/target_loop.h"

namespace portacl::exec {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;

constexpr SchemaOf kProbe({.api = "aclnnProbe"},
                          {InList("tensors"), OptionalScalar("min"), Attribute("dims", ValueKind::kIntArray),
                           Attribute("eps", ValueKind::kDouble), Attribute("layout", ValueKind::kString), Out("out")},
                          {NotNull("tensors", "dims", "layout", "out"), NotNull("workspaceSize", "executor"),
                           DtypeOneOf({"tensors", "out"}, {ACL_FLOAT, ACL_INT32}), PlainFormat("tensors", "out"),
                           MaxRank("tensors", "out")});

int plans = 0;

// The properties of a call of aclnnProbe, which tests change one at a time.
struct Probe {
  std::vector<TensorBuilder> tensors = {TensorBuilder(ACL_FLOAT, {2, 3}), TensorBuilder(ACL_FLOAT, {4})};
  TensorBuilder out{ACL_FLOAT, {2}};
  std::vector<int64_t> dims = {0, 1};
  float min = 1;
  bool has_min = true;
  double eps = 0.5;
  const char* layout = "BSND";

  // How often the call is planned.
  int Plans() const {
    std::vector<aclTensor*> made;
    for (const TensorBuilder& tensor : tensors) made.push_back(tensor.Build().release());
    const aclTensorList* list = aclCreateTensorList(made.data(), made.size());  // destroys the tensors, too
    const aclIntArray* array = aclCreateIntArray(dims.data(), dims.size());
    float value = min;
    const aclScalar* scalar = has_min ? aclCreateScalar(&value, ACL_FLOAT) : nullptr;
    const TensorHandle result = out.Build();
    const int before = plans;
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(MakePlan(kProbe, {list, scalar, array, eps, layout, static_cast<const aclTensor*>(result.get())}, &bytes,
                       &executor, [](PlanBuilder&) { ++plans; }),
              kSuccess);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
    aclDestroyScalar(scalar);
    aclDestroyIntArray(array);
    aclDestroyTensorList(list);
    return plans - before;
  }
};

class PlanCacheTest : public ExecutorTest {};

TEST_F(PlanCacheTest, PlansARepeatedCallOnce) {
  const Probe probe;
  EXPECT_EQ(probe.Plans(), 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(probe.Plans(), 0);
}

TEST_F(PlanCacheTest, PlansAgainWhateverElseDiffers) {
  using Change = void (*)(Probe&);
  const Change changes[] = {
      [](Probe& p) { p.tensors[1].Shape({5}); },
      [](Probe& p) { p.tensors[0].Strides({1, 2}); },
      [](Probe& p) { p.tensors[0].Offset(1); },
      [](Probe& p) { p.tensors[1].Dtype(ACL_INT32); },
      [](Probe& p) { p.tensors[1].Format(ACL_FORMAT_NCHW); },
      [](Probe& p) { p.tensors[1].Shape({4, 1}); },
      [](Probe& p) { p.tensors.pop_back(); },
      [](Probe& p) { p.tensors.push_back(p.tensors[1]); },
      [](Probe& p) { p.out.Shape({3}); },
      [](Probe& p) { p.dims = {1, 0}; },
      [](Probe& p) { p.dims = {0, 1, 2}; },
      [](Probe& p) { p.min = 2; },
      [](Probe& p) { p.has_min = false; },
      [](Probe& p) { p.eps = -0.5; },
      [](Probe& p) { p.layout = "BNSD"; },
      [](Probe& p) { p.layout = "BSNDBNSDBSND"; },
      [](Probe& p) { p.layout = ""; },
  };
  for (const Change change : changes) {
    SCOPED_TRACE(&change - changes);
    const Probe probe;
    Probe other;
    change(other);
    probe.Plans();
    EXPECT_EQ(other.Plans(), 1);
    EXPECT_EQ(other.Plans(), 0);
    EXPECT_EQ(probe.Plans(), 0) << "two calls of one operator are kept side by side";
  }
}

TEST_F(PlanCacheTest, KeepsPlansOfListsThatAreNotLong) {
  Probe probe;
  probe.tensors.assign(23, TensorBuilder(ACL_FLOAT, {}));
  EXPECT_EQ(probe.Plans(), 1);
  EXPECT_EQ(probe.Plans(), 0);
  probe.tensors.push_back(probe.tensors[0]);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(probe.Plans(), 1) << "25 tensors";
}

TEST_F(PlanCacheTest, KeepsPlansOfStringsThatAreNotLong) {
  Probe probe;
  std::string text(31, 'x');
  probe.layout = text.c_str();
  EXPECT_EQ(probe.Plans(), 1);
  const std::string equal = text;
  probe.layout = equal.c_str();
  EXPECT_EQ(probe.Plans(), 0) << "another address";
  text.back() = 'y';
  probe.layout = text.c_str();
  EXPECT_EQ(probe.Plans(), 1);
  text.push_back('y');
  probe.layout = text.c_str();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(probe.Plans(), 1) << "32 characters";
}

TEST_F(PlanCacheTest, KeepsAtLeastTheLastFourPlans) {
  Probe probes[4];
  for (int i = 0; i < 4; ++i) probes[i].eps = 16 + i;
  for (const Probe& probe : probes) EXPECT_EQ(probe.Plans(), 1);
  for (const Probe& probe : probes) EXPECT_EQ(probe.Plans(), 0);
  Probe fifth;
  fifth.eps = 32;
  EXPECT_EQ(fifth.Plans(), 1);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(probes[i].Plans(), 0);
  EXPECT_EQ(probes[0].Plans(), 1) << "was not used for longest";
}

TEST_F(PlanCacheTest, KeepsPlansOfDifferentShapesInDifferentSets) {
  constexpr int64_t kShapes = 6;
  const auto plans_of_all = [] {
    int all = 0;
    for (int64_t size = 1; size <= kShapes; ++size) {
      Probe probe;
      probe.tensors[0].Shape({size});
      all += probe.Plans();
    }
    return all;
  };
  plans_of_all();
  EXPECT_LT(plans_of_all(), kShapes);
}

TEST_F(PlanCacheTest, RunsACallInFlightBesideAnEqualOneWithManyParameters) {
  struct Many {
    int64_t numbers[900];
  };
  static int64_t sum = 0;
  const auto plan = [](PlanBuilder& builder) {
    ++plans;
    Many many;
    for (int64_t i = 0; i < 900; ++i) many.numbers[i] = i;
    builder.Run(
        [](const RunContext& context) {
          for (const int64_t number : context.Parameters<Many>().numbers) sum += number;
          return 0;
        },
        many, 1);
  };
  const int before = plans;
  std::vector<aclOpExecutor*> executors(3);
  for (aclOpExecutor*& executor : executors) {
    uint64_t bytes = 0;
    ASSERT_EQ(MakePlan(kToy, {x_tensor_.get(), dy_tensor_.get(), out_tensor_.get()}, &bytes, &executor, plan),
              kSuccess);
  }
  EXPECT_EQ(plans, before + 1);
  for (aclOpExecutor* executor : executors) EXPECT_EQ(RunPlan(kToy, nullptr, 0, executor, nullptr), kSuccess);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(sum, 3 * 899 * 900 / 2);
}

TEST_F(PlanCacheTest, PlansAgainForEachInstructionSetAndSoc) {
  Probe probe;
  probe.eps = 0.125;
  testing::ForEachTarget([&] { EXPECT_EQ(probe.Plans(), 1); });
  probe.eps = 0.25;
  for (const Soc& soc : kSocs) {
    SetCurrentSocForTest(&soc);
    EXPECT_EQ(probe.Plans(), 1) << soc.full_name;
  }
  SetCurrentSocForTest(nullptr);
}

TEST_F(PlanCacheTest, RefusesATensorThatDiedAfterAnEqualCall) {
  TensorHandle x = TensorBuilder(ACL_FLOAT, {2}).Data(x_.data()).Build();
  aclTensor* dead = x.get();
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnToyGetWorkspaceSize(dead, dy_tensor_.get(), out_tensor_.get(), &bytes, &executor), kSuccess);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
  x.reset();
  EXPECT_EQ(aclnnToyGetWorkspaceSize(dead, dy_tensor_.get(), out_tensor_.get(), &bytes, &executor), kNullPointer);
}

TEST_F(PlanCacheTest, EqualCallsInFlightKeepTheirAddresses) {
  constexpr int kCalls = 5;
  std::vector<DeviceArray<float>> outs;
  std::vector<aclOpExecutor*> executors;
  for (int i = 0; i < kCalls; ++i) {
    const DeviceArray<float>& out = outs.emplace_back(std::vector<float>{0, 0});
    const TensorHandle tensor = TensorBuilder(ACL_FLOAT, {2}).Data(out.data()).Build();
    uint64_t bytes = 0;
    aclOpExecutor*& executor = executors.emplace_back();
    ASSERT_EQ(aclnnToyGetWorkspaceSize(x_tensor_.get(), dy_tensor_.get(), tensor.get(), &bytes, &executor), kSuccess);
  }
  for (aclOpExecutor* executor : executors) EXPECT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  for (const DeviceArray<float>& out : outs) EXPECT_EQ(Result(out), (FloatVector{11, 22}));
}

TEST_F(PlanCacheTest, LooksAgainWhetherAViewIsInItsBlockOnceABlockWasFreed) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 1200, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {2}).Strides({40}).Data(static_cast<float*>(block) + 250).Build();
  const auto run = [&] {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnToyGetWorkspaceSize(x_tensor_.get(), dy_tensor_.get(), out.get(), &bytes, &executor), kSuccess);
    return aclnnToy(nullptr, 0, executor, nullptr);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(), kSuccess);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(block), ACL_SUCCESS);
  // The pool reuses the address of a freed block for the next of its size class; this smaller one ends within the view.
  void* smaller = nullptr;
  ASSERT_EQ(aclrtMalloc(&smaller, 1024, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(smaller, block);
  EXPECT_EQ(run(), kInvalid);
  EXPECT_EQ(aclrtFree(smaller), ACL_SUCCESS);
}

TEST_F(PlanCacheTest, ThreadsThatEndWithWorkInFlightLoseNoExecutor) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  const auto leave_one_behind = [&] {
    aclOpExecutor* left = nullptr;
    std::thread([&] {
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      for (int i = 0; i < 3; ++i) {
        left = Plan();
        if (i < 2) {
          EXPECT_EQ(aclDestroyAclOpExecutor(left), kSuccess);
        }
      }
    }).join();
    EXPECT_EQ(aclnnToy(nullptr, 0, left, nullptr), kSuccess);
  };
  for (int i = 0; i < 100; ++i) leave_one_behind();
  const size_t before = ExecutorCount();
  for (int i = 0; i < 200; ++i) leave_one_behind();
  EXPECT_LE(ExecutorCount(), before + 8);
  EXPECT_EQ(Result(out_), (FloatVector{11, 22}));
}

}  // namespace
}  // namespace portacl::exec
