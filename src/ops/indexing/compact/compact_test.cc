// SPDX-License-Identifier: Apache-2.0
//
// Nonzero, NonzeroV2, MaskedSelect and InplaceMaskedScatter: the promises that follow from schemas and oracle, worked
// examples, and what clients do with shapes that depend on the data.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_masked_scatter.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_nonzero_v2.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Compact, compact);

namespace portacl::ops::compact {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Compact : public testing::DeviceTest {
 protected:
  template <class T>
  static TensorHandle Tensor(aclDataType dtype, const DeviceArray<T>& array, const Dims& shape) {
    return TensorBuilder(dtype, shape).Data(array.data()).Build();
  }
  static Dims ShapeOf(const TensorHandle& tensor) {
    int64_t* dims = nullptr;
    uint64_t count = 0;
    EXPECT_EQ(aclGetViewShape(tensor.get(), &dims, &count), 0);
    const std::unique_ptr<int64_t[]> owned(dims);
    return {dims, dims + count};
  }
};

TEST_F(Compact, GivesTheDocumentedCoordinates) {
  const DeviceArray<float> self({0, 1, kNan, -0.0F, 2, 0});
  const TensorHandle tensor = Tensor(ACL_FLOAT, self, {2, 3});
  const DeviceArray<int64_t> rows(std::vector<int64_t>(12, -1)), columns(std::vector<int64_t>(12, -1));
  const TensorHandle out = Tensor(ACL_INT64, rows, {6, 2}), transposed = Tensor(ACL_INT64, columns, {2, 6});
  testing::RunPhases(aclnnNonzeroGetWorkspaceSize, aclnnNonzero, tensor.get(), out.get());
  EXPECT_EQ(rows.ToHost(), std::vector<int64_t>({0, 1, 0, 2, 1, 1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(ShapeOf(out), Dims({3, 2}));
  testing::RunPhases(aclnnNonzeroV2GetWorkspaceSize, aclnnNonzeroV2, tensor.get(), transposed.get());
  EXPECT_EQ(columns.ToHost(), std::vector<int64_t>({0, 0, 1, 1, 2, 1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(ShapeOf(transposed), Dims({2, 3}));
}

TEST_F(Compact, GivesTheDocumentedSelection) {
  const DeviceArray<float> self({1, 2, 3, 4}), out({9, 9, 9, 9});
  const DeviceArray<uint8_t> mask({1, 0});
  const TensorHandle result = Tensor(ACL_FLOAT, out, {4});
  testing::RunPhases(aclnnMaskedSelectGetWorkspaceSize, aclnnMaskedSelect, Tensor(ACL_FLOAT, self, {2, 2}).get(),
                     Tensor(ACL_BOOL, mask, {2}).get(), result.get());
  EXPECT_EQ(out.ToHost(), std::vector<float>({1, 3, 9, 9}));
  EXPECT_EQ(ShapeOf(result), Dims({2}));
}

TEST_F(Compact, ScattersAsDocumented) {
  const DeviceArray<float> self(std::vector<float>(6)), source({1, 2, 3, 4});
  const DeviceArray<uint8_t> mask({1, 0, 1, 0, 1, 0});
  testing::RunPhases(aclnnInplaceMaskedScatterGetWorkspaceSize, aclnnInplaceMaskedScatter,
                     Tensor(ACL_FLOAT, self, {2, 3}).get(), Tensor(ACL_BOOL, mask, {2, 3}).get(),
                     Tensor(ACL_FLOAT, source, {4}).get());
  EXPECT_EQ(self.ToHost(), std::vector<float>({1, 0, 2, 0, 3, 0}));
}

// The elements that have a source are written.
TEST_F(Compact, ReportsTooFewElementsToScatter) {
  const DeviceArray<float> self({0, 0, 0, 0}), source({5, 6});
  const DeviceArray<uint8_t> mask({1, 0, 3, 1});
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(
      aclnnInplaceMaskedScatterGetWorkspaceSize(Tensor(ACL_FLOAT, self, {4}).get(), Tensor(ACL_UINT8, mask, {4}).get(),
                                                Tensor(ACL_FLOAT, source, {2}).get(), &bytes, &executor),
      0);
  aclGetRecentErrMsg();
  ASSERT_EQ(aclnnInplaceMaskedScatter(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), 507015);
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("aclnnInplaceMaskedScatter: argument 'source': expected at least 3 elements, got 2"),
            std::string::npos)
      << message;
  EXPECT_EQ(self.ToHost(), std::vector<float>({5, 0, 6, 0}));
}

// Clients that count first pass an output of exactly the result's size; others pass any shape that has room.
TEST_F(Compact, TakesAnyOutputWithRoom) {
  const DeviceArray<int32_t> self({0, 7, 0, 0, 8, 9});
  const DeviceArray<int64_t> out(12);
  for (const Dims& shape : {Dims{3, 2}, {6}, {2, 3}, {2, 1, 6}, {12}}) {
    const TensorHandle result = Tensor(ACL_INT64, out, shape);
    testing::RunPhases(aclnnNonzeroGetWorkspaceSize, aclnnNonzero, Tensor(ACL_INT32, self, {3, 2}).get(), result.get());
    EXPECT_EQ(ShapeOf(result), Dims({3, 2}));
    const std::vector<int64_t> found = out.ToHost();
    EXPECT_EQ(std::vector<int64_t>(found.begin(), found.begin() + 6), std::vector<int64_t>({0, 1, 2, 0, 2, 1}));
  }
  const TensorHandle small = Tensor(ACL_INT64, out, {5});
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnNonzeroV2GetWorkspaceSize(Tensor(ACL_INT32, self, {3, 2}).get(), small.get(), &bytes, &executor), 0);
  EXPECT_EQ(aclnnNonzeroV2(nullptr, 0, executor, nullptr), 361001);
  EXPECT_EQ(aclrtSynchronizeDevice(), 507015);
  EXPECT_EQ(ShapeOf(small), Dims({5}));
}

TEST_F(Compact, FindsNoCoordinatesInANumberAndNoneInNothing) {
  const auto shape = [](const Dims& dims, float value, bool is_transposed) {
    const DeviceArray<float> self(std::vector<float>{value});
    const DeviceArray<int64_t> out(1);
    const TensorHandle result = Tensor(ACL_INT64, out, {0});
    testing::RunPhases(is_transposed ? aclnnNonzeroV2GetWorkspaceSize : aclnnNonzeroGetWorkspaceSize,
                       is_transposed ? aclnnNonzeroV2 : aclnnNonzero, Tensor(ACL_FLOAT, self, dims).get(),
                       result.get());
    return ShapeOf(result);
  };
  EXPECT_EQ(shape({}, 3, false), Dims({1, 0}));
  EXPECT_EQ(shape({}, 0, false), Dims({0, 0}));
  EXPECT_EQ(shape({}, 3, true), Dims({0, 1}));
  EXPECT_EQ(shape({0, 3}, 1, false), Dims({0, 2}));
  EXPECT_EQ(shape({0, 3}, 1, true), Dims({2, 0}));
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(shape({kHuge, kHuge, 0}, 1, false), Dims({0, 3}));
}

TEST_F(Compact, MasksBroadcastOnlyAsFarAsTheyMay) {
  const auto select = [](const Dims& self, const Dims& mask) {
    return testing::PhaseOne(aclnnMaskedSelectGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(),
                             TensorBuilder(ACL_BOOL, mask).Build().get(), TensorBuilder(ACL_FLOAT, {9}).Build().get());
  };
  EXPECT_EQ(select({3, 1}, {3}), 0);
  EXPECT_EQ(select({3}, {2, 3}), 0);
  EXPECT_EQ(select({3, 2}, {3}), 161002);
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(select({kHuge, 1, 0}, {kHuge, 1}), 0);
  const auto scatter = [](const Dims& self, const Dims& mask) {
    return testing::PhaseOne(aclnnInplaceMaskedScatterGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(),
                             TensorBuilder(ACL_BOOL, mask).Build().get(), TensorBuilder(ACL_FLOAT, {9}).Build().get());
  };
  EXPECT_EQ(scatter({2, 3}, {3}), 0);
  EXPECT_EQ(scatter({3}, {2, 3}), 161002);
  EXPECT_EQ(scatter({3}, {2}), 161002);
}

// Every density, so that blocks are full, empty, and anything between; the last one ends within a register.
TEST_F(Compact, CountsThroughAllBlocks) {
  constexpr int64_t kRows = 300, kColumns = 331;
  for (const int every : {1, 2, 3, 64, 5000}) {
    std::vector<uint8_t> values(kRows * kColumns);
    std::vector<int64_t> want;
    std::vector<int64_t> numbers(values.size()), selected;
    std::iota(numbers.begin(), numbers.end(), 0);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint8_t>((i / 7 + i) % static_cast<size_t>(every) == 0);
      if (values[i] == 0) continue;
      want.insert(want.end(), {numbers[i] / kColumns, numbers[i] % kColumns});
      selected.push_back(numbers[i]);
    }
    const DeviceArray<uint8_t> mask(values);
    const DeviceArray<int64_t> self(numbers), coordinates(want.size()), out(selected.size());
    for (const int threads : {1, 3}) {
      const testing::ThreadCount count(threads);
      const TensorHandle found = Tensor(ACL_INT64, coordinates, {std::ssize(want)});
      testing::RunPhases(aclnnNonzeroGetWorkspaceSize, aclnnNonzero, Tensor(ACL_BOOL, mask, {kRows, kColumns}).get(),
                         found.get());
      EXPECT_EQ(ShapeOf(found), Dims({std::ssize(want) / 2, 2}));
      EXPECT_TRUE(coordinates.ToHost() == want) << every;
      const TensorHandle result = Tensor(ACL_INT64, out, {std::ssize(selected)});
      testing::RunPhases(aclnnMaskedSelectGetWorkspaceSize, aclnnMaskedSelect,
                         Tensor(ACL_INT64, self, {kRows, kColumns}).get(),
                         Tensor(ACL_UINT8, mask, {kRows, kColumns}).get(), result.get());
      EXPECT_TRUE(out.ToHost() == selected) << every;
    }
  }
}

}  // namespace
}  // namespace portacl::ops::compact
