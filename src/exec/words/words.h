// SPDX-License-Identifier: Apache-2.0
// The words of a schema. Each makes one step; steps are checked in the order of the schema.
#pragma once

#include "exec/step.h"

namespace portacl::exec {

// The pointers are not null. For a list this includes its elements. "executor" and "workspaceSize" name the result
// pointers.
template <class... Names>
consteval Step NotNull(Names... names) {
  return {.word = Word::kNotNull, .status = kNullPointer, .refs = {Ref(names)...}};
}

// At least one of the optional arguments is given.
template <class... Names>
consteval Step NotAllNull(Names... names) {
  return {.word = Word::kNotAllNull, .status = kNullPointer, .refs = {Ref(names)...}};
}

// The SoC that is emulated has the operator (About::socs).
consteval Step OnSocs() { return {.word = Word::kOnSocs, .status = kNoKernel}; }

// The dtype of each operand, or the value of a dtype attribute, is in the set.
consteval Step DtypeOneOf(Refs refs, DtypeSet dtypes) {
  return {.word = Word::kDtypeOneOf, .refs = refs, .limits = {{.dtypes = dtypes}, {SocSet()}}};
}

// All operands have the dtype of the first.
template <class... Names>
consteval Step SameDtype(Names... names) {
  return {.word = Word::kSameDtype, .refs = {Ref(names)...}};
}

// The operands have a common type, and it is in the set. Only the category of a scalar matters.
consteval Step PromotesOneOf(Refs refs, DtypeSet dtypes) {
  return {.word = Word::kPromotesOneOf, .refs = refs, .limits = {{.dtypes = dtypes}, {SocSet()}}};
}

// The operands have a common type, and it can be cast to the dtype of `out`.
consteval Step PromotesTo(Refs refs, Ref out) { return {.word = Word::kPromotesTo, .refs = refs, .target = out}; }

// The same with the wider conversions of operators of families: floating values may be stored as integers, too.
consteval Step StoresTo(Refs refs, Ref out) { return {.word = Word::kStoresTo, .refs = refs, .target = out}; }

// The scalar can be a factor of operands with a common type: an integer for integers, an integer or BOOL for BOOL.
consteval Step ScalarFits(Ref scalar, Refs operands) {
  return {.word = Word::kScalarFits, .refs = operands, .target = scalar};
}

// ND, or a format that only labels the axes.
template <class... Names>
consteval Step PlainFormat(Names... names) {
  return {.word = Word::kPlainFormat, .refs = {Ref(names)...}};
}

// All operands have the same format, which is one of these.
consteval Step FormatOneOf(Refs refs, std::initializer_list<aclFormat> formats) {
  Step step{.word = Word::kFormatOneOf, .refs = refs};
  for (const aclFormat format : formats) step.values[step.value_count++] = format;
  return step;
}

// low <= rank <= high; no negative dim, stride or offset; element count and byte extent fit int64. Every tensor needs
// this step before any word that reads its shape.
consteval Step Rank(Refs refs, int low, int high) {
  return {.word = Word::kRank, .refs = refs, .limits = {{.low = low, .high = high}, {SocSet()}}};
}
template <class... Names>
consteval Step MaxRank(Names... names) {
  return Rank({Ref(names)...}, 0, kMaxRank);
}

// Every operand has at least one element.
template <class... Names>
consteval Step NotEmpty(Names... names) {
  return {.word = Word::kNotEmpty, .refs = {Ref(names)...}};
}

// The size of the tensor is not 0 along each axis that the attribute names: all axes if it is empty or absent.
consteval Step NotEmptyAlong(Ref tensor, Ref dims = {}) {
  return {.word = Word::kNotEmptyAlong, .refs = {tensor}, .target = dims};
}

// The elements of each tensor follow each other in row-major order.
template <class... Names>
consteval Step Contiguous(Names... names) {
  return {.word = Word::kContiguous, .refs = {Ref(names)...}};
}

// The sizes that Axis(x, i) or Length(list) name lie in [low, high]. Axes that the operand does not have are not
// checked.
consteval Step SizeInRange(Refs sizes, int64_t low, int64_t high) {
  return {.word = Word::kSizeInRange, .refs = sizes, .limits = {{.low = low, .high = high}, {SocSet()}}};
}

// The size of `x` along the axis that the attribute `dim` names is a multiple of `divisor`.
consteval Step DivisibleAlong(Ref x, Ref dim, int64_t divisor) {
  return {.word = Word::kDivisibleAlong, .refs = {x}, .target = dim, .limits = {{.low = divisor}, {SocSet()}}};
}

// All sizes equal the first; the second word also allows 1 for the others.
consteval Step SameSize(Refs sizes) { return {.word = Word::kSameSize, .refs = sizes}; }
consteval Step SameSizeOrOne(Refs sizes) { return {.word = Word::kSameSizeOrOne, .refs = sizes}; }

// The attribute names an axis of the tensor: -rank <= dim < rank. For a list, its first tensor that is not [0] is
// meant.
consteval Step DimInRange(Ref dim, Ref tensor) { return {.word = Word::kDimInRange, .refs = {dim}, .target = tensor}; }

// The integer, the scalar, or each element of the array names an axis of the tensor, and no two name the same axis. A
// tensor of rank 0 is treated as one of rank 1.
consteval Step AxesInRange(Ref dims, Ref tensor) {
  return {.word = Word::kAxesInRange, .refs = {dims}, .target = tensor};
}

consteval Step ValueOneOf(Ref attribute, std::initializer_list<int64_t> values) {
  Step step{.word = Word::kValueOneOf, .refs = {attribute}};
  for (int64_t value : values) step.values[step.value_count++] = value;
  return step;
}

// Each value >= low; NaN is refused. Arrays are checked element by element.
consteval Step ValueAtLeast(Refs attributes, double low) {
  return {.word = Word::kValueAtLeast, .refs = attributes, .real_low = low};
}
consteval Step ValueAtLeast(Ref attribute, double low) { return ValueAtLeast(Refs{attribute}, low); }

consteval Step AttributeIs(Ref attribute, int64_t value) {
  return {.word = Word::kAttributeIs, .refs = {attribute}, .values = {value}, .value_count = 1};
}

// A shape computed from other arguments. The first element of `refs` is left free for the operand that has the shape.
struct ShapeRule {
  ShapeWord word;
  Refs refs;
  Ref target = {};
};
// For a list: each tensor has the shape of the tensor with the same index in the list `x`.
consteval ShapeRule SameShapeAs(Ref x) { return {ShapeWord::kSameShapeAs, {Ref(), x}}; }
template <class... Names>
consteval ShapeRule BroadcastOf(Names... names) {
  return {ShapeWord::kBroadcastOf, {Ref(), Ref(names)...}};
}
// Any shape that is broadcast to that of `x`.
consteval ShapeRule BroadcastsTo(Ref x) { return {ShapeWord::kBroadcastsTo, {Ref(), x}}; }
consteval ShapeRule HalfAlong(Ref x, Ref dim) { return {ShapeWord::kHalfAlong, {Ref(), x}, dim}; }
consteval ShapeRule ConcatOf(Ref list, Ref dim) { return {ShapeWord::kConcatOf, {Ref(), list}, dim}; }
// The shape of the broadcast when the attribute is 0, otherwise one element (any shape with one element is accepted).
template <class... Names>
consteval ShapeRule ReducedBroadcastOf(Ref reduction, Names... names) {
  return {ShapeWord::kReducedBroadcastOf, {Ref(), Ref(names)...}, reduction};
}

// The shape of `x` without the axes that `dims` names (all if it is empty or absent), or with 1 in their place if the
// attribute `keep` is true. If the attribute `none` is true, an empty array names no axis. [] and [1] are the same
// shape here.
consteval ShapeRule ReducedAlong(Ref x, Ref dims = {}, Ref keep = {}, Ref none = {}) {
  ShapeRule rule{ShapeWord::kReducedAlong, {Ref(), x}, dims};
  for (const Ref& attribute : {keep, none}) {
    if (attribute.name != nullptr) rule.refs.items[rule.refs.count++] = attribute;
  }
  return rule;
}

consteval Step ShapeIs(Ref operand, ShapeRule rule) {
  Step step{.word = Word::kShapeIs, .refs = rule.refs, .target = rule.target, .shape = rule.word};
  step.refs.items[0] = operand;
  return step;
}

// A rule of one room; `name` describes it in a few words for lists of checks.
consteval Step Custom(const char* name, CustomCheck check) {
  return {.word = Word::kCustom, .custom_name = name, .custom = check};
}

// If one of these operands has no elements, phase 1 ends here with workspace 0 and an executor whose run does nothing.
template <class... Names>
consteval Step EmptySucceeds(Names... names) {
  return {.word = Word::kEmptySucceeds, .status = kSuccess, .refs = {Ref(names)...}};
}

}  // namespace portacl::exec
