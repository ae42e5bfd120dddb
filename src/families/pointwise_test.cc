// SPDX-License-Identifier: Apache-2.0
//
// PlanPointwise with as many tensors and numbers as a tile supports. Smaller cases are tested with the operators that
// use it.
#include "families/pointwise.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "base/float16.h"
#include "calls/tensor_builder.h"
#include "exec/schema.h"
#include "testing/device_array.h"

namespace portacl::families {
namespace {

using calls::Dims;
using exec::Arg;
using exec::Attribute;
using exec::In;
using exec::InOut;
using exec::Out;
using exec::ValueKind;

constexpr exec::DtypeSet kDtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};

// An optimizer's step: four inputs, two outputs, five numbers.
constexpr exec::SchemaOf kStep({.api = "aclnnStep"},
                               {In("var"), In("moment"), In("grad"), In("decay"), Attribute("a", ValueKind::kDouble),
                                Attribute("b", ValueKind::kFloat), exec::Scalar("c"), Attribute("d", ValueKind::kInt64),
                                exec::Scalar("e"), Out("varOut"), Out("momentOut")},
                               {exec::NotNull("var", "moment", "grad", "decay", "c", "e", "varOut", "momentOut"),
                                exec::NotNull("executor", "workspaceSize"),
                                exec::DtypeOneOf({"var", "moment", "grad", "decay", "varOut", "momentOut"}, kDtypes),
                                exec::MaxRank("var", "moment", "grad", "decay", "varOut", "momentOut"),
                                exec::ShapeIs("varOut", exec::BroadcastOf("var", "moment", "grad", "decay")),
                                exec::ShapeIs("momentOut", exec::SameShapeAs("varOut"))});

// Operands of the tile: the tensors of kStep.
template <class T>
void Step(const loops::Tile& tile) {
  const auto& numbers = static_cast<const Scalars<T>*>(tile.parameters)->values;
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t i = 0; i < tile.columns; ++i) {
      const auto in = [&](int operand) { return tile.Row<const T>(operand, row)[i]; };
      const T moment = numbers[0] * in(1) + numbers[1] * in(2);
      const T var = in(0) + numbers[2] * in(3) + numbers[3] * moment + numbers[4];
      tile.Row<T>(4, row)[i] = var;
      tile.Row<T>(5, row)[i] = moment;
    }
  }
}

PointwiseKernel FindStep(aclDataType dtype) {
  if (dtype == ACL_FLOAT) return {.run = Step<float>};
  return {.run = dtype == ACL_DOUBLE ? Step<double> : nullptr};
}

// A step that overwrites three tensors: the eight operands of a tile, and eight numbers.
constexpr exec::SchemaOf kInplaceStep(
    {.api = "aclnnInplaceStep"},
    {InOut("varRef"), Attribute("a", ValueKind::kDouble), InOut("firstRef"), Attribute("b", ValueKind::kDouble),
     InOut("secondRef"), Attribute("c", ValueKind::kDouble), In("grad"), Attribute("d", ValueKind::kDouble),
     In("decay"), Attribute("e", ValueKind::kDouble), Attribute("f", ValueKind::kDouble),
     Attribute("g", ValueKind::kDouble), Attribute("h", ValueKind::kDouble)},
    {exec::NotNull("varRef", "firstRef", "secondRef", "grad", "decay"), exec::NotNull("executor", "workspaceSize"),
     exec::DtypeOneOf({"varRef", "firstRef", "secondRef", "grad", "decay"}, kDtypes),
     exec::MaxRank("varRef", "firstRef", "secondRef", "grad", "decay"),
     exec::ShapeIs("firstRef", exec::SameShapeAs("varRef")), exec::ShapeIs("secondRef", exec::SameShapeAs("varRef")),
     exec::ShapeIs("grad", exec::BroadcastsTo("varRef")), exec::ShapeIs("decay", exec::BroadcastsTo("varRef"))});

// Operands of the tile: the tensors of kInplaceStep, then the first three again.
void StepInPlace(const loops::Tile& tile) {
  const auto& numbers = static_cast<const Scalars<float>*>(tile.parameters)->values;
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t i = 0; i < tile.columns; ++i) {
      float results[3] = {numbers[5], numbers[6], numbers[7]};
      for (int operand = 0; operand < 5; ++operand) {
        const float x = numbers[operand] * tile.Row<const float>(operand, row)[i];
        for (int result = 0; result < 3; ++result) results[result] += static_cast<float>(result + 1) * x;
      }
      for (int result = 0; result < 3; ++result) tile.Row<float>(5 + result, row)[i] = results[result];
    }
  }
}

// A tensor of 0, 1, ..., 6, 0, ..., starting at `first`, which differs between tensors.
class Tensor {
 public:
  Tensor(aclDataType dtype, const Dims& shape, size_t first = 0)
      : dtype_(dtype), words_(static_cast<size_t>(calls::ElementCount(shape)) * Bytes() / 2) {
    std::vector<uint16_t> words(words_.size());
    for (size_t i = 0; i < words.size() * 2 / Bytes(); ++i) {
      values_.push_back(static_cast<double>((first + i) % 7));
      const auto single = static_cast<float>(values_.back());
      const uint16_t half = FloatToFloat16(single);
      const void* const from = dtype == ACL_DOUBLE  ? static_cast<const void*>(&values_.back())
                               : dtype == ACL_FLOAT ? static_cast<const void*>(&single)
                                                    : &half;
      std::memcpy(&words[i * Bytes() / 2], from, Bytes());
    }
    words_.FromHost(words);
    tensor_ = calls::TensorBuilder(dtype, shape).Data(words_.data()).Build();
  }

  const aclTensor* get() const { return tensor_.get(); }
  double operator[](size_t i) const { return values_[i % values_.size()]; }  // wraps if it is broadcast

  std::vector<double> ToHost() const {
    const std::vector<uint16_t> words = words_.ToHost();
    std::vector<double> values;
    for (size_t i = 0; i < words.size(); i += Bytes() / 2) {
      double real = 0;
      float single = 0;
      if (dtype_ == ACL_DOUBLE) {
        std::memcpy(&real, &words[i], sizeof(real));
      } else if (dtype_ == ACL_FLOAT) {
        std::memcpy(&single, &words[i], sizeof(single));
      } else {
        single = Float16ToFloat(words[i]);
      }
      values.push_back(dtype_ == ACL_DOUBLE ? real : double{single});
    }
    return values;
  }

 private:
  size_t Bytes() const { return dtype_ == ACL_DOUBLE ? 8 : dtype_ == ACL_FLOAT ? 4 : 2; }

  aclDataType dtype_;
  testing::DeviceArray<uint16_t> words_;
  std::vector<double> values_;
  calls::TensorHandle tensor_;
};

class PointwisePlan : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }

  static void Run(const exec::Schema& schema, std::initializer_list<exec::Value> values, exec::PlanFunction plan) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(exec::MakePlan(schema, values, &bytes, &executor, plan), 0);
    ASSERT_EQ(exec::RunPlan(schema, nullptr, 0, executor, nullptr), 0);
    ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  }

  // Uses the numbers 2, 3, 5, 7 and `last`; all results are exact.
  static void CheckStep(const Dims& shape, const std::vector<aclDataType>& dtypes, double last) {
    const Dims row = {shape.back()};
    const Tensor var(dtypes[0], shape, 1), moment(dtypes[1], shape, 2), grad(dtypes[2], shape, 3),
        decay(dtypes[3], row);
    const Tensor var_out(dtypes[4], shape), moment_out(dtypes[5], shape);
    float five = 5;
    aclScalar* const c = aclCreateScalar(&five, ACL_FLOAT);
    aclScalar* const e = aclCreateScalar(&last, ACL_DOUBLE);
    Run(kStep,
        {var.get(), moment.get(), grad.get(), decay.get(), 2.0, 3.0F, static_cast<const aclScalar*>(c), int64_t{7},
         static_cast<const aclScalar*>(e), var_out.get(), moment_out.get()},
        [](exec::PlanBuilder& plan) { PlanPointwise(plan, FindStep); });
    aclDestroyScalar(c);
    aclDestroyScalar(e);
    const std::vector<double> got_var = var_out.ToHost(), got_moment = moment_out.ToHost();
    for (size_t i = 0; i < got_var.size(); ++i) {
      const double want = 2 * moment[i] + 3 * grad[i];
      ASSERT_EQ(got_moment[i], want) << i << " of " << ::testing::PrintToString(shape);
      ASSERT_EQ(got_var[i], var[i] + 5 * decay[i] + 7 * want + last) << i << " of " << ::testing::PrintToString(shape);
    }
  }
};

TEST_F(PointwisePlan, TakesFourInputsTwoOutputsAndFiveNumbers) {
  const std::vector<aclDataType> alike(6, ACL_FLOAT), narrow(6, ACL_FLOAT16), real(6, ACL_DOUBLE);
  const std::vector<aclDataType> mixed = {ACL_FLOAT16, ACL_FLOAT, ACL_FLOAT16, ACL_FLOAT, ACL_FLOAT16, ACL_FLOAT};
  for (const Dims& shape : {Dims{1}, Dims{3, 5}, Dims{7, 700}, Dims{350, 900}}) {
    for (const std::vector<aclDataType>& dtypes : {alike, narrow, real, mixed}) CheckStep(shape, dtypes, 11);
  }
}

// Either output may show the bits that FLOAT loses.
TEST_F(PointwisePlan, ComputesInDoubleForAnyOutputThatIs) {
  std::vector<aclDataType> dtypes(6, ACL_FLOAT);
  dtypes[4] = ACL_DOUBLE;
  CheckStep({3, 5}, dtypes, 11 + 0x1p-40);
}

TEST_F(PointwisePlan, WritesOverSeveralTensorsThatItReads) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16}) {
    const Dims shape = {30, 70};
    const Tensor all[] = {Tensor(dtype, shape, 0), Tensor(ACL_FLOAT, shape, 1), Tensor(dtype, shape, 2),
                          Tensor(dtype, {70}, 3), Tensor(ACL_FLOAT, shape, 4)};
    Run(kInplaceStep,
        {all[0].get(), 1.0, all[1].get(), 2.0, all[2].get(), 3.0, all[3].get(), 4.0, all[4].get(), 5.0, 6.0, 7.0, 8.0},
        [](exec::PlanBuilder& plan) {
          PlanPointwise(plan, [](aclDataType computed) {
            return PointwiseKernel{.run = computed == ACL_FLOAT ? StepInPlace : nullptr};
          });
        });
    const std::vector<double> got[] = {all[0].ToHost(), all[1].ToHost(), all[2].ToHost()};
    for (size_t i = 0; i < got[0].size(); ++i) {
      double sum = 0;
      for (size_t k = 0; k < std::size(all); ++k) sum += static_cast<double>(k + 1) * all[k][i];
      for (size_t k = 0; k < std::size(got); ++k)
        ASSERT_EQ(got[k][i], static_cast<double>(k + 6) + static_cast<double>(k + 1) * sum) << k << ", " << i;
    }
  }
}

TEST(PointwiseSchema, FitsUpToTheOperandsOfATile) {
  EXPECT_TRUE(FitsPointwise(kStep.args, kStep.steps));
  EXPECT_TRUE(FitsPointwise(kInplaceStep.args, kInplaceStep.steps));
  constexpr Arg kInPlace[] = {InOut("a"), InOut("b"), InOut("c"), In("d"), In("e"), In("f")};
  EXPECT_FALSE(FitsPointwise(kInPlace, {}));
  constexpr Arg kApart[] = {In("a"), In("b"), In("c"), In("d"), In("e"), In("f"), Out("g"), Out("h"), Out("i")};
  EXPECT_FALSE(FitsPointwise(kApart, {}));
  constexpr Arg kList[] = {exec::InList("a"), exec::OutList("b")};
  EXPECT_FALSE(FitsPointwise(kList, {}));
}

TEST(PointwiseSchema, FitsUpToTheNumbersOfATile) {
  constexpr Arg kNumber = Attribute("a", ValueKind::kDouble);
  const std::vector<Arg> eight(8, kNumber), nine(9, kNumber), four(4, exec::Scalar("a")), five(5, exec::Scalar("a"));
  EXPECT_TRUE(FitsPointwise(eight, {}));
  EXPECT_FALSE(FitsPointwise(nine, {}));
  constexpr exec::Step kComplexSteps[] = {exec::DtypeOneOf({"a"}, {ACL_FLOAT, ACL_COMPLEX64})};
  EXPECT_TRUE(FitsPointwise(four, kComplexSteps));
  EXPECT_FALSE(FitsPointwise(five, kComplexSteps));
}

}  // namespace
}  // namespace portacl::families
