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

}  // namespace portacl::ops::gather
