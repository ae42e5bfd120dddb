// SPDX-License-Identifier: Apache-2.0
// Schemas of pointwise operators, by the kind of their signature.
//
//   inline constexpr exec::SchemaOf kSqrt(families::Unary({.about = {.api = "aclnnSqrt", ...}, .dtypes = kReal,
//                                                          .results = kFloats4, .errors = families::kOneRounding}));
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::families {

// ULP of each kind of floating result; 0.5 is one rounding, 0 says that every bit is defined.
struct Errors {
  double single;               // FLOAT
  double unfused;              // FLOAT, on targets without fused multiply-add
  double narrow;               // FLOAT16 and BFLOAT16
  double real;                 // DOUBLE
  const char* term = nullptr;  // as of an ErrorBound, in FLOAT and DOUBLE
};
inline constexpr Errors kExact = {0, 0, 0, 0};
inline constexpr Errors kOneRounding = {0.5, 0.5, 0.5, 0.5};
inline constexpr Errors kTranscendental = {2, 2, 0.51, 2};

// The bounds of an output that may have these dtypes. Integers are truncated from results with the error of FLOAT.
consteval exec::Accuracy AccuracyOf(const char* output, exec::DtypeSet dtypes, Errors errors) {
  if (errors.single <= 0.5 && errors.real <= 0.5) {
    return {errors.single == 0 ? exec::Exact(output) : exec::RoundedOnce(output)};
  }
  exec::Accuracy accuracy;
  const auto add = [&](exec::DtypeSet set, double fused, double unfused) {
    if ((dtypes & set).empty()) return;
    exec::ErrorBound bound = exec::Ulp(output, dtypes & set, fused).WithoutFusion(unfused);
    if (errors.term != nullptr) bound = bound.OfTerm(errors.term);
    accuracy.items[accuracy.count++] = bound;
  };
  add({ACL_FLOAT}, errors.single, errors.unfused);
  add(kNarrow, errors.narrow, errors.narrow);
  add({ACL_DOUBLE}, errors.real, errors.real);
  add(kWhole, errors.single, errors.unfused);
  return accuracy;
}

// Arguments between the tensors, and what steps say of them.
consteval exec::Refs NamesOf(std::initializer_list<exec::Arg> args, bool (*which)(const exec::Arg&)) {
  exec::Refs refs;
  for (const exec::Arg& arg : args) {
    if (which(arg)) refs.items[refs.count++] = exec::Ref(arg.name);
  }
  return refs;
}
constexpr bool IsRequiredPointer(const exec::Arg& arg) { return exec::IsPointer(arg.kind) && !arg.optional; }
constexpr bool IsScalar(const exec::Arg& arg) { return arg.kind == exec::ValueKind::kScalar; }
consteval exec::Step PointersNotNull(std::initializer_list<exec::Arg> args) {
  return {.word = exec::Word::kNotNull, .status = exec::kNullPointer, .refs = NamesOf(args, IsRequiredPointer)};
}
consteval exec::Step ScalarsAreReal(std::initializer_list<exec::Arg> args) {
  const exec::Refs scalars = NamesOf(args, IsScalar);
  return exec::DtypeOneOf(scalars, kReal | kWideUnsigned).If(scalars.count != 0);
}

// One tensor in, one of its shape out.
struct UnaryRow {
  exec::About about;
  exec::DtypeSet dtypes;        // of the input, as the page lists them
  exec::DtypeSet results = {};  // of the output; empty: it has the dtype of the input
  Errors errors = kExact;
  const char* self = "self";
  const char* out = "out";
  bool odd_const = false;  // the prototype has a const output; in place: a const selfRef
};

template <class... Attributes>
consteval auto Unary(const UnaryRow& row, Attributes... attributes) {
  const exec::Arg out = row.odd_const ? exec::Const(exec::Out(row.out)) : exec::Out(row.out);
  const exec::Arg args[] = {exec::In(row.self), attributes..., out};
  const exec::DtypeSet results = row.results.empty() ? row.dtypes : row.results;
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      PointersNotNull({exec::In(row.self), attributes..., out}),
      exec::OnProducts(),
      Dtypes({row.self}, row.dtypes),
      ComputedDtypes({row.self}, row.dtypes),
      Dtypes({row.out}, results),
      ComputedDtypes({row.out}, results),
      ScalarsAreReal({attributes...}),
      row.results.empty() ? exec::SameDtype(row.self, row.out) : exec::StoresTo({row.self}, row.out),
      exec::PlainFormat(row.self, row.out),
      exec::MaxRank(row.self, row.out),
      exec::ShapeIs(row.out, exec::SameShapeAs(row.self)),
      exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.out, results & kComputed, row.errors);
  return exec::MakeRecipe(about, args, steps);
}

// The same, written over its input. `self` is the name of the tensor, `results` and `out` do not count.
template <class... Attributes>
consteval auto InplaceUnary(const UnaryRow& row, Attributes... attributes) {
  const exec::Arg self = row.odd_const ? exec::Const(exec::InOut(row.self)) : exec::InOut(row.self);
  const exec::Arg args[] = {self, attributes...};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({self, attributes...}),
                              exec::OnProducts(),
                              Dtypes({row.self}, row.dtypes),
                              ComputedDtypes({row.self}, row.dtypes),
                              ScalarsAreReal({attributes...}),
                              exec::PlainFormat(row.self),
                              exec::MaxRank(row.self),
                              exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.self, row.dtypes & kComputed, row.errors);
  return exec::MakeRecipe(about, args, steps);
}

}  // namespace portacl::families
