// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and when complex numbers are equal.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_isclose.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Comparison, comparison);

namespace portacl::ops::comparison {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Comparison, ComplexNumbersAreEqualWhereBothPartsAre) {
  for (const exec::OperatorEntry& entry : Operators()) {
    const std::string_view api = entry.schema->api;
    if (api != "aclnnEqTensor" && api != "aclnnNeTensor") continue;
    const double equal = api == "aclnnEqTensor" ? 1 : 0;
    testing::ExpectExample(entry,
                           {{"self", {ACL_COMPLEX64, {5}, {1, 2, 1, 2, 0, -0.0, kNan, 1, 3, 0}}},
                            {"other", {ACL_COMPLEX64, {5}, {1, 2, 1, 3, -0.0, 0, kNan, 1, 4, 0}}},
                            {"out", {ACL_BOOL, {5}, {equal, 1 - equal, equal, 1 - equal, 1 - equal}}}},
                           {}, 0);
  }
}

// In their common type, FLOAT, the two are equal: even if the dtype of the result could tell them apart.
TEST(Comparison, TheDtypeOfTheResultDoesNotCount) {
  for (const exec::OperatorEntry& entry : Operators()) {
    const std::string_view api = entry.schema->api;
    if (api.starts_with("aclnnInplace") || api.find("Logical") != api.npos) continue;
    if (api == "aclnnIsClose" || api == "aclnnEqual") continue;  // whose result is BOOL
    SCOPED_TRACE(api);
    const bool is_true = api.find("Eq") != api.npos || api.find("Ge") != api.npos || api.find("Le") != api.npos;
    for (const aclDataType out : {ACL_BOOL, ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_INT32}) {
      std::vector<double> want = {is_true ? 1.0 : 0.0};
      if (out == ACL_COMPLEX64 || out == ACL_COMPLEX128) want.push_back(0);
      std::map<std::string, testing::Example> tensors = {{"self", {ACL_INT32, {1}, {16777217}}},
                                                         {"out", {out, {1}, want}}};
      if (entry.schema->args[1].kind == exec::ValueKind::kTensor) tensors["other"] = {ACL_FLOAT, {1}, {16777216}};
      testing::ExpectExample(entry, tensors, {{"other", 16777216}}, 0);
    }
  }
}

TEST(Comparison, IsCloseMeasuresTheDistance) {
  const auto expect = [](aclDataType dtype, const std::vector<double>& self, const std::vector<double>& other,
                         double rtol, double atol, double equal_nan, const std::vector<double>& out) {
    const auto count = std::ssize(self);
    testing::ExpectExample(testing::FindRow(Operators(), "aclnnIsClose"),
                           {{"self", {dtype, {count}, self}},
                            {"other", {dtype, {std::ssize(other)}, other}},
                            {"out", {ACL_BOOL, {count}, out}}},
                           {{"rtol", rtol}, {"atol", atol}, {"equal_nan", equal_nan}}, 0);
  };
  expect(ACL_FLOAT, {1, 1, kInf, kInf, kNan, 1}, {1.00001, 1.0001, kInf, -kInf, kNan, kInf}, 1e-5, 1e-8, 1,
         {0, 0, 1, 0, 1, 0});
  expect(ACL_FLOAT, {kNan, kNan, 3e38}, {kNan, 1, -3e38}, 1, kInf, 0, {0, 0, 0});
  expect(ACL_FLOAT, {100, 100}, {101, 103}, 0.02, 0, 0, {1, 0});
  expect(ACL_FLOAT16, {1, 1, 2}, {1.0009765625}, 0, 0.001, 0, {1, 1, 0});
  expect(ACL_DOUBLE, {1, 1}, {1.00001, 1.0001}, 1e-5, 1e-8, 0, {1, 0});
  expect(ACL_UINT8, {0, 255, 4}, {255, 0, 5}, 0, 1, 0, {0, 0, 1});
  expect(ACL_BOOL, {0, 1}, {1, 1}, 0, 0.5, 0, {0, 1});
}

// As float64 the two are equal.
TEST(Comparison, IsCloseTakesIntegersWithoutError) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const testing::DeviceArray<int64_t> self(std::vector<int64_t>{int64_t{1} << 53});
  const testing::DeviceArray<int64_t> other(std::vector<int64_t>{(int64_t{1} << 53) + 1});
  const testing::DeviceArray<uint8_t> out(1);
  const auto is_close = [&](double atol) {
    calls::TensorBuilder builder(ACL_INT64, {1});
    testing::RunPhases(aclnnIsCloseGetWorkspaceSize, aclnnIsClose, builder.Data(self.data()).Build().get(),
                       builder.Data(other.data()).Build().get(), 0, atol, false,
                       calls::TensorBuilder(ACL_BOOL, {1}).Data(out.data()).Build().get());
    return out.ToHost()[0] != 0;
  };
  EXPECT_FALSE(is_close(0.5));
  EXPECT_TRUE(is_close(1));
}

TEST(Comparison, EqualComparesShapesAndAllElements) {
  const exec::OperatorEntry& equal = testing::FindRow(Operators(), "aclnnEqual");
  const auto expect = [&](const testing::Example& self, const testing::Example& other, bool is_equal) {
    testing::ExpectExample(equal, {{"self", self}, {"other", other}, {"out", {ACL_BOOL, {1}, {is_equal ? 1.0 : 0.0}}}},
                           {}, 0);
  };
  expect({ACL_FLOAT, {2}, {0, 1}}, {ACL_FLOAT, {2}, {-0.0, 1}}, true);
  expect({ACL_FLOAT, {1}, {kNan}}, {ACL_FLOAT, {1}, {kNan}}, false);
  expect({ACL_FLOAT, {2}, {1, 1}}, {ACL_FLOAT, {1}, {1}}, false);
  expect({ACL_FLOAT, {0}, {}}, {ACL_FLOAT, {0, 2}, {}}, false);
  expect({ACL_FLOAT, {0, 2}, {}}, {ACL_FLOAT, {0, 2}, {}}, true);
  expect({ACL_INT32, {1}, {16777217}}, {ACL_FLOAT, {1}, {16777216}}, true);
  expect({ACL_INT32, {1}, {16777217}}, {ACL_DOUBLE, {1}, {16777216}}, false);
}

TEST(Comparison, EqualFindsASingleDifferenceAnywhere) {
  constexpr size_t kCount = 300'001;  // several chunks, and a tail
  const exec::OperatorEntry& equal = testing::FindRow(Operators(), "aclnnEqual");
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT64, ACL_BOOL}) {
    const std::vector<double> ones(kCount, 1);
    for (const size_t place : {size_t{0}, size_t{1023}, size_t{131'072}, kCount - 1, kCount}) {
      std::vector<double> other = ones;
      if (place < kCount) other[place] = 0;
      testing::ExpectExample(equal,
                             {{"self", {dtype, {kCount}, ones}},
                              {"other", {dtype, {kCount}, other}},
                              {"out", {ACL_BOOL, {}, {place == kCount ? 1.0 : 0.0}}}},
                             {}, 0);
    }
  }
}

}  // namespace
}  // namespace portacl::ops::comparison
