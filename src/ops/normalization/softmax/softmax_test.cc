// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "base/bfloat16.h"
#include "calls/call.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/random.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Softmax, softmax);

namespace portacl::ops::softmax {
namespace {

using calls::TensorBuilder;
using testing::DeviceArray;
using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const exec::OperatorEntry& Entry(std::string_view api) { return testing::FindRow(Operators(), api); }

void ExpectAlong(const char* api, aclDataType dtype, const calls::Dims& shape, int dim, const std::vector<double>& self,
                 const std::vector<double>& out) {
  testing::ExpectExample(Entry(api), {{"self", {dtype, shape, self}}, {"out", {dtype, shape, out}}}, {{"dim", dim}},
                         dtype == ACL_BF16 ? 0x1p-8 : 1e-6);
}

TEST(Softmax, GivesTheDocumentedResults) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE, ACL_BF16}) {
    ExpectAlong("aclnnSoftmax", dtype, {3}, 0, {1, 2, 3}, {0.090030573, 0.24472847, 0.66524096});
    ExpectAlong("aclnnSoftmax", dtype, {1, 2}, -1, {1000, 1000}, {0.5, 0.5});
    ExpectAlong("aclnnSoftmax", dtype, {3}, -1, {-kInf, 0, -kInf}, {0, 1, 0});
    ExpectAlong("aclnnSoftmax", dtype, {2}, -1, {-kInf, -kInf}, {kNan, kNan});
    ExpectAlong("aclnnSoftmax", dtype, {}, 0, {7}, {1});
    ExpectAlong("aclnnLogSoftmax", dtype, {2, 2}, 0, {0, 1, 0, -kInf}, {-0.69314718, 0, -0.69314718, -kInf});
  }
  ExpectAlong("aclnnSoftmax", ACL_FLOAT, {2}, 0, {1000, 1001}, {0.26894142, 0.73105858});
}

// Labels that add up to 1, and others.
TEST(Softmax, GivesTheDocumentedLosses) {
  const auto expect = [](const std::vector<double>& labels, const std::vector<double>& loss,
                         const std::vector<double>& backprop) {
    testing::ExpectExample(Entry("aclnnSoftmaxCrossEntropyWithLogits"),
                           {{"features", {ACL_FLOAT, {2, 3}, {1, 2, 3, 0, 0, 0}}},
                            {"labels", {ACL_FLOAT, {2, 3}, labels}},
                            {"loss", {ACL_FLOAT, {2}, loss}},
                            {"backprop", {ACL_FLOAT, {2, 3}, backprop}}},
                           {}, 2e-6);
  };
  expect({0, 0, 1, 0.5, 0.25, 0.25}, {0.407606, 1.0986123},
         {0.0900306, 0.2447285, -0.334759, -0.1666667, 0.0833333, 0.0833333});
  expect({0, 0, 2, 1, 1, 1}, {0.8152119, 3.2958369},
         {0.0900306, 0.2447285, -1.334759, -0.6666667, -0.6666667, -0.6666667});
}

// The gradient of the sum of results is 0; that of the sum of their logarithms is 1 - n times the share.
TEST(Softmax, GradientsOfSumsAreKnown) {
  const std::vector<double> y = {0.125, 0.25, 0.5, 0.125};
  const auto expect = [](const char* api, const std::vector<double>& output, const std::vector<double>& out) {
    testing::ExpectExample(Entry(api),
                           {{"gradOutput", {ACL_FLOAT, {4}, {1, 1, 1, 1}}},
                            {"output", {ACL_FLOAT, {4}, output}},
                            {"out", {ACL_FLOAT, {4}, out}}},
                           {{"dim", -1}}, 1e-6);
  };
  expect("aclnnSoftmaxBackward", y, {0, 0, 0, 0});
  expect("aclnnLogSoftmaxBackward", {std::log(0.125), std::log(0.25), std::log(0.5), std::log(0.125)},
         {0.5, 0, -1, 0.5});
}

// Calls all operators with an axis, either with FLOAT or with the first dtypes of the schema.
void ExpectRightAlong(const calls::Dims& shape, int dim, testing::Random& random) {
  for (const exec::OperatorEntry& entry : Operators()) {
    if (entry.schema->Find("dim") < 0) continue;
    calls::Call call = testing::DrawCall(entry, shape, testing::DtypesOf(entry)[0], random);
    call.argument("dim").integer = dim;
    testing::ExpectRight(call);
  }
}

// Processed as rows and as columns, with few neighbours and with many.
TEST(Softmax, HoldsForRowsOfAnyLengthAlongAnyAxis) {
  testing::Random random;
  for (const int64_t n : {1, 2, 5, 31, 32, 33, 100, 1027}) {
    ExpectRightAlong({3, n}, 1, random);
    ExpectRightAlong({n, 3}, 0, random);
    ExpectRightAlong({n, 80}, 0, random);
    ExpectRightAlong({2, n, 17}, 1, random);
  }
  ExpectRightAlong({2, 21, 2, 300}, 1, random);
}

// More bytes than kKeptBytes.
TEST(Softmax, HoldsWhereExponentialsAreNotKept) {
  testing::Random random;
  ExpectRightAlong({2, testing::SampleSize(270'000)}, 1, random);
  ExpectRightAlong({testing::SampleSize(4'200), 20}, 0, random);
}

// The rounding of small exponentials when they are added to large ones does not affect their own results.
TEST(Softmax, SmallSharesHaveTheirOwnAccuracy) {
  for (const double center : {0.0, 90.0, -7000.0, 1e6, -3e38}) {
    std::vector<double> row;
    for (int i = 0; i < 90; ++i) row.push_back(double{static_cast<float>(center)} - i * 1.17);
    for (const char* api : {"aclnnSoftmax", "aclnnLogSoftmax"}) {
      for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE})
        testing::ExpectRight(Entry(api), dtype, {{"self", row}}, {{"dim", 0}});
    }
  }
  testing::ExpectRight(Entry("aclnnLogSoftmax"), ACL_FLOAT, {{"self", {30, 0, 1, 30 - 0x1p-19}}}, {{"dim", 0}});
  testing::ExpectRight(Entry("aclnnLogSoftmax"), ACL_FLOAT, {{"self", {40, 0, 1}}}, {{"dim", 0}});
}

TEST(Softmax, AnEmptySelfSucceedsWhateverItsDtype) {
  const auto status = [](aclDataType dtype, const calls::Dims& shape, int64_t dim) {
    return testing::PhaseOne(aclnnSoftmaxGetWorkspaceSize, TensorBuilder(dtype, shape).Build().get(), dim,
                             TensorBuilder(dtype, shape).Build().get());
  };
  EXPECT_EQ(status(ACL_INT32, {0, 3}, 7), 0);
  EXPECT_EQ(status(ACL_INT32, {2, 3}, 1), 161002);
  EXPECT_EQ(status(ACL_FLOAT, {2, 3}, 2), 161002);
  EXPECT_EQ(status(ACL_FLOAT, {2, 3}, -2), 0);
  EXPECT_EQ(status(ACL_FLOAT, {}, -1), 0);
}

class SoftmaxOfRows : public testing::DeviceTest {};

void RunAlongRows(std::string_view api, aclDataType dtype, const calls::Dims& shape, const void* first,
                  const void* second, void* out) {
  const auto tensor = [&](const void* data) { return TensorBuilder(dtype, shape).Data(data).Build(); };
  if (api == "aclnnSoftmax")
    testing::RunPhases(aclnnSoftmaxGetWorkspaceSize, aclnnSoftmax, tensor(first).get(), -1, tensor(out).get());
  if (api == "aclnnLogSoftmax")
    testing::RunPhases(aclnnLogSoftmaxGetWorkspaceSize, aclnnLogSoftmax, tensor(first).get(), -1, tensor(out).get());
  if (api == "aclnnSoftmaxBackward")
    testing::RunPhases(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, tensor(first).get(),
                       tensor(second).get(), -1, tensor(out).get());
  if (api == "aclnnLogSoftmaxBackward")
    testing::RunPhases(aclnnLogSoftmaxBackwardGetWorkspaceSize, aclnnLogSoftmaxBackward, tensor(first).get(),
                       tensor(second).get(), -1, tensor(out).get());
}

template <class T>
void ExpectSameBitsAlone(const char* api, aclDataType dtype, int64_t columns, T (*from)(float)) {
  constexpr int64_t kRows = 37;
  const auto count = static_cast<size_t>(kRows * columns);
  std::vector<T> values(count), shares(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = from(static_cast<float>(i * 37 % 101) / 10 - 5);
    shares[i] = from(static_cast<float>(i * 53 % 97) / 97);
  }
  const DeviceArray<T> first(values), second(shares), together(values), alone(values);
  RunAlongRows(api, dtype, {kRows, columns}, first.data(), second.data(), together.data());
  for (int64_t at = 0; at < kRows * columns; at += columns)
    RunAlongRows(api, dtype, {1, columns}, first.data() + at, second.data() + at, alone.data() + at);
  EXPECT_EQ(together.ToHost(), alone.ToHost()) << api << ", rows of " << columns;
}

// Short rows are computed as many at a time as a register has lanes, and those left over one by one.
TEST_F(SoftmaxOfRows, ARowHasTheSameBitsAloneAndWithOthers) {
  testing::ForEachTarget([&] {
    for (const char* api : {"aclnnSoftmax", "aclnnLogSoftmax", "aclnnSoftmaxBackward", "aclnnLogSoftmaxBackward"}) {
      for (int64_t columns = 1; columns <= 18; ++columns) {
        ExpectSameBitsAlone<float>(api, ACL_FLOAT, columns, [](float x) { return x; });
        ExpectSameBitsAlone<uint16_t>(api, ACL_BF16, columns, FloatToBfloat16);
      }
    }
  });
}

TEST_F(SoftmaxOfRows, ShortRowsAreRightWithAnyValues) {
  testing::Random random;
  for (const exec::OperatorEntry& entry : Operators()) {
    if (entry.schema->Find("dim") < 0) continue;
    for (int64_t columns = 1; columns <= 17; ++columns) {
      const auto& dtypes = testing::Spread(testing::DtypesOf(entry), static_cast<size_t>(columns));
      calls::Call call = testing::DrawCall(entry, {37, columns}, dtypes, random);
      call.argument("dim").integer = 1;
      testing::ExpectRight(call);
      testing::ExpectRight(call, 0.05);
    }
  }
}

class SoftmaxOfColumns : public testing::DeviceTest {};

// For each column, the lanes for 16-bit elements compute the same as those for FLOAT.
TEST_F(SoftmaxOfColumns, NarrowGradientsAreThoseOfFloatRounded) {
  const auto run = [](bool is_log, aclDataType dtype, const calls::Dims& shape, const void* grad, const void* output,
                      void* out) {
    const auto tensor = [&](const void* data) { return TensorBuilder(dtype, shape).Data(data).Build(); };
    if (is_log) {
      testing::RunPhases(aclnnLogSoftmaxBackwardGetWorkspaceSize, aclnnLogSoftmaxBackward, tensor(grad).get(),
                         tensor(output).get(), 0, tensor(out).get());
    } else {
      testing::RunPhases(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, tensor(grad).get(),
                         tensor(output).get(), 0, tensor(out).get());
    }
  };
  for (const int64_t rows : {1, 3, 4, 9}) {
    for (const int64_t columns : {1, 15, 16, 33, 63, 64, 65, 127, 500, 513}) {
      const auto count = static_cast<size_t>(rows * columns);
      std::vector<uint16_t> grad(count), output(count);
      std::vector<float> wide_grad(count), wide_output(count);
      for (size_t i = 0; i < count; ++i) {
        grad[i] = FloatToBfloat16(static_cast<float>(i * 37 % 101) / 50 - 1);
        output[i] = FloatToBfloat16(static_cast<float>(i * 53 % 97) / 400);
        wide_grad[i] = Bfloat16ToFloat(grad[i]);
        wide_output[i] = Bfloat16ToFloat(output[i]);
      }
      const DeviceArray<uint16_t> narrow[] = {DeviceArray(grad), DeviceArray(output), DeviceArray(grad)};
      const DeviceArray<float> wide[] = {DeviceArray(wide_grad), DeviceArray(wide_output), DeviceArray(wide_grad)};
      for (const bool is_log : {false, true}) {
        run(is_log, ACL_BF16, {rows, columns}, narrow[0].data(), narrow[1].data(), narrow[2].data());
        run(is_log, ACL_FLOAT, {rows, columns}, wide[0].data(), wide[1].data(), wide[2].data());
        std::vector<uint16_t> want(count);
        const std::vector<float> exact = wide[2].ToHost();
        for (size_t i = 0; i < count; ++i) want[i] = FloatToBfloat16(exact[i]);
        EXPECT_EQ(narrow[2].ToHost(), want) << rows << " x " << columns << ", log: " << is_log;
      }
    }
  }
}

}  // namespace
}  // namespace portacl::ops::softmax
