// SPDX-License-Identifier: Apache-2.0
// The schemas here describe operators that the library does not have: the rules must also support future operators.
#include "tool/output_rules.h"

#include <gtest/gtest.h>

#include "exec/words/words.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

using calls::Call;
using calls::Dims;
using exec::Attribute;
using exec::Axis;
using exec::In;
using exec::InList;
using exec::MaxRank;
using exec::NotNull;
using exec::Out;
using exec::Rank;
using exec::SchemaOf;
using exec::ShapeIs;
using exec::ValueKind;

constexpr exec::DtypeSet kFloats = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

constexpr SchemaOf kHalf({.api = "aclnnHalf"}, {In("x"), Attribute("dim", ValueKind::kInt64), Out("out")},
                         {NotNull("x", "out"), NotNull("workspaceSize", "executor"),
                          exec::DtypeOneOf({"x", "out"}, kFloats), exec::SameDtype("out", "x"), MaxRank("x", "out"),
                          ShapeIs("out", exec::HalfAlong("x", "dim"))});

constexpr SchemaOf kLoss({.api = "aclnnLoss"},
                         {In("self"), In("target"), Attribute("reduction", ValueKind::kInt64), Out("result")},
                         {NotNull("self", "target", "result"), NotNull("workspaceSize", "executor"),
                          exec::PromotesTo({"self", "target"}, "result"), MaxRank("self", "target", "result"),
                          ShapeIs("result", exec::ReducedBroadcastOf("reduction", "self", "target"))});

constexpr SchemaOf kCat({.api = "aclnnCat"}, {InList("tensors"), Attribute("dim", ValueKind::kInt64), Out("out")},
                        {NotNull("tensors", "out"), NotNull("workspaceSize", "executor"),
                         exec::PromotesTo({"tensors"}, "out"), MaxRank("tensors", "out"),
                         ShapeIs("out", exec::ConcatOf("tensors", "dim"))});

// out has one element for each sample of x [time, samples, classes]; free has no rule.
constexpr SchemaOf kPerSample({.api = "aclnnPerSample"}, {In("x"), Out("out"), exec::OptionalOut("free")},
                              {NotNull("x", "out"), NotNull("workspaceSize", "executor"), Rank({"x"}, 3, 3),
                               Rank({"out"}, 1, 1), MaxRank("free"), exec::SameSize({Axis("x", 1), Axis("out", 0)}),
                               exec::DtypeOneOf({"out"}, {ACL_INT64})});

Call CallOf(const exec::OperatorEntry& entry, std::vector<calls::TensorSpec> inputs) {
  Call call(entry);
  size_t next = 0;
  for (const int index : call.schema().tensors) {
    const exec::Arg& arg = call.schema().args[static_cast<size_t>(index)];
    auto& tensors = call.argument(index).tensors;
    if (arg.kind == ValueKind::kTensorList) {
      tensors = inputs;
    } else {
      tensors.push_back(arg.role == exec::Role::kInput ? inputs[next++] : calls::TensorSpec{});
    }
    call.argument(index).null = arg.optional;
  }
  return call;
}

calls::TensorSpec Tensor(aclDataType dtype, Dims shape) {
  calls::TensorSpec tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return tensor;
}

constexpr SchemaOf kEach({.api = "aclnnEach"}, {InList("x"), exec::OutList("out")},
                         {NotNull("x", "out"), NotNull("workspaceSize", "executor"), exec::SameDtype("x", "out"),
                          MaxRank("x", "out"), ShapeIs("out", exec::SameShapeAs("x"))});

constexpr exec::OperatorEntry Entry(const exec::Schema& schema) { return {&schema, nullptr, nullptr}; }

TEST(OutputRules, HalvesAnAxis) {
  const auto entry = Entry(kHalf);
  Call call = CallOf(entry, {Tensor(ACL_BF16, {4, 6})});
  call.argument("dim").integer = -1;
  DescribeOutputs(call, {}, {});
  EXPECT_EQ(call.tensor("out").shape, (Dims{4, 3}));
  EXPECT_EQ(call.tensor("out").dtype, ACL_BF16);
}

TEST(OutputRules, BroadcastsAndPromotesAndReduces) {
  const auto entry = Entry(kLoss);
  Call call = CallOf(entry, {Tensor(ACL_FLOAT16, {4, 1}), Tensor(ACL_BF16, {3})});
  call.argument("reduction").integer = 0;
  DescribeOutputs(call, {}, {});
  EXPECT_EQ(call.tensor("result").shape, (Dims{4, 3}));
  EXPECT_EQ(call.tensor("result").dtype, ACL_FLOAT);
  call.argument("reduction").integer = 1;
  DescribeOutputs(call, {}, {});
  EXPECT_EQ(call.tensor("result").shape, Dims{});
}

TEST(OutputRules, JoinsAList) {
  const auto entry = Entry(kCat);
  Call call = CallOf(entry, {Tensor(ACL_INT32, {2, 3}), Tensor(ACL_FLOAT16, {2, 5})});
  call.argument("dim").integer = 1;
  DescribeOutputs(call, {}, {});
  EXPECT_EQ(call.tensor("out").shape, (Dims{2, 8}));
  EXPECT_EQ(call.tensor("out").dtype, ACL_FLOAT16);
}

TEST(OutputRules, ShapesEachTensorOfAList) {
  const auto entry = Entry(kEach);
  Call call = CallOf(entry, {Tensor(ACL_BF16, {2, 3}), Tensor(ACL_BF16, {4})});
  call.argument("out").tensors.assign(2, {});
  DescribeOutputs(call, {}, {});
  EXPECT_EQ(call.argument("out").tensors[0].shape, (Dims{2, 3}));
  EXPECT_EQ(call.argument("out").tensors[1].shape, Dims{4});
  EXPECT_EQ(call.argument("out").tensors[1].dtype, ACL_BF16);
}

TEST(OutputRules, TakesSizesFromOtherTensors) {
  const auto entry = Entry(kPerSample);
  Call call = CallOf(entry, {Tensor(ACL_FLOAT, {7, 5, 3})});
  DescribeOutputs(call, {}, {});
  EXPECT_EQ(call.tensor("out").shape, Dims{5});
  EXPECT_EQ(call.tensor("out").dtype, ACL_INT64);
}

TEST(OutputRules, AsksForAShapeThatNoRuleTells) {
  const auto entry = Entry(kPerSample);
  Call call = CallOf(entry, {Tensor(ACL_FLOAT, {7, 5, 3})});
  call.argument("free").null = false;
  EXPECT_THROW(DescribeOutputs(call, {}, {}), UsageError);
  DescribeOutputs(call, {{2, ACL_DOUBLE}}, {{2, {Dims{9, 9}}}});
  EXPECT_EQ(call.tensor("free").shape, (Dims{9, 9}));
  EXPECT_EQ(call.tensor("free").dtype, ACL_DOUBLE);
}

// The library then names the argument that is wrong.
TEST(OutputRules, LeavesInputsThatDoNotFitToTheLibrary) {
  const auto entry = Entry(kLoss);
  Call call = CallOf(entry, {Tensor(ACL_FLOAT, {4}), Tensor(ACL_FLOAT, {3})});
  DescribeOutputs(call, {}, {});
  EXPECT_EQ(call.tensor("result").shape, Dims{4});
}

}  // namespace
}  // namespace portacl::tool
