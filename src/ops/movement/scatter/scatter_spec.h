// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. All have an index for each
// element that they take.
#pragma once

#include "families/scatter_schema.h"

namespace portacl::ops::scatter {

using exec::Attribute;
using exec::ValueKind;

/// index lies within src, and within self but along dim.
aclnnStatus IndexFits(const exec::Arguments& arguments, const exec::Step& step);
/// Complex elements are only replaced, and BOOL has no mean.
aclnnStatus CanBeReduced(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kDtypes = families::kReal | families::kComplex;

inline constexpr const char* kSpecial =
    "reduce is 0 (replace), 1 (add) or 2 (multiply). Of equal indices the last one replaces; all are added or "
    "multiplied "
    "in row-major order of the index, in float64 for floats, and rounded once. For BOOL, adding is `or`, multiplying "
    "`and`. Complex elements are only replaced. An index that is negative, or not less than the size of its axis, is "
    "found when the call runs: its element is skipped, and the stream reports 507015.";

struct Signature {
  const char* self = "self";
  const char* out = "out";
  const char* source = "src";  // null: there is a value
};
inline constexpr Signature kInplace = {.self = "selfRef", .out = "selfRef"};

/// The recipe of a row with a source, or with a value: arguments, then checks of attributes.
template <size_t kArgs, size_t kChecks>
consteval auto Scattering(exec::About about, exec::DtypeSet dtypes, const exec::Arg (&args)[kArgs],
                          const exec::Step (&attributes)[kChecks], const Signature& names) {
  about.accuracy = families::CombinedAccuracy(names.out, dtypes);
  const bool is_other = std::string_view(names.self) != names.out;
  exec::Step checks[kChecks + 4];
  size_t count = 0;
  checks[count++] = families::DimIsAxis();
  for (const exec::Step& step : attributes) checks[count++] = step;
  checks[count++] = exec::Custom("a reduction of such elements", CanBeReduced).Status(exec::kNoKernel);
  checks[count++] =
      exec::Custom("index: the rank of the others, and no larger than they but self along dim", IndexFits);
  checks[count++] = exec::ShapeIs(names.out, exec::SameShapeAs(names.self)).If(is_other);
  return families::Movement(about, families::Dtypes({names.self}, dtypes), args, checks,
                            {.self = names.self,
                             .out = names.out,
                             .index = "index",
                             .highest_index_rank = kMaxRank,
                             .index_has_dtype = false,
                             .source = names.source});
}

inline constexpr exec::Arg kDim = Attribute("dim", ValueKind::kInt64);
inline constexpr exec::Arg kReduce = Attribute("reduce", ValueKind::kInt64);
inline constexpr exec::Step kReduces[] = {exec::ValueOneOf("reduce", {0, 1, 2})};

PORTACL_ROW(
    Scatter, opapi_nn, "aclnn_scatter.h",
    Scattering({.formula = "self, with element [.., index[.., i, ..], ..] along dim replaced by src[.., i, ..], or "
                           "this added or multiplied",
                .special = kSpecial,
                .socs = families::kNewer},
               kDtypes, {exec::In("self"), kDim, exec::In("index"), exec::In("src"), kReduce, exec::Out("out")},
               kReduces, {}));

PORTACL_ROW(
    InplaceScatter, opapi_nn, "aclnn_scatter.h",
    Scattering({.formula = "element [.., index[.., i, ..], ..] of selfRef along dim becomes src[.., i, ..], or this "
                           "is added or multiplied",
                .special = kSpecial,
                .socs = families::kNewer},
               kDtypes, {exec::InOut("selfRef"), kDim, exec::In("index"), exec::In("src"), kReduce}, kReduces,
               kInplace));

inline constexpr const char* kValueSpecial =
    "The value is rounded once to floating types; for integers it is truncated and wraps modulo 2^n. The rest is as "
    "for "
    "aclnnScatter.";

PORTACL_ROW(ScatterValue, opapi_nn, "aclnn_scatter.h",
            Scattering({.formula = "self, with element [.., index[.., i, ..], ..] along dim replaced by value, or this "
                                   "added or multiplied",
                        .special = kValueSpecial,
                        .socs = families::kNewer},
                       kDtypes,
                       {exec::In("self"), kDim, exec::In("index"), exec::Scalar("value"), kReduce, exec::Out("out")},
                       {families::ValueIsNumber(), kReduces[0]}, {.source = nullptr}));

PORTACL_ROW(
    InplaceScatterValue, opapi_nn, "aclnn_scatter.h",
    Scattering({.formula = "element [.., index[.., i, ..], ..] of selfRef along dim becomes value, or this is added "
                           "or multiplied",
                .special = kValueSpecial,
                .socs = families::kNewer},
               kDtypes, {exec::InOut("selfRef"), kDim, exec::In("index"), exec::Scalar("value"), kReduce},
               {families::ValueIsNumber(), kReduces[0]}, {.self = "selfRef", .out = "selfRef", .source = nullptr}));

PORTACL_ROW(
    ScatterAdd, opapi_nn, "aclnn_scatter_add.h",
    Scattering({.formula = "self, with src[.., i, ..] added to element [.., index[.., i, ..], ..] along dim",
                .special = "Elements are added in row-major order of the index, floats in float64, and rounded once. "
                           "For BOOL, adding is `or`. An index that is negative, or not less than the size of its "
                           "axis, is found when the call runs: its element is skipped, and the stream reports "
                           "507015.",
                .socs = families::kNewer},
               families::kReal, {exec::In("self"), kDim, exec::In("index"), exec::In("src"), exec::Out("out")},
               {exec::Custom("dim: an axis", families::CheckDim)}, {}));

inline constexpr const char* kReduceSpecial =
    "reduce is 0 (replace), 1 (add), 2 (multiply), 3 (max), 4 (min) or 5 (mean). With includeSelf, what self holds is "
    "the "
    "first of the elements; without, the first of src replaces it. What no index names stays. NaN is the largest and "
    "the smallest number. Means of integers are rounded down, and their sums wrap modulo 2^n; those of BOOL are "
    "refused. "
    "Indices are those of aclnnScatter.";
inline constexpr exec::Step kManyReduces[] = {exec::ValueOneOf("reduce", {0, 1, 2, 3, 4, 5})};
inline constexpr exec::Arg kIncludeSelf = Attribute("includeSelf", ValueKind::kBool);

PORTACL_ROW(
    ScatterReduce, opapi_nn, "aclnn_scatter_reduce.h",
    Scattering({.formula = "self, with element [.., index[.., i, ..], ..] along dim combined with src[.., i, ..]",
                .special = kReduceSpecial,
                .socs = families::kNewer.Without({SocFamily::kAscend950})},
               families::kReal,
               {exec::In("self"), kDim, exec::In("index"), exec::In("src"), kReduce, kIncludeSelf, exec::Out("out")},
               kManyReduces, {}));

PORTACL_ROW(
    InplaceScatterReduce, opapi_nn, "aclnn_scatter_reduce.h",
    Scattering({.formula = "element [.., index[.., i, ..], ..] of selfRef along dim is combined with src[.., i, ..]",
                .special = kReduceSpecial,
                .socs = families::kNewer.Without({SocFamily::kAscend950})},
               families::kReal,
               {exec::InOut("selfRef"), kDim, exec::In("index"), exec::In("src"), kReduce, kIncludeSelf}, kManyReduces,
               kInplace));

}  // namespace portacl::ops::scatter
