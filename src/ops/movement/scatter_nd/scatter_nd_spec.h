// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. Their indices name parts of a
// tensor by its first axes, or single elements by their row-major numbers.
#pragma once

#include <limits>

#include "families/list_schema.h"
#include "families/scatter_schema.h"

namespace portacl::ops::scatter_nd {

using exec::Attribute;
using exec::ValueKind;

/// The last axis of indices names parts of the first tensor, and updates has one for each.
aclnnStatus UpdatesFit(const exec::Arguments& arguments, const exec::Step& step);
/// The same, or each index names a row.
aclnnStatus RowsOrUpdatesFit(const exec::Arguments& arguments, const exec::Step& step);
/// Whether updates has a row of the first tensor for each index.
bool NamesRows(const View& self, const View& indices, const View& updates);
/// What aclnnInplaceScatterUpdate requires of shapes and axis.
aclnnStatus SlicesFit(const exec::Arguments& arguments, const exec::Step& step);
/// What aclnnScatterList requires of them: a part of updates for each tensor, and an element of the others.
aclnnStatus SlicesOfListFit(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus UpdatesOnly(const exec::Arguments& arguments, const exec::Step& step);
/// As many elements of source as of index, and none where selfRef has none.
aclnnStatus ElementsFit(const exec::Arguments& arguments, const exec::Step& step);
/// Complex elements are not added.
aclnnStatus CanAccumulate(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr const char* kSpecial =
    "Of equal indices the last one wins. One that is negative, or not less than the size of its axis, is found when "
    "the "
    "call runs: its part is skipped, and the stream reports 507015.";

PORTACL_ROW(
    ScatterNd, opapi_nn, "aclnn_scatter_nd.h",
    families::Movement(
        {.formula = "data, with the parts whose first axes the last axis of indices names replaced by updates",
         .special = kSpecial,
         .socs = families::kNewer},
        families::Dtypes({"data"}, families::kReal),
        {exec::In("data"), exec::In("indices"), exec::In("updates"), exec::Out("out")},
        {exec::Custom("updates: shape of indices without its last axis, then that of such a part", UpdatesFit),
         exec::ShapeIs("out", exec::SameShapeAs("data"))},
        {.self = "data", .index = "indices", .highest_index_rank = kMaxRank, .source = "updates", .lowest_rank = 1}));

PORTACL_ROW(
    ScatterNdUpdate, opapi_nn, "aclnn_scatter_nd_update.h",
    families::Movement(
        {.formula = "the parts of varRef whose first axes the last axis of indices names become those of updates",
         .special = kSpecial,
         .socs = families::kNewer},
        families::Dtypes({"varRef"}, families::kReal),
        {exec::OnlyWritten(exec::InOut("varRef")), exec::In("indices"), exec::In("updates")},
        {exec::Custom("updates: shape of indices without its last axis, then that of such a part", UpdatesFit)},
        {.self = "varRef",
         .out = "varRef",
         .index = "indices",
         .highest_index_rank = kMaxRank,
         .source = "updates",
         .lowest_rank = 1}));

inline constexpr exec::DtypeSet kAdded = families::kFloats3 | exec::DtypeSet{ACL_INT32, ACL_INT8, ACL_UINT8};

PORTACL_ROW(
    TfScatterAdd, opapi_nn, "aclnn_tf_scatter_add.h",
    families::Movement(
        {.formula = "updates are added to the parts of varRef that indices name",
         .special =
             "Where updates has the shape of indices and then that of a row of varRef, each index names a row; else "
             "the last axis of indices names the first axes of varRef. Parts are added in row-major order of the "
             "indices, floats in float64, and rounded once. An index that is negative, or not less than the size "
             "of its axis, is found when the call runs: its part is skipped, and the stream reports 507015.",
         .accuracy = families::CombinedAccuracy("varRef", kAdded),
         .socs = families::kNewer},
        families::Dtypes({"varRef"}, kAdded), {exec::InOut("varRef"), exec::In("indices"), exec::In("updates")},
        {exec::Custom("updates: shape of indices, with or without its last axis, then that of such a part",
                      RowsOrUpdatesFit)},
        {.self = "varRef",
         .out = "varRef",
         .index = "indices",
         .highest_index_rank = kMaxRank,
         .source = "updates",
         .lowest_rank = 1}));

PORTACL_ROW(
    InplaceScatterUpdate, opapi_nn, "aclnn_scatter_update.h",
    families::Movement(
        {.formula = "data[b, .., indices[b] + j, ..] = updates[b, .., j, ..] along axis",
         .special =
             "A row of indices with two axes holds the b and the position along axis for its part of updates. Of "
             "equal ones the last wins. One that does not leave room for its part is found when the call runs: "
             "the part is skipped, and the stream reports 507015.",
         .socs = families::kNot310P},
        families::Dtypes({"data"}, families::kFloats3 | exec::DtypeSet{ACL_INT8, ACL_INT32, ACL_UINT8}),
        {exec::OnlyWritten(exec::InOut("data")), exec::In("indices"), exec::In("updates"),
         Attribute("axis", ValueKind::kInt64)},
        {exec::NotEmpty("data", "indices", "updates"),
         exec::Custom(
             "axis: one of data but the first; indices: an element, or a pair, for each part of updates; updates: "
             "no larger than data along axis, and as large along those behind the first",
             SlicesFit)},
        {.self = "data",
         .out = "data",
         .index = "indices",
         .highest_index_rank = 2,
         .source = "updates",
         .lowest_rank = 2}));

inline constexpr exec::DtypeSet kListDtypes =
    families::kFloats3 | exec::DtypeSet{ACL_INT8, ACL_INT16, ACL_INT32, ACL_UINT8, ACL_UINT16, ACL_UINT32};

PORTACL_ROW(
    ScatterList, opapi_nn, "aclnn_scatter_list.h",
    exec::MakeRecipe(
        {.formula = "varRef_b[.., indice[b] + j, ..] = updates[b, .., j, ..] along axis, for each tensor of varRef",
         .special =
             "Where maskOptional is 0, the tensor stays as it is. reduceOptional is NULL or update. An index that does "
             "not leave room for its part is found when the call runs: the part is skipped, and the stream reports "
             "507015.",
         .accuracy = {exec::Exact("varRef")},
         .socs = families::kNewer},
        {exec::OnlyWritten(exec::Const(families::InOutList("varRef"))), exec::In("indice"), exec::In("updates"),
         exec::OptionalIn("maskOptional"),
         exec::NotConst(exec::OptionalAttribute("reduceOptional", ValueKind::kString)),
         Attribute("axis", ValueKind::kInt64)},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("varRef", "indice", "updates"), exec::OnSocs(),
         exec::SizeInRange({exec::Length("varRef")}, 1, std::numeric_limits<int64_t>::max()),
         families::Dtypes({"varRef"}, kListDtypes), exec::SameDtype("varRef", "updates"),
         exec::DtypeOneOf({"indice"}, {ACL_INT64, ACL_INT32}), exec::DtypeOneOf({"maskOptional"}, {ACL_UINT8}),
         exec::PlainFormat("varRef", "indice", "updates", "maskOptional"), exec::Rank({"varRef"}, 1, kMaxRank - 1),
         exec::Rank({"indice"}, 1, 1), exec::Rank({"updates"}, 2, kMaxRank), exec::Rank({"maskOptional"}, 1, 1),
         exec::NotEmpty("varRef", "indice", "updates"), exec::Custom("reduceOptional: NULL or update", UpdatesOnly),
         exec::Custom("axis: one of the tensors of varRef; updates: a part for each, no larger along axis and as large "
                      "along the others; indice, maskOptional: an element for each",
                      SlicesOfListFit)}));

PORTACL_ROW(
    InplacePut, opapi_nn, "aclnn_put.h",
    families::Movement(
        {.formula =
             "the elements of selfRef whose row-major numbers are in index become those of source, or these are added",
         .special =
             "Negative indices count from the end. Of equal ones the last wins, or all are added in their order, "
             "floats in float64, and rounded once. For BOOL, adding is `or`; complex elements are not added. An "
             "index beyond either end is found when the call runs: its element is skipped, and the stream reports "
             "507015.",
         .accuracy = families::CombinedAccuracy("selfRef", families::kReal | families::kComplex),
         .socs = families::kMost},
        families::Dtypes({"selfRef"}, families::kReal | families::kComplex),
        {exec::InOut("selfRef"), exec::In("index"), exec::In("source"), Attribute("accumulate", ValueKind::kBool)},
        {exec::Custom("no sum of complex elements", CanAccumulate).Status(exec::kNoKernel),
         exec::Custom("source: as many elements as index, none if selfRef has none", ElementsFit)},
        {.self = "selfRef", .out = "selfRef", .index = "index", .highest_index_rank = kMaxRank, .source = "source"}));

}  // namespace portacl::ops::scatter_nd
