// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned. The generator is counter-based, so that any thread may compute any random
// number.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/moves/generate.h"
#include "ops/generator/random/random_lanes.h"
#include "ops/generator/random/random_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::random {
namespace {

using loops::moves::Generate;
using loops::moves::GeneratedBlock;
using loops::moves::Generator;

// Calls f(at, u, count) for the blocks of the elements, where u holds their uniform numbers.
using Uniforms = decltype(RandomFunctions::of_one_word);
template <class F>
void ForEachBlock(const GeneratedBlock& block, Uniforms uniforms, const F& f) {
  double u[kBlock];
  for (int64_t at = 0; at < block.n; at += kBlock) {
    const int64_t count = std::min(kBlock, block.n - at);
    uniforms(block.stream, block.first + at, count, u);
    f(at, u, count);
  }
}

// Calls f(at, count, values) for the blocks of the elements, where `values` has room for kBlock of them.
template <class T, class F>
void FillBlocks(const GeneratedBlock& block, const F& f) {
  auto* const values = reinterpret_cast<T*>(block.elements);
  int64_t at = 0;
  for (; at + kBlock <= block.n; at += kBlock) f(at, kBlock, values + at);
  if (at == block.n) return;
  T rest[kBlock];
  f(at, block.n - at, rest);
  std::copy_n(rest, block.n - at, values + at);
}

// How results in float64 become elements: float64, or float32, which may be odd (RandomFunctions::narrow).
struct Storage {
  decltype(RandomFunctions::narrow) narrow;  // null: float64
  bool to_odd;

  void Store(const double* from, int64_t at, int64_t count, std::byte* elements) const {
    if (narrow != nullptr) return narrow(to_odd, count, from, reinterpret_cast<float*>(elements) + at);
    std::copy(from, from + count, reinterpret_cast<double*>(elements) + at);
  }
};

struct UniformParameters {
  Uniforms uniforms;
  Storage storage;
  decltype(RandomFunctions::scale) scale;
  double from;
  double range;
  double most;  // the largest result
  bool is_whole;
};

void Uniform(GeneratedBlock& block, const void* parameters) {
  const auto& uniform = *static_cast<const UniformParameters*>(parameters);
  ForEachBlock(block, uniform.uniforms, [&](int64_t at, double* u, int64_t count) {
    uniform.scale(uniform.from, uniform.range, uniform.most, uniform.is_whole, count, u);
    uniform.storage.Store(u, at, count, block.elements);
  });
}

struct NormalParameters {
  Uniforms uniforms;
  Storage storage;
  decltype(RandomFunctions::to_normal) to_normal;
  double mean;
  double deviation;
};

void Normal(GeneratedBlock& block, const void* parameters) {
  const auto& normal = *static_cast<const NormalParameters*>(parameters);
  ForEachBlock(block, normal.uniforms, [&](int64_t at, double* u, int64_t count) {
    normal.to_normal(normal.mean, normal.deviation, count, u);
    normal.storage.Store(u, at, count, block.elements);
  });
}

// One of the two, or both, are tensors: the first input, or both of them.
template <bool kMeans, bool kDeviations>
void NormalOfEach(GeneratedBlock& block, const void* parameters) {
  const auto& normal = *static_cast<const NormalParameters*>(parameters);
  auto* const values = reinterpret_cast<double*>(block.elements);
  const double* const deviations = kMeans ? reinterpret_cast<const double*>(block.second) : values;
  ForEachBlock(block, normal.uniforms, [&](int64_t at, double* u, int64_t count) {
    normal.to_normal(0, 1, count, u);
    for (int64_t i = 0; i < count; ++i) {
      const double mean = kMeans ? values[at + i] : normal.mean;
      values[at + i] = mean + (kDeviations ? deviations[at + i] : normal.deviation) * u[i];
    }
  });
}

struct BernoulliParameters {
  Uniforms uniforms;
  decltype(RandomFunctions::where_less) where_less;
  double probability;
  uint32_t end;  // of the first 24 bits of a word
};

void Bernoulli(GeneratedBlock& block, const void* parameters) {
  const auto& bernoulli = *static_cast<const BernoulliParameters*>(parameters);
  FillBlocks<float>(block, [&](int64_t at, int64_t count, float* values) {
    bernoulli.where_less(block.stream, block.first + at, count, bernoulli.end, values);
  });
}

void BernoulliOfWide(GeneratedBlock& block, const void* parameters) {
  const auto& bernoulli = *static_cast<const BernoulliParameters*>(parameters);
  auto* const values = reinterpret_cast<float*>(block.elements);
  ForEachBlock(block, bernoulli.uniforms, [&](int64_t at, const double* u, int64_t count) {
    for (int64_t i = 0; i < count; ++i) values[at + i] = u[i] < bernoulli.probability ? 1 : 0;
  });
}

// The elements are the probabilities, which the results replace.
void BernoulliOfEach(GeneratedBlock& block, const void* parameters) {
  const auto& bernoulli = *static_cast<const BernoulliParameters*>(parameters);
  auto* const values = reinterpret_cast<double*>(block.elements);
  ForEachBlock(block, bernoulli.uniforms, [&](int64_t at, const double* u, int64_t count) {
    bool valid = true;
    for (int64_t i = 0; i < count; ++i) valid &= values[at + i] >= 0 && values[at + i] <= 1;
    if (!valid && block.refused < 0) {
      const double* const bad =
          std::find_if_not(values + at, values + at + count, [](double p) { return p >= 0 && p <= 1; });
      block.refused = bad - values;
    }
    for (int64_t i = 0; i < count; ++i) values[at + i] = u[i] < values[at + i] ? 1 : 0;
  });
}

struct WholeParameters {
  decltype(RandomFunctions::below) below;
  decltype(RandomFunctions::below_narrow) below_narrow;
  decltype(RandomFunctions::words) words;
  int64_t from;
  uint64_t count;
};

void Whole(GeneratedBlock& block, const void* parameters) {
  const auto& whole = *static_cast<const WholeParameters*>(parameters);
  FillBlocks<int64_t>(block, [&](int64_t at, int64_t count, int64_t* values) {
    whole.below(block.stream, block.first + at, count, whole.from, whole.count, values);
  });
}

void WholeNarrow(GeneratedBlock& block, const void* parameters) {
  const auto& whole = *static_cast<const WholeParameters*>(parameters);
  FillBlocks<int32_t>(block, [&](int64_t at, int64_t count, int32_t* values) {
    whole.below_narrow(block.stream, block.first + at, count, whole.from, whole.count, values);
  });
}

// More integers than a word can tell apart.
void WholeWide(GeneratedBlock& block, const void* parameters) {
  __extension__ using Wide = unsigned __int128;
  const auto& whole = *static_cast<const WholeParameters*>(parameters);
  FillBlocks<uint64_t>(block, [&](int64_t at, int64_t count, uint64_t* values) {
    uint32_t words[2 * kBlock];
    whole.words(block.stream, 2 * (block.first + at), 2 * count, words);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t pair = words[2 * i] | uint64_t{words[2 * i + 1]} << 32;
      values[i] = static_cast<uint64_t>(whole.from) + static_cast<uint64_t>(Wide{pair} * whole.count >> 64);
    }
  });
}

// The operand that is written, of which each operator has one.
int Written(const exec::PlanBuilder& plan) { return plan.Operand(plan.schema().tensors.back()); }

bool IsWhole(aclDataType dtype) { return FindDtype(dtype)->kind != DtypeKind::kFloating; }
bool IsWide(aclDataType dtype) { return dtype == ACL_DOUBLE || (IsWhole(dtype) && ElementBytes(dtype) > 2); }

Uniforms UniformsOf(aclDataType dtype, const RandomFunctions& functions) {
  return IsWide(dtype) ? functions.of_two_words : functions.of_one_word;
}

// Whether what is computed from the number in float64 is a normal number of float32, too, or 0.
bool IsOrdinary(double value) { return value == 0 || (std::abs(value) >= 0x1p-60 && std::abs(value) <= 0x1p60); }

// The storage of results that are computed from these two.
Storage StorageIn(aclDataType dtype, double first, double second, const RandomFunctions& functions) {
  const bool is_narrow = (dtype == ACL_FLOAT || ElementBytes(dtype) <= 2) && IsOrdinary(first) && IsOrdinary(second);
  return {is_narrow ? functions.narrow : nullptr, dtype != ACL_FLOAT};
}
aclDataType DtypeOf(const Storage& storage) { return storage.narrow != nullptr ? ACL_FLOAT : ACL_DOUBLE; }

// The values of a dtype near a number: the one that it rounds to, and the next below that.
struct Neighbours {
  double nearest;
  double below;
};
Neighbours NeighboursIn(aclDataType dtype, double value) {
  const int bits = dtype == ACL_FLOAT ? 24 : dtype == ACL_FLOAT16 ? 11 : 8;
  const int lowest = dtype == ACL_FLOAT16 ? -14 : -126;
  const auto spacing = [&](double x) {
    return std::ldexp(1.0, std::max(x == 0 ? lowest : std::ilogb(x), lowest) - (bits - 1));
  };
  const double nearest = std::nearbyint(value / spacing(value)) * spacing(value);
  // Below a power of two, adjacent values are closer.
  const double inside = std::nextafter(nearest, -std::numeric_limits<double>::infinity());
  return {nearest, nearest - spacing(nearest > 0 ? inside : nearest)};
}

void PlanUniform(exec::PlanBuilder& plan) {
  const int out = Written(plan);
  const aclDataType dtype = plan.OperandView(out).dtype;
  const RandomFunctions functions = FunctionsFor(ActiveTarget());
  const auto from = plan.Attribute<double>("from"), to = plan.Attribute<double>("to");
  UniformParameters uniform{.uniforms = UniformsOf(dtype, functions),
                            .storage = StorageIn(dtype, from, to - from, functions),
                            .scale = functions.scale,
                            .from = from,
                            .range = to - from,
                            .most = to,
                            .is_whole = IsWhole(dtype)};
  if (from < to) uniform.most = std::nextafter(to, from);
  if (kFloats3.Holds(dtype)) {
    const Neighbours first = NeighboursIn(dtype, from), last = NeighboursIn(dtype, to);
    // The rounded `to` is a valid result only if it is below `to`, or if no other value is left.
    uniform.most = first.nearest < last.nearest && last.nearest >= to ? last.below : last.nearest;
  }
  Generate(plan, {.out = out, .generator = {.run = Uniform, .dtype = DtypeOf(uniform.storage)}, .parameters = uniform});
}

void PlanNormal(exec::PlanBuilder& plan) {
  const int out = Written(plan);
  const aclDataType dtype = plan.OperandView(out).dtype;
  const RandomFunctions functions = FunctionsFor(ActiveTarget());
  const auto mean = static_cast<double>(plan.Attribute<float>("mean"));
  const auto deviation = static_cast<double>(plan.Attribute<float>("std"));
  const NormalParameters normal{UniformsOf(dtype, functions), StorageIn(dtype, mean, deviation, functions),
                                functions.to_normal, mean, deviation};
  Generate(plan, {.out = out,
                  .generator = {.run = Normal, .dtype = DtypeOf(normal.storage), .ns_per_element = 2},
                  .parameters = normal});
}

template <bool kMeans, bool kDeviations>
void PlanNormalOfEach(exec::PlanBuilder& plan) {
  const int out = Written(plan);
  const RandomFunctions functions = FunctionsFor(ActiveTarget());
  NormalParameters normal{UniformsOf(plan.OperandView(out).dtype, functions), {}, functions.to_normal, 0, 0};
  loops::moves::Inputs inputs{.first = plan.Input(kMeans ? "mean" : "std")};
  if constexpr (kMeans && kDeviations) inputs.second = plan.Input("std");
  if constexpr (!kMeans) normal.mean = static_cast<double>(plan.Attribute<float>("mean"));
  if constexpr (!kDeviations) normal.deviation = static_cast<double>(plan.Attribute<float>("std"));
  const Generator generator = {.run = NormalOfEach<kMeans, kDeviations>, .dtype = ACL_DOUBLE, .ns_per_element = 4};
  Generate(plan, {.out = out, .generator = generator, .parameters = normal, .inputs = inputs});
}

void PlanBernoulli(exec::PlanBuilder& plan) {
  const int out = Written(plan);
  const aclDataType dtype = plan.OperandView(out).dtype;
  const RandomFunctions functions = FunctionsFor(ActiveTarget());
  BernoulliParameters bernoulli{functions.of_two_words, functions.where_less, 0, 0};
  ScalarToDouble(*plan.Attribute<const aclScalar*>("prob"), &bernoulli.probability);
  bernoulli.end = static_cast<uint32_t>(std::ceil(bernoulli.probability * 0x1p24));
  const Generator generator = {.run = IsWide(dtype) ? BernoulliOfWide : Bernoulli, .dtype = ACL_FLOAT};
  Generate(plan, {.out = out, .generator = generator, .parameters = bernoulli});
}

void PlanBernoulliTensor(exec::PlanBuilder& plan) {
  const int out = Written(plan);
  const BernoulliParameters bernoulli{UniformsOf(plan.OperandView(out).dtype, FunctionsFor(ActiveTarget())), nullptr, 0,
                                      0};
  Generate(plan, {.out = out,
                  .generator = {.run = BernoulliOfEach,
                                .dtype = ACL_DOUBLE,
                                .ns_per_element = 2,
                                .valid = "argument 'prob': expected elements from 0 to 1"},
                  .parameters = bernoulli,
                  .inputs = {.first = plan.Input("prob")}});
}

void DrawWhole(exec::PlanBuilder& plan, int64_t from, uint64_t count) {
  const int out = Written(plan);
  const RandomFunctions functions = FunctionsFor(ActiveTarget());
  const WholeParameters whole{functions.below, functions.below_narrow, functions.words, from, count};
  const bool is_wide = count > uint64_t{1} << 32;
  const bool is_narrow = !is_wide && ElementBytes(plan.OperandView(out).dtype) <= 4 &&
                         from >= std::numeric_limits<int32_t>::min() &&
                         from + static_cast<int64_t>(count) <= int64_t{1} << 31;
  const Generator generator = {.run = is_wide     ? WholeWide
                                      : is_narrow ? WholeNarrow
                                                  : Whole,
                               .dtype = is_narrow ? ACL_INT32 : ACL_INT64};
  Generate(plan, {.out = out, .generator = generator, .parameters = whole});
}

void PlanRandom(exec::PlanBuilder& plan) {
  const auto from = plan.Attribute<int64_t>("from"), to = plan.Attribute<int64_t>("to");
  DrawWhole(plan, from, static_cast<uint64_t>(to) - static_cast<uint64_t>(from));
}

// All integers from 0 on that the dtype holds without a gap.
void PlanRandomWithoutFromTo(exec::PlanBuilder& plan) {
  const aclDataType dtype = plan.OperandView(Written(plan)).dtype;
  const auto most = [&]() -> uint64_t {
    switch (dtype) {
      case ACL_BOOL:
        return 1;
      case ACL_BF16:
        return uint64_t{1} << 8;
      case ACL_FLOAT16:
        return uint64_t{1} << 11;
      case ACL_FLOAT:
      case ACL_COMPLEX64:
        return uint64_t{1} << 24;
      case ACL_DOUBLE:
      case ACL_COMPLEX128:
        return uint64_t{1} << 53;
      case ACL_UINT8:
        return 255;
      default:
        return (uint64_t{1} << (8 * ElementBytes(dtype) - 1)) - 1;
    }
  };
  DrawWhole(plan, 0, most() + 1);
}

constexpr exec::PlanFunction PlanUniformTensor = PlanUniform;
constexpr exec::PlanFunction PlanNormalTensor = PlanNormal;
constexpr exec::PlanFunction PlanNormalFloatFloat = PlanNormal;
constexpr exec::PlanFunction PlanNormalFloatTensor = PlanNormalOfEach<false, true>;
constexpr exec::PlanFunction PlanNormalTensorFloat = PlanNormalOfEach<true, false>;
constexpr exec::PlanFunction PlanNormalTensorTensor = PlanNormalOfEach<true, true>;
constexpr exec::PlanFunction PlanRandomTensor = PlanRandom;
constexpr exec::PlanFunction PlanRandomWithoutFromToTensor = PlanRandomWithoutFromTo;

}  // namespace

}  // namespace portacl::ops::random

#include "ops/generator/random/random_functions.inc"
