// SPDX-License-Identifier: Apache-2.0
// Inputs that an output overlaps, and misaligned operands: the result is the same as for disjoint, aligned operands.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "exec/plan.h"
#include "exec/toy_fixture.h"
#include "testing/device_array.h"

namespace portacl::exec {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;

constexpr int64_t kCount = 100;
constexpr int64_t kMemory = 1000;

struct Operand1d {
  int64_t offset;
  int64_t stride;
};

// out = x + dy over one block of memory, compared with a loop on copies.
void ExpectResultOfDisjointOperands(Operand1d x, Operand1d dy, Operand1d out, bool repeatable) {
  SCOPED_TRACE(::testing::Message() << x.offset << "/" << x.stride << " " << dy.offset << "/" << dy.stride << " "
                                    << out.offset << "/" << out.stride);
  std::vector<float> memory(kMemory);
  std::iota(memory.begin(), memory.end(), 1.0F);
  DeviceArray<float> block(memory);
  std::vector<float> want = memory;
  for (int64_t i = 0; i < kCount; ++i) {
    want[static_cast<size_t>(out.offset + i * out.stride)] =
        memory[static_cast<size_t>(x.offset + i * x.stride)] + memory[static_cast<size_t>(dy.offset + i * dy.stride)];
  }
  const auto tensor = [&](Operand1d operand) {
    return TensorBuilder(ACL_FLOAT, {kCount})
        .Strides({operand.stride})
        .Offset(operand.offset)
        .Data(block.data())
        .Build();
  };
  const TensorHandle x_tensor = tensor(x);
  const TensorHandle dy_tensor = tensor(dy);
  const TensorHandle out_tensor = tensor(out);
  uint64_t size = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnToyGetWorkspaceSize(x_tensor.get(), dy_tensor.get(), out_tensor.get(), &size, &executor), kSuccess);
  EXPECT_EQ(size, 0u);  // copies never come from the client's workspace
  if (repeatable) {
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
  }
  ASSERT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(block.ToHost(), want);
  if (repeatable) {
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
  }
}

TEST(Staging, OverlappingOperandsGiveTheResultOfDisjointOnes) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const Operand1d rows[][3] = {
      {{0, 1}, {200, 1}, {400, 1}},  // disjoint
      {{0, 1}, {200, 1}, {0, 1}},    // in place
      {{0, 1}, {0, 1}, {0, 1}},      // in place, both inputs
      {{0, 1}, {200, 1}, {1, 1}},    // out one element after x: without a copy, a loop would accumulate
      {{1, 1}, {200, 1}, {0, 1}},    // out one element before x
      {{0, 1}, {50, 1}, {25, 1}},    // both overlap
      {{0, 2}, {1, 2}, {0, 1}},      // other strides
      {{3, 1}, {0, 0}, {0, 1}},      // one value for all indices, overwritten by the first
      {{99, 0}, {98, 0}, {0, 1}},   {{17, 1}, {500, 1}, {20, 3}},
      {{0, 0}, {200, 1}, {0, 0}},  // in place, but all indices share one element: each sum must use the value from
                                   // before the run
  };
  for (const auto& row : rows) {
    for (bool repeatable : {false, true}) ExpectResultOfDisjointOperands(row[0], row[1], row[2], repeatable);
  }
}

TEST(Staging, AddressesSetAfterPhaseOneAreStagedToo) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  std::vector<float> ones(kMemory, 1.0F);
  DeviceArray<float> block(ones);
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {kCount}).Data(block.data()).Build();
  const TensorHandle dy = TensorBuilder(ACL_FLOAT, {kCount}).Data(block.data() + 200).Build();
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {kCount}).Data(block.data() + 400).Build();
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnToyGetWorkspaceSize(x.get(), dy.get(), out.get(), &size, &executor), kSuccess);
  ASSERT_EQ(aclSetOutputTensorAddr(executor, 0, out.get(), block.data() + 1), kSuccess);
  ASSERT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(block.ToHost()[static_cast<size_t>(kCount)], 2.0F);  // 101, if each sum had used the previous one
}

constexpr SchemaOf kPeek({.api = "aclnnPeek"}, {In("x"), Out("out")},
                         {NotNull("x", "out"), NotNull("executor", "workspaceSize"), MaxRank("x", "out")});
std::byte* seen_address = nullptr;
std::byte* seen_output = nullptr;

TEST(Staging, TheCopyKeepsTheAddressModulo64AndExactAliasesAreNotCopied) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  DeviceArray<float> block(std::vector<float>(kMemory, 0.0F));
  const auto peek = [&](int64_t x_offset, int64_t out_offset) {
    const TensorHandle x =
        TensorBuilder(ACL_FLOAT, {kCount, 1}).Strides({1, 7}).Offset(x_offset).Data(block.data()).Build();
    const TensorHandle out =
        TensorBuilder(ACL_FLOAT, {kCount, 1}).Strides({1, 3}).Data(block.data() + out_offset).Build();
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(MakePlan(kPeek, {x.get(), out.get()}, &size, &executor,
                       [](PlanBuilder& plan) {
                         plan.Run([](const RunContext& run) { return seen_address = run.Address(0), 0; }, 0, 1);
                       }),
              kSuccess);
    EXPECT_EQ(RunPlan(kPeek, nullptr, 0, executor, nullptr), kSuccess);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    return seen_address;
  };
  const auto* base = reinterpret_cast<std::byte*>(block.data());
  EXPECT_EQ(peek(5, 5), base + 20);  // the same view: strides of axes with one element do not count
  EXPECT_EQ(peek(5, 300), base + 20);
  std::byte* staged = peek(5, 6);
  EXPECT_NE(staged, base + 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(staged) % 64, reinterpret_cast<uintptr_t>(base + 20) % 64);
}

TEST(Staging, ARunSeesAlignedAddressesWhereverTensorsLie) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  DeviceArray<float> block(std::vector<float>(kMemory, 0.0F));
  auto* const base = reinterpret_cast<std::byte*>(block.data());
  const auto seen = [&](size_t x_at, size_t out_at) {
    const TensorHandle x = TensorBuilder(ACL_FLOAT, {kCount}).Data(base + x_at).Build();
    const TensorHandle out = TensorBuilder(ACL_FLOAT, {kCount}).Data(base + out_at).Build();
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(MakePlan(kPeek, {x.get(), out.get()}, &size, &executor,
                       [](PlanBuilder& plan) {
                         plan.Run(
                             [](const RunContext& run) {
                               seen_address = run.Address(0);
                               seen_output = run.Address(1);
                               return 0;
                             },
                             0, 1);
                       }),
              kSuccess);
    EXPECT_EQ(RunPlan(kPeek, nullptr, 0, executor, nullptr), kSuccess);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    return std::pair(seen_address, seen_output);
  };
  EXPECT_EQ(seen(20, 1200), std::pair(base + 20, base + 1200));
  for (const auto& [x_at, out_at] : {std::pair<size_t, size_t>{21, 1200}, {20, 1203}, {22, 1201}, {21, 21}}) {
    SCOPED_TRACE(::testing::Message() << x_at << " " << out_at);
    const auto [x, out] = seen(x_at, out_at);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(x) % 64, reinterpret_cast<uintptr_t>(base + x_at) % 64 / 4 * 4);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(out) % 64, reinterpret_cast<uintptr_t>(base + out_at) % 64 / 4 * 4);
    EXPECT_EQ(x == base + x_at, x_at % 4 == 0) << "aligned operands are not copied";
    EXPECT_EQ(out == base + out_at, out_at % 4 == 0);
  }
}

// Elements of two outputs that alternate at odd addresses: neither run writes the elements of the other output.
TEST(Staging, MisalignedOutputsGetTheirElementsAndNothingBetweenThem) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  DeviceArray<std::byte> block(std::vector<std::byte>(1 + 2 * kCount * sizeof(float), std::byte{0x5A}));
  DeviceArray<float> ones(std::vector<float>(kCount, 1.0F));
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {kCount}).Data(ones.data()).Build();
  const TensorHandle even = TensorBuilder(ACL_FLOAT, {kCount}).Strides({2}).Data(block.data() + 1).Build();
  const TensorHandle odd = TensorBuilder(ACL_FLOAT, {kCount}).Strides({2}).Offset(1).Data(block.data() + 1).Build();
  const auto add = [](const TensorHandle& a, const TensorHandle& b, const TensorHandle& out) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(aclnnToyGetWorkspaceSize(a.get(), b.get(), out.get(), &size, &executor), kSuccess);
    ASSERT_EQ(aclnnToy(nullptr, 0, executor, nullptr), kSuccess);
  };
  add(x, x, even);       // 2
  add(even, x, odd);     // 3
  add(even, odd, even);  // 5, in place
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  const std::vector<std::byte> after = block.ToHost();
  EXPECT_EQ(after[0], std::byte{0x5A});
  for (size_t i = 0; i < 2 * kCount; ++i) {
    float element = 0;
    std::memcpy(&element, &after[1 + i * sizeof(float)], sizeof(float));
    ASSERT_EQ(element, i % 2 == 0 ? 5.0F : 3.0F) << i;
  }
}

TEST(Staging, InputsThatAreReadLateAreCopiedEvenWhenTheOutputIsExactlyThem) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  DeviceArray<float> block(std::vector<float>(kMemory, 0.0F));
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {kCount}).Data(block.data()).Build();
  for (const bool repeatable : {false, true}) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(MakePlan(kPeek, {x.get(), x.get()}, &size, &executor,
                       [](PlanBuilder& plan) {
                         plan.ForbidInPlace(plan.Input("x"));
                         plan.Run([](const RunContext& run) { return seen_address = run.Address(0), 0; }, 0, 1);
                       }),
              kSuccess);
    if (repeatable) {
      ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
    }
    ASSERT_EQ(RunPlan(kPeek, nullptr, 0, executor, nullptr), kSuccess);
    ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    EXPECT_NE(seen_address, reinterpret_cast<std::byte*>(block.data()));
    if (repeatable) {
      EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
    }
  }
}

}  // namespace
}  // namespace portacl::exec
