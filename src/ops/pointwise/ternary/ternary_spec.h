// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. They have three operands; the
// third may be a scalar.
#pragma once

#include "families/list_schema.h"
#include "families/pointwise_schema.h"

namespace portacl::ops::ternary {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

struct TernaryRow {
  exec::About about;
  exec::DtypeSet dtypes;
  exec::DtypeSet promoted = {};  // the allowed common dtypes of the operands; empty: they have the same dtype
  exec::DtypeSet results = {};   // dtypes of the output; empty: it has the dtype of the first operand
  Errors errors = kExact;
};

constexpr bool IsOperand(const exec::Arg& arg) { return IsOneTensor(arg) && arg.role != exec::Role::kOutput; }
constexpr bool IsResult(const exec::Arg& arg) { return IsOneTensor(arg) && arg.written(); }

// The arguments are in signature order. The first is updated in place if there is no output.
template <class... Args>
consteval auto Ternary(const TernaryRow& row, Args... args) {
  const exec::Refs operands = NamesOf({args...}, IsOperand), tensors = NamesOf({args...}, IsOneTensor),
                   scalar = NamesOf({args...}, IsScalar);
  const exec::Ref out = NamesOf({args...}, IsResult)[0], last = operands[operands.count - 1];
  const bool in_place = operands.count == tensors.count;
  const exec::DtypeSet results = row.results.empty() ? row.dtypes : row.results;
  exec::ShapeRule broadcast = exec::BroadcastOf();
  for (const exec::Ref& operand : operands) broadcast.refs.items[broadcast.refs.count++] = operand;
  const exec::Arg all[] = {args...};
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      PointersNotNull({args...}),
      exec::OnSocs(),
      Dtypes({operands[0]}, in_place ? row.dtypes & results : row.dtypes),
      Dtypes({operands[1]}, row.dtypes),
      Dtypes({last}, row.dtypes).If(operands.count == 3),
      Dtypes({out}, results).If(!in_place),
      exec::DtypeOneOf(scalar, kReal).If(scalar.count != 0),
      exec::PromotesOneOf(operands, row.promoted.empty() ? kAll : row.promoted).If(!row.promoted.empty()),
      exec::Step{.word = exec::Word::kSameDtype, .refs = row.results.empty() ? tensors : operands}.If(
          row.promoted.empty()),
      exec::StoresTo(operands, out).If(!row.results.empty()),
      {.word = exec::Word::kPlainFormat, .refs = tensors},
      exec::Rank(tensors, 0, kMaxRank),
      exec::ShapeIs(out, broadcast).If(!in_place),
      exec::ShapeIs(operands[1], exec::BroadcastsTo(operands[0])).If(in_place),
      exec::ShapeIs(last, exec::BroadcastsTo(operands[0])).If(in_place && operands.count == 3),
      {.word = exec::Word::kEmptySucceeds, .status = exec::kSuccess, .refs = {out}}};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(out.name, in_place ? row.dtypes & results : results, row.errors);
  return PointwiseRecipe(about, all, steps);
}

inline constexpr exec::Arg kValue = exec::Scalar("value");
inline constexpr exec::DtypeSet kAdded = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64, ACL_INT8, ACL_UINT8};
inline constexpr exec::DtypeSet kStored = kFloats4 | kIntegers;
// FLOAT loses a small summand beside a product that lies between two of them.
inline constexpr double kNotNearest = 0.03;
inline constexpr const char* kLargestTerm =
    "the larger of both terms, and of the smallest normal number times tensor2; any where an intermediate result "
    "exceeds "
    "the range";
inline constexpr const char* kLargestQuotient =
    "the larger of both terms, and of the smallest normal number times value; any where an intermediate result exceeds "
    "the range";

inline constexpr TernaryRow kAddcmulRow = {
    .about = {.formula = "self + value * tensor1 * tensor2",
              .special = "For integers value is truncated; they wrap modulo 2^n.",
              .socs = kNot310P},
    .dtypes = kAdded,
    .promoted = kAdded,
    .results = kStored,
    .errors = Errors{1.5, 2, 0.51, 2, kLargestTerm}.NearestBut(kNotNearest)};
PORTACL_ROW(Addcmul, opapi_math, "aclnn_addcmul.h",
            Ternary(kAddcmulRow, exec::In("self"), exec::In("tensor1"), exec::In("tensor2"), kValue, exec::Out("out")));
PORTACL_ROW(InplaceAddcmul, opapi_math, "aclnn_addcmul.h",
            Ternary(kAddcmulRow, exec::Const(exec::InOut("selfRef")), exec::In("tensor1"), exec::In("tensor2"),
                    kValue));

inline constexpr exec::DtypeSet kDivided = kFloats4 | exec::DtypeSet{ACL_INT64};
inline constexpr TernaryRow kAddcdivRow = {
    .about = {.formula = "self + value * (tensor1 / tensor2)",
              .special = "For integers value and the quotient are truncated, and the quotient is 0 where tensor2 is 0.",
              .socs = kNot310P},
    .dtypes = kDivided,
    .promoted = kDivided,
    .results = kStored,
    .errors = Errors{1.5, 2, 0.51, 2, kLargestQuotient}.NearestBut(kNotNearest)};
PORTACL_ROW(Addcdiv, opapi_math, "aclnn_addcdiv.h",
            Ternary(kAddcdivRow, exec::In("self"), exec::In("tensor1"), exec::In("tensor2"), kValue,
                    exec::Const(exec::Out("out"))));
PORTACL_ROW(InplaceAddcdiv, opapi_math, "aclnn_addcdiv.h",
            Ternary(kAddcdivRow, exec::Const(exec::InOut("selfRef")), exec::In("tensor1"), exec::In("tensor2"),
                    kValue));

inline constexpr const char* kLerpFormula =
    "self + weight * (end - self) where |weight| < 0.5, else end - (end - self) * (1 - weight)";
inline constexpr const char* kLerpTerm =
    "the largest of self, end, and their difference times both weights; any where an intermediate result exceeds the "
    "range";
inline constexpr Errors kLerpErrors = Errors{2.5, 3, 0.51, 3, kLerpTerm}.NearestBut(kNotNearest);
inline constexpr TernaryRow kLerpRow = {
    .about = {.formula = kLerpFormula, .special = "A weight of 1 gives end.", .socs = kMost},
    .dtypes = kFloats3,
    .errors = kLerpErrors};
PORTACL_ROW(Lerp, opapi_math, "aclnn_lerp_tensor.h",
            Ternary(kLerpRow, exec::In("self"), exec::In("end"), exec::In("weight"), exec::Out("out")));
PORTACL_ROW(InplaceLerp, opapi_math, "aclnn_lerp_tensor.h",
            Ternary(kLerpRow, exec::InOut("selfRef"), exec::In("end"), exec::In("weight")));
inline constexpr TernaryRow kLerpsRow = {
    .about = {.formula = kLerpFormula, .special = "A weight of 1 gives end.", .socs = kNot310P},
    .dtypes = kFloats3,
    .results = kFloats4,
    .errors = kLerpErrors};
PORTACL_ROW(Lerps, opapi_math, "aclnn_lerp_scalar.h",
            Ternary(kLerpsRow, exec::In("self"), exec::In("end"), exec::Scalar("weight"), exec::Out("out")));
PORTACL_ROW(InplaceLerps, opapi_math, "aclnn_lerp_scalar.h",
            Ternary(kLerpsRow, exec::InOut("selfRef"), exec::In("end"), exec::Scalar("weight")));

// Those of lists. The tensor `scalars` has a scalar for each tensor.
template <class... Args>
consteval auto OfThree(const ListRow& row, Args... args) {
  return Foreach(row, false, exec::InList("x1"), exec::InList("x2"), exec::InList("x3"), args...);
}
consteval auto OfThreeWithScalars(ListRow row, const char* formula) {
  row.formula = formula;
  return Foreach(row, true, exec::InList("x1"), exec::InList("x2"), exec::InList("x3"), exec::In("scalars"),
                 kConstOuts);
}
inline constexpr ListRow kAddcmulListRow = {"x1 + scalar * x2 * x3", "Integers wrap modulo 2^n.", kListDtypes,
                                            Errors{1.5, 2, 0.51, 2, kLargestTerm}.NearestBut(kNotNearest)};
PORTACL_ROW(ForeachAddcmulScalar, opapi_nn, "aclnn_foreach_addcmul_scalar.h",
            OfThree(kAddcmulListRow, exec::In("scalar"), kConstOuts));
PORTACL_ROW(ForeachAddcmulScalarV2, opapi_nn, "aclnn_foreach_addcmul_scalar_v2.h",
            OfThree(kAddcmulListRow, exec::Scalar("scalar"), exec::OutList("out")));
PORTACL_ROW(ForeachAddcmulScalarList, opapi_nn, "aclnn_foreach_addcmul_scalar_list.h",
            OfThreeWithScalars(kAddcmulListRow, "x1 + scalars * x2 * x3"));
PORTACL_ROW(ForeachAddcmulList, opapi_nn, "aclnn_foreach_addcmul_list.h",
            OfThreeWithScalars(kAddcmulListRow, "x1 + scalars * x2 * x3"));
inline constexpr ListRow kAddcdivListRow = {"x1 + scalar * (x2 / x3)", "", kFloats3,
                                            Errors{1.5, 2, 0.51, 2, kLargestQuotient}.NearestBut(kNotNearest)};
PORTACL_ROW(ForeachAddcdivScalar, opapi_nn, "aclnn_foreach_addcdiv_scalar.h",
            OfThree(kAddcdivListRow, exec::In("scalar"), kConstOuts));
PORTACL_ROW(ForeachAddcdivScalarV2, opapi_nn, "aclnn_foreach_addcdiv_scalar_v2.h",
            OfThree(kAddcdivListRow, exec::Scalar("scalar"), exec::OutList("out")));
PORTACL_ROW(ForeachAddcdivScalarList, opapi_nn, "aclnn_foreach_addcdiv_scalar_list.h",
            OfThreeWithScalars(kAddcdivListRow, "x1 + scalars * (x2 / x3)"));
PORTACL_ROW(ForeachAddcdivList, opapi_nn, "aclnn_foreach_addcdiv_list.h",
            OfThreeWithScalars(kAddcdivListRow, "x1 + scalars * (x2 / x3)"));
inline constexpr ListRow kLerpListRow = {
    "x1 + weight * (x2 - x1) where |weight| < 0.5, else x2 - (x2 - x1) * (1 - weight)", "", kFloats3, kLerpErrors};
PORTACL_ROW(ForeachLerpList, opapi_nn, "aclnn_foreach_lerp_list.h",
            Foreach(kLerpListRow, false, exec::InList("x1"), exec::InList("x2"), exec::InList("weight"), kConstOuts));
PORTACL_ROW(ForeachLerpScalar, opapi_nn, "aclnn_foreach_lerp_scalar.h",
            Foreach(kLerpListRow, false, exec::InList("x1"), exec::InList("x2"), exec::Scalar("weight"), kConstOuts));

}  // namespace portacl::ops::ternary
