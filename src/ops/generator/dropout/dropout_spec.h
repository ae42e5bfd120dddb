// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/random_schema.h"

namespace portacl::ops::dropout {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// Bytes of a mask with this many bits, in a multiple of 16.
constexpr int64_t MaskBytes(int64_t count) { return (count / 128 + (count % 128 != 0 ? 1 : 0)) * 16; }

/// The probability of the call, `p` or `prob`, is from 0 to 1.
aclnnStatus CheckProbability(const exec::Arguments& arguments, const exec::Step& step);
/// `scale` is 0 or at least 1.
aclnnStatus CheckScale(const exec::Arguments& arguments, const exec::Step& step);
/// `shape` has a number of elements.
aclnnStatus CheckCount(const exec::Arguments& arguments, const exec::Step& step);
/// The mask has a bit for each element of the first tensor; or of `shape`, and then a multiple of 16 bytes.
aclnnStatus CheckMask(const exec::Arguments& arguments, const exec::Step& step);
bool MaskShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr const char* kMaskSpecial =
    "The bit of element i in row-major order is bit i % 8, the lowest first, of byte i / 8 of the mask. It is 1, which "
    "keeps the element, where the first 24 bits of word i of the stream of aclnnInplaceUniform are at least prob * "
    "2^24, so that prob is the probability of 0. Bits behind the last element, up to a multiple of 128, are 0, and "
    "bytes "
    "behind them stay as they are. The numbers are not those of an NPU.";
inline constexpr exec::DtypeSet kMaskDtypes = {ACL_UINT8};
inline constexpr exec::Arg kSeed = OneAxis("seed");
inline constexpr exec::Arg kOffset = OneAxis("offset");
inline constexpr exec::Arg kShape = exec::Attribute("shape", exec::ValueKind::kIntArray);
// A mask that is written, perhaps not to its end.
consteval exec::Arg WrittenMask(const char* name) { return exec::OnlyWritten(exec::InOut(name)); }
consteval exec::Arg Wide(const char* name) { return exec::Attribute(name, exec::ValueKind::kDouble); }

// Writes a mask.
template <class... Args>
consteval auto GenMask(const exec::About& row, Args... list) {
  const exec::Arg args[] = {list...};
  const auto has = [&](std::string_view name) {
    for (const exec::Arg& arg : args) {
      if (name == arg.name) return true;
    }
    return false;
  };
  const bool has_dtype = has("probDataType"), has_seeds = has("seedTensor");
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      PointersNotNull({list...}),
      exec::OnSocs(),
      exec::DtypeOneOf({"seedTensor", "offsetTensor"}, {ACL_INT64}).If(has_seeds),
      Dtypes({"probDataType"}, kFloats3).If(has_dtype),
      exec::DtypeOneOf({"out"}, kMaskDtypes),
      exec::PlainFormat("seedTensor", "offsetTensor").If(has_seeds),
      exec::PlainFormat("out"),
      exec::MaxRank("seedTensor", "offsetTensor").If(has_seeds),
      exec::MaxRank("out"),
      Settles(exec::Custom("shape: sizes whose product is a number of elements", CheckCount), {"shape"}),
      Settles(exec::Custom("prob: from 0 to 1", CheckProbability), {"prob"}),
      exec::Custom("out: a bit for each element of shape, in a multiple of 16 bytes", CheckMask)
          .Accepts("out", MaskShape),
      SeedTensorsHaveOneElement().If(has_seeds),
      exec::EmptySucceeds("out")};
  exec::About about = row;
  about.formula = "a bit for each element of shape, 0 with probability prob, in out";
  if (std::string_view(about.special).empty()) about.special = kMaskSpecial;
  about.accuracy = {exec::Exact("out")};
  return exec::MakeRecipe(about, args, steps);
}

PORTACL_ROW(DropoutGenMask, opapi_math, "aclnn_dropout_gen_mask.h",
            GenMask({.socs = kMost}, kShape, Wide("prob"), kSeed, kOffset, WrittenMask("out")));
PORTACL_ROW(DropoutGenMaskV2, opapi_math, "aclnn_dropout_gen_mask.h",
            GenMask({.socs = kMost}, kShape, Wide("prob"), kSeed, kOffset,
                    exec::Attribute("probDataType", exec::ValueKind::kDtype), WrittenMask("out")));
PORTACL_ROW(
    DropoutGenMaskV2Tensor, opapi_math, "aclnn_dropout_gen_mask.h",
    GenMask({.special = "As aclnnDropoutGenMaskV2: seed is the element of seedTensor, and the offset is the sum "
                        "of that of offsetTensor and of offset. They are read when the call runs.",
             .socs = kNewer},
            kShape, Wide("prob"), kSeedTensor, kOffsetTensor, kOffset,
            exec::Attribute("probDataType", exec::ValueKind::kDtype), WrittenMask("out")));

// Reads the mask of `self`. Both tensors have the same shape; `same`: and the same dtype.
template <class... Args>
consteval auto Masked(const exec::About& row, const char* self, bool same, const exec::Step& attribute, Args... list) {
  const exec::Arg args[] = {list...};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({list...}),
                              exec::OnSocs(),
                              Dtypes({self}, kFloats3),
                              exec::DtypeOneOf({"mask"}, kMaskDtypes),
                              Dtypes({"out"}, kFloats3).If(!same),
                              exec::SameDtype(self, "out").If(same),
                              exec::PlainFormat(self, "mask", "out"),
                              exec::MaxRank(self, "mask", "out"),
                              attribute,
                              exec::Custom("mask: a bit for each element", CheckMask).Accepts("mask", MaskShape),
                              exec::ShapeIs("out", exec::SameShapeAs(self)),
                              exec::EmptySucceeds("out")};
  exec::About about = row;
  about.accuracy = {exec::RoundedOnce("out")};
  return exec::MakeRecipe(about, args, steps);
}

PORTACL_ROW(DropoutDoMask, opapi_math, "aclnn_dropout_do_mask.h",
            Masked({.formula = "self / (1 - prob) where the bit of mask is 1, 0 elsewhere",
                    .special = "The factor is the float32 number next to 1 / (1 - prob). Bits are in the order of "
                               "aclnnDropoutGenMask. With prob 0 or 1, out is self or 0, and mask is not read.",
                    .socs = kMost},
                   "self", false, Settles(exec::Custom("prob: from 0 to 1", CheckProbability), {"prob"}), kSelf,
                   exec::In("mask"), Wide("prob"), kOut));
PORTACL_ROW(DropoutBackward, opapi_math, "aclnn_dropout_backward.h",
            Masked({.formula = "gradOutput * scale where the bit of mask is 1, 0 elsewhere",
                    .special = "The factor is the float32 number next to scale. Bits are in the order of "
                               "aclnnDropoutGenMask. With scale 1, nothing was dropped: out is gradOutput, and mask is "
                               "not read; with scale 0, out is 0.",
                    .socs = kNot310P},
                   "gradOutput", true, Settles(exec::Custom("scale: 0, or at least 1", CheckScale), {"scale"}),
                   exec::In("gradOutput"), exec::In("mask"), Wide("scale"), kOut));

PORTACL_ROW(
    Dropout, opapi_math, "aclnn_dropout.h",
    exec::MakeRecipe(
        {.formula =
             "maskOut = a bit for each element of input, 0 with probability p; out = input / (1 - p) where it is 1, 0 "
             "elsewhere",
         .special =
             "maskOut is that of aclnnDropoutGenMask with the shape of input and the probability p, truncated where "
             "it has fewer bytes. The factor is the number next to 1 / (1 - p) of float32, in DOUBLE of float64. "
             "Without train, and with p 0, out is input; with p 1, out is 0. maskOut then stays as it is.",
         .accuracy = {exec::RoundedOnce("out"), exec::Exact("maskOut")},
         .socs = kNot950.Without({SocFamily::kAscend310P})},
        {exec::In("input"), Wide("p"), Flag("train"), kSeed, kOffset, kOut, WrittenMask("maskOut")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("input", "out", "maskOut"), exec::OnSocs(),
         Dtypes({"input"}, kFloats4), exec::SameDtype("input", "out"), exec::DtypeOneOf({"maskOut"}, kMaskDtypes),
         exec::PlainFormat("input", "out", "maskOut"), Settles(exec::Custom("p: from 0 to 1", CheckProbability), {"p"}),
         exec::MaxRank("input", "out", "maskOut"), exec::ShapeIs("out", exec::SameShapeAs("input")),
         exec::Custom("maskOut: a bit for each element", CheckMask).Accepts("maskOut", MaskShape),
         exec::EmptySucceeds("input")}));

}  // namespace portacl::ops::dropout
