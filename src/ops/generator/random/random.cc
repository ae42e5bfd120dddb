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

// Calls f(at, u, count) for the blocks of the elements [first, first + n), where u holds their uniform numbers.
using Uniforms = void (*)(const Stream& stream, int64_t first, double* u);
template <class F>
void ForEachBlock(const Stream& stream, Uniforms uniforms, int64_t first, int64_t n, const F& f) {
  double u[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    uniforms(stream, first + at, u);
    f(at, u, std::min(kBlock, n - at));
  }
}

struct UniformParameters {
  Stream stream;
  Uniforms uniforms;
  decltype(RandomFunctions::scale) scale;
  decltype(RandomFunctions::scale_to_whole) scale_to_whole;
  double from;
  double range;
  double most;  // the largest result
};

template <bool kIsWhole>
void Uniform(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& uniform = *static_cast<const UniformParameters*>(parameters);
  auto* const values = reinterpret_cast<double*>(elements);
  ForEachBlock(uniform.stream, uniform.uniforms, first, n, [&](int64_t at, const double* u, int64_t count) {
    uniform.scale(uniform.from, uniform.range, uniform.most, kIsWhole, count, u, values + at);
  });
}

// Integers of up to 16 bits, computed from float32 in half of the time.
void UniformOfShort(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& uniform = *static_cast<const UniformParameters*>(parameters);
  auto* const values = reinterpret_cast<float*>(elements);
  ForEachBlock(uniform.stream, uniform.uniforms, first, n, [&](int64_t at, const double* u, int64_t count) {
    uniform.scale_to_whole(uniform.from, uniform.range, uniform.most, count, u, values + at);
  });
}

struct NormalParameters {
  Stream stream;
  Uniforms uniforms;
  decltype(RandomFunctions::to_normal) to_normal;
  double mean;
  double deviation;
};

void Normal(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& normal = *static_cast<const NormalParameters*>(parameters);
  auto* const values = reinterpret_cast<double*>(elements);
  ForEachBlock(normal.stream, normal.uniforms, first, n, [&](int64_t at, double* u, int64_t count) {
    normal.to_normal(normal.mean, normal.deviation, u);
    std::copy(u, u + count, values + at);
  });
}

struct BernoulliParameters {
  Stream stream;
  Uniforms uniforms;
  double probability;
};

void Bernoulli(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& bernoulli = *static_cast<const BernoulliParameters*>(parameters);
  auto* const values = reinterpret_cast<float*>(elements);
  ForEachBlock(bernoulli.stream, bernoulli.uniforms, first, n, [&](int64_t at, const double* u, int64_t count) {
    for (int64_t i = 0; i < count; ++i) values[at + i] = u[i] < bernoulli.probability ? 1 : 0;
  });
}

// The output holds the probabilities, which the results replace.
void BernoulliOfEach(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& bernoulli = *static_cast<const BernoulliParameters*>(parameters);
  auto* const values = reinterpret_cast<double*>(elements);
  ForEachBlock(bernoulli.stream, bernoulli.uniforms, first, n, [&](int64_t at, const double* u, int64_t count) {
    for (int64_t i = 0; i < count; ++i) values[at + i] = u[i] < values[at + i] ? 1 : 0;
  });
}

bool IsWhole(aclDataType dtype) { return FindDtype(dtype)->kind != DtypeKind::kFloating; }

Uniforms UniformsOf(aclDataType dtype, const RandomFunctions& functions) {
  const bool takes_two_words = dtype == ACL_DOUBLE || (IsWhole(dtype) && ElementBytes(dtype) > 2);
  return takes_two_words ? functions.of_two_words : functions.of_one_word;
}

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

Stream ReadStream(const exec::PlanBuilder& plan) {
  return {static_cast<uint64_t>(plan.Attribute<int64_t>("seed")),
          static_cast<uint64_t>(plan.Attribute<int64_t>("offset"))};
}

void PlanUniform(exec::PlanBuilder& plan) {
  const int out = plan.Output("selfRef");
  const aclDataType dtype = plan.OperandView(out).dtype;
  const RandomFunctions functions = FunctionsFor(ActiveTarget());
  const auto from = plan.Attribute<double>("from"), to = plan.Attribute<double>("to");
  UniformParameters uniform{.stream = ReadStream(plan),
                            .uniforms = UniformsOf(dtype, functions),
                            .scale = functions.scale,
                            .scale_to_whole = functions.scale_to_whole,
                            .from = from,
                            .range = to - from,
                            .most = to};
  if (from < to) uniform.most = std::nextafter(to, from);
  if (kFloats3.Holds(dtype)) {
    const Neighbours first = NeighboursIn(dtype, from), last = NeighboursIn(dtype, to);
    // The rounded `to` is a valid result only if it is below `to`, or if no other value is left.
    uniform.most = first.nearest < last.nearest && last.nearest >= to ? last.below : last.nearest;
  }
  if (IsWhole(dtype) && ElementBytes(dtype) <= 2)
    return loops::moves::Generate(plan, out, {.run = UniformOfShort, .dtype = ACL_FLOAT, .ns_per_element = 1}, uniform);
  const auto run = IsWhole(dtype) ? Uniform<true> : Uniform<false>;
  loops::moves::Generate(plan, out, {.run = run, .dtype = ACL_DOUBLE, .ns_per_element = 1}, uniform);
}

void PlanNormal(exec::PlanBuilder& plan) {
  const int out = plan.Operand(plan.schema().tensors[0]);
  const RandomFunctions functions = FunctionsFor(ActiveTarget());
  const NormalParameters normal{ReadStream(plan), UniformsOf(plan.OperandView(out).dtype, functions),
                                functions.to_normal, static_cast<double>(plan.Attribute<float>("mean")),
                                static_cast<double>(plan.Attribute<float>("std"))};
  loops::moves::Generate(plan, out, {.run = Normal, .dtype = ACL_DOUBLE, .ns_per_element = 2}, normal);
}

void PlanBernoulli(exec::PlanBuilder& plan) {
  const int out = plan.Output("selfRef");
  const Uniforms uniforms = UniformsOf(plan.OperandView(out).dtype, FunctionsFor(ActiveTarget()));
  BernoulliParameters bernoulli{ReadStream(plan), uniforms, 0};
  ScalarToDouble(*plan.Attribute<const aclScalar*>("prob"), &bernoulli.probability);
  loops::moves::Generate(plan, out, {.run = Bernoulli, .dtype = ACL_FLOAT, .ns_per_element = 1}, bernoulli);
}

void PlanBernoulliTensor(exec::PlanBuilder& plan) {
  const int out = plan.Output("out");
  const Uniforms uniforms = UniformsOf(plan.OperandView(out).dtype, FunctionsFor(ActiveTarget()));
  loops::moves::Generate(plan, out, {.run = BernoulliOfEach, .dtype = ACL_DOUBLE, .ns_per_element = 2},
                         BernoulliParameters{ReadStream(plan), uniforms, 0}, plan.Input("prob"));
}

constexpr exec::PlanFunction PlanNormalFloatFloat = PlanNormal;

}  // namespace

}  // namespace portacl::ops::random

#include "ops/generator/random/random_functions.inc"
