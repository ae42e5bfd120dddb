// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"
#include "families/random_schema.h"

namespace portacl::ops::sample {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// `n` is not negative, and the dtype of out holds all integers below it.
aclnnStatus CheckCount(const exec::Arguments& arguments, const exec::Step& step);
bool PermutationShape(const exec::Arguments& arguments, Shape* shape);
/// A row of weights has at least one element, at most 2^24, and as many as are drawn without replacement.
aclnnStatus CheckSamples(const exec::Arguments& arguments, const exec::Step& step);
bool DrawnShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr const char* kOfTensors =
    "As the operator with seed and offset as numbers: seed is the element of seedTensor, and the offset is the sum of "
    "that of offsetTensor and of offset. They are read when the call runs.";

// The operator reads `self` if it is not null, and has these checks of attributes and of shapes.
template <class... Args>
consteval auto Drawing(const exec::About& row, const char* self, exec::DtypeSet dtypes, const exec::Step& attributes,
                       const exec::Step& more_attributes, const exec::Step& shape, Args... list) {
  const exec::Arg args[] = {list...};
  bool has_seeds = false;
  for (const exec::Arg& arg : args) has_seeds = has_seeds || std::string_view(arg.name) == "seedTensor";
  const char* const first = self == nullptr ? "out" : self;
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({list...}),
                              exec::OnSocs(),
                              Dtypes({first}, kFloats4).If(self != nullptr),
                              exec::DtypeOneOf({"seedTensor", "offsetTensor"}, {ACL_INT64}).If(has_seeds),
                              Dtypes({"out"}, dtypes),
                              exec::PlainFormat(first).If(self != nullptr),
                              exec::PlainFormat("seedTensor", "offsetTensor").If(has_seeds),
                              exec::PlainFormat("out"),
                              exec::Rank({first}, 1, 2).If(self != nullptr),
                              exec::MaxRank("seedTensor", "offsetTensor").If(has_seeds),
                              exec::MaxRank("out"),
                              attributes,
                              more_attributes,
                              shape,
                              SeedTensorsHaveOneElement().If(has_seeds),
                              exec::EmptySucceeds("out")};
  exec::About about = row;
  if (has_seeds) {
    about.special = kOfTensors;
    about.socs = kNewer;
  }
  about.accuracy = {exec::Exact("out")};
  return exec::MakeRecipe(about, args, steps);
}

template <class... Args>
consteval auto Permutation(Args... list) {
  return Drawing(
      {.formula = "the integers from 0 to n - 1 in an order that is drawn",
       .special = "They are sorted by d_j, word 2j of the stream of aclnnInplaceUniform + 2^32 * word 2j+1. n "
                  "is at most the number of integers from 0 on that the dtype of out holds without a gap, "
                  "2049 in FLOAT16. The numbers are not those of an NPU.",
       .socs = kNot310P},
      nullptr, kFloats4 | kIntegers,
      Settles(exec::Custom("n: at least 0, and no more integers than the dtype of out holds", CheckCount), {"n"}),
      kNoStep, ShapeFrom("out: n elements in one axis", "out", PermutationShape), list...);
}
PORTACL_ROW(Randperm, opapi_math, "aclnn_randperm.h",
            Permutation(OneAxis("n"), OneAxis("seed"), OneAxis("offset"), kOut));
PORTACL_ROW(RandpermTensor, opapi_math, "aclnn_randperm.h",
            Permutation(OneAxis("n"), kSeedTensor, kOffsetTensor, OneAxis("offset"), kOut));

template <class... Args>
consteval auto Samples(Args... list) {
  return Drawing(
      {.formula = "numsamples indices of each row of self, with probabilities in proportion to its elements",
       .special =
           "Weights are finite and not negative, and their sum in float64, from the first to the last, is finite and "
           "not "
           "0; where that is not so, and where fewer weights than are drawn without replacement are positive, the "
           "row of out is 0 and the stream reports 507015. With replacement, sample s of row r is the first index up "
           "to "
           "which the sum exceeds U * sum, for uniform U of two words each of the stream of aclnnInplaceUniform, "
           "numbered "
           "r * numsamples + s. Without, the indices are sorted by -ln(1 - U) / weight, for U numbered as the "
           "elements. "
           "The numbers are not those of an NPU.",
       .socs = kMost},
      "self", {ACL_INT64}, exec::ValueAtLeast("numsamples", 1),
      Settles(exec::Custom("self: 1 to 2^24 elements in a row, and numsamples without replacement", CheckSamples),
              {"numsamples"}),
      ShapeFrom("out: numsamples in each row", "out", DrawnShape), list...);
}
PORTACL_ROW(Multinomial, opapi_math, "aclnn_multinomial.h",
            Samples(exec::In("self"), OneAxis("numsamples"), Flag("replacement"), OneAxis("seed"), OneAxis("offset"),
                    kOut));
PORTACL_ROW(MultinomialTensor, opapi_math, "aclnn_multinomial.h",
            Samples(exec::In("self"), OneAxis("numsamples"), Flag("replacement"), kSeedTensor, kOffsetTensor,
                    OneAxis("offset"), kOut));

}  // namespace portacl::ops::sample
