// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/reduction_schema.h"

namespace portacl::ops::scan {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kNumbers = kFloats4 | kIntegers;

struct ScanRow {
  exec::About about;
  Errors errors;
  exec::DtypeSet computed = kAll;  // subset of the documented dtypes
  const char* self = "self";
  bool has_dtype = true;  // an attribute, which out has, too; otherwise out has the dtype of self
};

// out has the shape of self, and dim names one of its axes.
template <class... Args>
consteval auto Scan(const ScanRow& row, Args... list) {
  const exec::Arg args[] = {list...};
  const exec::DtypeSet listed = kNumbers | kComplex;
  const char* const dtype = row.has_dtype ? "dtype" : row.self;
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      PointersNotNull({list...}),
      exec::OnSocs(),
      Dtypes({row.self}, listed),
      ComputedDtypes({row.self}, listed, row.computed),
      Dtypes({dtype}, listed).If(row.has_dtype),
      ComputedDtypes({dtype}, listed, row.computed).If(row.has_dtype && (listed & row.computed) != listed),
      Dtypes({"out"}, listed),
      ComputedDtypes({"out"}, listed, row.computed),
      ScalarsAreReal({list...}),
      exec::SameDtype(dtype, "out"),
      exec::PlainFormat(row.self, "out"),
      exec::MaxRank(row.self, "out"),
      exec::ShapeIs("out", exec::SameShapeAs(row.self)),
      exec::AxesInRange("dim", row.self),
      exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf("out", (kFloats4 | kComplex) & row.computed, row.errors);
  about.accuracy.items[about.accuracy.count] = exec::Exact("out");
  about.accuracy.items[about.accuracy.count++].dtypes = kIntegers;
  return exec::MakeRecipe(about, args, steps);
}

PORTACL_ROW(Cumsum, opapi_math, "aclnn_cumsum.h",
            Scan({.about = {.formula = "self_0 + ... + self_i along dim",
                            .special = "Elements are converted to dtype first. Integers wrap modulo 2^n."},
                  .errors = kSumErrors},
                 kSelf, OneAxis("dim"), kDtype, kOut));

PORTACL_ROW(
    CumsumV2, opapi_math, "aclnn_cumsum.h",
    Scan({.about = {.formula =
                        "self_0 + ... + self_i along dim; exclusive: without self_i; reverse: from the last element on",
                    .special = "Integers wrap modulo 2^n.",
                    .socs = kMost},
          .errors = kSumErrors,
          .has_dtype = false},
         kSelf, OneAxis("dim"), Flag("exclusive"), Flag("reverse"), kOut));

PORTACL_ROW(Cumprod, opapi_math, "aclnn_cumprod.h",
            Scan({.about = {.formula = "input_0 * ... * input_i along dim",
                            .special = "Elements are converted to dtype first. Integers wrap modulo 2^n.",
                            .socs = kMost},
                  .errors = {0.51, 0.51, 0.51, 0.51, "any from where a product over- or underflows in float64"},
                  .computed = kComputed,
                  .self = "input"},
                 exec::In("input"), exec::Scalar("dim"), kDtype, kOut));

}  // namespace portacl::ops::scan
