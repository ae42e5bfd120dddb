// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::gather {

using exec::Attribute;
using exec::ValueKind;

bool GatherShape(const exec::Arguments& arguments, Shape* shape);
bool SelectShape(const exec::Arguments& arguments, Shape* shape);
bool ElementsShape(const exec::Arguments& arguments, Shape* shape);
bool BatchedShape(const exec::Arguments& arguments, Shape* shape);
bool NamedShape(const exec::Arguments& arguments, Shape* shape);
bool TakenShape(const exec::Arguments& arguments, Shape* shape);
bool EmbeddingShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr const char* kSpecial =
    "An index that is negative, or not less than the size of its axis, is found when the call runs: its row is 0, and "
    "the stream reports 507015.";

PORTACL_ROW(
    GatherV2, opapi_nn, "aclnn_gather_v2.h",
    families::Movement({.formula = "the rows of self along dim that index names, in place of that axis",
                        .special = kSpecial,
                        .socs = families::kMost},
                       families::Dtypes({"self"}, families::kReal | families::kComplex),
                       {exec::In("self"), Attribute("dim", ValueKind::kInt64), exec::In("index"), exec::Out("out")},
                       {families::DimIsAxis(),
                        families::ShapeFrom("out: shape of self with that of index for dim", "out", GatherShape)},
                       {.index = "index", .highest_index_rank = kMaxRank}));

PORTACL_ROW(
    IndexSelect, opapi_nn, "aclnn_index_select.h",
    families::Movement(
        {.formula = "the rows of self along dim that index names", .special = kSpecial, .socs = families::kMost},
        families::Dtypes({"self"}, families::kAll),
        {exec::In("self"), Attribute("dim", ValueKind::kInt64), exec::In("index"), exec::Out("out")},
        {families::DimIsAxis(),
         families::ShapeFrom("out: shape of self with the elements of index along dim", "out", SelectShape)},
        {.index = "index"}));

PORTACL_ROW(Embedding, opapi_nn, "aclnn_embedding.h",
            families::Movement(
                {.formula = "the rows of weight that indices name", .special = kSpecial, .socs = exec::SocSet::All()},
                families::Dtypes({"weight"}, families::kReal | families::kComplex),
                {exec::In("weight"), exec::In("indices"), exec::Const(exec::Out("out"))},
                {families::ShapeFrom("out: shape of indices, and an axis for rows of weight", "out", EmbeddingShape)},
                {.self = "weight",
                 .index = "indices",
                 .highest_index_rank = kMaxRank - 1,
                 .lowest_rank = 1,
                 .highest_rank = 2}));

inline constexpr const char* kWrappingSpecial =
    "Negative indices count from the end. One beyond either end is found when the call runs: its element is 0, and the "
    "stream reports 507015.";

PORTACL_ROW(Gather, opapi_nn, "aclnn_gather.h",
            families::Movement(
                {.formula = "element [.., index[.., i, ..], ..] of self, whose axis dim the index names",
                 .special = kWrappingSpecial,
                 .socs = families::kNewer},
                families::Dtypes({"self"}, families::kReal | families::kWideUnsigned),
                {exec::In("self"), Attribute("dim", ValueKind::kInt64), exec::In("index"), exec::Out("out")},
                {families::DimIsAxis(),
                 families::ShapeFrom("out: shape of index, which has the rank of self and is no larger but along dim",
                                     "out", ElementsShape)},
                {.index = "index", .highest_index_rank = kMaxRank, .index_has_dtype = false}));

PORTACL_ROW(
    GatherV3, opapi_nn, "aclnn_gather_v3.h",
    families::Movement(
        {.formula = "the rows of self along dim that index names, in place of that axis; the first batchDims axes are "
                    "common",
         .special =
             "An index that is negative, or not less than the size of its axis, is found when the call runs: its "
             "row is 0, and the stream reports 507015. A batchDims that is negative counts from the end of the "
             "axes of index. The mode makes no difference.",
         .socs = families::kNewer},
        families::Dtypes({"self"}, families::kAll),
        {exec::In("self"), Attribute("dim", ValueKind::kInt64), exec::In("index"),
         Attribute("batchDims", ValueKind::kInt64), Attribute("mode", ValueKind::kInt64), exec::Out("out")},
        {families::DimIsAxis(), exec::ValueOneOf("mode", {0, 1, 2}),
         families::ShapeFrom("out: shape of self with that of index without its first batchDims axes for dim", "out",
                             BatchedShape)},
        {.index = "index", .highest_index_rank = kMaxRank}));

PORTACL_ROW(
    GatherNd, opapi_nn, "aclnn_gather_nd.h",
    families::Movement(
        {.formula = "the parts of self whose first axes the last axis of indices names",
         .special = "Negative indices count from the end, whatever negativeIndexSupport says. One beyond either end is "
                    "found when the call runs: its part is 0, and the stream reports 507015.",
         .socs = families::kNewer},
        families::Dtypes({"self"}, families::kReal),
        {exec::In("self"), exec::In("indices"), Attribute("negativeIndexSupport", ValueKind::kBool), exec::Out("out")},
        {families::ShapeFrom("out: shape of indices without its last axis, then that of self without as many axes as "
                             "that has elements",
                             "out", NamedShape)},
        {.index = "indices", .highest_index_rank = kMaxRank}));

PORTACL_ROW(Take, opapi_nn, "aclnn_take.h",
            families::Movement({.formula = "the elements of self whose row-major numbers are in index",
                                .special = kWrappingSpecial,
                                .socs = families::kNot310P},
                               families::Dtypes({"self"}, families::kReal | families::kComplex),
                               {exec::In("self"), exec::In("index"), exec::Out("out")},
                               {families::ShapeFrom("out: shape of index", "out", TakenShape)},
                               {.index = "index", .highest_index_rank = kMaxRank}));

}  // namespace portacl::ops::gather
