// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/scatter_schema.h"

namespace portacl::ops::index_copy {

using exec::Attribute;
using exec::ValueKind;

/// The shape of the tensor whose rows are copied, with the number of indices along dim.
bool SourceShape(const exec::Arguments& arguments, Shape* shape);
/// The indices of the array name rows along dim; negative ones count from the end.
aclnnStatus IndexNamesRows(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kFillDtypes =
    families::kFloats3 | exec::DtypeSet{ACL_INT32, ACL_INT64} | families::kBool;

inline constexpr const char* kSpecial =
    "An index that is negative, or not less than the size of its axis, is found when the call runs: its row of source "
    "is skipped, and the stream reports 507015. Among equal indices the last one wins.";

PORTACL_ROW(
    IndexCopy, opapi_nn, "aclnn_index_copy.h",
    families::Movement({.formula = "selfRef, with the rows along dim that index names replaced by those of source",
                        .special = kSpecial,
                        .socs = families::kNewer},
                       families::Dtypes({"selfRef"}, families::kReal | families::kComplex),
                       {exec::NotConst(exec::In("selfRef")), Attribute("dim", ValueKind::kInt64), exec::In("index"),
                        exec::In("source"), exec::Out("outRef")},
                       {families::DimIsAxis(),
                        families::ShapeFrom("source: shape of selfRef with the elements of index along dim", "source",
                                            SourceShape),
                        exec::ShapeIs("outRef", exec::SameShapeAs("selfRef"))},
                       {.self = "selfRef", .out = "outRef", .index = "index", .source = "source"}));

PORTACL_ROW(InplaceIndexCopy, opapi_nn, "aclnn_index_copy.h",
            families::Movement({.formula = "the rows of selfRef along dim that index names become those of source",
                                .special = kSpecial,
                                .socs = families::kNewer},
                               families::Dtypes({"selfRef"}, families::kReal | families::kComplex),
                               {exec::OnlyWritten(exec::InOut("selfRef")), Attribute("dim", ValueKind::kInt64),
                                exec::In("index"), exec::In("source")},
                               {families::DimIsAxis(),
                                families::ShapeFrom("source: shape of selfRef with the elements of index along dim",
                                                    "source", SourceShape)},
                               {.self = "selfRef", .out = "selfRef", .index = "index", .source = "source"}));

PORTACL_ROW(IndexFillTensor, opapi_nn, "aclnn_index_fill_tensor.h",
            families::Movement({.formula = "self, with value in the rows along dim that index names",
                                .special = "Negative indices count from the end.",
                                .socs = families::kNewer},
                               families::Dtypes({"self"}, kFillDtypes),
                               {exec::In("self"), Attribute("dim", ValueKind::kInt64),
                                Attribute("index", ValueKind::kIntArray), exec::Scalar("value"), exec::Out("out")},
                               {families::ValueIsNumber(), families::DimIsAxis(),
                                exec::Custom("index: rows of self along dim", IndexNamesRows),
                                exec::ShapeIs("out", exec::SameShapeAs("self"))}));

PORTACL_ROW(InplaceIndexFillTensor, opapi_nn, "aclnn_index_fill_tensor.h",
            families::Movement({.formula = "value in the rows of selfRef along dim that index names",
                                .special = "Negative indices count from the end.",
                                .socs = families::kNewer},
                               families::Dtypes({"selfRef"}, kFillDtypes),
                               {exec::OnlyWritten(exec::InOut("selfRef")), Attribute("dim", ValueKind::kInt64),
                                Attribute("index", ValueKind::kIntArray), exec::Scalar("value")},
                               {families::ValueIsNumber(), families::DimIsAxis(),
                                exec::Custom("index: rows of selfRef along dim", IndexNamesRows)},
                               {.self = "selfRef", .out = "selfRef"}));

inline constexpr const char* kFillSpecial =
    "Negative indices count from the end, and those beyond either end are passed over. The value is rounded once to "
    "floating types; for integers it is truncated and wraps modulo 2^n.";

PORTACL_ROW(IndexFill, opapi_nn, "aclnn_index_fill.h",
            families::Movement({.formula = "self, with value in the rows along dim that index names",
                                .special = kFillSpecial,
                                .socs = families::kNewer},
                               families::Dtypes({"self"}, families::kReal),
                               {exec::In("self"), Attribute("dim", ValueKind::kInt64), exec::In("index"),
                                exec::Scalar("value"), exec::Out("out")},
                               {families::ValueIsNumber(), families::DimIsAxis(),
                                exec::ShapeIs("out", exec::SameShapeAs("self"))},
                               {.index = "index", .highest_index_rank = kMaxRank}));

PORTACL_ROW(
    InplaceIndexFill, opapi_nn, "aclnn_index_fill.h",
    families::Movement({.formula = "value in the rows of selfRef along dim that index names",
                        .special = kFillSpecial,
                        .socs = families::kNewer},
                       families::Dtypes({"selfRef"}, families::kReal),
                       {exec::OnlyWritten(exec::InOut("selfRef")), Attribute("dim", ValueKind::kInt64),
                        exec::In("index"), exec::Scalar("value")},
                       {families::ValueIsNumber(), families::DimIsAxis()},
                       {.self = "selfRef", .out = "selfRef", .index = "index", .highest_index_rank = kMaxRank}));

inline constexpr const char* kAddSpecial =
    "Rows are added in the order of index, floats in float64, and rounded once; alpha is read in the dtype, and as "
    "FLOAT "
    "for 16 bits. For BOOL, adding is `or`. An index that is negative, or not less than the size of its axis, is found "
    "when the call runs: its row of source is skipped, and the stream reports 507015.";

template <size_t kArgs>
consteval auto RowsAdded(const char* special, const exec::Arg (&args)[kArgs]) {
  return families::Movement(
      {.formula = "self, with alpha * source[.., k, ..] added to its row index[k] along dim",
       .special = special,
       .accuracy = families::CombinedAccuracy("out", families::kReal),
       .socs = families::kNewer},
      families::Dtypes({"self"}, families::kReal), args,
      {exec::DtypeOneOf({"alpha"}, families::kReal | families::kWideUnsigned), families::DimIsAxis(),
       families::ShapeFrom("source: shape of self with the elements of index along dim", "source", SourceShape),
       exec::ShapeIs("out", exec::SameShapeAs("self"))},
      {.index = "index", .source = "source"});
}

PORTACL_ROW(IndexAdd, opapi_nn, "aclnn_index_add.h",
            RowsAdded(kAddSpecial, {exec::In("self"), Attribute("dim", ValueKind::kInt64), exec::In("index"),
                                    exec::In("source"), exec::Scalar("alpha"), exec::Out("out")}));

PORTACL_ROW(IndexAddV2, opapi_nn, "aclnn_index_add_v2.h",
            RowsAdded("As aclnnIndexAdd. The mode makes no difference.",
                      {exec::In("self"), Attribute("dim", ValueKind::kInt64), exec::In("index"), exec::In("source"),
                       exec::Scalar("alpha"), Attribute("mode", ValueKind::kInt64), exec::Out("out")}));

}  // namespace portacl::ops::index_copy
