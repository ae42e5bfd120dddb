// SPDX-License-Identifier: Apache-2.0
// Schemas of reductions: one input tensor, some of whose axes are removed.
//
//   inline constexpr exec::SchemaOf kAmax(families::Reduce({.about = {.api = "aclnnAmax", ...}, .dtypes = kReal,
//                                                           .dims = "dim", .keep = "keepDim"},
//                                                          exec::In("self"), ..., exec::Out("out")));
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"
#include "families/pointwise_schema.h"

namespace portacl::families {

// For sums in float64, or in float64 with rounding errors summed as well.
inline constexpr Errors kSumErrors = {0.51, 0.51, 0.51, 0.51, "2^-16 of the sum of the terms' magnitudes"};
// For sums where groups of four 16-bit terms are added in float32 first.
inline constexpr Errors kGroupedSumErrors = {
    0.51, 0.51, 0.51, 0.51, kSumErrors.term, "2^-5 of the sum of the terms' magnitudes"};

struct ReductionRow {
  exec::About about;
  exec::DtypeSet dtypes;            // dtypes of self
  exec::DtypeSet results = {};      // dtypes of out; empty: it has the dtype of self
  exec::DtypeSet computed_in = {};  // values of the attribute `dtype`; empty: there is none
  bool out_is_dtype = true;         // out has the dtype of the attribute, if there is one
  exec::DtypeSet computed = kAll;   // dtypes that are computed, among those that the page lists
  Errors errors = kExact;
  const char* dims = nullptr;   // attribute that names the axes; null: all axes
  const char* keep = nullptr;   // attribute that keeps reduced axes; null: none
  const char* none = nullptr;   // attribute that lets an empty array name no axes; null: none
  bool needs_elements = false;  // the reduced axes must not be empty
  bool has_indices = false;     // there is a second output, of INT32 or INT64
  exec::Step rule = kNoStep;    // of the room
};

inline constexpr exec::DtypeSet kIndices = {ACL_INT32, ACL_INT64};

consteval exec::Ref RefTo(const char* name) { return name == nullptr ? exec::Ref() : exec::Ref(name); }

template <class... Args>
consteval auto Reduce(const ReductionRow& row, Args... list) {
  const exec::Arg args[] = {list...};
  const exec::DtypeSet results = row.results.empty() ? row.dtypes : row.results;
  const bool has_dtype = !row.computed_in.empty();
  const bool is_same = row.results.empty() && !has_dtype;
  const char* const dtype = has_dtype ? "dtype" : "self";
  const char* const indices = row.has_indices ? "indices" : "out";
  const char* const dims = row.dims == nullptr ? "self" : row.dims;
  const exec::ShapeRule shape = exec::ReducedAlong("self", RefTo(row.dims), RefTo(row.keep), RefTo(row.none));
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({list...}),
                              exec::OnSocs(),
                              Dtypes({"self"}, row.dtypes),
                              ComputedDtypes({"self"}, row.dtypes, row.computed),
                              Dtypes({dtype}, row.computed_in).If(has_dtype),
                              ComputedDtypes({dtype}, row.computed_in, row.computed)
                                  .If(has_dtype && (row.computed_in & row.computed) != row.computed_in),
                              Dtypes({"out"}, results),
                              ComputedDtypes({"out"}, results, row.computed),
                              exec::SameDtype("self", "out").If(is_same),
                              exec::SameDtype(dtype, "out").If(has_dtype && row.out_is_dtype),
                              exec::DtypeOneOf({indices}, kIndices).If(row.has_indices),
                              exec::PlainFormat("self", "out"),
                              exec::PlainFormat(indices).If(row.has_indices),
                              exec::MaxRank("self", "out"),
                              exec::MaxRank(indices).If(row.has_indices),
                              exec::AxesInRange(dims, "self").If(row.dims != nullptr),
                              exec::ShapeIs("out", shape),
                              exec::ShapeIs(indices, shape).If(row.has_indices),
                              exec::NotEmptyAlong("self", RefTo(row.dims)).If(row.needs_elements),
                              row.rule,
                              exec::EmptySucceeds("out").If(row.dims != nullptr)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf("out", results & row.computed, row.errors);
  if (row.has_indices) about.accuracy.items[about.accuracy.count++] = exec::Exact("indices");
  return exec::MakeRecipe(about, args, steps);
}

inline constexpr exec::Arg kSelf = exec::In("self");
inline constexpr exec::Arg kOut = exec::Out("out");
consteval exec::Arg Axes(const char* name) { return exec::Attribute(name, exec::ValueKind::kIntArray); }
consteval exec::Arg OneAxis(const char* name) { return exec::Attribute(name, exec::ValueKind::kInt64); }
consteval exec::Arg Flag(const char* name) { return exec::Attribute(name, exec::ValueKind::kBool); }
inline constexpr exec::Arg kDtype = exec::Attribute("dtype", exec::ValueKind::kDtype);

}  // namespace portacl::families
