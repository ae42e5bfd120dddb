// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::compact {

/// [number of elements of self, rank of self], and the reverse.
bool CoordinateRows(const exec::Arguments& arguments, Shape* shape);
bool CoordinateColumns(const exec::Arguments& arguments, Shape* shape);
/// All elements of the broadcast of self and mask; false if they have none.
bool SelectedShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::DtypeSet kDtypes = families::kReal | families::kWideUnsigned;
inline constexpr exec::DtypeSet kMasks = {ACL_BOOL, ACL_UINT8};

consteval auto NonzeroRecipe(const char* formula, const char* special, const char* room, exec::CustomShape largest) {
  return exec::MakeRecipe(
      {.formula = formula, .special = special, .accuracy = {exec::Exact("out")}, .socs = families::kMost},
      {exec::In("self"), exec::DataDependent(exec::Out("out"))},
      {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnSocs(),
       families::Dtypes({"self"}, kDtypes), exec::DtypeOneOf({"out"}, {ACL_INT64}), exec::PlainFormat("self", "out"),
       exec::MaxRank("self", "out"), exec::Contiguous("out"),
       families::RoomFor(room, "out", largest).Status(exec::kSuccess)});
}

PORTACL_ROW(
    Nonzero, opapi_nn, "aclnn_nonzero.h",
    NonzeroRecipe("the coordinates of the elements of self that are not 0, a row each",
                  "The rows are in row-major order of the elements, and the shape is [count, rank of self]. NaN "
                  "is not 0, -0 is.",
                  "out: room for a row of coordinates for each element that is not 0", CoordinateRows));

PORTACL_ROW(NonzeroV2, opapi_nn, "aclnn_nonzero_v2.h",
            NonzeroRecipe("the coordinates of the elements of self that are not 0, a column each",
                          "The columns are in row-major order of the elements, and the shape is [rank of self, count]: "
                          "coordinate d of element j is number d * count + j of out. NaN is not 0, -0 is.",
                          "out: room for a column of coordinates for each element that is not 0", CoordinateColumns));

PORTACL_ROW(
    MaskedSelect, opapi_math, "aclnn_masked_select.h",
    exec::MakeRecipe(
        {.formula = "the elements of self where mask is not 0, one after the other",
         .special =
             "Self and mask are broadcast to each other; the elements are in row-major order. If out has another "
             "dtype, they are converted as by aclnnCast.",
         .accuracy = {exec::RoundedOnce("out")},
         .socs = families::kMost},
        {exec::In("self"), exec::In("mask"), exec::DataDependent(exec::Out("out"))},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "mask", "out"), exec::OnSocs(),
         families::Dtypes({"self"}, kDtypes), exec::DtypeOneOf({"mask"}, kMasks), families::Dtypes({"out"}, kDtypes),
         exec::PlainFormat("self", "mask", "out"), exec::MaxRank("self", "mask"), exec::Rank({"out"}, 1, 1),
         exec::Contiguous("out"), families::RoomFor("self and mask: broadcast to each other", "out", SelectedShape)}));

PORTACL_ROW(
    InplaceMaskedScatter, opapi_nn, "aclnn_masked_scatter.h",
    exec::MakeRecipe(
        {.formula = "the elements of source, one after the other, where mask is not 0",
         .special =
             "The elements of selfRef are taken in row-major order, and so are those of source, which may have any "
             "shape. If there are too few, all of them are used and the stream reports 507015.",
         .accuracy = {exec::Exact("selfRef")},
         .socs = families::kNewer},
        {exec::OnlyWritten(exec::InOut("selfRef")), exec::In("mask"), exec::In("source")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("selfRef", "mask", "source"), exec::OnSocs(),
         families::Dtypes({"selfRef"}, families::kReal), exec::DtypeOneOf({"mask"}, kMasks),
         exec::SameDtype("selfRef", "source"), exec::PlainFormat("selfRef", "mask", "source"),
         exec::MaxRank("selfRef", "mask", "source"), exec::ShapeIs("mask", exec::BroadcastsTo("selfRef")),
         exec::EmptySucceeds("selfRef")}));

}  // namespace portacl::ops::compact
