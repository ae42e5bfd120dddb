// SPDX-License-Identifier: Apache-2.0
// Every word of a schema: what it accepts, and the message with which it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/soc.h"
#include "calls/tensor_builder.h"
#include "exec/arguments.h"
#include "exec/check_fixture.h"
#include "exec/refusal.h"

namespace portacl::exec {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;

constexpr DtypeSet kFloats = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TensorHandle Typed(aclDataType dtype, calls::Dims shape = {2}) {
  return TensorBuilder(dtype, std::move(shape)).Build();
}

// Two inputs and an output with the steps of most elementwise operators.
constexpr SchemaOf kGrad({.api = "aclnnGrad", .socs = {SocFamily::kAscend910B, SocFamily::kAscend310P}},
                         {In("x"), In("dy"), Attribute("eps", ValueKind::kDouble), Out("out")},
                         {NotNull("x", "dy", "out"), NotNull("executor"), NotNull("workspaceSize"), OnSocs(),
                          DtypeOneOf({"x", "dy", "out"}, kFloats).On({SocFamily::kAscend310P}, {ACL_FLOAT}),
                          SameDtype("x", "dy", "out"), PlainFormat("x", "dy", "out"), MaxRank("x", "dy", "out"),
                          ShapeIs("dy", SameShapeAs("x")), ShapeIs("out", SameShapeAs("x")), EmptySucceeds("x")});

CheckResult Grad(const TensorHandle& x, const TensorHandle& dy, const TensorHandle& out) {
  return RunChecks(kGrad, {x.get(), dy.get(), 0.0, out.get()});
}

TEST(Check, AcceptsWhatNoStepRefuses) {
  EXPECT_EQ(Grad(Floats({2, 3}), Floats({2, 3}), Floats({2, 3})).status, kSuccess);
  EXPECT_EQ(Grad(Floats({}), Floats({}), Floats({})).status, kSuccess);
  EXPECT_EQ(Grad(Floats({0, 4}), Floats({0, 4}), Floats({0, 4})).status, kSuccess);
  EXPECT_EQ(Grad(Typed(ACL_BF16), Typed(ACL_BF16), Typed(ACL_BF16)).message, "");
}

TEST(Check, NotNullNamesTheFirstMissingArgument) {
  const TensorHandle x = Floats({2});
  EXPECT_TRUE(Refused(Grad(nullptr, nullptr, x), 161001, "aclnnGrad: argument 'x': expected a pointer, got NULL"));
  EXPECT_TRUE(Refused(Grad(x, nullptr, nullptr), 161001, "aclnnGrad: argument 'dy': expected a pointer, got NULL"));
  EXPECT_TRUE(Refused(Grad(x, x, nullptr), 161001, "aclnnGrad: argument 'out': expected a pointer, got NULL"));
}

TEST(Check, NotNullRecognisesADestroyedTensor) {
  const TensorHandle x = Floats({2});
  aclTensor* dead = Floats({2}).release();
  aclDestroyTensor(dead);
  EXPECT_TRUE(Refused(RunChecks(kGrad, {x.get(), dead, 0.0, x.get()}), 161001,
                      "aclnnGrad: argument 'dy': expected a live tensor, got a destroyed one"));
}

TEST(Check, ResultPointersAreCheckedInTheOrderOfTheSchema) {
  const TensorHandle x = Floats({2});
  const TensorHandle integers = Typed(ACL_INT32);
  uint64_t size = 7;
  aclOpExecutor* executor = nullptr;
  const PlanFunction plan = [](PlanBuilder&) {};
  EXPECT_EQ(MakePlan(kGrad, {x.get(), x.get(), 0.0, x.get()}, nullptr, nullptr, plan), 161001);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("argument 'executor'"), std::string::npos);
  EXPECT_EQ(MakePlan(kGrad, {x.get(), x.get(), 0.0, x.get()}, nullptr, &executor, plan), 161001);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("argument 'workspaceSize'"), std::string::npos);
  // Null pointers are checked before dtypes, and a refused call writes no result.
  EXPECT_EQ(
      MakePlan(kGrad, {integers.get(), static_cast<const aclTensor*>(nullptr), 0.0, x.get()}, &size, &executor, plan),
      161001);
  EXPECT_EQ(MakePlan(kGrad, {integers.get(), x.get(), 0.0, x.get()}, &size, &executor, plan), 161002);
  EXPECT_EQ(size, 7u);
  EXPECT_EQ(executor, nullptr);
  aclGetRecentErrMsg();
}

TEST(Check, OnSocsRefusesWhereTheOperatorDoesNotExist) {
  const OnSoc soc(SocFamily::kAscend910);
  EXPECT_TRUE(Refused(Grad(Typed(ACL_INT32), Typed(ACL_INT32), Typed(ACL_INT32)), 561003,
                      "aclnnGrad: expected one of the SoCs Ascend910B, Ascend310P, got Ascend910"));
  EXPECT_EQ(Grad(nullptr, nullptr, nullptr).status, 161001);  // null pointers are checked first
}

constexpr SchemaOf kLate({.api = "aclnnLate", .socs = {SocFamily::kAscend910B}}, {In("x"), Out("out")},
                         {NotNull("x", "out", "executor", "workspaceSize"), DtypeOneOf({"x"}, {ACL_FLOAT}),
                          PromotesOneOf({"x", "out"}, {ACL_FLOAT}), MaxRank("x", "out"), OnSocs()});

TEST(Check, DtypesOnAnSocWithoutTheOperatorAreRefusedInTheNameOfTheSoc) {
  const TensorHandle good = Typed(ACL_FLOAT), bad = Typed(ACL_DOUBLE);
  EXPECT_TRUE(Refused(RunChecks(kLate, {bad.get(), good.get()}), 161002, "'x': expected one of FLOAT on Ascend910B"));
  const OnSoc soc(SocFamily::kAscend310P);
  const std::string expected = "aclnnLate: expected one of the SoCs Ascend910B, got Ascend310P";
  EXPECT_TRUE(Refused(RunChecks(kLate, {bad.get(), good.get()}), 161002, expected));
  EXPECT_TRUE(Refused(RunChecks(kLate, {good.get(), bad.get()}), 161002, expected));
  EXPECT_TRUE(Refused(RunChecks(kLate, {good.get(), good.get()}), 561003, expected));
}

TEST(Check, DtypeOneOfNamesTheDtypesOfTheSoc) {
  const std::string expected =
      "aclnnGrad: argument 'dy': expected one of FLOAT, FLOAT16, BFLOAT16 on Ascend910B, got INT32";
  EXPECT_TRUE(Refused(Grad(Typed(ACL_FLOAT), Typed(ACL_INT32), Typed(ACL_FLOAT)), 161002, expected));
  const OnSoc soc(SocFamily::kAscend310P);
  EXPECT_EQ(Grad(Typed(ACL_FLOAT), Typed(ACL_FLOAT), Typed(ACL_FLOAT)).status, kSuccess);
  EXPECT_TRUE(Refused(Grad(Typed(ACL_FLOAT16), Typed(ACL_FLOAT16), Typed(ACL_FLOAT16)), 161002,
                      "argument 'x': expected one of FLOAT on Ascend310P, got FLOAT16"));
}

// What TakeRefusal() returns after the call, and the operator that it names.
void ExpectRefusal(Refusal refusal, const char* api) {
  const LastRefusal last = TakeRefusal();
  EXPECT_EQ(last.refusal, refusal);
  EXPECT_STREQ(last.api, api);
  EXPECT_EQ(TakeRefusal().refusal, Refusal::kNone);  // the second call finds no refusal
}

TEST(Check, ARefusalIsKeptAsANumber) {
  const TensorHandle good = Typed(ACL_FLOAT), bad = Typed(ACL_DOUBLE);
  TakeRefusal();
  EXPECT_EQ(Grad(Typed(ACL_FLOAT), Typed(ACL_FLOAT), Typed(ACL_FLOAT)).status, kSuccess);
  ExpectRefusal(Refusal::kNone, nullptr);
  EXPECT_NE(Grad(nullptr, nullptr, nullptr).status, kSuccess);
  ExpectRefusal(Refusal::kOther, "aclnnGrad");
  EXPECT_NE(Grad(Typed(ACL_FLOAT), Typed(ACL_INT32), Typed(ACL_FLOAT)).status, kSuccess);
  ExpectRefusal(Refusal::kDtype, "aclnnGrad");
  EXPECT_NE(Grad(Typed(ACL_FLOAT), Typed(ACL_FLOAT), Typed(ACL_BF16)).status, kSuccess);  // dtypes that differ
  ExpectRefusal(Refusal::kDtype, "aclnnGrad");
  EXPECT_NE(RunChecks(kLate, {good.get(), bad.get()}).status, kSuccess);  // no common type in the set
  ExpectRefusal(Refusal::kDtype, "aclnnLate");
  EXPECT_NE(Grad(Typed(ACL_FLOAT), Typed(ACL_INT32), Typed(ACL_FLOAT)).status, kSuccess);
  EXPECT_NE(Grad(nullptr, nullptr, nullptr).status, kSuccess);  // the last refusal is the one returned
  ExpectRefusal(Refusal::kOther, "aclnnGrad");
  const OnSoc soc(SocFamily::kAscend310P);
  EXPECT_NE(RunChecks(kLate, {bad.get(), good.get()}).status, kSuccess);
  ExpectRefusal(Refusal::kSoc, "aclnnLate");
  EXPECT_NE(RunChecks(kLate, {good.get(), good.get()}).status, kSuccess);
  ExpectRefusal(Refusal::kSoc, "aclnnLate");
}

TEST(Check, DtypeOneOfSurvivesDtypesThatDoNotExist) {
  for (int value : {-1, 5, 14, 63, 64, 65, 1000, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    const TensorHandle x = Typed(static_cast<aclDataType>(value));
    EXPECT_EQ(RunChecks(kGrad, {x.get(), x.get(), 0.0, x.get()}).status, kInvalid) << value;
  }
}

TEST(Check, SameDtypeNamesTheMeasure) {
  EXPECT_TRUE(Refused(Grad(Typed(ACL_FLOAT), Typed(ACL_FLOAT16), Typed(ACL_FLOAT)), 161002,
                      "aclnnGrad: argument 'dy': expected FLOAT (dtype of 'x'), got FLOAT16"));
  EXPECT_TRUE(Refused(Grad(Typed(ACL_FLOAT), Typed(ACL_FLOAT), Typed(ACL_BF16)), 161002,
                      "aclnnGrad: argument 'out': expected FLOAT (dtype of 'x'), got BFLOAT16"));
}

TEST(Check, PlainFormatTakesLabelsAndRefusesPrivateLayouts) {
  for (aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NDHWC,
                           ACL_FORMAT_NCDHW, ACL_FORMAT_NCL, ACL_FORMAT_NC}) {
    EXPECT_EQ(Grad(TensorBuilder(ACL_FLOAT, {2}).Format(format).Build(), Floats({2}), Floats({2})).status, kSuccess)
        << format;
  }
  EXPECT_TRUE(
      Refused(Grad(Floats({2}), TensorBuilder(ACL_FLOAT, {2}).Format(ACL_FORMAT_FRACTAL_NZ).Build(), Floats({2})),
              161002, "argument 'dy': expected format ND or one that only labels the axes, got FRACTAL_NZ"));
  EXPECT_EQ(Grad(TensorBuilder(ACL_FLOAT, {2}).Format(ACL_FORMAT_UNDEFINED).Build(), Floats({2}), Floats({2})).status,
            kInvalid);
  EXPECT_EQ(
      Grad(TensorBuilder(ACL_FLOAT, {2}).Format(static_cast<aclFormat>(999)).Build(), Floats({2}), Floats({2})).status,
      kInvalid);
}

constexpr SchemaOf kEach({.api = "aclnnEach"}, {InList("x"), OutList("out")},
                         {NotNull("x", "out", "executor", "workspaceSize"), MaxRank("x", "out"),
                          ShapeIs("out", SameShapeAs("x"))});

TEST(Check, ShapeIsComparesListsTensorByTensor) {
  const auto each = [](calls::Dims first, calls::Dims second) {
    const aclTensor* x[] = {Floats({2}).release(), Floats({3, 4}).release()};
    const aclTensor* out[] = {Floats(std::move(first)).release(), Floats(std::move(second)).release()};
    aclTensorList* const x_list = aclCreateTensorList(x, 2);
    aclTensorList* const out_list = aclCreateTensorList(out, 2);
    const CheckResult result = RunChecks(kEach, {x_list, out_list});
    aclDestroyTensorList(x_list);
    aclDestroyTensorList(out_list);
    return result;
  };
  EXPECT_EQ(each({2}, {3, 4}).status, kSuccess);
  EXPECT_TRUE(
      Refused(each({2}, {3}), 161002, "aclnnEach: argument 'out[1]': expected [3,4] (shape of 'x[1]'), got [3]"));
}

constexpr SchemaOf kImage({.api = "aclnnImage"}, {In("x"), Out("out")},
                          {NotNull("x", "out", "executor", "workspaceSize"), Rank({"x", "out"}, 1, 4),
                           FormatOneOf({"x", "out"}, {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC})});

TEST(Check, FormatOneOfTakesOneOfItsFormatsForAll) {
  const auto image = [](aclFormat x, aclFormat out) {
    const TensorHandle first = TensorBuilder(ACL_FLOAT, {2}).Format(x).Build();
    const TensorHandle second = TensorBuilder(ACL_FLOAT, {2}).Format(out).Build();
    return RunChecks(kImage, {first.get(), second.get()});
  };
  EXPECT_EQ(image(ACL_FORMAT_NCHW, ACL_FORMAT_NCHW).status, kSuccess);
  EXPECT_EQ(image(ACL_FORMAT_NHWC, ACL_FORMAT_NHWC).status, kSuccess);
  EXPECT_TRUE(Refused(image(ACL_FORMAT_ND, ACL_FORMAT_ND), 161002,
                      "aclnnImage: argument 'x': expected format NCHW or NHWC, got ND"));
  EXPECT_TRUE(Refused(image(static_cast<aclFormat>(999), ACL_FORMAT_NCHW), 161002,
                      "aclnnImage: argument 'x': expected format NCHW or NHWC, got UNKNOWN"));
  EXPECT_TRUE(Refused(image(ACL_FORMAT_NCHW, ACL_FORMAT_NHWC), 161002,
                      "aclnnImage: argument 'out': expected format NCHW (format of 'x'), got NHWC"));
  EXPECT_TRUE(Refused(image(ACL_FORMAT_NHWC, ACL_FORMAT_ND), 161002,
                      "aclnnImage: argument 'out': expected format NHWC (format of 'x'), got ND"));
}

TEST(Check, RankRefusesMoreThanEightAxes) {
  EXPECT_EQ(
      Grad(Floats({1, 1, 1, 1, 1, 1, 1, 2}), Floats({1, 1, 1, 1, 1, 1, 1, 2}), Floats({1, 1, 1, 1, 1, 1, 1, 2})).status,
      kSuccess);
  EXPECT_TRUE(Refused(Grad(Floats({2}), Floats({1, 1, 1, 1, 1, 1, 1, 1, 2}), Floats({2})), 161002,
                      "argument 'dy': expected a rank from 0 to 8, got rank 9"));
  EXPECT_EQ(Grad(Floats(calls::Dims(25, 1)), Floats({2}), Floats({2})).status, kInvalid);
}

TEST(Check, RankRefusesNegativeNumbers) {
  EXPECT_TRUE(Refused(Grad(Floats({2, -3}), Floats({2}), Floats({2})), 161002,
                      "argument 'x': expected dims of at least 0, got [2,-3]"));
  EXPECT_TRUE(Refused(Grad(TensorBuilder(ACL_FLOAT, {2}).Strides({-1}).Build(), Floats({2}), Floats({2})), 161002,
                      "argument 'x': expected strides of at least 0, got [-1]"));
  EXPECT_TRUE(Refused(Grad(TensorBuilder(ACL_FLOAT, {2}).Offset(-4).Build(), Floats({2}), Floats({2})), 161002,
                      "argument 'x': expected an offset of at least 0, got -4"));
  EXPECT_EQ(Grad(Floats({0, -3}), Floats({0, -3}), Floats({0, -3})).status, kInvalid);  // checked for empty tensors too
}

TEST(Check, RankRefusesWhatDoesNotFitInt64) {
  EXPECT_TRUE(Refused(Grad(Floats({kMost, 3}), Floats({2}), Floats({2})), 161002,
                      "argument 'x': expected a number of elements below 2^63, got [9223372036854775807,3]"));
  EXPECT_EQ(Grad(TensorBuilder(ACL_FLOAT, {kMost / 2}).Strides({1}).Build(), Floats({2}), Floats({2})).status,
            kInvalid);
  EXPECT_TRUE(Refused(
      Grad(TensorBuilder(ACL_FLOAT, {2}).Strides({kMost}).Build(), Floats({2}), Floats({2})), 161002,
      "argument 'x': expected elements within 2^63 bytes, got [2] with strides [9223372036854775807] and offset 0"));
  EXPECT_EQ(Grad(TensorBuilder(ACL_FLOAT, {2}).Offset(kMost - 1).Build(), Floats({2}), Floats({2})).status, kInvalid);
  // One dim of 0 makes the element count 0, whatever the others are.
  const calls::Dims empty = {0, kMost, kMost};
  EXPECT_EQ(Grad(Floats(empty), Floats(empty), Floats(empty)).status, kSuccess);
}

TEST(Check, RankLeavesDtypesToTheStepThatSpeaksAboutThem) {
  static constexpr SchemaOf kShapesFirst(
      {.api = "aclnnShapesFirst"}, {In("x"), In("dy"), Out("out")},
      {NotNull("x", "dy", "out", "executor", "workspaceSize"), Rank({"x", "dy", "out"}, 1, 1),
       ShapeIs("dy", SameShapeAs("x")), DtypeOneOf({"x"}, kFloats), SameDtype("x", "dy")});
  const TensorHandle x = Floats({2});
  const TensorHandle packed = Typed(ACL_UINT1, {3});
  EXPECT_TRUE(Refused(RunChecks(kShapesFirst, {x.get(), packed.get(), x.get()}), 161002,
                      "argument 'dy': expected [2] (shape of 'x'), got [3]"));
  EXPECT_TRUE(Refused(RunChecks(kShapesFirst, {packed.get(), packed.get(), x.get()}), 161002,
                      "argument 'x': expected one of FLOAT, FLOAT16, BFLOAT16"));
  EXPECT_TRUE(Refused(RunChecks(kShapesFirst, {x.get(), x.get(), packed.get()}), 161002,
                      "argument 'out': expected a dtype whose elements are whole bytes, got UINT1"));
}

TEST(Check, ShapeIsNamesBothShapes) {
  EXPECT_TRUE(Refused(Grad(Floats({2, 3}), Floats({3}), Floats({2, 3})), 161002,
                      "aclnnGrad: argument 'dy': expected [2,3] (shape of 'x'), got [3]"));
  EXPECT_TRUE(Refused(Grad(Floats({2, 3}), Floats({2, 3}), Floats({})), 161002,
                      "argument 'out': expected [2,3] (shape of 'x'), got []"));
}

TEST(Check, ShapeIsComparesEveryAxis) {
  const calls::Dims shape(8, 2);
  EXPECT_EQ(Grad(Floats(shape), Floats(shape), Floats(shape)).status, kSuccess);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    calls::Dims other = shape;
    other[axis] = 3;
    EXPECT_EQ(Grad(Floats(shape), Floats(shape), Floats(other)).status, 161002) << "axis " << axis;
  }
}

// Values of attributes.
aclnnStatus SumIsEven(const Arguments& arguments, const Step& step);

constexpr SchemaOf kLoss({.api = "aclnnLoss"},
                         {In("self"), In("target"), OptionalAttribute("sizes", ValueKind::kIntArray),
                          Attribute("reduction", ValueKind::kInt64), Attribute("beta", ValueKind::kFloat),
                          Attribute("flag", ValueKind::kBool), Attribute("dtype", ValueKind::kDtype), Out("out")},
                         {NotNull("workspaceSize", "executor"), NotNull("self", "target", "out"),
                          MaxRank("self", "target", "out"), ValueOneOf("reduction", {0, 1, 2}), ValueAtLeast("beta", 0),
                          AttributeIs("flag", 0), ValueAtLeast("sizes", 0), SizeInRange({Length("sizes")}, 1, 3),
                          Custom("the sum of sizes is even", SumIsEven), DtypeOneOf({"dtype"}, kFloats),
                          SameDtype("dtype", "out"),
                          ShapeIs("out", ReducedBroadcastOf("reduction", "self", "target"))});

aclnnStatus SumIsEven(const Arguments& arguments, const Step& step) {
  const int arg = kLoss.Index("sizes");
  int64_t sum = 0;
  for (int64_t size : arguments.Ints(arg)) sum += size;
  return sum % 2 == 0 ? kSuccess : arguments.Refuse(step, arg, "an even sum", std::to_string(sum));
}

struct LossCall {
  std::vector<int64_t> sizes = {2};
  int64_t reduction = 0;
  float beta = 1;
  bool flag = false;
  aclDataType dtype = ACL_FLOAT;
  calls::Dims self = {2, 1};
  calls::Dims target = {3};
  calls::Dims out = {2, 3};

  CheckResult Run() const {
    const TensorHandle self_tensor = Floats(self);
    const TensorHandle target_tensor = Floats(target);
    const TensorHandle out_tensor = Floats(out);
    aclIntArray* array = aclCreateIntArray(sizes.data(), sizes.size());
    const CheckResult result = RunChecks(
        kLoss, {self_tensor.get(), target_tensor.get(), array, reduction, beta, flag, dtype, out_tensor.get()});
    aclDestroyIntArray(array);
    return result;
  }
};

TEST(Check, ValueOneOfListsTheValues) {
  EXPECT_EQ(LossCall{}.Run().status, kSuccess);
  EXPECT_TRUE(Refused(LossCall{.reduction = 3}.Run(), 161002, "argument 'reduction': expected one of 0, 1, 2, got 3"));
}

TEST(Check, ValueAtLeastRefusesNaN) {
  EXPECT_EQ(LossCall{.beta = -0.0F}.Run().status, kSuccess);
  EXPECT_EQ(LossCall{.beta = INFINITY}.Run().status, kSuccess);
  EXPECT_TRUE(
      Refused(LossCall{.beta = -0.5F}.Run(), 161002, "argument 'beta': expected a value of at least 0, got -0.5"));
  EXPECT_TRUE(Refused(LossCall{.beta = NAN}.Run(), 161002, "argument 'beta': expected a value of at least 0, got nan"));
  EXPECT_TRUE(Refused(LossCall{.sizes = {2, -1}}.Run(), 161002,
                      "argument 'sizes': expected values of at least 0, got -1 at [1]"));
}

TEST(Check, AttributeIsNamesBothValues) {
  EXPECT_TRUE(Refused(LossCall{.flag = true}.Run(), 161002, "argument 'flag': expected false, got true"));
}

TEST(Check, LengthsOfArraysAreSizes) {
  EXPECT_TRUE(Refused(LossCall{.sizes = {}}.Run(), 161002, "argument 'sizes': expected at least 1, got length 0"));
  EXPECT_EQ((LossCall{.sizes = {1, 1, 1, 1}}.Run().status), kInvalid);
}

TEST(Check, CustomSpeaksThroughTheSameWriter) {
  EXPECT_TRUE(
      Refused(LossCall{.sizes = {2, 3}}.Run(), 161002, "aclnnLoss: argument 'sizes': expected an even sum, got 5"));
}

TEST(Check, DtypeWordsReadDtypeAttributes) {
  EXPECT_TRUE(Refused(LossCall{.dtype = ACL_INT32}.Run(), 161002,
                      "argument 'dtype': expected one of FLOAT, FLOAT16, BFLOAT16 on Ascend910B, got INT32"));
  EXPECT_TRUE(Refused(LossCall{.dtype = ACL_FLOAT16}.Run(), 161002,
                      "argument 'out': expected FLOAT16 (dtype of 'dtype'), got FLOAT"));
}

TEST(Check, BroadcastNamesTheFailingAxis) {
  EXPECT_TRUE(Refused(LossCall{.self = {2, 4}, .target = {3}}.Run(), 161002,
                      "argument 'target': expected a shape that broadcasts with [2,4] (axis 1), got [3]"));
  EXPECT_TRUE(Refused(LossCall{.out = {2, 1}}.Run(), 161002,
                      "argument 'out': expected [2,3] (broadcast of 'self', 'target'), got [2,1]"));
}

TEST(Check, ABroadcastMustBeCountable) {
  constexpr int64_t kLong = int64_t{1} << 40;
  EXPECT_TRUE(Refused(LossCall{.reduction = 1, .self = {kLong, 1}, .target = {kLong}, .out = {}}.Run(), 161002,
                      "argument 'self': expected a shape whose broadcast has fewer than 2^63 elements, got "
                      "[1099511627776,1099511627776]"));
}

constexpr SchemaOf kFill({.api = "aclnnFill"}, {InOut("self"), In("src")},
                         {NotNull("workspaceSize", "executor"), NotNull("self", "src"), MaxRank("self", "src"),
                          ShapeIs("src", BroadcastsTo("self"))});

TEST(Check, AShapeMayBroadcastToAnother) {
  const auto run = [](const calls::Dims& self, const calls::Dims& src) {
    return RunChecks(kFill, {Floats(self).get(), Floats(src).get()});
  };
  for (const calls::Dims& src : {calls::Dims{2, 3}, {1, 3}, {2, 1}, {3}, {1}, {}})
    EXPECT_EQ(run({2, 3}, src).status, kSuccess);
  EXPECT_EQ(run({0, 3}, {1, 3}).status, kSuccess);
  EXPECT_TRUE(Refused(run({2, 3}, {2}), 161002,
                      "argument 'src': expected [2,3] (shape of 'self', or one that broadcasts to it), got [2]"));
  EXPECT_EQ(run({3}, {1, 3}).status, kInvalid);
  EXPECT_EQ(run({1, 3}, {2, 3}).status, kInvalid);
  EXPECT_EQ(run({1}, {0}).status, kInvalid);
}

TEST(Check, AReducedResultIsAnyShapeWithOneElement) {
  EXPECT_EQ((LossCall{.reduction = 1, .out = {}}.Run().status), kSuccess);
  EXPECT_EQ((LossCall{.reduction = 2, .out = {1, 1}}.Run().status), kSuccess);
  EXPECT_TRUE(Refused(LossCall{.reduction = 1}.Run(), 161002,
                      "argument 'out': expected one element ('reduction' reduces), got [2,3]"));
}

}  // namespace
}  // namespace portacl::exec
