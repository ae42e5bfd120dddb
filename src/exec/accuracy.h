// SPDX-License-Identifier: Apache-2.0
// The accuracy that an operator promises, as data: the largest error of each output, by dtype and by target. The texts
// of the tool, the headers and the documents are generated from this data or compared with it, and every oracle judges
// results by it.
//
//   .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 1.5).WithoutFusion(2.1), exec::Ulp("out", kNarrow, 1)}
//
// Bind() refuses a schema in which a dtype of an output has no bound, or has two.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "base/target.h"
#include "exec/step.h"

namespace portacl::exec {

enum class ErrorUnit : uint8_t {
  kUlp,      // distance between neighbouring numbers of the dtype at the exact value
  kEpsilon,  // the distance at 1, times the exact value: a relative error
  kBits,     // the operator defines every bit
};

struct ErrorBound {
  const char* output;
  DtypeSet dtypes;  // dtypes of the output; empty: all that it may have
  ErrorUnit unit;
  double fused;                     // limit on targets with fused multiply-add
  double unfused;                   // limit on the other targets
  const char* term = nullptr;       // the unit is taken at this when it is larger: OracleCall::Terms
  const char* part = nullptr;       // the part of the output; the oracle numbers parts in the order of their bounds
  const char* attribute = nullptr;  // holds only where this attribute has one of `values`, a bit each
  uint32_t values = 0;
  aclDataType counted_in = ACL_DT_UNDEFINED;  // ULP are those of this dtype; undefined: of the dtype of the output
  DtypeSet zero_for_subnormals = {};          // 0 may stand for a result below the smallest normal number
  double not_nearest = 0.001;  // of 16-bit results of ordinary operands, the share that may be a neighbour

  constexpr double LimitOn(int64_t target) const { return HasFusedMultiplyAdd(target) ? fused : unfused; }
  constexpr bool Covers(aclDataType dtype) const { return dtypes.empty() || dtypes.Holds(dtype); }
  constexpr bool CoversValue(int64_t value) const { return value >= 0 && value < 32 && ((values >> value) & 1) != 0; }

  consteval ErrorBound WithoutFusion(double limit) const {
    ErrorBound bound = *this;
    bound.unfused = limit;
    return bound;
  }
  consteval ErrorBound OfTerm(const char* text) const {
    ErrorBound bound = *this;
    bound.term = text;
    return bound;
  }
  consteval ErrorBound InPart(const char* name) const {
    ErrorBound bound = *this;
    bound.part = name;
    return bound;
  }
  consteval ErrorBound Where(const char* name, std::initializer_list<int> list) const {
    ErrorBound bound = *this;
    bound.attribute = name;
    for (const int value : list) bound.values |= uint32_t{1} << value;
    return bound;
  }
  consteval ErrorBound CountedIn(aclDataType dtype) const {
    ErrorBound bound = *this;
    bound.counted_in = dtype;
    return bound;
  }
  consteval ErrorBound NearestBut(double share) const {
    ErrorBound bound = *this;
    bound.not_nearest = share;
    return bound;
  }
  consteval ErrorBound OrZeroForSubnormals(DtypeSet set) const {
    ErrorBound bound = *this;
    bound.zero_for_subnormals = set;
    return bound;
  }
};

consteval ErrorBound Ulp(const char* output, DtypeSet dtypes, double limit) {
  return {output, dtypes, ErrorUnit::kUlp, limit, limit};
}
consteval ErrorBound Epsilon(const char* output, DtypeSet dtypes, double limit) {
  return {output, dtypes, ErrorUnit::kEpsilon, limit, limit};
}
consteval ErrorBound Exact(const char* output, DtypeSet dtypes = {}) {
  return {output, dtypes, ErrorUnit::kBits, 0, 0};
}
consteval ErrorBound RoundedOnce(const char* output) { return {output, {}, ErrorUnit::kBits, 0.5, 0.5}; }

struct Accuracy {
  ErrorBound items[8] = {};
  int count = 0;

  constexpr Accuracy() = default;
  constexpr Accuracy(std::initializer_list<ErrorBound> list) {
    for (const ErrorBound& bound : list) items[count++] = bound;
  }
  constexpr const ErrorBound* begin() const { return items; }
  constexpr const ErrorBound* end() const { return items + count; }
};

namespace detail {

constexpr bool Names(const Step& step, std::string_view argument) {
  for (const Ref& ref : step.refs) {
    if (argument == ref.name) return true;
  }
  return false;
}

// The dtypes that the steps allow which name this argument; empty when no step names it.
constexpr DtypeSet ListedDtypesOf(std::span<const Step> steps, std::string_view argument) {
  DtypeSet dtypes;
  for (const Step& step : steps) {
    if (step.word != Word::kDtypeOneOf || !Names(step, argument)) continue;
    const DtypeSet listed = step.limits[0].dtypes | step.limits[1].dtypes;
    dtypes = dtypes.empty() ? listed : dtypes & listed;
  }
  return dtypes;
}

// The dtypes that the steps allow for an argument; empty when they do not say.
constexpr DtypeSet DtypesOf(std::span<const Step> steps, std::string_view argument) {
  DtypeSet dtypes = ListedDtypesOf(steps, argument);
  for (const Step& same : steps) {
    if (!dtypes.empty() || same.word != Word::kSameDtype || !Names(same, argument)) continue;
    for (const Ref& ref : same.refs) {
      if (dtypes.empty()) dtypes = ListedDtypesOf(steps, ref.name);
    }
  }
  return dtypes;
}

// The values that a step allows for an attribute, a bit each; 0 when no step limits them.
constexpr uint32_t ValuesOf(std::span<const Step> steps, std::string_view attribute) {
  uint32_t values = 0;
  for (const Step& step : steps) {
    if (step.word != Word::kValueOneOf || !Names(step, attribute)) continue;
    for (int i = 0; i < step.value_count; ++i) values |= uint32_t{1} << step.values[i];
  }
  return values;
}

// Throws unless one bound, or one for each part or value of an attribute, covers elements of this dtype.
constexpr void VerifyOneBound(std::span<const Step> steps, const Accuracy& accuracy, std::string_view output,
                              aclDataType dtype) {
  // A copy: with -fsanitize=undefined, GCC cannot compare an address with null in a constant expression.
  std::optional<ErrorBound> first;
  uint32_t values = 0;
  for (const ErrorBound& bound : accuracy) {
    if (output != bound.output || !bound.Covers(dtype)) continue;
    const bool both_parts = first && first->part != nullptr && bound.part != nullptr;
    const bool both_values = first && first->attribute != nullptr && bound.attribute != nullptr &&
                             std::string_view(first->attribute) == bound.attribute && (values & bound.values) == 0;
    if (first && !both_parts && !both_values) throw "a dtype of an output has two error bounds";
    if (!first) first = bound;
    values |= bound.values;
  }
  if (!first) throw "a dtype of an output has no error bound";
  if (first->attribute != nullptr && values != ValuesOf(steps, first->attribute))
    throw "error bounds do not cover the values of their attribute";
}

}  // namespace detail

// Throws unless every dtype that a written tensor may have is covered by exactly one bound.
constexpr void VerifyAccuracy(std::span<const Arg> args, std::span<const Step> steps, const Accuracy& accuracy) {
  for (const ErrorBound& bound : accuracy) {
    bool names_an_output = false;
    for (const Arg& arg : args) {
      names_an_output =
          names_an_output || (IsTensor(arg.kind) && arg.written() && std::string_view(bound.output) == arg.name);
    }
    if (!names_an_output) throw "an error bound names no tensor that is written";
    const DtypeSet dtypes = detail::DtypesOf(steps, bound.output);
    if ((bound.dtypes | dtypes) != dtypes) throw "an error bound is for a dtype that the output cannot have";
  }
  for (const Arg& arg : args) {
    if (!IsTensor(arg.kind) || !arg.written()) continue;
    const DtypeSet dtypes = detail::DtypesOf(steps, arg.name);
    if (dtypes.empty()) detail::VerifyOneBound(steps, accuracy, arg.name, ACL_DT_UNDEFINED);
    for (int dtype = 0; dtype < 64; ++dtype) {
      if (dtypes.Holds(static_cast<aclDataType>(dtype)))
        detail::VerifyOneBound(steps, accuracy, arg.name, static_cast<aclDataType>(dtype));
    }
  }
}

}  // namespace portacl::exec
