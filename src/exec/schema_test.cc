// SPDX-License-Identifier: Apache-2.0
// Tools can read a schema as data, and a schema with mistakes does not compile.
#include "exec/schema.h"

#include <gtest/gtest.h>

#include <span>
#include <string_view>

#include "exec/bind.h"

namespace portacl::exec {
namespace {

constexpr SchemaOf kMixed(
    {.api = "aclnnMixed", .formula = "out = f(self, src)", .accuracy = {Exact("selfRef"), RoundedOnce("out")}},
    {InOut("selfRef"), In("src"), Attribute("alpha", ValueKind::kDouble), InList("more"), Out("out")},
    {NotNull("selfRef", "src", "more", "out"), NotNull("executor", "workspaceSize"),
     MaxRank("selfRef", "src", "more", "out"), ShapeIs("out", SameShapeAs("src"))});

TEST(Schema, ResolvesNamesToPositionsInTheSignature) {
  static_assert(kMixed.Index("src") == 1);
  EXPECT_EQ(kMixed.Find("out"), 4);
  EXPECT_EQ(kMixed.Find("no such argument"), -1);
  EXPECT_EQ(kMixed.steps[3].refs[0].index, 4);
  EXPECT_EQ(kMixed.steps[3].refs[1].index, 1);
}

TEST(Schema, NumbersTensorsInputsFirst) {
  ASSERT_EQ(kMixed.tensors.size(), 4u);
  const std::string_view expected[] = {"src", "more", "selfRef", "out"};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(kMixed.args[static_cast<size_t>(kMixed.tensors[i])].name, expected[i]);
  EXPECT_EQ(kMixed.args[4].place, 1);  // the second output
  EXPECT_EQ(kMixed.args[3].place, 1);  // the second input
}

TEST(Schema, StepsAreDataThatToolsCanRead) {
  EXPECT_EQ(kMixed.steps[0].word, Word::kNotNull);
  EXPECT_EQ(kMixed.steps[0].status, 161001);
  EXPECT_EQ(kMixed.steps[2].word, Word::kRank);
  EXPECT_EQ(kMixed.steps[2].LimitsOn(SocFamily::kAscend910B).high, 8);
  EXPECT_EQ(kMixed.steps[3].shape, ShapeWord::kSameShapeAs);
}

// Whether a schema with these steps compiles: Define must be a constant expression.
template <auto kDefine>
concept Compiles = requires { typename std::bool_constant<(kDefine(), true)>; };

template <size_t kSteps>
constexpr bool Define(const Step (&steps)[kSteps]) {
  const Arg args[] = {In("x"), Out("out")};
  const SchemaOf<2, kSteps> schema({.api = "aclnnX"}, args, steps);
  return schema.args.size() == 2;
}

static_assert(Compiles<[] {
  return Define(
      {NotNull("x", "out", "executor", "workspaceSize"), MaxRank("x", "out"), ShapeIs("out", SameShapeAs("x"))});
}>);
static_assert(!Compiles<[] { return Define({NotNull("x", "out", "executor", "workspaceSize"), MaxRank("x", "otu")}); }>,
              "a misspelt name");
static_assert(!Compiles<[] { return Define({NotNull("x", "executor", "workspaceSize"), MaxRank("x", "out")}); }>,
              "out is never checked for null");
static_assert(!Compiles<[] { return Define({NotNull("x", "out", "executor"), MaxRank("x", "out")}); }>,
              "workspaceSize may be null");
static_assert(!Compiles<[] { return Define({MaxRank("x", "out"), NotNull("x", "out", "executor", "workspaceSize")}); }>,
              "read before NotNull");
static_assert(!Compiles<[] { return Define({NotNull("x", "out", "executor", "workspaceSize"), MaxRank("x")}); }>,
              "a tensor of unknown rank");
static_assert(!Compiles<[] {
  return Define(
      {NotNull("x", "out", "executor", "workspaceSize"), ShapeIs("out", SameShapeAs("x")), MaxRank("x", "out")});
}>,
              "a shape read before its Rank");

// Whether these bounds cover an output that is FLOAT or FLOAT16, or BFLOAT16 on some SoCs.
constexpr bool Promise(const Accuracy& accuracy) {
  const Arg args[] = {In("x"), Attribute("mode", ValueKind::kInt64), Out("out")};
  const Step steps[] = {DtypeOneOf({"x"}, {ACL_FLOAT, ACL_FLOAT16}).On({SocFamily::kAscend910B}, {ACL_BF16}),
                        SameDtype("x", "out"), ValueOneOf("mode", {0, 1, 2})};
  VerifyAccuracy(args, steps, accuracy);
  return true;
}
constexpr DtypeSet kNarrow = {ACL_FLOAT16, ACL_BF16};

static_assert(Compiles<[] { return Promise({Ulp("out", {ACL_FLOAT}, 1.5), Ulp("out", kNarrow, 1)}); }>);
static_assert(Compiles<[] { return Promise({Exact("out")}); }>);
static_assert(Compiles<[] {
  return Promise({Ulp("out", {ACL_FLOAT}, 2).InPart("a"), Ulp("out", {ACL_FLOAT}, 3).InPart("b"),
                  Ulp("out", kNarrow, 1).Where("mode", {0, 2}), Epsilon("out", kNarrow, 1).Where("mode", {1})});
}>);
static_assert(!Compiles<[] { return Promise({}); }>, "an output without a bound");
static_assert(!Compiles<[] { return Promise({Ulp("x", {ACL_FLOAT}, 1), Exact("out")}); }>, "a bound of an input");
static_assert(!Compiles<[] { return Promise({Ulp("out", {ACL_FLOAT, ACL_FLOAT16}, 1)}); }>,
              "a dtype of some SoCs without a bound");
static_assert(!Compiles<[] { return Promise({Ulp("out", {ACL_FLOAT, ACL_FLOAT16}, 1), Ulp("out", kNarrow, 1)}); }>,
              "a dtype with two bounds");
static_assert(!Compiles<[] { return Promise({Exact("out"), Ulp("out", {ACL_FLOAT}, 1)}); }>,
              "an exact dtype with a bound");
static_assert(!Compiles<[] { return Promise({Exact("out"), Ulp("out", {ACL_INT8}, 1)}); }>,
              "a dtype that the output cannot have");
static_assert(!Compiles<[] {
  return Promise({Ulp("out", {ACL_FLOAT}, 2).InPart("a"), Ulp("out", {ACL_FLOAT}, 3), Ulp("out", kNarrow, 1)});
}>,
              "a part beside the whole");
static_assert(
    !Compiles<[] { return Promise({Ulp("out", {ACL_FLOAT}, 2).Where("mode", {0, 1}), Ulp("out", kNarrow, 1)}); }>,
    "a value of the attribute without a bound");
static_assert(!Compiles<[] {
  return Promise({Ulp("out", {ACL_FLOAT}, 2).Where("mode", {0, 1}), Ulp("out", {ACL_FLOAT}, 2).Where("mode", {1, 2}),
                  Ulp("out", kNarrow, 1)});
}>,
              "a value with two bounds");

TEST(Accuracy, HasALimitWithAndWithoutFusedMultiplyAdd) {
  constexpr ErrorBound kBound = Ulp("out", {ACL_FLOAT}, 1.5).WithoutFusion(2.1);
  EXPECT_EQ(kBound.LimitOn(HWY_AVX2), 1.5);
  EXPECT_EQ(kBound.LimitOn(HWY_NEON), 1.5);
  EXPECT_EQ(kBound.LimitOn(HWY_SSE4), 2.1);
  EXPECT_EQ(kBound.LimitOn(HWY_EMU128), 2.1);
}

aclnnStatus Plan(aclTensor*, const aclTensor*, double, const aclTensorList*, aclTensor*, uint64_t*, aclOpExecutor**) {
  return 42;
}
aclnnStatus PlanWithConstSelf(const aclTensor*, const aclTensor*, double, const aclTensorList*, aclTensor*, uint64_t*,
                              aclOpExecutor**) {
  return 0;
}
aclnnStatus PlanWithMutableInput(aclTensor*, aclTensor*, double, const aclTensorList*, aclTensor*, uint64_t*,
                                 aclOpExecutor**) {
  return 0;
}
aclnnStatus PlanWithFloat(aclTensor*, const aclTensor*, float, const aclTensorList*, aclTensor*, uint64_t*,
                          aclOpExecutor**) {
  return 0;
}
aclnnStatus PlanWithFewer(aclTensor*, const aclTensor*, double, const aclTensorList*, uint64_t*, aclOpExecutor**) {
  return 0;
}
aclnnStatus PlanSwapped(const aclTensor*, aclTensor*, double, const aclTensorList*, aclTensor*, uint64_t*,
                        aclOpExecutor**) {
  return 0;
}
aclnnStatus RunPhase(void*, uint64_t, aclOpExecutor*, aclrtStream) { return 43; }

static_assert(Matches<&Plan>(kMixed));
static_assert(!Matches<&PlanWithConstSelf>(kMixed));
static_assert(!Matches<&PlanWithMutableInput>(kMixed));
static_assert(!Matches<&PlanWithFloat>(kMixed));
static_assert(!Matches<&PlanWithFewer>(kMixed));
static_assert(!Matches<&PlanSwapped>(kMixed));

TEST(Bind, CallsThePrototypeWithAListOfValues) {
  constexpr OperatorEntry kEntry = Bind<&Plan, &RunPhase>(kMixed);
  const Value values[] = {static_cast<aclTensor*>(nullptr), static_cast<const aclTensor*>(nullptr), 1.0,
                          static_cast<const aclTensorList*>(nullptr), static_cast<aclTensor*>(nullptr)};
  EXPECT_EQ(kEntry.schema->api, std::string_view("aclnnMixed"));
  EXPECT_EQ(kEntry.plan(std::span(values), nullptr, nullptr), 42);
  EXPECT_EQ(kEntry.run(nullptr, 0, nullptr, nullptr), 43);
}

TEST(Bind, RefusesValuesOfAnotherSignature) {
  constexpr OperatorEntry kEntry = Bind<&Plan, &RunPhase>(kMixed);
  const Value too_few[] = {static_cast<aclTensor*>(nullptr)};
  EXPECT_EQ(kEntry.plan(std::span(too_few), nullptr, nullptr), 561000);
  const Value wrong[] = {static_cast<aclTensor*>(nullptr), static_cast<const aclTensor*>(nullptr), 1.0F,
                         static_cast<const aclTensorList*>(nullptr), static_cast<aclTensor*>(nullptr)};
  EXPECT_EQ(kEntry.plan(std::span(wrong), nullptr, nullptr), 561000);
}

}  // namespace
}  // namespace portacl::exec
