// SPDX-License-Identifier: Apache-2.0
//
// Repeat and RepeatInterleave: the promises that follow from schemas and oracle, worked examples, and the valid ranges
// of attributes.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_repeat_interleave_grad.h"
#include "calls/word_calls.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Repeat, repeat);

namespace portacl::ops::repeat {
namespace {

using calls::Dims;
using testing::StatusOf;

class Repeat : public testing::DeviceTest {};

// 3 modulo 2^64.
const std::vector<int64_t> kSumWraps = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max(), 5};

TEST_F(Repeat, GivesTheDocumentedResults) {
  testing::ExpectExample(
      Operators()[0],
      {{"self", {ACL_FLOAT, {2}, {7, 8}}}, {"out", {ACL_FLOAT, {2, 6}, {7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8}}}}, {}, 0,
      {{"repeats", {2, 3}}});
  testing::ExpectExample(Operators()[1],
                         {{"self", {ACL_FLOAT, {2}, {7, 8}}}, {"out", {ACL_FLOAT, {6}, {7, 7, 7, 8, 8, 8}}}},
                         {{"repeats", 3}, {"dim", 0}, {"outputSize", 6}}, 0);
  testing::ExpectExample(
      Operators()[2], {{"self", {ACL_INT8, {2, 2}, {1, 2, 3, 4}}}, {"out", {ACL_INT8, {8}, {1, 1, 2, 2, 3, 3, 4, 4}}}},
      {{"repeats", 2}, {"outputSize", 8}}, 0);
}

TEST_F(Repeat, RepeatsEachRowAsOftenAsItsNumberSays) {
  const testing::Example self = {ACL_INT32, {3, 2}, {1, 2, 3, 4, 5, 6}};
  testing::ExpectExample(
      Operators()[3],
      {{"self", self}, {"repeats", {ACL_INT64, {3}, {2, 0, 1}}}, {"out", {ACL_INT32, {3, 2}, {1, 2, 1, 2, 5, 6}}}},
      {{"dim", 0}, {"outputSize", 3}}, 0);
  testing::ExpectExample(
      Operators()[4],
      {{"self", self}, {"repeats", {ACL_INT64, {6}, {0, 3, 0, 0, 1, 0}}}, {"out", {ACL_INT32, {4}, {2, 2, 2, 5}}}},
      {{"outputSize", 4}}, 0);
}

TEST_F(Repeat, RepeatsNumbers) {
  const auto run = []<class T>(const std::vector<T>& repeats, aclError want) {
    const aclDataType dtype = sizeof(T) == sizeof(int32_t) ? ACL_INT32 : ACL_INT64;
    const testing::DeviceArray<T> numbers(repeats);
    const testing::DeviceArray<T> out({9, 9, 9});
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnRepeatInterleaveTensorGetWorkspaceSize(
                  calls::TensorBuilder(dtype, {3}).Data(numbers.data()).Build().get(), 3,
                  calls::TensorBuilder(dtype, {3}).Data(out.data()).Build().get(), &bytes, &executor),
              0);
    EXPECT_EQ(aclnnRepeatInterleaveTensor(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), want);
    return out.ToHost();
  };
  using Numbers = std::vector<int32_t>;
  EXPECT_EQ(run(Numbers{2, 0, 1}, 0), (Numbers{0, 0, 2}));
  EXPECT_EQ(run(Numbers{2, 0, 0}, 507015), Numbers(3, 9));
  EXPECT_EQ(run(Numbers{2, 0, 2}, 507015), Numbers(3, 9));
  EXPECT_EQ(run(Numbers{2, -1, 2}, 507015), Numbers(3, 9));
  EXPECT_EQ(run(kSumWraps, 507015), std::vector<int64_t>(3, 9));
}

TEST_F(Repeat, TheGradientSumsRuns) {
  const auto sum = [](const std::vector<int64_t>& repeats, const Dims& of_out, std::vector<float> want,
                      aclError status = 0) {
    const testing::DeviceArray<float> grad({1, 2, 3, 4, 5, 6});
    const testing::DeviceArray<int64_t> numbers(repeats);
    const testing::DeviceArray<float> out(std::vector<float>(want.size(), 9));
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnRepeatInterleaveGradGetWorkspaceSize(
                  calls::TensorBuilder(ACL_FLOAT, {3, 2}).Data(grad.data()).Build().get(),
                  calls::TensorBuilder(ACL_INT64, {std::ssize(repeats)}).Data(numbers.data()).Build().get(), -2,
                  calls::TensorBuilder(ACL_FLOAT, of_out).Data(out.data()).Build().get(), &bytes, &executor),
              0);
    EXPECT_EQ(aclnnRepeatInterleaveGrad(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), status);
    EXPECT_EQ(out.ToHost(), want);
  };
  sum({2, 0, 1}, {3, 2}, {4, 6, 0, 0, 5, 6});
  sum({2, 1}, {4}, {4, 6, 5, 6});
  sum({3}, {1, 2}, {9, 12});
  sum({2}, {2, 2}, {9, 9, 9, 9}, 507015);
  sum({2, 2}, {2, 2}, {9, 9, 9, 9}, 507015);
  sum({4, -1}, {2, 2}, {9, 9, 9, 9}, 507015);
  sum(kSumWraps, {3, 2}, {9, 9, 9, 9, 9, 9}, 507015);
  aclGetRecentErrMsg();
  sum({1, 1}, {2, 2}, {9, 9, 9, 9}, 507015);
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("argument 'repeats': expected a sum of 3 (the size along 'axis'), got 2"), std::string::npos)
      << message;
}

TEST_F(Repeat, TheGradientHasAnElementForEachSum) {
  const auto status = [](const Dims& grad, const Dims& repeats, int64_t axis, const Dims& out) {
    calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnRepeatInterleaveGrad"));
    call.tensor("yGrad").shape = grad;
    call.tensor("repeats").shape = repeats;
    call.argument("axis").integer = axis;
    call.tensor("out").shape = out;
    return StatusOf(call);
  };
  EXPECT_EQ(status({6, 2}, {3}, 0, {3, 2}), 0);
  EXPECT_EQ(status({6, 2}, {}, 1, {6}), 0);
  EXPECT_EQ(status({6, 2}, {3}, 0, {2, 2}), 161002);
  EXPECT_EQ(status({6, 2}, {1}, 0, {3}), 161002);
  EXPECT_EQ(status({6, 2}, {0}, 0, {0}), 561002);
  EXPECT_EQ(status({6, 2}, {3}, 2, {3, 2}), 161002);
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(status({kHuge, 0, kHuge}, {3}, 0, {0}), 0);
  EXPECT_EQ(status({kHuge, kHuge, 0}, {3}, 2, {0}), 161002) << "a slice has 2^80 elements";
}

// A wrong sum writes nothing.
TEST_F(Repeat, TheSumIsOutputSize) {
  const auto run = [](const std::vector<int64_t>& repeats) {
    const testing::DeviceArray<float> self({7, 8, 9});
    const testing::DeviceArray<int64_t> numbers(repeats);
    const testing::DeviceArray<float> out({0, 0, 0});
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnRepeatInterleaveGetWorkspaceSize(
                  calls::TensorBuilder(ACL_FLOAT, {3}).Data(self.data()).Build().get(),
                  calls::TensorBuilder(ACL_INT64, {3}).Data(numbers.data()).Build().get(), 3,
                  calls::TensorBuilder(ACL_FLOAT, {3}).Data(out.data()).Build().get(), &bytes, &executor),
              0);
    EXPECT_EQ(aclnnRepeatInterleave(nullptr, 0, executor, nullptr), 0);
    const aclError status = aclrtSynchronizeDevice();
    EXPECT_EQ(out.ToHost(), status == 0 ? std::vector<float>({7, 8, 8}) : std::vector<float>(3));
    return status;
  };
  EXPECT_EQ(run({1, 2, 0}), 0);
  EXPECT_EQ(run({1, 1, 0}), 507015);
  EXPECT_EQ(run({2, 2, 0}), 507015);
  EXPECT_EQ(run({4, -1, 0}), 507015);
  EXPECT_EQ(run(kSumWraps), 507015);
}

TEST_F(Repeat, HasOneNumberForEachAxisOrMore) {
  const auto status = [](const Dims& self, const Dims& repeats, const Dims& out) {
    calls::Call call = calls::MakeValidCall(Operators()[0]);
    call.tensor("self").shape = self;
    call.argument("repeats").integers = repeats;
    call.tensor("out").shape = out;
    return StatusOf(call);
  };
  EXPECT_EQ(status({2, 3}, {2, 1}, {4, 3}), 0);
  EXPECT_EQ(status({2, 3}, {0, 1}, {0, 3}), 0);
  EXPECT_EQ(status({2, 3}, {5, 2, 1}, {5, 4, 3}), 0);
  EXPECT_EQ(status({}, {}, {}), 0);
  EXPECT_EQ(status({2, 3}, {2}, {2, 6}), 161002);
  EXPECT_EQ(status({2, 3}, {-1, 1}, {2, 3}), 161002);
  EXPECT_EQ(status({2, 3}, {2, 1}, {2, 6}), 161002);
  EXPECT_EQ(status({1}, Dims(9, 1), {1}), 161002);
  EXPECT_EQ(status({2}, {int64_t{1} << 62}, {2}), 161002);
}

// With twice the maximum number of axes of a tensor.
TEST_F(Repeat, RepeatsEachOfEightAxes) {
  calls::Random random(1);
  calls::Call call = calls::MakeCallOfShape(Operators()[0], {2, 2, 3, 2, 2, 2, 3, 2}, &random, ACL_INT16);
  call.argument("repeats").integers = {2, 2, 1, 2, 2, 3, 2, 2};
  calls::ComputeShapeOf(call, call.schema().Find("out"));
  testing::ExpectRight(call);
}

TEST_F(Repeat, OutputSizeIsThatOfTheResult) {
  const auto status = [](int64_t repeats, int64_t dim, int64_t size, const Dims& out) {
    calls::Call call = calls::MakeValidCall(Operators()[1]);
    call.tensor("self").shape = {2, 3};
    call.argument("repeats").integer = repeats;
    call.argument("dim").integer = dim;
    call.argument("outputSize").integer = size;
    call.tensor("out").shape = out;
    return StatusOf(call);
  };
  EXPECT_EQ(status(4, -2, 8, {8, 3}), 0);
  EXPECT_EQ(status(0, 1, 0, {2, 0}), 0);
  EXPECT_EQ(status(4, -2, 12, {8, 3}), 161002);
  EXPECT_EQ(status(4, -2, 8, {8, 2}), 161002);
  EXPECT_EQ(status(-1, 0, -2, {2, 3}), 161002);
  EXPECT_EQ(status(1, 2, 2, {2, 3}), 161002);
}

}  // namespace
}  // namespace portacl::ops::repeat
