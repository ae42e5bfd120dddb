// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"
#include "families/scatter_schema.h"

namespace portacl::ops::advanced_index {

/// INT32, INT64 and BOOL; tensors without elements may have any dtype.
aclnnStatus IndicesHaveDtypes(const exec::Arguments& arguments, const exec::Step& step);
/// The indices stand for axes of the indexed tensor, and can be broadcast to each other.
aclnnStatus IndicesFit(const exec::Arguments& arguments, const exec::Step& step);
/// The shape of what the indices name; with masks, the size of one axis is that of `out`.
bool ResultShape(const exec::Arguments& arguments, Shape* shape);
/// `out` has that shape; [] and [1] are the same. An index without elements may also name nothing, as in PyTorch: `out`,
/// which then has no elements either, may have any shape.
aclnnStatus OutHasResultShape(const exec::Arguments& arguments, const exec::Step& step);
/// `values` are broadcast to that shape.
aclnnStatus ValuesBroadcast(const exec::Arguments& arguments, const exec::Step& step);
/// Complex elements are only replaced.
aclnnStatus CanAccumulate(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kDtypes = families::kReal | exec::DtypeSet{ACL_COMPLEX64};
#define PORTACL_INDICES                                                                                                \
  "The tensors of indices stand for the axes from the first one on. Integers, of which negative ones count from the "  \
  "end, name places along one axis. BOOL is a mask over as many axes as it has: it stands for the coordinates of its " \
  "elements that are not 0. A tensor without elements, of any dtype, is all of an axis, as are the axes behind the "   \
  "last tensor. Integers and coordinates are broadcast to one shape. It replaces the indexed axes if these are "       \
  "adjacent, and comes first if not. "
inline constexpr const char* kSpecial = PORTACL_INDICES
    "An out without elements may have any shape if one of indices has none. An index out of range is found when the "
    "call runs: 0 is read for it, and the stream reports 507015. Where masks name another number of elements than the "
    "other operands have, nothing is written, and it does so too.";
inline constexpr const char* kPutSpecial = PORTACL_INDICES
    "An index out of range is found when the call runs: nothing is written for it, and the stream reports 507015. "
    "Where masks name another number of elements than the other operands have, nothing at all is written, and it does "
    "so too. Of equal places the last one counts, in row-major order; with accumulate all are added in this order, "
    "floats in float64 and rounded once; for BOOL adding is `or`. If no tensor indexes, nothing happens. Indices are "
    "tested whatever unsafe is.";
#undef PORTACL_INDICES

PORTACL_ROW(
    Index, opapi_nn, "aclnn_index.h",
    exec::MakeRecipe(
        {.formula = "the elements of self that indices name", .special = kSpecial, .accuracy = {exec::Exact("out")}},
        {exec::In("self"), exec::InList("indices"), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "indices", "out"),
         families::Dtypes({"self"}, kDtypes),
         exec::Custom("indices: INT32, INT64 or BOOL, or no elements", IndicesHaveDtypes),
         exec::SameDtype("self", "out"), exec::PlainFormat("self", "indices", "out"),
         exec::MaxRank("self", "indices", "out"),
         exec::Custom("indices: stand for axes of self, and broadcast", IndicesFit),
         exec::Custom("out: shape of what indices name", OutHasResultShape).Accepts("out", ResultShape),
         exec::EmptySucceeds("self", "out")}));

PORTACL_ROW(
    IndexPutImpl, opapi_nn, "aclnn_index_put_impl.h",
    exec::MakeRecipe({.formula = "values where indices name elements, or these plus values if accumulate is true",
                      .special = kPutSpecial,
                      .accuracy = families::CombinedAccuracy("selfRef", kDtypes),
                      .socs = families::kNot310P},
                     {exec::InOut("selfRef"), exec::InList("indices"), exec::In("values"),
                      exec::Attribute("accumulate", exec::ValueKind::kBool),
                      exec::Attribute("unsafe", exec::ValueKind::kBool)},
                     {exec::NotNull("workspaceSize", "executor"), exec::NotNull("selfRef", "indices", "values"),
                      exec::OnSocs(), families::Dtypes({"selfRef"}, kDtypes),
                      exec::Custom("indices: INT32, INT64 or BOOL, or no elements", IndicesHaveDtypes),
                      exec::SameDtype("selfRef", "values"),
                      exec::Custom("selfRef: not complex if accumulate", CanAccumulate).Status(exec::kNoKernel),
                      exec::PlainFormat("selfRef", "indices", "values"), exec::MaxRank("selfRef", "indices", "values"),
                      exec::Custom("indices: stand for axes of selfRef, and broadcast", IndicesFit),
                      exec::Custom("values: broadcast to the shape of what indices name", ValuesBroadcast),
                      exec::EmptySucceeds("selfRef", "values")}));

}  // namespace portacl::ops::advanced_index
