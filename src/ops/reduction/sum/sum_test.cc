// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_linalg_vector_norm.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/cost.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Sum, sum);

namespace portacl::ops::sum {
namespace {

using calls::TensorBuilder;
using testing::Example;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void ExpectCall(std::string_view api, const std::map<std::string, Example>& tensors,
                const std::map<std::string, double>& attributes, double relative = 0) {
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, attributes, relative);
}

TEST(Sums, GiveTheDocumentedResults) {
  ExpectCall("aclnnReduceSum", {{"self", {ACL_INT32, {1, 6}, {1, 0, 1, 1, 1, 0}}}, {"out", {ACL_INT64, {1, 1}, {4}}}},
             {{"dims", 1}, {"keepDims", 1}, {"dtype", ACL_INT64}});
  ExpectCall("aclnnReduceSum", {{"self", {ACL_FLOAT, {3}, {1, 2, 3}}}, {"out", {ACL_FLOAT, {1}, {6}}}},
             {{"dims", 0}, {"keepDims", 0}, {"dtype", ACL_FLOAT}});
  ExpectCall("aclnnMean", {{"self", {ACL_INT32, {3}, {1, 2, 4}}}, {"out", {ACL_FLOAT, {}, {2.3333333}}}},
             {{"dim", 0}, {"keepDim", 0}, {"dtype", ACL_FLOAT}}, 1e-7);
  ExpectCall("aclnnMean", {{"self", {ACL_INT32, {3}, {1, 2, 4}}}, {"out", {ACL_INT32, {}, {2}}}},
             {{"dim", 0}, {"keepDim", 0}, {"dtype", ACL_INT32}});
}

TEST(Sums, MultiplyComplexNumbers) {
  const Example self = {ACL_COMPLEX64, {2, 3}, {1, 2, 3, -4, 0, 1, 0, 0, 2, 5, 1, 1}};
  ExpectCall("aclnnProdDim", {{"self", self}, {"out", {ACL_COMPLEX64, {2}, {-2, 11, 0, 0}}}},
             {{"dim", 1}, {"keepDim", 0}, {"dtype", ACL_COMPLEX64}});
  ExpectCall("aclnnProdDim", {{"self", self}, {"out", {ACL_COMPLEX128, {3}, {0, 0, 26, 7, -1, 1}}}},
             {{"dim", 0}, {"keepDim", 0}, {"dtype", ACL_COMPLEX128}});
  ExpectCall("aclnnProd", {{"self", {ACL_COMPLEX128, {0}, {}}}, {"out", {ACL_COMPLEX128, {}, {1, 0}}}},
             {{"dtype", ACL_COMPLEX128}});
  // Over several chunks of a long axis.
  std::vector<double> units;
  for (int i = 0; i < 100'000; ++i) units.insert(units.end(), {0, 1});
  ExpectCall("aclnnProd", {{"self", {ACL_COMPLEX64, {100'000}, units}}, {"out", {ACL_COMPLEX64, {}, {1, 0}}}},
             {{"dtype", ACL_COMPLEX64}});
}

TEST(Sums, OfComplexNumbersAreThoseOfTheirParts) {
  const Example self = {ACL_COMPLEX64, {2, 2}, {1, 2, 3, -4, kInf, 1, 1, kNan}};
  ExpectCall("aclnnReduceSum", {{"self", self}, {"out", {ACL_COMPLEX64, {2}, {4, -2, kInf, kNan}}}},
             {{"dims", 1}, {"keepDims", 0}, {"dtype", ACL_COMPLEX64}});
  ExpectCall("aclnnReduceSum", {{"self", self}, {"out", {ACL_FLOAT, {2}, {4, kInf}}}},
             {{"dims", 1}, {"keepDims", 0}, {"dtype", ACL_FLOAT}});
  ExpectCall("aclnnMean", {{"self", self}, {"out", {ACL_COMPLEX128, {2}, {2, -1, kInf, kNan}}}},
             {{"dim", 1}, {"keepDim", 0}, {"dtype", ACL_COMPLEX64}});
  ExpectCall("aclnnReduceSum", {{"self", {ACL_INT32, {3}, {1, 2, 3}}}, {"out", {ACL_COMPLEX128, {}, {6, 0}}}},
             {{"dims", 0}, {"keepDims", 0}, {"dtype", ACL_COMPLEX128}});
}

TEST(Sums, OverNothingAreZeroAndMeansNan) {
  const std::map<std::string, double> last = {{"dim", 1}, {"keepDim", 0}, {"dtype", ACL_FLOAT}};
  ExpectCall("aclnnReduceNansum", {{"self", {ACL_FLOAT, {2, 0}, {}}}, {"out", {ACL_FLOAT, {2}, {0, 0}}}}, last);
  ExpectCall("aclnnMean", {{"self", {ACL_FLOAT, {2, 0}, {}}}, {"out", {ACL_FLOAT, {2}, {kNan, kNan}}}}, last);
  ExpectCall("aclnnProdDim", {{"self", {ACL_FLOAT, {2, 0}, {}}}, {"out", {ACL_FLOAT, {2}, {1, 1}}}}, last);
  // The other sizes exceed 64 bits.
  constexpr int64_t kLarge = int64_t{1} << 32;
  ExpectCall("aclnnProd", {{"self", {ACL_FLOAT, {kLarge, kLarge, 0}, {}}}, {"out", {ACL_FLOAT, {}, {1}}}},
             {{"dtype", ACL_FLOAT}});
}

TEST(Sums, DoNotLoseSmallTermsBesideMany) {
  std::vector<double> terms(1 << 20, 0x1p-24);
  terms[0] = 1;
  ExpectCall("aclnnReduceSum",
             {{"self", {ACL_FLOAT, {1 << 20}, terms}}, {"out", {ACL_FLOAT, {}, {1 + (0x1p20 - 1) * 0x1p-24}}}},
             {{"dims", 0}, {"keepDims", 0}, {"dtype", ACL_FLOAT}}, 6e-8);
}

// The bits that are lost beside large terms become visible if the mean of floats is stored as double.
TEST(Sums, KeepWhatCancellationLeavesInDoubles) {
  const Example self = {ACL_FLOAT, {4}, {0x1p63, 43, -0x1p63, 49}};
  for (const aclDataType dtype : {ACL_DOUBLE, ACL_COMPLEX128}) {
    const bool is_complex = dtype == ACL_COMPLEX128;
    ExpectCall(
        "aclnnMean",
        {{"self", self}, {"out", {dtype, {}, is_complex ? std::vector<double>{23, 0} : std::vector<double>{23}}}},
        {{"dim", 0}, {"keepDim", 0}, {"dtype", ACL_FLOAT}});
  }
}

// Four rows or lanes of such terms overflow a float.
TEST(Sums, OfLargeBfloat16AreFiniteWhereTheResultIs) {
  constexpr int64_t kColumns = 300;
  std::vector<double> rows, columns;
  for (int64_t i = 0; i < 8; ++i) {
    const double large = i < 4 ? 0x1.8p127 : -0x1.8p127;
    for (int64_t j = 0; j < kColumns; ++j) columns.push_back(large);
  }
  for (int64_t i = 0; i < 256; ++i) rows.push_back(i < 128 ? 0x1.8p127 : -0x1.8p127);
  rows.push_back(2), columns.resize(columns.size() + kColumns, 2);
  ExpectCall("aclnnReduceSum", {{"self", {ACL_BF16, {1, 257}, rows}}, {"out", {ACL_BF16, {1}, {2}}}},
             {{"dims", 1}, {"keepDims", 0}, {"dtype", ACL_BF16}});
  ExpectCall(
      "aclnnReduceSum",
      {{"self", {ACL_BF16, {9, kColumns}, columns}}, {"out", {ACL_BF16, {kColumns}, std::vector<double>(kColumns, 2)}}},
      {{"dims", 0}, {"keepDims", 0}, {"dtype", ACL_BF16}});
}

// 16-bit elements are added in groups as floats, which lose the small term: as promised, also if the result has another
// dtype.
TEST(Sums, OfSixteenBitsCountTheirErrorAtTheTerms) {
  for (const exec::OperatorEntry& entry : Operators()) {
    const exec::Schema& schema = *entry.schema;
    const std::string_view api = schema.api;
    if (api != "aclnnReduceSum" && api != "aclnnReduceNansum" && api != "aclnnMean") continue;
    calls::Call call = calls::MakeCallOfShape(entry, {1, 128}, nullptr, ACL_BF16);
    call.tensor("self").shape = {1, 128};
    call.tensor("out").shape = {1};
    call.tensor("out").dtype = ACL_FLOAT16;
    call.argument("dtype").integer = ACL_FLOAT16;
    call.argument(schema.Find("dims") >= 0 ? "dims" : "dim").integers = {1};
    call.argument(schema.Find("keepDims") >= 0 ? "keepDims" : "keepDim").integer = 0;
    call.AllocateData();
    // Every 32nd element belongs to the same group.
    std::vector<double> terms(128, 0);
    terms[0] = 0x1p15, terms[32] = 0x1.4p-10, terms[64] = -0x1p15, terms[96] = 0x1.cap-1;
    testing::WriteMemory(call.tensor("self").data, calls::Encode(ACL_BF16, terms));
    testing::ExpectConformance(call);
  }
}

// 1 + 2^-12 is 1 in FLOAT16, 2^24 + 1 is 2^24 in FLOAT, and values beyond the range become infinite.
TEST(Sums, ConvertElementsToTheirDtypeFirst) {
  const auto expect = [](std::string_view api, const Example& self, aclDataType dtype, const std::vector<double>& out) {
    std::map<std::string, double> attributes = {{"keepDims", 0}, {"keepDim", 0}, {"dtype", static_cast<double>(dtype)}};
    attributes[api == "aclnnReduceSum" ? "dims" : "dim"] = 0;
    const exec::Schema& schema = *testing::FindRow(Operators(), api).schema;
    std::erase_if(attributes, [&](const auto& given) { return schema.Find(given.first) < 0; });
    ExpectCall(api, {{"self", self}, {"out", {dtype, {}, out}}}, attributes);
  };
  const Example halves = {ACL_FLOAT, {4}, {1 + 0x1p-12, 1 + 0x1p-12, 1 + 0x1p-12, 1 + 0x1p-12}};
  for (const char* const api : {"aclnnReduceSum", "aclnnReduceNansum"}) {
    expect(api, halves, ACL_FLOAT16, {4});
    expect(api, {ACL_FLOAT, {2}, {1.5, 1.5}}, ACL_INT32, {2});
    expect(api, {ACL_INT32, {2}, {(1 << 24) + 1, -(1 << 24)}}, ACL_FLOAT, {0});
    expect(api, {ACL_BF16, {2}, {65536, -0x1p100}}, ACL_FLOAT16, {kNan});
    // The exact sum is 0.893310546875, halfway between two FLOAT16 values. The small term must not be lost beside large
    // ones.
    std::vector<double> terms(128, 0);
    terms[0] = 0x1p15, terms[32] = -0x1.4p-10, terms[64] = -0x1p15, terms[96] = 0x1.cap-1;
    expect(api, {ACL_BF16, {128}, terms}, ACL_FLOAT16, {0.8935546875});
  }
  expect("aclnnMean", halves, ACL_FLOAT16, {1});
  expect("aclnnProd", halves, ACL_FLOAT16, {1});
  expect("aclnnProdDim", {ACL_FLOAT, {2}, {2.5, 2.5}}, ACL_INT32, {4});
}

TEST(Norm, GivesTheDocumentedResults) {
  const struct {
    double p, first, second;
  } rows[] = {{0, 2, 3},     {0.5, 13.928203, 14.656854}, {1, 7, 5},
              {2, 5, 3},     {3, 4.4979414, 2.5712816},   {kInf, 4, 2},
              {-kInf, 0, 1}, {2147483647, 4, 2},          {-1, 0, 0.5}};
  for (const auto& row : rows) {
    ExpectCall(
        "aclnnNorm",
        {{"self", {ACL_FLOAT, {2, 3}, {3, -4, 0, 1, 2, -2}}}, {"out", {ACL_FLOAT, {2}, {row.first, row.second}}}},
        {{"pScalar", row.p}, {"dim", 1}, {"keepdim", 0}}, 1e-7);
  }
  ExpectCall("aclnnNorm", {{"self", {ACL_FLOAT, {2}, {1e30, 1e30}}}, {"out", {ACL_FLOAT, {1}, {1.414214e30}}}},
             {{"pScalar", 2}, {"dim", 0}, {"keepdim", 1}}, 5e-7);
}

TEST(LinalgVectorNorm, GivesTheDocumentedResults) {
  const auto expect = [](double order, double first, double second) {
    ExpectCall("aclnnLinalgVectorNorm",
               {{"self", {ACL_FLOAT, {2, 3}, {3, -4, 0, 1, 2, -2}}}, {"out", {ACL_FLOAT, {2}, {first, second}}}},
               {{"ord", order}, {"dims", 1}, {"keepDims", 0}, {"dtype", ACL_FLOAT}}, 1e-7);
  };
  expect(3, 4.4979414, 2.5712816);
  expect(-1, 0, 0.5);
  expect(kInf, 4, 2);
}

// Orders whose powers are exponentials of logarithms, and one beyond each end of their range.
TEST(LinalgVectorNorm, TakesOrdersThatAreNotWhole) {
  std::vector<double> values = {1, -3, 4, 0x1p-149, 1e-30F, 0.1F, -7e8F};
  for (int i = 0; i < 600; ++i) values.push_back((i % 2 == 0 ? 1 : -1) * (0.25 + i % 61));
  const auto count = static_cast<int64_t>(values.size());
  for (const float order : {2.3F, 0.7F, 6.7F, -1.5F, -0.51F, 0.4F, 7.3F}) {
    const auto power = static_cast<long double>(order);
    long double sum = 0;
    for (const double value : values) sum += std::pow(std::abs(static_cast<long double>(value)), power);
    const auto norm = static_cast<double>(std::pow(sum, 1 / power));
    ExpectCall("aclnnLinalgVectorNorm", {{"self", {ACL_FLOAT, {count}, values}}, {"out", {ACL_FLOAT, {}, {norm}}}},
               {{"ord", static_cast<double>(order)}, {"dims", 0}, {"keepDims", 0}, {"dtype", ACL_FLOAT}}, 1e-7);
    for (const double special : {kInf, 0.0}) {
      const bool is_special = (special == 0) == (order < 0);
      ExpectCall("aclnnLinalgVectorNorm",
                 {{"self", {ACL_FLOAT, {2}, {1, special}}}, {"out", {ACL_FLOAT, {}, {is_special ? special : 1}}}},
                 {{"ord", static_cast<double>(order)}, {"dims", 0}, {"keepDims", 0}, {"dtype", ACL_FLOAT}}, 1e-7);
    }
  }
}

// 1 + 2^-12 is 1 in FLOAT16, in which its 30th power is 1, too; 2^-30 is 0.
TEST(LinalgVectorNorm, ConvertsElementsFirst) {
  const Example self = {ACL_FLOAT, {3}, {1 + 0x1p-12, 0x1p-30, 0}};
  for (const double order : {0.0, 1.0, 2.0, 30.0, kInf}) {
    ExpectCall("aclnnLinalgVectorNorm", {{"self", self}, {"out", {ACL_FLOAT16, {}, {1}}}},
               {{"ord", order}, {"dims", 0}, {"keepDims", 0}, {"dtype", ACL_FLOAT16}});
  }
}

TEST(LinalgVectorNorm, OverNothingIsZeroWhereItIsDefined) {
  const auto status = [](double order, const aclIntArray* dims, const calls::Dims& out) {
    aclScalar* const ord = aclCreateScalar(&order, ACL_DOUBLE);
    const aclnnStatus result =
        testing::PhaseOne(aclnnLinalgVectorNormGetWorkspaceSize, TensorBuilder(ACL_FLOAT, {2, 0}).Build().get(), ord,
                          dims, false, ACL_FLOAT, TensorBuilder(ACL_FLOAT, out).Build().get());
    aclDestroyScalar(ord);
    return result;
  };
  const int64_t first = 0;
  aclIntArray* const rows = aclCreateIntArray(&first, 1);
  for (const aclIntArray* const dims :
       {static_cast<const aclIntArray*>(nullptr), static_cast<const aclIntArray*>(rows)}) {
    const bool is_empty = dims == nullptr;  // of no elements; otherwise there is no result
    const calls::Dims out = is_empty ? calls::Dims{} : calls::Dims{0};
    EXPECT_EQ(status(0, dims, out), 0);
    EXPECT_EQ(status(2.5, dims, out), 0);
    EXPECT_EQ(status(-1, dims, out), is_empty ? 161002 : 0);
    EXPECT_EQ(status(kInf, dims, out), is_empty ? 161002 : 0);
    EXPECT_EQ(status(-kInf, dims, out), is_empty ? 161002 : 0);
    EXPECT_EQ(status(kNan, dims, out), 161002);
  }
  aclDestroyIntArray(rows);
  ExpectCall("aclnnLinalgVectorNorm", {{"self", {ACL_FLOAT, {2, 0}, {}}}, {"out", {ACL_FLOAT, {2}, {0, 0}}}},
             {{"ord", 3}, {"dims", 1}, {"keepDims", 0}, {"dtype", ACL_FLOAT}});
}

TEST(Norm, OfOrderZeroCountsANan) {
  ExpectCall("aclnnNorm", {{"self", {ACL_FLOAT, {4}, {kNan, 0, -2, kInf}}}, {"out", {ACL_FLOAT, {}, {3}}}},
             {{"pScalar", 0}, {"dim", 0}, {"keepdim", 0}});
  ExpectCall("aclnnNorm", {{"self", {ACL_FLOAT16, {2}, {kNan, 1}}}, {"out", {ACL_FLOAT16, {}, {kNan}}}},
             {{"pScalar", 1}, {"dim", 0}, {"keepdim", 0}});
}

// Their squares, and sums of four, leave the range of float32, in which ordinary elements are added.
TEST(Norm, IsThatOfSixteenBitsHoweverLargeOrSmall) {
  for (const double x : {0x1p80, 0x1p-80, 0x1p63, 0x1p-63, 1.5, 0.0}) {
    SCOPED_TRACE(x);
    ExpectCall("aclnnNorm",
               {{"self", {ACL_BF16, {1, 256}, std::vector<double>(256, x)}}, {"out", {ACL_BF16, {1}, {16 * x}}}},
               {{"pScalar", 2}, {"dim", 1}, {"keepdim", 0}});
    // Several columns of each kind.
    std::vector<double> columns(size_t{16} * 40, 2), norms(40, 8);
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = i % 3 == 0 ? x : columns[i];
    for (size_t i = 0; i < norms.size(); ++i) {
      double squares = 0;
      for (size_t row = 0; row < 16; ++row) squares += columns[row * 40 + i] * columns[row * 40 + i];
      norms[i] = std::sqrt(squares);
    }
    ExpectCall("aclnnNorm", {{"self", {ACL_BF16, {16, 40}, columns}}, {"out", {ACL_BF16, {40}, norms}}},
               {{"pScalar", 2}, {"dim", 0}, {"keepdim", 0}}, 0x1.02p-9);
  }
}

// Measured on a Xeon with AVX-512, 2026-11-26.
// Tensors of a list and their sum.
class SumOfList : public testing::DeviceTest {
 protected:
  struct Tensor {
    calls::Dims shape;
    std::vector<double> values;
  };
  static std::vector<double> Add(aclDataType dtype, const std::vector<Tensor>& tensors, const calls::Dims& shape) {
    calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnSum"));
    std::vector<testing::DeviceArray<std::byte>> memory;
    std::vector<calls::TensorSpec>& list = call.argument("tensors").tensors;
    list.clear();
    for (const Tensor& tensor : tensors) {
      memory.emplace_back(calls::Encode(dtype, tensor.values));
      list.push_back({.dtype = dtype, .shape = tensor.shape, .strides = {}});
      list.back().data = memory.back().data();
    }
    const testing::DeviceArray<std::byte> out(static_cast<size_t>(calls::ElementCount(shape)) * ElementBytes(dtype));
    call.tensor("out") = {.dtype = dtype, .shape = shape, .strides = {}};
    call.tensor("out").data = out.data();
    testing::RunPhases(call);
    return calls::Decode(dtype, out.ToHost());
  }
};

TEST_F(SumOfList, GivesTheDocumentedResults) {
  testing::ForEachTarget([] {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_INT32}) {
      EXPECT_EQ(Add(dtype, {{{2}, {1, 2}}, {{2, 1}, {10, 20}}}, {2, 2}), std::vector<double>({11, 12, 21, 22}));
      EXPECT_EQ(Add(dtype, {{{2}, {1, 2}}}, {2}), std::vector<double>({1, 2}));
    }
  });
}

TEST_F(SumOfList, WrapsIntegers) {
  EXPECT_EQ(Add(ACL_INT8, {{{}, {100}}, {{}, {100}}, {{}, {1}}}, {}), std::vector<double>({-55}));
  EXPECT_EQ(Add(ACL_UINT8, {{{}, {200}}, {{}, {100}}}, {}), std::vector<double>({44}));
}

// In FLOAT, 2^24 + 1 is 2^24, and 2 * 3e38 is infinite.
TEST_F(SumOfList, AddsInDoublePrecision) {
  testing::ForEachTarget([] {
    const std::vector<SumOfList::Tensor> few = {{{1}, {0x1p24}}, {{1}, {1}}, {{1}, {1}}};
    EXPECT_EQ(Add(ACL_FLOAT, few, {1}), std::vector<double>({0x1p24 + 2}));
    std::vector<SumOfList::Tensor> many = {{{1}, {0x1p24}}};
    for (int i = 0; i < 10; ++i) many.push_back({{1}, {1}});
    EXPECT_EQ(Add(ACL_FLOAT, many, {1}), std::vector<double>({0x1p24 + 10}));
    const SumOfList::Tensor large = {{1}, {0x1p127}}, negative = {{1}, {-0x1p127}};
    EXPECT_EQ(Add(ACL_BF16, {large, large, negative}, {1}), std::vector<double>({0x1p127}));
    EXPECT_EQ(Add(ACL_BF16, {large, large, negative, negative, large}, {1}), std::vector<double>({0x1p127}));
    EXPECT_EQ(Add(ACL_BF16, {large, large, negative, large, large}, {1}), std::vector<double>({kInf}));
  });
}

TEST_F(SumOfList, IsRightInEveryLayout) {
  for (const int threads : {1, 3}) {
    const testing::ThreadCount number(threads);
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16, ACL_DOUBLE, ACL_INT32}) {
      for (const size_t count : {2, 4, 9}) {
        calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnSum"));
        std::vector<calls::TensorSpec>& list = call.argument("tensors").tensors;
        list.assign(count, {.dtype = dtype, .shape = {9, 1100}, .strides = {}});
        call.tensor("out") = {.dtype = dtype, .shape = {9, 1100}, .strides = {}};
        list[0].shape = {1100};
        list[1].strides = calls::Dims{1, 9};
        if (count > 2) {
          list[2].shape = {3, 1, 1};
          call.tensor("out").shape = list[3].shape = {3, 9, 1100};
        }
        if (count == 4) call.tensor("out").strides = calls::Dims{9900, 1, 9};
        if (count > 4) list[4].shape = {9, 1};
        if (count > 4) list[5].shape = {};
        testing::ExpectRight(call);
      }
    }
  }
}

TEST_F(SumOfList, NeedsTensorsThatBroadcast) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnSum"));
  std::vector<calls::TensorSpec>& list = call.argument("tensors").tensors;
  list.resize(3, list[0]);
  for (calls::TensorSpec& tensor : list) tensor.shape = {2, 3};
  call.tensor("out").shape = {2, 3};
  EXPECT_EQ(testing::StatusOf(call), 0);
  list[2].shape = {2, 2};
  EXPECT_EQ(testing::StatusOf(call), 161002);
  list[2].shape = {3};
  list[1].dtype = ACL_FLOAT16;
  EXPECT_EQ(testing::StatusOf(call), 161002);
  list.clear();
  EXPECT_EQ(testing::StatusOf(call), 161002);
}

TEST(Sums, EstimateWhatTheyTake) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnReduceSum"));
  call.tensor("self").shape = {384, 64};
  call.tensor("out").shape = {64};
  call.argument("dims").integers = {0};
  call.argument("keepDims").integer = 0;
  call.argument("dtype").integer = ACL_FLOAT;
  testing::ExpectEstimate(call, 2'080);
}

}  // namespace
}  // namespace portacl::ops::sum
