// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <string_view>

#include "families/random_schema.h"

namespace portacl::ops::random {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// from, to and their difference are representable in the dtype, and from <= to.
aclnnStatus CheckBounds(const exec::Arguments& arguments, const exec::Step& step);
/// from is less than to.
aclnnStatus CheckRange(const exec::Arguments& arguments, const exec::Step& step);
/// prob is a probability.
aclnnStatus CheckProbability(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr const char* kStream =
    "u depends only on seed, offset and the index of the element in row-major order: Philox4x32-10 with seed as its "
    "key and offset as the upper half of its counter, four words of 32 bits for each value of the lower half. Calls "
    "with different offsets have no words in common. FLOAT, FLOAT16, BFLOAT16 and types of up to 16 bits take the "
    "first 24 bits of a word each, others 53 bits of two. The numbers are not those of an NPU.";
inline constexpr const char* kStreamOfTensors =
    "As the operator with seed and offset as numbers: seed is the element of seedTensor, and the offset is the sum of "
    "that of offsetTensor and of offset. They are read when the call runs.";

struct RandomRow {
  exec::About about;
  exec::DtypeSet dtypes;
  exec::Accuracy accuracy;
  exec::Step scalars = kNoStep;     // the dtype of a scalar
  exec::Step attributes = kNoStep;  // the condition on attributes
  const char* out = "selfRef";      // the written tensor
  const char* first = nullptr;      // tensors that are read, with their dtypes and the conditions on shapes
  exec::DtypeSet first_dtypes = kFloats4;
  const char* second = nullptr;
  exec::DtypeSet second_dtypes = kFloats4;
  exec::Step shape = kNoStep;
  exec::Step out_shape = kNoStep;
  bool has_seed_tensors = false;

  // The row whose seeds are in tensors.
  consteval RandomRow Tensors() const {
    RandomRow row = *this;
    row.about.special = kStreamOfTensors;
    row.about.socs = kNewer;
    row.has_seed_tensors = true;
    return row;
  }
};

template <class... Args>
consteval auto Random(const RandomRow& row, Args... list) {
  const exec::Arg args[] = {list...};
  const bool is_in_place = std::string_view(row.out) == "selfRef";
  const char* const first = row.first == nullptr ? row.out : row.first;
  const char* const second = row.second == nullptr ? row.out : row.second;
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({list...}),
                              exec::OnSocs(),
                              Dtypes({row.out}, row.dtypes).If(is_in_place),
                              Dtypes({first}, row.first_dtypes).If(row.first != nullptr),
                              Dtypes({second}, row.second_dtypes).If(row.second != nullptr),
                              exec::DtypeOneOf({"seedTensor", "offsetTensor"}, {ACL_INT64}).If(row.has_seed_tensors),
                              Dtypes({row.out}, row.dtypes).If(!is_in_place),
                              row.scalars,
                              exec::PlainFormat(row.out).If(is_in_place),
                              exec::PlainFormat(first).If(row.first != nullptr),
                              exec::PlainFormat(second).If(row.second != nullptr),
                              exec::PlainFormat("seedTensor", "offsetTensor").If(row.has_seed_tensors),
                              exec::PlainFormat(row.out).If(!is_in_place),
                              exec::MaxRank(row.out).If(is_in_place),
                              exec::MaxRank(first).If(row.first != nullptr),
                              exec::MaxRank(second).If(row.second != nullptr),
                              exec::MaxRank("seedTensor", "offsetTensor").If(row.has_seed_tensors),
                              exec::MaxRank(row.out).If(!is_in_place),
                              row.attributes,
                              row.shape,
                              row.out_shape,
                              SeedTensorsHaveOneElement().If(row.has_seed_tensors),
                              exec::EmptySucceeds(row.out)};
  exec::About about = row.about;
  if (std::string_view(about.special).empty()) about.special = kStream;
  about.accuracy = row.accuracy;
  return exec::MakeRecipe(about, args, steps);
}

inline constexpr exec::Arg kWritten = exec::OnlyWritten(exec::Const(exec::InOut("selfRef")));
consteval exec::Arg Word(const char* name) { return exec::Attribute(name, exec::ValueKind::kUInt64); }
consteval exec::Arg Real(const char* name) { return exec::Attribute(name, exec::ValueKind::kFloat); }
consteval exec::Arg Wide(const char* name) { return exec::Attribute(name, exec::ValueKind::kDouble); }
inline constexpr exec::Arg kSeed = OneAxis("seed");
inline constexpr exec::Arg kOffset = OneAxis("offset");

inline constexpr RandomRow kUniformRow = {
    .about = {.formula = "from + u * (to - from) for uniform u in [0, 1), in float64; the largest number below to "
                         "where that is rounded to it; rounded down in integers",
              .socs = kMost},
    .dtypes = kFloats4 | kIntegers,
    .accuracy = {exec::Exact("selfRef")},
    .attributes = Settles(exec::Custom("from: at most to, and both and to - from numbers of the dtype", CheckBounds),
                          {"from", "to"})};
PORTACL_ROW(InplaceUniform, opapi_math, "aclnn_uniform.h",
            Random(kUniformRow, kWritten, Wide("from"), Wide("to"), Word("seed"), Word("offset")));
PORTACL_ROW(InplaceUniformTensor, opapi_math, "aclnn_uniform.h",
            Random(kUniformRow.Tensors(), kWritten, Wide("from"), Wide("to"), kSeedTensor, kOffsetTensor, kOffset));

inline constexpr const char* kNormalFormula =
    "mean + std * z for normal z of two u each: sqrt(-2 ln(1 - u1)) times cos(2 pi u2) at even indices, times sin(2 pi "
    "u2) at odd ones";

consteval exec::Accuracy NormalAccuracy(const char* out) {
  constexpr const char* kTerm = "2^-16 of mean and of std * sqrt(-2 ln(1 - u1))";
  return {exec::Ulp(out, kFloats3, 0.51).OfTerm(kTerm),
          exec::Ulp(out, {ACL_DOUBLE}, 8).OfTerm("mean and std * sqrt(-2 ln(1 - u1))")};
}

inline constexpr RandomRow kNormalRow = {.about = {.formula = kNormalFormula, .socs = kNot310P},
                                         .dtypes = kFloats4,
                                         .accuracy = NormalAccuracy("selfRef"),
                                         .attributes = exec::ValueAtLeast("std", 0)};
PORTACL_ROW(InplaceNormal, opapi_math, "aclnn_normal.h",
            Random(kNormalRow, kWritten, Real("mean"), Real("std"), kSeed, kOffset));
PORTACL_ROW(InplaceNormalTensor, opapi_math, "aclnn_normal.h",
            Random(kNormalRow.Tensors(), kWritten, Real("mean"), Real("std"), kSeedTensor, kOffsetTensor, kOffset));

// The row of a normal distribution some of whose parameters are tensors.
consteval RandomRow NormalOutRow(exec::Step attribute, const char* first, const char* second, exec::Step shape) {
  return {.about = {.formula = kNormalFormula, .socs = kNewer},
          .dtypes = kFloats4,
          .accuracy = NormalAccuracy("out"),
          .attributes = attribute,
          .out = "out",
          .first = first,
          .second = second,
          .out_shape = shape};
}
PORTACL_ROW(NormalFloatFloat, opapi_math, "aclnn_normal_out.h",
            Random(NormalOutRow(exec::ValueAtLeast("std", 0), nullptr, nullptr, kNoStep), Real("mean"), Real("std"),
                   kSeed, kOffset, kOut));
PORTACL_ROW(NormalFloatTensor, opapi_math, "aclnn_normal_out.h",
            Random(NormalOutRow(kNoStep, "std", nullptr, exec::ShapeIs("out", exec::SameShapeAs("std"))), Real("mean"),
                   exec::In("std"), kSeed, kOffset, kOut));
PORTACL_ROW(NormalTensorFloat, opapi_math, "aclnn_normal_out.h",
            Random(NormalOutRow(exec::ValueAtLeast("std", 0), "mean", nullptr,
                                exec::ShapeIs("out", exec::SameShapeAs("mean"))),
                   exec::In("mean"), Real("std"), kSeed, kOffset, kOut));
PORTACL_ROW(NormalTensorTensor, opapi_math, "aclnn_normal_out.h",
            Random(NormalOutRow(kNoStep, "mean", "std", exec::ShapeIs("out", exec::BroadcastOf("mean", "std"))),
                   exec::In("mean"), exec::In("std"), kSeed, kOffset, kOut));

// Bernoulli numbers in place, and those with the shape of self.
consteval RandomRow BernoulliRow(const char* out) {
  return {.about = {.formula = "1 where u < prob for uniform u in [0, 1), 0 elsewhere", .socs = kMost},
          .dtypes = kReal,
          .accuracy = {exec::Exact(out)},
          .scalars = exec::DtypeOneOf({"prob"}, kReal),
          .attributes = Settles(exec::Custom("prob: from 0 to 1", CheckProbability), {"prob"}),
          .out = out};
}
consteval RandomRow WithShapeOfSelf(RandomRow row) {
  row.first = "self";
  row.first_dtypes = kReal;
  row.out_shape = exec::ShapeIs("out", exec::SameShapeAs("self"));
  return row;
}
PORTACL_ROW(InplaceBernoulli, opapi_math, "aclnn_bernoulli.h",
            Random(BernoulliRow("selfRef"), kWritten, exec::Scalar("prob"), kSeed, kOffset));
PORTACL_ROW(Bernoulli, opapi_math, "aclnn_bernoulli.h",
            Random(WithShapeOfSelf(BernoulliRow("out")), exec::In("self"), exec::Scalar("prob"), kSeed, kOffset, kOut));

inline constexpr const char* kProbabilitiesSpecial =
    "prob is data: where an element is not a number from 0 to 1, the others are computed and the stream reports "
    "507015. u is that of aclnnInplaceBernoulli with the dtype of the result.";
consteval RandomRow BernoulliTensorRow(const char* out) {
  RandomRow row = BernoulliRow(out);
  row.about.special = kProbabilitiesSpecial;
  row.scalars = row.attributes = kNoStep;
  return row;
}
consteval RandomRow InplaceBernoulliTensorRow() {
  RandomRow row = BernoulliTensorRow("selfRef");
  row.about.socs = kNot310P;
  row.first = "prob";
  row.shape = exec::ShapeIs("prob", exec::BroadcastsTo("selfRef"));
  return row;
}
consteval RandomRow BernoulliTensorOutRow() {
  RandomRow row = WithShapeOfSelf(BernoulliTensorRow("out"));
  row.second = "prob";
  row.second_dtypes = kReal;
  row.shape = exec::ShapeIs("prob", exec::BroadcastsTo("self"));
  return row;
}
PORTACL_ROW(InplaceBernoulliTensor, opapi_math, "aclnn_bernoulli.h",
            Random(InplaceBernoulliTensorRow(), kWritten, exec::In("prob"), kSeed, kOffset));
PORTACL_ROW(BernoulliTensor, opapi_math, "aclnn_bernoulli.h",
            Random(BernoulliTensorOutRow(), exec::In("self"), exec::In("prob"), kSeed, kOffset, kOut));

inline constexpr RandomRow kRandomRow = {
    .about = {.formula = "an integer from `from` to `to` - 1, each as probable as the others",
              .special = "Element i is from + floor(w * (to - from) / 2^32) for word i of the stream of "
                         "aclnnInplaceUniform, or, of "
                         "more than 2^32 integers, from + floor(d * (to - from) / 2^64) for d = word 2i + 2^32 * word "
                         "2i+1. It is converted to the dtype: rounded in floats, modulo 2^n in integers.",
              .socs = kNot310P},
    .dtypes = kReal | kComplex,
    .accuracy = {exec::Exact("selfRef")},
    .attributes = Settles(exec::Custom("from: less than to", CheckRange), {"from", "to"})};
PORTACL_ROW(InplaceRandom, opapi_math, "aclnn_random.h",
            Random(kRandomRow, kWritten, OneAxis("from"), OneAxis("to"), kSeed, kOffset));
PORTACL_ROW(InplaceRandomTensor, opapi_math, "aclnn_random.h",
            Random(kRandomRow.Tensors(), kWritten, OneAxis("from"), OneAxis("to"), kSeedTensor, kOffsetTensor,
                   kOffset));

inline constexpr RandomRow kWithoutFromToRow = {
    .about = {.formula =
                  "an integer from 0 to the largest one up to which the dtype holds all, each as probable as the "
                  "others",
              .special = "The largest is that of an integer dtype, 1 in BOOL, 2^24 in FLOAT and COMPLEX64, 2^11 in "
                         "FLOAT16, 2^8 in BFLOAT16, 2^53 in DOUBLE and COMPLEX128. The numbers are those of "
                         "aclnnInplaceRandom with `from` 0 and the next integer as `to`.",
              .socs = kNewer},
    .dtypes = kReal | kComplex,
    .accuracy = {exec::Exact("selfRef")}};
PORTACL_ROW(InplaceRandomWithoutFromTo, opapi_math, "aclnn_random.h",
            Random(kWithoutFromToRow, kWritten, kSeed, kOffset));
PORTACL_ROW(InplaceRandomWithoutFromToTensor, opapi_math, "aclnn_random.h",
            Random(kWithoutFromToRow.Tensors(), kWritten, kSeedTensor, kOffsetTensor, kOffset));

}  // namespace portacl::ops::random
