// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. Each is a view of its input.
#pragma once

#include "families/movement.h"

namespace portacl::ops::rearrange {

using exec::Attribute;
using exec::ValueKind;

/// dims is a permutation of the axes of self.
aclnnStatus DimsArePermutation(const exec::Arguments& arguments, const exec::Step& step);
bool PermuteShape(const exec::Arguments& arguments, Shape* shape);
/// axis is an axis of self.
aclnnStatus AxisIsInRange(const exec::Arguments& arguments, const exec::Step& step);
bool FlattenShape(const exec::Arguments& arguments, Shape* shape);
/// dims are axes of self, each at most once.
aclnnStatus DimsDiffer(const exec::Arguments& arguments, const exec::Step& step);
/// dims are axes of x, as many as shifts; or dims is empty and there is one shift.
aclnnStatus ShiftsHaveDims(const exec::Arguments& arguments, const exec::Step& step);
/// The shape of the slice; step is positive.
bool SliceShape(const exec::Arguments& arguments, Shape* shape);

/// starts, ends, axes and steps have one length; axes are different axes of self, steps are positive.
aclnnStatus SlicesAreValid(const exec::Arguments& arguments, const exec::Step& step);
bool SliceV2Shape(const exec::Arguments& arguments, Shape* shape);
/// The sizes to which self is expanded; -1 is that of self.
bool ExpandShape(const exec::Arguments& arguments, Shape* shape);

/// The elements that a slice selects along an axis of size n.
struct SliceRange {
  int64_t start;
  int64_t count;
};
constexpr SliceRange RangeOf(int64_t n, int64_t start, int64_t end, int64_t step) {
  if (n == 0) return {0, 0};
  start = start < -n ? 0 : start >= n ? n : start < 0 ? start + n : start;
  end = end < -n ? start : end >= n ? n : end < 0 ? end + n : end;
  if (end <= start) return {start, 0};
  return {start, (end - start - 1) / step + 1};
}

inline constexpr exec::DtypeSet kSliceDtypes =
    families::kFloats3 | exec::DtypeSet{ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL};
inline constexpr exec::DtypeSet kRollDtypes = kSliceDtypes | exec::DtypeSet{ACL_INT16, ACL_UINT32};

PORTACL_ROW(Permute, opapi_math, "aclnn_permute.h",
            families::Movement({.formula = "axis i of out is axis dims[i] of self", .socs = families::kNot310P},
                               families::Dtypes({"self"}, families::kAll),
                               {exec::In("self"), Attribute("dims", ValueKind::kIntArray), exec::Out("out")},
                               {exec::Custom("dims: a permutation of the axes of self", DimsArePermutation),
                                families::ShapeFrom("out: axis i as long as axis dims[i] of self", "out",
                                                    PermuteShape)}));

PORTACL_ROW(Flatten, opapi_nn, "aclnn_flatten.h",
            families::Movement({.formula = "the elements of self in rows; the axes from axis on are joined to columns",
                                .socs = families::kMost},
                               families::Dtypes({"self"}, families::kAll),
                               {exec::In("self"), Attribute("axis", ValueKind::kInt64), exec::Out("out")},
                               {exec::Custom("axis: an axis of self", AxisIsInRange),
                                families::ShapeFrom("out: the elements before axis times those from axis on", "out",
                                                    FlattenShape)}));

PORTACL_ROW(Flip, opapi_nn, "aclnn_flip.h",
            families::Movement({.formula = "self with the order of elements reversed along dims",
                                .socs = families::kMost},
                               families::Dtypes({"self"}, families::kAll),
                               {exec::In("self"), Attribute("dims", ValueKind::kIntArray), exec::Out("out")},
                               {exec::Custom("dims: axes of self, none of them twice", DimsDiffer),
                                exec::ShapeIs("out", exec::SameShapeAs("self"))}));

PORTACL_ROW(
    Roll, opapi_math, "aclnn_roll.h",
    families::Movement(
        {.formula = "out[(i + shift) mod n] = x[i] along each of dims; without dims, of all elements in their order",
         .socs = families::kMost},
        exec::DtypeOneOf({"x"}, kRollDtypes)
            .On(families::kWithoutBfloat16, kRollDtypes - exec::DtypeSet{ACL_BF16, ACL_INT16}),
        {exec::In("x"), Attribute("shifts", ValueKind::kIntArray), Attribute("dims", ValueKind::kIntArray),
         exec::Out("out")},
        {exec::Custom("shifts and dims: of one length, dims axes of x; or one shift and no dims", ShiftsHaveDims),
         exec::ShapeIs("out", exec::SameShapeAs("x"))},
        {.self = "x"}));

PORTACL_ROW(
    Slice, opapi_math, "aclnn_slice.h",
    families::Movement({.formula = "self[start : end : step] along dim",
                        .special = "start and end count from the end where they are negative; beyond an end of the "
                                   "axis they are that end, but an end before the first element is start.",
                        .socs = families::kNot310P},
                       families::Dtypes({"self"}, kSliceDtypes),
                       {exec::In("self"), Attribute("dim", ValueKind::kInt64), Attribute("start", ValueKind::kInt64),
                        Attribute("end", ValueKind::kInt64), Attribute("step", ValueKind::kInt64), exec::Out("out")},
                       {exec::DimInRange("dim", "self"), exec::ValueAtLeast("step", 1),
                        families::ShapeFrom("out: shape of self with as many elements along dim as the slice has",
                                            "out", SliceShape)},
                       {.lowest_rank = 1}));

PORTACL_ROW(SliceV2, opapi_math, "aclnn_slice_v2.h",
            families::Movement({.formula = "self[start : end : step] along each of axes",
                                .special = "starts and ends are as in aclnnSlice.",
                                .socs = families::kNot310P},
                               families::Dtypes({"self"}, families::kAll),
                               {exec::In("self"), Attribute("starts", ValueKind::kIntArray),
                                Attribute("ends", ValueKind::kIntArray), Attribute("axes", ValueKind::kIntArray),
                                Attribute("steps", ValueKind::kIntArray), exec::Out("out")},
                               {exec::Custom("starts, ends, axes and steps: of one length, axes different axes of "
                                             "self, steps positive",
                                             SlicesAreValid),
                                families::ShapeFrom("out: shape of self with as many elements along axes as the slices "
                                                    "have",
                                                    "out", SliceV2Shape)}));

PORTACL_ROW(Expand, opapi_math, "aclnn_expand.h",
            families::Movement({.formula = "self broadcast to size; -1 keeps an axis of self", .socs = families::kMost},
                               families::Dtypes({"self"}, families::kAll),
                               {exec::In("self"), Attribute("size", ValueKind::kIntArray), exec::Out("out")},
                               {families::ShapeFrom("out: size, with the axes of self last, each of its size or 1",
                                                    "out", ExpandShape)}));

}  // namespace portacl::ops::rearrange
