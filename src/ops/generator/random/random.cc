// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room, and the stream of random numbers: Philox4x32-10 of J. Salmon and others, "Parallel
// random numbers: as easy as 1, 2, 3" (2011). Numbers are counted, so that any thread may compute any of them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_normal_out.h"
#include "aclnnop/aclnn_uniform.h"
#include "base/dtype.h"
#include "families/define.h"
#include "loops/generate.h"
#include "ops/generator/random/random_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::random {
namespace {

struct Stream {
  uint64_t seed;
  uint64_t offset;
};

struct Words {
  uint32_t w[4];
};

Words Philox(uint64_t key, uint64_t counter) {
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  Words c{{static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0}};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c.w[0], b = uint64_t{0xCD9E8D57} * c.w[2];
    c = {{static_cast<uint32_t>(b >> 32) ^ c.w[1] ^ k0, static_cast<uint32_t>(b),
          static_cast<uint32_t>(a >> 32) ^ c.w[3] ^ k1, static_cast<uint32_t>(a)}};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

constexpr int64_t kStep = 4;  // elements of one counter, of those of a word each

// The numbers u of the elements [first, first + n), rounded up to a multiple of 4.
template <bool kOfTwoWords>
void Uniforms(const Stream& stream, int64_t first, int64_t n, double* u) {
  constexpr int64_t kElements = kOfTwoWords ? 2 : 4;
  const uint64_t counter = stream.offset + static_cast<uint64_t>(first / kElements);
  for (int64_t i = 0; i < n; i += kElements) {
    const Words words = Philox(stream.seed, counter + static_cast<uint64_t>(i / kElements));
    for (int64_t k = 0; k < kElements; ++k) {
      if constexpr (kOfTwoWords) {
        const uint64_t high = words.w[2 * k] >> 5, low = words.w[2 * k + 1] >> 6;
        u[i + k] = static_cast<double>(high << 26 | low) * 0x1p-53;
      } else {
        u[i + k] = static_cast<double>(words.w[k] >> 8) * 0x1p-24;
      }
    }
  }
}

// Elements by the block, with room for whole counters.
constexpr int64_t kBlock = 256;
static_assert(kBlock % kStep == 0);

template <class F>
void ForEachBlock(int64_t first, int64_t n, const F& f) {
  for (int64_t at = 0; at < n; at += kBlock) f(at, first + at, std::min(kBlock, n - at));
}

struct UniformParameters {
  Stream stream;
  double from;
  double range;
  double most;  // of a result
  bool is_whole;
};

template <bool kOfTwoWords>
void Uniform(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& uniform = *static_cast<const UniformParameters*>(parameters);
  auto* const values = reinterpret_cast<double*>(elements);
  ForEachBlock(first, n, [&](int64_t at, int64_t number, int64_t count) {
    double u[kBlock];
    Uniforms<kOfTwoWords>(uniform.stream, number, count, u);
    for (int64_t i = 0; i < count; ++i) {
      const double value = std::min(uniform.from + u[i] * uniform.range, uniform.most);
      values[at + i] = uniform.is_whole ? std::floor(value) : value;
    }
  });
}

struct NormalParameters {
  Stream stream;
  double mean;
  double deviation;
};

template <bool kOfTwoWords>
void Normal(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& normal = *static_cast<const NormalParameters*>(parameters);
  auto* const values = reinterpret_cast<double*>(elements);
  ForEachBlock(first, n, [&](int64_t at, int64_t number, int64_t count) {
    double u[kBlock];
    Uniforms<kOfTwoWords>(normal.stream, number, count, u);
    for (int64_t i = 0; i < count; i += 2) {
      const double radius = std::sqrt(-2 * std::log1p(-u[i]));
      const double angle = 2 * std::numbers::pi * u[i + 1];
      values[at + i] = normal.mean + normal.deviation * (radius * std::cos(angle));
      if (i + 1 < count) values[at + i + 1] = normal.mean + normal.deviation * (radius * std::sin(angle));
    }
  });
}

struct BernoulliParameters {
  Stream stream;
  double probability;
};

template <bool kOfTwoWords>
void Bernoulli(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& bernoulli = *static_cast<const BernoulliParameters*>(parameters);
  auto* const values = reinterpret_cast<float*>(elements);
  ForEachBlock(first, n, [&](int64_t at, int64_t number, int64_t count) {
    double u[kBlock];
    Uniforms<kOfTwoWords>(bernoulli.stream, number, count, u);
    for (int64_t i = 0; i < count; ++i) values[at + i] = u[i] < bernoulli.probability ? 1 : 0;
  });
}

bool IsWhole(aclDataType dtype) { return FindDtype(dtype)->kind != DtypeKind::kFloating; }

bool TakesTwoWords(aclDataType dtype) { return dtype == ACL_DOUBLE || (IsWhole(dtype) && ElementBytes(dtype) > 2); }

// The numbers of a dtype near a value: that to which it is rounded, and the next below.
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
  // Below a power of two they lie closer.
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
  const auto from = plan.Attribute<double>("from"), to = plan.Attribute<double>("to");
  UniformParameters uniform{ReadStream(plan), from, to - from, to, IsWhole(dtype)};
  if (from < to) uniform.most = std::nextafter(to, from);
  if (kFloats3.Holds(dtype)) {
    const Neighbours first = NeighboursIn(dtype, from), last = NeighboursIn(dtype, to);
    uniform.most = first.nearest < last.nearest ? last.below : last.nearest;
  }
  const auto run = TakesTwoWords(dtype) ? Uniform<true> : Uniform<false>;
  loops::Generate(plan, out, {.run = run, .dtype = ACL_DOUBLE, .ns_per_element = 8}, uniform);
}

void PlanNormal(exec::PlanBuilder& plan) {
  const int out = plan.Operand(plan.schema().tensors[0]);
  const NormalParameters normal{ReadStream(plan), static_cast<double>(plan.Attribute<float>("mean")),
                                static_cast<double>(plan.Attribute<float>("std"))};
  const auto run = TakesTwoWords(plan.OperandView(out).dtype) ? Normal<true> : Normal<false>;
  loops::Generate(plan, out, {.run = run, .dtype = ACL_DOUBLE, .ns_per_element = 30}, normal);
}

void PlanBernoulli(exec::PlanBuilder& plan) {
  const int out = plan.Output("selfRef");
  BernoulliParameters bernoulli{ReadStream(plan), 0};
  ScalarToDouble(*plan.Attribute<const aclScalar*>("prob"), &bernoulli.probability);
  const auto run = TakesTwoWords(plan.OperandView(out).dtype) ? Bernoulli<true> : Bernoulli<false>;
  loops::Generate(plan, out, {.run = run, .dtype = ACL_FLOAT, .ns_per_element = 8}, bernoulli);
}

// The probabilities stand where the results will.
template <bool kOfTwoWords>
void BernoulliOfEach(int64_t first, int64_t n, const void* parameters, std::byte* elements) {
  const auto& stream = *static_cast<const Stream*>(parameters);
  auto* const values = reinterpret_cast<double*>(elements);
  ForEachBlock(first, n, [&](int64_t at, int64_t number, int64_t count) {
    double u[kBlock];
    Uniforms<kOfTwoWords>(stream, number, count, u);
    for (int64_t i = 0; i < count; ++i) values[at + i] = u[i] < values[at + i] ? 1 : 0;
  });
}

void PlanBernoulliTensor(exec::PlanBuilder& plan) {
  const int out = plan.Output("out");
  const bool of_two_words = TakesTwoWords(plan.OperandView(out).dtype);
  const auto run = of_two_words ? BernoulliOfEach<true> : BernoulliOfEach<false>;
  loops::Generate(plan, out, {.run = run, .dtype = ACL_DOUBLE, .ns_per_element = 8}, ReadStream(plan),
                  plan.Input("prob"));
}

}  // namespace

PORTACL_DEFINE_OPERATOR(aclnnInplaceUniform, kInplaceUniform, PlanUniform,
                        (const aclTensor* selfRef, double from, double to, uint64_t seed, uint64_t offset), selfRef,
                        from, to, seed, offset)
PORTACL_DEFINE_OPERATOR(aclnnInplaceNormal, kInplaceNormal, PlanNormal,
                        (const aclTensor* selfRef, float mean, float std, int64_t seed, int64_t offset), selfRef, mean,
                        std, seed, offset)
PORTACL_DEFINE_OPERATOR(aclnnNormalFloatFloat, kNormalFloatFloat, PlanNormal,
                        (float mean, float std, int64_t seed, int64_t offset, aclTensor* out), mean, std, seed, offset,
                        out)
PORTACL_DEFINE_OPERATOR(aclnnInplaceBernoulli, kInplaceBernoulli, PlanBernoulli,
                        (const aclTensor* selfRef, const aclScalar* prob, int64_t seed, int64_t offset), selfRef, prob,
                        seed, offset)
PORTACL_DEFINE_OPERATOR(aclnnBernoulliTensor, kBernoulliTensor, PlanBernoulliTensor,
                        (const aclTensor* self, const aclTensor* prob, int64_t seed, int64_t offset, aclTensor* out),
                        self, prob, seed, offset, out)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(InplaceUniform), PORTACL_BIND(InplaceNormal),
                                              PORTACL_BIND(NormalFloatFloat), PORTACL_BIND(InplaceBernoulli),
                                              PORTACL_BIND(BernoulliTensor)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::random
