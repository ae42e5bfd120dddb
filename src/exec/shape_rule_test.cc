// SPDX-License-Identifier: Apache-2.0
// Shapes of outputs that do not exist yet.
#include "exec/shape_rule.h"

#include <gtest/gtest.h>

#include "calls/tensor_builder.h"
#include "exec/shape_text.h"

namespace portacl::exec {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;

constexpr SchemaOf kReduction({.api = "aclnnReduction"},
                              {In("self"), In("target"), OptionalAttribute("sizes", ValueKind::kIntArray),
                               Attribute("reduction", ValueKind::kInt64), Out("out")},
                              {NotNull("workspaceSize", "executor"), NotNull("self", "target", "out"),
                               MaxRank("self", "target", "out"),
                               ShapeIs("out", ReducedBroadcastOf("reduction", "self", "target"))});

TEST(ComputeShape, NeedsNoOutput) {
  const TensorHandle self = TensorBuilder(ACL_FLOAT, {2, 1}).Build();
  const TensorHandle target = TensorBuilder(ACL_FLOAT, {3}).Build();
  const Value values[] = {self.get(), target.get(), static_cast<const aclIntArray*>(nullptr), int64_t{0},
                          static_cast<const aclTensor*>(nullptr)};
  Shape shape;
  ASSERT_TRUE(ComputeShape(kReduction, kReduction.Index("out"), values, &shape));
  EXPECT_EQ(ShapeText(shape.span()), "[2,3]");
  EXPECT_FALSE(ComputeShape(kReduction, kReduction.Index("self"), values, &shape));
}

// A rule of a room: one element for each axis of x.
bool OnePerAxis(const Arguments& arguments, Shape* shape) {
  shape->rank = 1;
  shape->dims[0] = arguments.Tensor(0).rank;
  return shape->dims[0] > 0;
}
aclnnStatus AcceptsAll(const Arguments&, const Step&) { return kSuccess; }
constexpr SchemaOf kOfARoom({.api = "aclnnOfARoom"}, {In("x"), Attribute("lengths", ValueKind::kIntArray), Out("out")},
                            {NotNull("x", "lengths", "out"), NotNull("workspaceSize", "executor"), MaxRank("x", "out"),
                             Custom("one element for each axis", AcceptsAll).Accepts("out", OnePerAxis)});

TEST(ComputeShape, AsksTheRoom) {
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {2, 1, 5}).Build();
  const TensorHandle scalar = TensorBuilder(ACL_FLOAT, {}).Build();
  aclIntArray* lengths = aclCreateIntArray(nullptr, 0);
  Shape shape;
  const auto compute = [&](const aclTensor* tensor, const aclIntArray* array) {
    const Value values[] = {tensor, array, static_cast<aclTensor*>(nullptr)};
    return ComputeShape(kOfARoom, kOfARoom.Index("out"), values, &shape);
  };
  ASSERT_TRUE(compute(x.get(), lengths));
  EXPECT_EQ(ShapeText(shape.span()), "[3]");
  EXPECT_FALSE(compute(scalar.get(), lengths)) << "the room has no shape for this";
  EXPECT_FALSE(compute(nullptr, lengths)) << "an input that the rule may read";
  EXPECT_FALSE(compute(x.get(), nullptr)) << "an array that the rule may read";
  aclDestroyIntArray(lengths);
}

}  // namespace
}  // namespace portacl::exec
