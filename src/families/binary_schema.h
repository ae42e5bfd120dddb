// SPDX-License-Identifier: Apache-2.0
// Schemas of pointwise operators with two operands: two tensors that are broadcast, or a tensor and a scalar.
//
//   inline constexpr BinaryRow kMulRow = {.about = {.formula = "self * other", ...}, .errors = kOneRounding};
//   inline constexpr exec::SchemaOf kMul(Binary(kMulRow));
//   inline constexpr exec::SchemaOf kInplaceMul(InplaceBinary(kMulRow.Inplace("aclnnInplaceMul")));
//   inline constexpr exec::SchemaOf kMuls(Scaled(kMulRow.WithScalar("aclnnMuls")));
#pragma once

#include "families/pointwise_schema.h"

namespace portacl::families {

struct BinaryRow {
  exec::About about;
  exec::DtypeSet dtypes = kReal | kComplex;   // dtypes of both operands
  exec::DtypeSet promoted = {};               // their allowed common dtypes; empty: any
  exec::DtypeSet results = kReal | kComplex;  // dtypes of the output
  exec::DtypeSet computed = kAll;             // dtypes that are computed, among those that the page lists
  Errors errors = kExact;
  bool gives_bool = false;  // the result is BOOL for any operands, so any output can store it
  const char* self = "self";
  const char* other = "other";
  const char* out = "out";
  bool odd_const = false;          // the prototype has a const output; in place: a const selfRef
  bool scalar_first = false;       // with a scalar: `other` comes before `self`
  bool one_dtype = false;          // operands have the same dtype, and so has the output unless it is a truth value
  exec::Step attribute = kNoStep;  // the condition on an attribute

  // The variant that overwrites its first operand.
  consteval BinaryRow Inplace(bool is_const = false, const char* name = "selfRef") const {
    BinaryRow row = *this;
    row.self = name;
    row.odd_const = is_const;
    return row;
  }
  // The variant whose output has none of these dtypes.
  consteval BinaryRow Without(exec::DtypeSet dtypes_of_output) const {
    BinaryRow row = *this;
    row.results = row.results - dtypes_of_output;
    return row;
  }
  // The operator with the same header and another formula.
  consteval BinaryRow As(const char* formula) const {
    BinaryRow row = *this;
    row.about.formula = formula;
    return row;
  }
};

consteval exec::Arg OutputOf(const BinaryRow& row) {
  return row.odd_const ? exec::Const(exec::Out(row.out)) : exec::Out(row.out);
}
consteval exec::Arg InOutOf(const BinaryRow& row) {
  return row.odd_const ? exec::Const(exec::InOut(row.self)) : exec::InOut(row.self);
}
consteval exec::DtypeSet PromotedOf(const BinaryRow& row) {
  return (row.promoted.empty() ? kAll : row.promoted) & row.computed;
}
consteval bool LimitsPromotion(const BinaryRow& row) { return !row.promoted.empty() || row.gives_bool; }
// If the second operand has a factor, it is the first scalar of the call.
consteval exec::Step FactorFits(const BinaryRow& row, std::initializer_list<exec::Arg> attributes) {
  const exec::Refs scalars = NamesOf(attributes, IsScalar);
  return exec::ScalarFits(scalars.count == 0 ? exec::Ref(row.self) : scalars[0], {row.self, row.other})
      .If(scalars.count != 0);
}

// out = f(self, other), where self and other are broadcast.
template <class... Attributes>
consteval auto Binary(const BinaryRow& row, Attributes... attributes) {
  const exec::Arg args[] = {exec::In(row.self), exec::In(row.other), attributes..., OutputOf(row)};
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      PointersNotNull({exec::In(row.self), exec::In(row.other), attributes..., exec::Out(row.out)}),
      exec::OnSocs(),
      Dtypes({row.self}, row.dtypes),
      ComputedDtypes({row.self}, row.dtypes, row.computed),
      Dtypes({row.other}, row.dtypes),
      ComputedDtypes({row.other}, row.dtypes, row.computed),
      Dtypes({row.out}, row.results),
      ComputedDtypes({row.out}, row.results, row.computed),
      ScalarsAreNumbers({attributes...}, row.dtypes & row.computed),
      exec::PromotesOneOf({row.self, row.other}, PromotedOf(row)).If(LimitsPromotion(row)),
      FactorFits(row, {attributes...}),
      exec::SameDtype(row.self, row.other).If(row.one_dtype && row.gives_bool),
      exec::SameDtype(row.self, row.other, row.out).If(row.one_dtype && !row.gives_bool),
      exec::StoresTo({row.self, row.other}, row.out).If(!row.gives_bool && !row.one_dtype),
      exec::PlainFormat(row.self, row.other, row.out),
      exec::MaxRank(row.self, row.other, row.out),
      row.attribute,
      exec::ShapeIs(row.out, exec::BroadcastOf(row.self, row.other)),
      exec::EmptySucceeds(row.out)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.out, row.results & row.computed, row.errors);
  return PointwiseRecipe(about, args, steps);
}

// self = f(self, other), where other is broadcast to self.
template <class... Attributes>
consteval auto InplaceBinary(const BinaryRow& row, Attributes... attributes) {
  const exec::Arg args[] = {InOutOf(row), exec::In(row.other), attributes...};
  const exec::DtypeSet dtypes = row.dtypes & row.results;
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      exec::NotNull(row.self, row.other),
      exec::OnSocs(),
      exec::MaxRank(row.self, row.other),
      exec::ShapeIs(row.other, exec::BroadcastsTo(row.self)),
      PointersNotNull({attributes...}).If(NamesOf({attributes...}, IsRequiredPointer).count != 0),
      Dtypes({row.self}, dtypes),
      ComputedDtypes({row.self}, dtypes, row.computed),
      Dtypes({row.other}, row.dtypes),
      ComputedDtypes({row.other}, row.dtypes, row.computed),
      ScalarsAreNumbers({attributes...}, row.dtypes & row.computed),
      exec::PromotesOneOf({row.self, row.other}, PromotedOf(row)).If(LimitsPromotion(row)),
      FactorFits(row, {attributes...}),
      exec::StoresTo({row.self, row.other}, row.self).If(!row.gives_bool),
      exec::PlainFormat(row.self, row.other),
      row.attribute,
      exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.self, dtypes & row.computed, row.errors);
  return PointwiseRecipe(about, args, steps);
}

// out = f(self, other), with a tensor and a scalar.
template <class... Attributes>
consteval auto WithScalar(const BinaryRow& row, Attributes... attributes) {
  const exec::Arg other = exec::Scalar(row.other);
  const exec::Arg first = row.scalar_first ? other : exec::In(row.self);
  const exec::Arg second = row.scalar_first ? exec::In(row.self) : other;
  const exec::Arg args[] = {first, second, attributes..., OutputOf(row)};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({first, second, attributes..., exec::Out(row.out)}),
                              exec::OnSocs(),
                              Dtypes({row.self}, row.dtypes),
                              ComputedDtypes({row.self}, row.dtypes, row.computed),
                              Dtypes({row.out}, row.results),
                              ComputedDtypes({row.out}, row.results, row.computed),
                              ScalarsAreNumbers({other, attributes...}, row.dtypes & row.computed),
                              exec::PromotesOneOf({row.self, row.other}, PromotedOf(row)).If(LimitsPromotion(row)),
                              FactorFits(row, {attributes...}),
                              exec::StoresTo({row.self, row.other}, row.out).If(!row.gives_bool),
                              exec::PlainFormat(row.self, row.out),
                              exec::MaxRank(row.self, row.out),
                              row.attribute,
                              exec::ShapeIs(row.out, exec::SameShapeAs(row.self)),
                              exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.out, row.results & row.computed, row.errors);
  return PointwiseRecipe(about, args, steps);
}

template <class... Attributes>
consteval auto InplaceWithScalar(const BinaryRow& row, Attributes... attributes) {
  const exec::Arg other = exec::Scalar(row.other);
  const exec::Arg args[] = {InOutOf(row), other, attributes...};
  const exec::DtypeSet dtypes = row.dtypes & row.results;
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({exec::InOut(row.self), other, attributes...}),
                              exec::OnSocs(),
                              Dtypes({row.self}, dtypes),
                              ComputedDtypes({row.self}, dtypes, row.computed),
                              ScalarsAreNumbers({other, attributes...}, row.dtypes & row.computed),
                              exec::PromotesOneOf({row.self, row.other}, PromotedOf(row)).If(LimitsPromotion(row)),
                              FactorFits(row, {attributes...}),
                              exec::StoresTo({row.self, row.other}, row.self).If(!row.gives_bool),
                              exec::PlainFormat(row.self),
                              exec::MaxRank(row.self),
                              row.attribute,
                              exec::EmptySucceeds(row.self)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.self, dtypes & row.computed, row.errors);
  return PointwiseRecipe(about, args, steps);
}

}  // namespace portacl::families
