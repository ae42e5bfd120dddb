// SPDX-License-Identifier: Apache-2.0
// Schemas of pointwise operators, by the kind of their signature.
//
//   inline constexpr exec::SchemaOf kSqrt(families::Unary({.about = {.api = "aclnnSqrt", ...}, .dtypes = kReal,
//                                                          .results = kFloats4, .errors = families::kOneRounding}));
#pragma once

#include <algorithm>
#include <cstddef>

#include "exec/schema.h"
#include "families/dtypes.h"
#include "families/part_dtype.h"
#include "families/pointwise.h"

namespace portacl::families {

// The largest error in ULP for each kind of floating result; 0: every bit is defined.
struct Errors {
  double single;                      // FLOAT
  double unfused;                     // FLOAT, on targets without fused multiply-add
  double narrow;                      // FLOAT16 and BFLOAT16
  double real;                        // DOUBLE
  const char* term = nullptr;         // as in ErrorBound, for FLOAT and DOUBLE
  const char* narrow_term = nullptr;  // the same for FLOAT16 and BFLOAT16, if it differs
  double complex64 = 0;               // for both parts, if more than for FLOAT
  double complex128 = 0;
  double not_nearest = 0.001;  // as in ErrorBound

  consteval Errors NearestBut(double share) const {
    Errors errors = *this;
    errors.not_nearest = share;
    return errors;
  }
  // For a formula that also supports complex numbers. The unit is that of the modulus, as a part may cancel.
  consteval Errors OfComplex(double complex64_limit, double complex128_limit) const {
    Errors errors = *this;
    errors.complex64 = complex64_limit;
    errors.complex128 = complex128_limit;
    if (term == nullptr) errors.term = "the modulus of a complex result";
    return errors;
  }
};
inline constexpr Errors kExact = {0, 0, 0, 0};
inline constexpr Errors kOneRounding = {0.501, 0.501, 0.51, 1};  // and one more if dtypes differ
inline constexpr Errors kTranscendental = {2, 2, 0.51, 2};

consteval exec::Accuracy WithBound(exec::Accuracy accuracy, const char* output, exec::DtypeSet dtypes, double fused,
                                   double unfused, const char* term) {
  if (dtypes.empty()) return accuracy;
  exec::ErrorBound bound = exec::Ulp(output, dtypes, fused).WithoutFusion(unfused);
  if (term != nullptr) bound = bound.OfTerm(term);
  if ((dtypes & kWhole) == dtypes) bound = bound.CountedIn(ACL_FLOAT);
  accuracy.items[accuracy.count++] = bound;
  return accuracy;
}

consteval exec::Accuracy WithComplexBounds(exec::Accuracy accuracy, const char* output, exec::DtypeSet dtypes,
                                           Errors errors) {
  accuracy =
      WithBound(accuracy, output, dtypes & exec::DtypeSet{ACL_COMPLEX64}, std::max(errors.single, errors.complex64),
                std::max(errors.unfused, errors.complex64), errors.term);
  const double limit = std::max(errors.real, errors.complex128);
  return WithBound(accuracy, output, dtypes & exec::DtypeSet{ACL_COMPLEX128}, limit, limit, errors.term);
}

// The error bounds of an output that may have these dtypes. Integers are truncated from results with the error of
// FLOAT.
consteval exec::Accuracy AccuracyOf(const char* output, exec::DtypeSet dtypes, Errors errors) {
  if (errors.single == 0 && errors.complex64 == 0) return {exec::Exact(output)};
  exec::Accuracy accuracy;
  if (errors.single == 0) {
    accuracy = {exec::Exact(output)};
    accuracy.items[0].dtypes = dtypes - kComplex;
    return WithComplexBounds(accuracy, output, dtypes, errors);
  }
  accuracy =
      WithBound(accuracy, output, dtypes & exec::DtypeSet{ACL_FLOAT}, errors.single, errors.unfused, errors.term);
  accuracy = WithBound(accuracy, output, dtypes & kNarrow, errors.narrow, errors.narrow,
                       errors.narrow_term != nullptr ? errors.narrow_term : errors.term);
  if (!(dtypes & kNarrow).empty()) accuracy.items[accuracy.count - 1].not_nearest = errors.not_nearest;
  const exec::DtypeSet real = dtypes & exec::DtypeSet{ACL_DOUBLE};
  accuracy = WithBound(accuracy, output, real, errors.real, errors.real, errors.term);
  if (!real.empty() &&
      errors.complex128 > errors.real) {  // the real part of a complex result has the same bound as the other part
    accuracy.items[accuracy.count - 1].part = "results of real operands";
    accuracy = WithBound(accuracy, output, real, errors.complex128, errors.complex128, errors.term);
    accuracy.items[accuracy.count - 1].part = "real parts of complex results";
  }
  accuracy = WithComplexBounds(accuracy, output, dtypes, errors);
  return WithBound(accuracy, output, dtypes & kWhole, errors.single, errors.unfused, errors.term);
}

// The arguments between the tensors, and steps about them.
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
// Scalars may be complex where the tensors may be.
consteval exec::Step ScalarsAreNumbers(std::initializer_list<exec::Arg> args, exec::DtypeSet dtypes) {
  const exec::Refs scalars = NamesOf(args, IsScalar);
  return exec::DtypeOneOf(scalars, kReal | kWideUnsigned | (dtypes & kComplex)).If(scalars.count != 0);
}

// If there are optional arguments, at least one of them is given.
constexpr bool IsOptional(const exec::Arg& arg) { return arg.optional; }
consteval exec::Step OneIsGiven(std::initializer_list<exec::Arg> args) {
  const exec::Refs optional = NamesOf(args, IsOptional);
  return exec::Step{.word = exec::Word::kNotAllNull, .status = exec::kNullPointer, .refs = optional}.If(
      optional.count != 0);
}

// The parts of a schema for PlanPointwise. A schema with more tensors or numbers than that supports does not compile.
template <size_t kArgs, size_t kSteps>
consteval auto PointwiseRecipe(const exec::About& about, const exec::Arg (&args)[kArgs],
                               const exec::Step (&steps)[kSteps]) {
  if (!FitsPointwise(args, steps)) throw "PlanPointwise takes fewer tensors, or fewer numbers";
  return exec::MakeRecipe(about, args, steps);
}

inline constexpr exec::Step kNoStep = {.word = exec::Word::kCustom, .left_out = true};

// A row with one input tensor and an output of the same shape.
struct UnaryRow {
  exec::About about;
  exec::DtypeSet dtypes;        // dtypes of the input, as listed on the page
  exec::DtypeSet results = {};  // dtypes of the output; empty: it has the dtype of the input
  Errors errors = kExact;
  const char* self = "self";
  const char* out = "out";
  bool odd_const = false;                // the prototype has a const output; in place: a const selfRef
  exec::DtypeSet without_bfloat16 = {};  // dtypes of the input on SoCs without BFLOAT16; empty: from `dtypes`
  bool gives_bool = false;               // the result is BOOL for any input, so any output can store it
  exec::Step attribute = kNoStep;        // the condition on an attribute
  bool scalars_promote = false;          // scalars take part in the choice of the computed dtype
  bool gives_parts = false;              // complex inputs give real results; those of FLOAT are rounded once
  exec::DtypeSet computed = kAll;        // dtypes that are computed, among those that the page lists

  // The variant that overwrites its input, for these dtypes.
  consteval UnaryRow Inplace(exec::DtypeSet set, const char* name = "selfRef", bool is_const = false) const {
    UnaryRow row = *this;
    row.dtypes = set;
    row.self = name;
    row.odd_const = is_const;
    return row;
  }
};

consteval exec::Step InputDtypes(const UnaryRow& row) {
  if (row.without_bfloat16.empty()) return Dtypes({row.self}, row.dtypes);
  return exec::DtypeOneOf({row.self}, row.dtypes).On(kWithoutBfloat16, row.without_bfloat16);
}

// The common dtype of the tensor and of promoting scalars can be stored as `out`.
consteval exec::Step ResultStores(const UnaryRow& row, std::initializer_list<exec::Arg> attributes, const char* out) {
  exec::Refs operands = {row.self};
  if (row.scalars_promote) {
    for (const exec::Ref& scalar : NamesOf(attributes, IsScalar)) operands.items[operands.count++] = scalar;
  }
  return exec::StoresTo(operands, out);
}

template <class... Attributes>
consteval auto Unary(const UnaryRow& row, Attributes... attributes) {
  const exec::Arg out = row.odd_const ? exec::Const(exec::Out(row.out)) : exec::Out(row.out);
  const exec::Arg args[] = {exec::In(row.self), attributes..., out};
  const exec::DtypeSet results = row.results.empty() ? row.dtypes : row.results;
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({exec::In(row.self), attributes..., out}),
                              OneIsGiven({attributes...}),
                              exec::OnSocs(),
                              InputDtypes(row),
                              ComputedDtypes({row.self}, row.dtypes, row.computed),
                              Dtypes({row.out}, results),
                              ComputedDtypes({row.out}, results, row.computed),
                              ScalarsAreReal({attributes...}),
                              (row.gives_parts ? exec::Custom("out: the dtype of self, or of its parts", CheckPart)
                               : row.results.empty() ? exec::SameDtype(row.self, row.out)
                                                     : ResultStores(row, {attributes...}, row.out))
                                  .If(!row.gives_bool),
                              exec::PlainFormat(row.self, row.out),
                              exec::MaxRank(row.self, row.out),
                              row.attribute,
                              exec::ShapeIs(row.out, exec::SameShapeAs(row.self)),
                              exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.out, results & row.computed, row.errors);
  if (row.gives_parts) {
    exec::ErrorBound exact = exec::Exact(row.out);
    exact.dtypes = results - exec::DtypeSet{ACL_FLOAT};
    about.accuracy = {exec::Ulp(row.out, {ACL_FLOAT}, kOneRounding.single), exact};
  }
  return PointwiseRecipe(about, args, steps);
}

// The same for a row made by UnaryRow::Inplace; `results` and `out` are ignored.
template <class... Attributes>
consteval auto InplaceUnary(const UnaryRow& row, Attributes... attributes) {
  const exec::Arg self = row.odd_const ? exec::Const(exec::InOut(row.self)) : exec::InOut(row.self);
  const exec::Arg args[] = {self, attributes...};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({self, attributes...}),
                              exec::OnSocs(),
                              InputDtypes(row),
                              ComputedDtypes({row.self}, row.dtypes, row.computed),
                              ScalarsAreReal({attributes...}),
                              ResultStores(row, {attributes...}, row.self).If(row.scalars_promote),
                              exec::PlainFormat(row.self),
                              exec::MaxRank(row.self),
                              row.attribute,
                              exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.self, row.dtypes & row.computed, row.errors);
  return PointwiseRecipe(about, args, steps);
}

}  // namespace portacl::families
