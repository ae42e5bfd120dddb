// SPDX-License-Identifier: Apache-2.0
//
// Dropout: the promises that follow from schemas and oracle, worked examples, and the valid ranges of attributes.
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_dropout.h"
#include "aclnnop/aclnn_dropout_backward.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "calls/tensor_builder.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Dropout, dropout);

namespace portacl::ops::dropout {
namespace {

using calls::Dims;
using testing::Example;
using testing::StatusOf;

class Dropout : public testing::DeviceTest {};

const exec::OperatorEntry& Row(std::string_view api) { return testing::FindRow(Operators(), api); }

Example Bytes(std::vector<double> first, size_t count) {
  first.resize(count);
  return {ACL_UINT8, {static_cast<int64_t>(count)}, first};
}

TEST_F(Dropout, MasksHaveTheDocumentedBits) {
  const auto expect = [](const Dims& shape, double prob, const Example& out) {
    testing::ExpectExample(Row("aclnnDropoutGenMask"), {{"out", out}}, {{"prob", prob}, {"seed", 42}, {"offset", 0}}, 0,
                           {{"shape", shape}});
  };
  expect({16}, 0.5, Bytes({81, 127}, 16));
  expect({10}, 0.25, Bytes({251, 3}, 16));
  expect({2, 5}, 0.25, Bytes({251, 3}, 16));
  expect({10}, 0, Bytes({255, 3}, 16));
  expect({10}, 1, Bytes({}, 16));
  expect({}, 0, Bytes({1}, 16));
  std::vector<double> all(16, 255);
  all.push_back(1);
  expect({129}, 0, Bytes(all, 32));
}

TEST_F(Dropout, SeedsOfMasksMayBeInTensors) {
  testing::ExpectExample(
      Row("aclnnDropoutGenMaskV2Tensor"),
      {{"seedTensor", {ACL_INT64, {1}, {42}}}, {"offsetTensor", {ACL_INT64, {1}, {-7}}}, {"out", Bytes({81, 127}, 16)}},
      {{"prob", 0.5}, {"offset", 7}}, 0, {{"shape", {16}}});
}

TEST_F(Dropout, KeptElementsAreScaled) {
  const Example x = {ACL_FLOAT, {10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  const Example kept = {ACL_FLOAT, {10}, {4, 8, 0, 16, 20, 24, 28, 32, 36, 40}};
  testing::ExpectExample(Row("aclnnDropoutDoMask"), {{"self", x}, {"mask", Bytes({251, 3}, 2)}, {"out", kept}},
                         {{"prob", 0.75}}, 0);
  testing::ExpectExample(Row("aclnnDropoutBackward"), {{"gradOutput", x}, {"mask", Bytes({251, 3}, 2)}, {"out", kept}},
                         {{"scale", 4}}, 0);
  testing::ExpectExample(Row("aclnnDropout"),
                         {{"input", {ACL_FLOAT, {10}, std::vector<double>(10, 3)}},
                          {"out", {ACL_FLOAT, {10}, {4, 4, 0, 4, 4, 4, 4, 4, 4, 4}}},
                          {"maskOut", Bytes({251, 3}, 16)}},
                         {{"p", 0.25}, {"train", 1}, {"seed", 42}, {"offset", 0}}, 1e-7);
}

// A scale of 1 says that nothing was dropped, whatever the mask.
TEST_F(Dropout, ExtremeProbabilitiesDoNotReadTheMask) {
  const Example x = {ACL_FLOAT, {3}, {-1, 2, 3}}, zeros = {ACL_FLOAT, {3}, {0, 0, 0}}, mask = Bytes({5}, 1);
  const auto expect = [&](std::string_view api, const char* self, const char* attribute, double value,
                          const Example& out) {
    testing::ExpectExample(Row(api), {{self, x}, {"mask", mask}, {"out", out}}, {{attribute, value}}, 0);
  };
  expect("aclnnDropoutDoMask", "self", "prob", 0, x);
  expect("aclnnDropoutDoMask", "self", "prob", 1, zeros);
  expect("aclnnDropoutBackward", "gradOutput", "scale", 1, x);
  expect("aclnnDropoutBackward", "gradOutput", "scale", 0, zeros);
}

// The probability of 0.1 has no power of two in its factor: products are rounded once, where float32 would round twice.
TEST_F(Dropout, NarrowProductsAreRoundedOnce) {
  std::vector<double> values;
  for (int bits = 0; bits < 1 << 12; ++bits) values.push_back(1 + bits * 0x1p-10);
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16})
    testing::ExpectRight(Row("aclnnDropoutDoMask"), dtype, {{"self", values}, {"mask", std::vector<double>(512, 255)}},
                         {{"prob", 0.1}});
}

TEST_F(Dropout, AsManyAreKeptAsTheProbabilitySays) {
  constexpr int64_t kCount = 1 << 20;
  const testing::DeviceArray<uint8_t> out(kCount / 8);
  const std::vector<int64_t> sizes = {kCount};
  aclIntArray* const shape = aclCreateIntArray(sizes.data(), 1);
  testing::RunPhases(aclnnDropoutGenMaskGetWorkspaceSize, aclnnDropoutGenMask, shape, 0.3, int64_t{7}, int64_t{0},
                     calls::TensorBuilder(ACL_UINT8, {kCount / 8}).Data(out.data()).Build().get());
  EXPECT_EQ(aclDestroyIntArray(shape), 0);
  int64_t kept = 0;
  for (const uint8_t byte : out.ToHost()) kept += std::popcount(byte);
  EXPECT_NEAR(static_cast<double>(kept) / kCount, 0.7, 0.002);
}

TEST_F(Dropout, ProbabilitiesAndScalesAreInTheirRanges) {
  const auto status = [](std::string_view api, const char* name, double value) {
    calls::Call call = calls::MakeValidCall(Row(api));
    call.argument(name).real = value;
    return StatusOf(call);
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [api, name] :
       {std::pair("aclnnDropout", "p"), std::pair("aclnnDropoutGenMask", "prob"),
        std::pair("aclnnDropoutGenMaskV2", "prob"), std::pair("aclnnDropoutDoMask", "prob")}) {
    EXPECT_EQ(status(api, name, 0), 0);
    EXPECT_EQ(status(api, name, 1), 0);
    EXPECT_EQ(status(api, name, -0.1), 161002);
    EXPECT_EQ(status(api, name, 1.1), 161002);
    EXPECT_EQ(status(api, name, kNan), 161002);
  }
  EXPECT_EQ(status("aclnnDropoutBackward", "scale", 0), 0);
  EXPECT_EQ(status("aclnnDropoutBackward", "scale", 1), 0);
  EXPECT_EQ(status("aclnnDropoutBackward", "scale", 0.5), 161002);
  EXPECT_EQ(status("aclnnDropoutBackward", "scale", kNan), 161002);
}

TEST_F(Dropout, MasksHaveABitForEachElement) {
  const auto status = [](std::string_view api, const char* mask, const Dims& shape, int64_t bytes) {
    calls::Call call = calls::MakeValidCall(Row(api));
    if (call.schema().Find("shape") >= 0) call.argument("shape").integers = shape;
    for (const char* const name : {"self", "input", "gradOutput", "out"}) {
      if (call.schema().Find(name) >= 0 && call.schema().Find("shape") < 0) call.tensor(name).shape = shape;
    }
    call.tensor(mask).shape = {bytes};
    return StatusOf(call);
  };
  for (const auto& [api, mask] : {std::pair("aclnnDropout", "maskOut"), std::pair("aclnnDropoutDoMask", "mask"),
                                  std::pair("aclnnDropoutBackward", "mask")}) {
    EXPECT_EQ(status(api, mask, {17}, 3), 0);
    EXPECT_EQ(status(api, mask, {17}, 2), 161002);
  }
  EXPECT_EQ(status("aclnnDropoutGenMask", "out", {129}, 32), 0);
  EXPECT_EQ(status("aclnnDropoutGenMask", "out", {129}, 31), 161002);
  EXPECT_EQ(status("aclnnDropoutGenMask", "out", {-1}, 16), 161002);
  EXPECT_EQ(status("aclnnDropoutGenMask", "out", {int64_t{1} << 62, 4}, 16), 161002);
  EXPECT_EQ(status("aclnnDropoutGenMask", "out", {0}, 16), 0);
}

}  // namespace
}  // namespace portacl::ops::dropout
