// SPDX-License-Identifier: Apache-2.0
//
// Cat and Stack: the promises that follow from schemas and oracle, mixed dtypes, and many tensors.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "calls/element.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Concat, concat);

namespace portacl::ops::concat {
namespace {

using calls::Dims;
using testing::StatusOf;

class Concat : public testing::DeviceTest {};

// A call with these tensors, all contiguous.
calls::Call Joined(size_t which, const std::vector<std::pair<aclDataType, Dims>>& tensors, int64_t dim,
                   aclDataType dtype, const Dims& out) {
  calls::Call call = calls::MakeValidCall(Operators()[which]);
  call.argument("tensors").tensors.clear();
  for (const auto& [from, shape] : tensors)
    call.argument("tensors").tensors.push_back({.dtype = from, .shape = shape, .strides = {}});
  call.argument("dim").integer = dim;
  call.tensor("out").dtype = dtype;
  call.tensor("out").shape = out;
  return call;
}

void ExpectRight(calls::Call call) { testing::ExpectRight(std::move(call), 0.1); }

TEST_F(Concat, ConvertsEachTensorToTheDtypeOfOut) {
  ExpectRight(Joined(0, {{ACL_INT32, {1}}, {ACL_FLOAT, {1}}}, 0, ACL_FLOAT16, {2}));
  ExpectRight(Joined(0, {{ACL_INT8, {3, 4}}, {ACL_UINT8, {2, 4}}}, 0, ACL_INT64, {5, 4}));
  ExpectRight(Joined(0, {{ACL_FLOAT16, {3, 4}}, {ACL_BF16, {3, 2}}}, 1, ACL_FLOAT, {3, 6}));
  ExpectRight(Joined(0, {{ACL_COMPLEX64, {3}}, {ACL_FLOAT, {4}}}, 0, ACL_COMPLEX64, {7}));
  ExpectRight(Joined(0, {{ACL_COMPLEX64, {3}}, {ACL_COMPLEX64, {4}}}, 0, ACL_FLOAT, {7}));
  ExpectRight(Joined(1, {{ACL_BOOL, {5}}, {ACL_DOUBLE, {5}}}, -1, ACL_DOUBLE, {5, 2}));
}

TEST_F(Concat, PassesOverTensorsOfShapeZero) {
  ExpectRight(
      Joined(0, {{ACL_FLOAT, {0}}, {ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {0}}, {ACL_FLOAT, {1, 3}}}, 0, ACL_FLOAT, {3, 3}));
}

TEST_F(Concat, JoinsHundredsOfTensors) {
  std::vector<std::pair<aclDataType, Dims>> tensors;
  int64_t columns = 0;
  for (int64_t i = 0; i < 400; ++i) {
    tensors.push_back({ACL_FLOAT16, {30, i % 7 + 1}});
    columns += i % 7 + 1;
  }
  ExpectRight(Joined(0, tensors, 1, ACL_FLOAT16, {30, columns}));
}

// Several chunks; more than the size above which the tests use non-temporal stores.
TEST_F(Concat, JoinsLargeTensorsAlongEachAxis) {
  ExpectRight(Joined(0, {{ACL_INT32, {300, 700}}, {ACL_INT32, {300, 401}}}, 1, ACL_INT32, {300, 1101}));
  ExpectRight(Joined(0, {{ACL_INT32, {300, 700}}, {ACL_INT32, {50, 700}}}, 0, ACL_INT32, {350, 700}));
  ExpectRight(Joined(1, {{ACL_FLOAT, {300, 700}}, {ACL_FLOAT, {300, 700}}}, 2, ACL_FLOAT, {300, 700, 2}));
}

TEST_F(Concat, ViewsAreJoined) {
  calls::Call call = Joined(0, {{ACL_INT16, {30, 40}}, {ACL_INT16, {30, 20}}}, 1, ACL_INT16, {30, 60});
  call.argument("tensors").tensors[0].strides = {1, 31};
  call.argument("tensors").tensors[1].strides = {50, 2};
  call.argument("tensors").tensors[1].offset = 3;
  call.tensor("out").strides = {70, 1};
  testing::ExpectRight(call);
}

TEST_F(Concat, WantsSizesThatFit) {
  EXPECT_EQ(StatusOf(Joined(0, {{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 4}}}, -1, ACL_FLOAT, {2, 7})), 0);
  EXPECT_EQ(StatusOf(Joined(0, {{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 4}}}, 0, ACL_FLOAT, {4, 3})), 161002);
  EXPECT_EQ(StatusOf(Joined(0, {{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2}}}, 0, ACL_FLOAT, {3, 3})), 161002);
  EXPECT_EQ(StatusOf(Joined(0, {{ACL_FLOAT, {}}, {ACL_FLOAT, {}}}, 0, ACL_FLOAT, {2})), 161002);
  EXPECT_EQ(StatusOf(Joined(0, {}, 0, ACL_FLOAT, {0})), 161002);
  EXPECT_EQ(StatusOf(Joined(0, {{ACL_DOUBLE, {2}}, {ACL_COMPLEX64, {2}}}, 0, ACL_COMPLEX64, {4})), 161002);
  EXPECT_EQ(StatusOf(Joined(0, {{ACL_FLOAT, {2}}}, 0, ACL_BOOL, {2})), 161002);
  EXPECT_EQ(StatusOf(Joined(0, {{ACL_UINT32, {2}}}, 0, ACL_UINT32, {2})), 161002) << "on Ascend950 only";
  EXPECT_EQ(StatusOf(Joined(1, {{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 3}}}, 2, ACL_FLOAT, {2, 3, 2})), 0);
  EXPECT_EQ(StatusOf(Joined(1, {{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 3}}}, 3, ACL_FLOAT, {2, 3, 2})), 161002);
  EXPECT_EQ(StatusOf(Joined(1, {{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {3, 2}}}, 0, ACL_FLOAT, {2, 2, 3})), 161002);
  EXPECT_EQ(StatusOf(Joined(1, {{ACL_FLOAT, {}}, {ACL_FLOAT, {}}}, 0, ACL_FLOAT, {2})), 0);
}

}  // namespace
}  // namespace portacl::ops::concat
