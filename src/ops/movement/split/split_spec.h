// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::split {

using exec::Attribute;
using exec::ValueKind;

/// The elements of piece number `i` along dim, and the number of pieces, by the attributes alone.
int64_t PieceSize(const exec::Arguments& arguments, int64_t i);
int64_t PieceCount(const exec::Arguments& arguments);
/// There is an output for each piece, with its shape.
aclnnStatus OutputsArePieces(const exec::Arguments& arguments, const exec::Step& step);
/// The sizes are at least 0, and their sum is the size of self along dim.
aclnnStatus SizesAddUp(const exec::Arguments& arguments, const exec::Step& step);
/// splitSections is positive, or there is nothing to split.
aclnnStatus SectionsArePositive(const exec::Arguments& arguments, const exec::Step& step);

consteval auto Split(const exec::About& about, const exec::Arg& sizes, const exec::Step& check) {
  return families::Movement(about, families::Dtypes({"self"}, families::kAll),
                            {exec::In("self"), sizes, Attribute("dim", ValueKind::kInt64), exec::OutList("out")},
                            {exec::DimInRange("dim", "self"), check,
                             exec::Custom("out: a tensor for each piece, with its shape", OutputsArePieces)},
                            {.lowest_rank = 1});
}

PORTACL_ROW(SplitWithSize, opapi_math, "aclnn_split_with_size.h",
            Split({.formula = "self in pieces of these sizes along dim", .socs = families::kNot310P},
                  Attribute("splitSize", ValueKind::kIntArray),
                  exec::Custom("splitSize: at least 0 each, in all the size of self along dim", SizesAddUp)));

PORTACL_ROW(SplitTensor, opapi_math, "aclnn_split_tensor.h",
            Split({.formula = "self in pieces of splitSections elements along dim, the last one with what is left",
                   .special = "Of an axis of size 0 there is one piece, which is empty.",
                   .socs = families::kMost},
                  Attribute("splitSections", ValueKind::kUInt64),
                  exec::Custom("splitSections: positive, or 0 for an axis of size 0", SectionsArePositive)));

}  // namespace portacl::ops::split
