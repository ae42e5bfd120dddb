// SPDX-License-Identifier: Apache-2.0
//
// IndexCopy, IndexAdd, IndexFill and their kin: the promises that follow from schemas and oracle, worked
// examples, and the effect of an invalid index.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/index_faults.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(IndexCopy, index_copy);

namespace portacl::ops::index_copy {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;

class IndexCopy : public testing::DeviceTest {
 protected:
  // Copies rows into zeros of shape [3,2] and returns the result.
  static std::vector<float> CopyRows(const std::vector<int64_t>& rows, const std::vector<float>& source,
                                     int32_t status) {
    const DeviceArray<float> self(std::vector<float>(6));
    const DeviceArray<int64_t> index(rows);
    const DeviceArray<float> values(source);
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    const auto count = std::ssize(rows);
    EXPECT_EQ(aclnnInplaceIndexCopyGetWorkspaceSize(
                  TensorBuilder(ACL_FLOAT, {3, 2}).Data(self.data()).Build().get(), 0,
                  TensorBuilder(ACL_INT64, {count}).Data(index.data()).Build().get(),
                  TensorBuilder(ACL_FLOAT, {count, 2}).Data(values.data()).Build().get(), &bytes, &executor),
              0);
    aclGetRecentErrMsg();
    EXPECT_EQ(aclnnInplaceIndexCopy(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), status);
    return self.ToHost();
  }
};

TEST_F(IndexCopy, TheLastOfEqualIndicesCounts) {
  EXPECT_EQ(CopyRows({2, 0, 2}, {1, 1, 2, 2, 3, 3}, 0), std::vector<float>({2, 2, 0, 0, 3, 3}));
}

// Rows of whole cache lines and others, at the beginning of a line and elsewhere; each index comes twice.
TEST_F(IndexCopy, TheLastOfEqualIndicesCountsInTensorsThatNoCacheHolds) {
  for (const auto& [columns, offset] : {std::pair<int64_t, int64_t>{16, 0}, {16, 4}, {24, 0}}) {
    const int64_t rows = (40 << 20) / 4 / columns, named = rows / 2;
    std::vector<int64_t> indices(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) indices[static_cast<size_t>(i)] = (i * 7919) % named;
    std::vector<int32_t> values(static_cast<size_t>(rows * columns));
    std::iota(values.begin(), values.end(), 0);
    std::vector<int32_t> want(static_cast<size_t>(offset + named * columns), -1);
    for (int64_t i = 0; i < rows; ++i)
      std::copy_n(values.begin() + i * columns, columns, want.begin() + offset + (i * 7919) % named * columns);
    const DeviceArray<int32_t> self(std::vector<int32_t>(want.size(), -1)), source(values);
    const DeviceArray<int64_t> index(indices);
    testing::RunPhases(aclnnInplaceIndexCopyGetWorkspaceSize, aclnnInplaceIndexCopy,
                       TensorBuilder(ACL_INT32, {named, columns}).Data(self.data()).Offset(offset).Build().get(), 0,
                       TensorBuilder(ACL_INT64, {rows}).Data(index.data()).Build().get(),
                       TensorBuilder(ACL_INT32, {rows, columns}).Data(source.data()).Build().get());
    EXPECT_TRUE(self.ToHost() == want) << "rows of " << columns << " from element " << offset << " on";
  }
}

TEST_F(IndexCopy, PassesOverAnIndexThatIsNone) {
  EXPECT_EQ(CopyRows({1, 3, -1}, {1, 1, 2, 2, 3, 3}, 507015), std::vector<float>({0, 0, 1, 1, 0, 0}));
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("aclnnInplaceIndexCopy: argument 'index': expected elements from 0 to 2, got 3 at 1"),
            std::string::npos)
      << message;
}

TEST_F(IndexCopy, FillsRowsOfBothEnds) {
  testing::ExpectExample(Operators()[2],
                         {{"self", {ACL_FLOAT, {4, 1}, {1, 2, 3, 4}}}, {"out", {ACL_FLOAT, {4, 1}, {9, 2, 3, 9}}}},
                         {{"dim", 0}, {"value", 9}}, 0, {{"index", {-1, 0, 3}}});
  calls::Call call = calls::MakeValidCall(Operators()[3]);
  call.tensor("selfRef").shape = {2, 3};
  call.argument("dim").integer = 1;
  const auto status = [&](const Dims& index) {
    call.argument("index").integers = index;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({2, -3, 2}), 0);
  EXPECT_EQ(status({3}), 161002);
  EXPECT_EQ(status({0, -4}), 161002);
}

// The parameters of a measured fill: elements of `T` along axis 1 of three; `pitch` is the row stride.
struct FillShape {
  int64_t rows, columns, inner, pitch;
  Dims index;
};

template <class T>
void ExpectFilled(aclDataType dtype, const FillShape& shape, bool in_place) {
  const auto [rows, columns, inner, pitch, index] = shape;
  std::vector<T> self(static_cast<size_t>(rows * pitch));
  for (size_t i = 0; i < self.size(); ++i) self[i] = static_cast<T>(i % 101 + 2);
  const std::vector<T> before = in_place ? self : std::vector<T>(self.size());
  std::vector<T> want = before;
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(self.begin() + row * pitch, columns * inner, want.begin() + row * pitch);
    for (const int64_t named : index) {
      const int64_t first = row * pitch + (named < 0 ? named + columns : named) * inner;
      std::fill_n(want.begin() + first, inner, T(1));
    }
  }
  const DeviceArray<T> from(self), to(before);
  const auto tensor = [&](const DeviceArray<T>& data) {
    return TensorBuilder(dtype, {rows, columns, inner}).Strides({pitch, inner, 1}).Data(data.data()).Build();
  };
  const int64_t one = 1;
  aclScalar* const value = aclCreateScalar(const_cast<int64_t*>(&one), ACL_INT64);
  aclIntArray* const named = aclCreateIntArray(index.data(), index.size());
  if (in_place) {
    testing::RunPhases(aclnnInplaceIndexFillTensorGetWorkspaceSize, aclnnInplaceIndexFillTensor, tensor(to).get(), 1,
                       named, value);
  } else {
    testing::RunPhases(aclnnIndexFillTensorGetWorkspaceSize, aclnnIndexFillTensor, tensor(from).get(), 1, named, value,
                       tensor(to).get());
  }
  EXPECT_EQ(to.ToHost(), want) << rows << " x " << columns << " x " << inner << ", pitch " << pitch << ", "
                               << index.size() << " indices, in place: " << in_place;
  aclDestroyScalar(value);
  aclDestroyIntArray(named);
}

// Rows are filled in a contiguous buffer; their elements may have any stride in the result.
TEST_F(IndexCopy, FillsColumnsOfAnyStride) {
  constexpr int64_t kRows = 12, kColumns = 5, kStep = 3;
  const std::vector<float> self(kRows * kColumns, 2);
  std::vector<float> want(kRows * kColumns * kStep);
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    const int64_t column = i % kColumns;
    want[static_cast<size_t>(i * kStep)] = column == 1 || column == 4 ? 1 : 2;
  }
  const DeviceArray<float> from(self), to(std::vector<float>(want.size()));
  const float one = 1;
  const int64_t index[] = {4, 1};
  aclScalar* const value = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
  aclIntArray* const named = aclCreateIntArray(index, 2);
  testing::RunPhases(
      aclnnIndexFillTensorGetWorkspaceSize, aclnnIndexFillTensor,
      TensorBuilder(ACL_FLOAT, {kRows, kColumns}).Data(from.data()).Build().get(), 1, named, value,
      TensorBuilder(ACL_FLOAT, {kRows, kColumns}).Strides({kColumns * kStep, kStep}).Data(to.data()).Build().get());
  EXPECT_EQ(to.ToHost(), want);
  aclDestroyScalar(value);
  aclDestroyIntArray(named);
}

TEST_F(IndexCopy, FillsColumnsOfAnyNumberAndWidth) {
  Dims every_third, half;
  for (int64_t i = 0; i < 333; ++i) every_third.push_back(i * 3 - (i % 2) * 999);
  for (int64_t i = 0; i < 500; ++i) half.push_back(i + 2);
  half.push_back(700);
  const FillShape shapes[] = {
      {1, 7, 1, 7, {0, -1}},                  // one row
      {3, 2, 1, 2, {1, 0, 1}},                // every row
      {7, 1, 5, 5, {0, 0}},                   // one index
      {9, 15, 1, 15, {0, 14, 7}},             // a register's length, and next to it
      {9, 16, 1, 16, {0, -1, 7, 7}},          //
      {8, 17, 1, 20, {16, 0, -9}},            // rows with padding between
      {64, 33, 4, 132, {0, 2, 32}},           // columns of several elements
      {64, 33, 4, 140, {1, 2, -1}},           //
      {5, 40, 17, 680, {3, 5, 39}},           // filled with vector code
      {700, 999, 1, 999, every_third},        // many indices, in several chunks
      {300, 1000, 1, 1003, half},             // one long run and one short run
      {5000, 64, 2, 128, {63, 0, 31, 32}},    // many rows
      {9, 300, 900, 270'000, {-1, 4}},        // only long runs
      {2, 9000, 1, 9000, {8999, 4500, 0}},    // rows too long for a block
      {10, 9000, 1, 9001, {8999, -9000, 4}},  //
  };
  int turn = 0;
  for (const int threads : {1, 3}) {
    const testing::ThreadCount count(threads);
    for (const FillShape& shape : shapes) {
      for (const bool in_place : {false, true}) {
        if (++turn % testing::OneOf(3) != 0) continue;
        ExpectFilled<float>(ACL_FLOAT, shape, in_place);
        ExpectFilled<int64_t>(ACL_INT64, shape, in_place);
      }
    }
  }
  for (const bool in_place : {false, true}) {
    ExpectFilled<int8_t>(ACL_BOOL, {64, 33, 1, 34, {3, 5, -1}}, in_place);
    ExpectFilled<uint16_t>(ACL_BF16, {64, 33, 1, 34, {}}, in_place);
  }
}

TEST_F(IndexCopy, FillsColumnsOfTensorsThatNoCacheHolds) {
  for (const int64_t columns : {1000, 6000})
    ExpectFilled<int32_t>(ACL_INT32, {(40 << 20) / 4 / columns, columns, 1, columns + 8, {1, 7, 500}}, false);
}

TEST_F(IndexCopy, AddsRows) {
  for (const char* const api : {"aclnnIndexAdd", "aclnnIndexAddV2"}) {
    std::map<std::string, double> attributes = {{"dim", 0}, {"alpha", 2}};
    if (std::string(api) == "aclnnIndexAddV2") attributes["mode"] = 1;
    testing::ExpectExample(testing::FindRow(Operators(), api),
                           {{"self", {ACL_FLOAT, {3, 2}, {1, 1, 1, 1, 1, 1}}},
                            {"index", {ACL_INT64, {3}, {0, 0, 2}}},
                            {"source", {ACL_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6}}},
                            {"out", {ACL_FLOAT, {3, 2}, {9, 13, 1, 1, 11, 13}}}},
                           attributes, 0);
  }
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnIndexAdd"),
                         {{"self", {ACL_UINT8, {2}, {250, 1}}},
                          {"index", {ACL_INT32, {2}, {0, 1}}},
                          {"source", {ACL_UINT8, {2}, {3, 4}}},
                          {"out", {ACL_UINT8, {2}, {247, 253}}}},
                         {{"dim", 0}, {"alpha", -1}}, 0);
}

// Along and across rows that are contiguous, few and many, in one thread and in several.
TEST_F(IndexCopy, AddsRowsOfEveryLayout) {
  for (const int threads : {1, 3}) {
    const testing::ThreadCount count(threads);
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16, ACL_DOUBLE, ACL_INT16}) {
      for (const int64_t dim : {0, 1}) {
        for (const int64_t named : {2, 500}) {
          calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnIndexAdd"));
          for (const char* const name : {"self", "source", "out"}) call.tensor(name).dtype = dtype;
          call.argument("dim").integer = dim;
          call.tensor("self").shape = call.tensor("source").shape = call.tensor("out").shape = {300, 700};
          call.tensor("source").shape[static_cast<size_t>(dim)] = named;
          call.tensor("index").shape = {named};
          testing::ExpectRight(call);
        }
      }
    }
  }
}

TEST_F(IndexCopy, FillsNamedRowsAndPassesOverOthers) {
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnIndexFill"),
                         {{"self", {ACL_FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}}},
                          {"index", {ACL_INT64, {2, 2}, {-1, 0, 3, -4}}},
                          {"out", {ACL_FLOAT, {2, 3}, {7, 2, 7, 7, 5, 7}}}},
                         {{"dim", 1}, {"value", 7}}, 0);
}

// Rows that are filled need no report.
TEST_F(IndexCopy, WritesNothingBeyondEitherEnd) {
  struct Sizes {
    Dims self;
    size_t dim;
    int64_t named;
  };
  for (const exec::OperatorEntry& entry : Operators()) {
    const exec::Schema& schema = *entry.schema;
    const int index = schema.Find("index");
    if (schema.args[static_cast<size_t>(index)].kind != exec::ValueKind::kTensor) continue;  // an array
    const bool fills = schema.Find("value") >= 0;
    for (const Sizes& of : {Sizes{{5, 3}, 0, 9}, {{300, 700}, 1, 500}, {{5000}, 0, 40}}) {
      const auto make = [&](bool is_larger) {
        calls::Call call = calls::MakeValidCall(entry);
        Dims self = of.self, source = of.self;
        self[of.dim] += is_larger ? 1 : 0;
        source[of.dim] = of.named;
        call.argument("dim").integer = static_cast<int64_t>(of.dim);
        call.tensor(0).shape = self;
        call.tensor("index").shape = {of.named};
        if (!fills) call.tensor("source").shape = source;
        for (const char* const out : {"out", "outRef"}) {
          if (schema.Find(out) >= 0) call.tensor(out).shape = self;
        }
        return call;
      };
      testing::ExpectFaultsPassedOver(
          make, {.index = "index", .limits = {of.self[of.dim]}, .wraps = fills, .is_reported = !fills});
    }
  }
}

TEST_F(IndexCopy, SourceHasARowForEachIndex) {
  const auto status = [](const Dims& self, int64_t dim, const Dims& index, const Dims& source) {
    return testing::PhaseOne(aclnnInplaceIndexCopyGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(), dim,
                             TensorBuilder(ACL_INT32, index).Build().get(),
                             TensorBuilder(ACL_FLOAT, source).Build().get());
  };
  EXPECT_EQ(status({3, 2}, 0, {5}, {5, 2}), 0);
  EXPECT_EQ(status({3, 2}, -1, {}, {3, 1}), 0);
  EXPECT_EQ(status({}, 0, {}, {}), 0);
  EXPECT_EQ(status({}, 0, {1}, {}), 0);
  EXPECT_EQ(status({}, 0, {2}, {}), 161002);
  EXPECT_EQ(status({3, 2}, 0, {5}, {3, 2}), 161002);
  EXPECT_EQ(status({3, 2}, 2, {5}, {5, 2}), 161002);
  EXPECT_EQ(status({3, 2}, 0, {5, 1}, {5, 2}), 161002);
}

}  // namespace
}  // namespace portacl::ops::index_copy
