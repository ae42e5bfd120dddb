// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of lists of tensors.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"

PORTACL_DECLARE_ROOM(arithmetic)

namespace portacl::ops::arithmetic {
namespace {

using testing::StatusOf;

const exec::OperatorEntry& FindList(std::string_view api) { return testing::FindRow(Operators(), api); }

// A call of aclnnForeachMulScalar with tensors of these shapes.
calls::Call Multiplied(aclDataType dtype, const std::vector<calls::Dims>& shapes, aclDataType factor) {
  calls::Call call = calls::MakeValidCall(FindList("aclnnForeachMulScalar"));
  std::vector<calls::TensorSpec>& x = call.argument("x").tensors;
  x.clear();
  for (const calls::Dims& shape : shapes) x.push_back({.dtype = dtype, .shape = shape, .strides = {}});
  call.argument("out").tensors = x;
  call.tensor("scalar").dtype = factor;
  return call;
}

class Foreach : public testing::DeviceTest {
 protected:
  static void ExpectRight(calls::Call call) { testing::ExpectRight(std::move(call), 0.1); }
};

TEST_F(Foreach, MultipliesTensorsOfAnyShapes) {
  const std::vector<calls::Dims> shapes = {{3}, {}, {2, 0}, {40, 70}, {1, 2, 3, 4, 5}};
  ExpectRight(Multiplied(ACL_FLOAT, shapes, ACL_FLOAT));
  ExpectRight(Multiplied(ACL_FLOAT16, shapes, ACL_FLOAT16));
  ExpectRight(Multiplied(ACL_FLOAT16, shapes, ACL_FLOAT));
  ExpectRight(Multiplied(ACL_BF16, shapes, ACL_FLOAT));
  ExpectRight(Multiplied(ACL_INT32, shapes, ACL_INT32));
}

// More operands than a byte can count; several chunks, and more bytes than the tests' cache size.
TEST_F(Foreach, MultipliesHundredsOfTensors) {
  std::vector<calls::Dims> shapes;
  for (int64_t i = 0; i < 300; ++i) shapes.push_back({i % 7 + 1, 50 * (i % 5)});
  shapes.push_back({300, 1000});
  ExpectRight(Multiplied(ACL_FLOAT, shapes, ACL_FLOAT));
  ExpectRight(Multiplied(ACL_BF16, shapes, ACL_FLOAT));
}

// An output may alias its own input, that of another output, or the factor.
TEST_F(Foreach, ReadsEachTensorBeforeAnOutputOverwritesIt) {
  using Floats = std::vector<float>;
  const testing::DeviceArray<float> first(Floats{1, 2}), second(Floats{3, 4}), factor(Floats{5}), last(Floats{7});
  const auto run = [&](const std::vector<const void*>& from, const std::vector<const void*>& to) {
    calls::Call call = Multiplied(ACL_FLOAT, {{2}, {2}, {1}}, ACL_FLOAT);
    for (size_t i = 0; i < 3; ++i) {
      call.argument("x").tensors[i].data = const_cast<void*>(from[i]);
      call.argument("out").tensors[i].data = const_cast<void*>(to[i]);
    }
    call.tensor("scalar").data = const_cast<float*>(factor.data());
    testing::RunPhases(call);
  };
  run({first.data(), second.data(), last.data()}, {first.data(), second.data(), last.data()});
  EXPECT_EQ(first.ToHost(), (Floats{5, 10}));
  EXPECT_EQ(second.ToHost(), (Floats{15, 20}));
  run({first.data(), second.data(), last.data()}, {second.data(), first.data(), factor.data()});
  EXPECT_EQ(first.ToHost(), (Floats{75, 100}));
  EXPECT_EQ(second.ToHost(), (Floats{25, 50}));
  EXPECT_EQ(factor.ToHost(), Floats{175});
}

TEST_F(Foreach, ShapesThatDoNotFitAreNotPlanned) {
  const auto expect = [](aclnnStatus status, const auto& change) {
    calls::Call call = Multiplied(ACL_FLOAT, {{2}, {3}}, ACL_FLOAT);
    change(call);
    EXPECT_EQ(StatusOf(call), status);
  };
  expect(0, [](calls::Call&) {});
  expect(0, [](calls::Call& call) { call.tensor("scalar").shape = {1, 1, 1}; });
  expect(561002, [](calls::Call& call) { call.tensor("scalar").shape = {2}; });
  expect(561002, [](calls::Call& call) { call.tensor("scalar").shape = {0}; });
  expect(561002, [](calls::Call& call) { call.argument("out").tensors.pop_back(); });
  expect(561002, [](calls::Call& call) { call.argument("out").tensors[1].shape = {2}; });
  expect(561002, [](calls::Call& call) {
    call.argument("x").tensors.clear();
    call.argument("out").tensors.clear();
  });
  expect(161002, [](calls::Call& call) { call.argument("x").tensors[1].dtype = ACL_FLOAT16; });
}

TEST_F(Foreach, TheScalarHasTheDtypeOfTheTensorsOrAWiderOne) {
  const auto status = [](aclDataType dtype, aclDataType factor) { return StatusOf(Multiplied(dtype, {{2}}, factor)); };
  EXPECT_EQ(status(ACL_FLOAT16, ACL_FLOAT16), 0);
  EXPECT_EQ(status(ACL_FLOAT16, ACL_DOUBLE), 0);
  EXPECT_EQ(status(ACL_FLOAT16, ACL_INT32), 161002);
  EXPECT_EQ(status(ACL_BF16, ACL_FLOAT), 0);
  EXPECT_EQ(status(ACL_BF16, ACL_BF16), 0);
  EXPECT_EQ(status(ACL_BF16, ACL_FLOAT16), 161002);
  EXPECT_EQ(status(ACL_FLOAT, ACL_FLOAT16), 161002);
  EXPECT_EQ(status(ACL_INT32, ACL_FLOAT), 0);
  EXPECT_EQ(status(ACL_INT32, ACL_INT64), 0);
  EXPECT_EQ(status(ACL_INT32, ACL_FLOAT16), 161002);
}

TEST_F(Foreach, EachTensorHasAScalarOfItsOwn) {
  calls::Call call = calls::MakeValidCall(FindList("aclnnForeachMulScalarList"));
  const auto expect = [&](aclnnStatus status, size_t scalars) {
    call.argument("scalars").integers.assign(scalars, 1);
    EXPECT_EQ(StatusOf(call), status);
  };
  expect(561002, 1);
  expect(561002, 3);
  expect(0, 2);
  call.argument("scalars").reals = {3, -0.1};
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32}) {
    for (const char* const list : {"x", "out"}) {
      for (calls::TensorSpec& tensor : call.argument(list).tensors) tensor.dtype = dtype;
    }
    ExpectRight(call);
  }
}

// A product that is infinite does not count.
TEST_F(Foreach, FindsWhatIsNotFiniteAndUnscales) {
  using Floats = std::vector<float>;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto expect = [&](const Floats& second, float factor, const Floats& unscaled, float found_before, float found) {
    const testing::DeviceArray<float> first(Floats{2, 4}), other(second), flag(Floats{found_before}),
        inv(Floats{factor});
    calls::Call call = calls::MakeValidCall(FindList("aclnnForeachNonFiniteCheckAndUnscale"));
    std::vector<calls::TensorSpec>& grads = call.argument("scaledGrads").tensors;
    for (calls::TensorSpec& grad : grads) grad = {.dtype = ACL_FLOAT, .shape = {2}, .strides = {}};
    grads[0].data = const_cast<float*>(first.data());
    grads[1].data = const_cast<float*>(other.data());
    call.tensor("foundInf").data = const_cast<float*>(flag.data());
    call.tensor("invScale").data = const_cast<float*>(inv.data());
    testing::RunPhases(call);
    EXPECT_EQ(first.ToHost(), (Floats{2 * factor, 4 * factor}));
    EXPECT_EQ(other.ToHost(), unscaled);
    EXPECT_EQ(flag.ToHost(), Floats{found});
  };
  testing::ForEachTarget([&] {
    expect({kInfinity, 1}, 0.5F, {kInfinity, 0.5F}, 0, 1);
    expect({-kInfinity, 1}, 0.5F, {-kInfinity, 0.5F}, 0, 1);
    expect({3, 1}, 0.5F, {1.5F, 0.5F}, 0, 0);
    expect({3, 1}, 0.5F, {1.5F, 0.5F}, 1, 1);
    expect({3e38F, 1}, 2, {kInfinity, 2}, 0, 0);
  });
}

TEST_F(Foreach, RefusesAListWithoutAScalar) {
  float value = 2;
  aclScalar* const scalar = aclCreateScalar(&value, ACL_FLOAT);
  const aclScalar* const scalars[] = {scalar, nullptr};
  aclScalarList* const list = aclCreateScalarList(scalars, 2);
  const calls::Call call = calls::MakeValidCall(FindList("aclnnForeachMulScalarList"));
  const calls::CallObjects objects(call.schema(), call.arguments());
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const std::vector<exec::Value> values = {objects.values()[0], exec::Value(list), objects.values()[2]};
  EXPECT_EQ(call.entry().plan(values, &bytes, &executor), 161001);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'scalars[1]'"), std::string_view::npos);
  EXPECT_EQ(aclDestroyScalarList(list), 0);
}

}  // namespace
}  // namespace portacl::ops::arithmetic
