// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/target.h"
#include "loops/moves/generate.h"
#include "ops/generator/dropout/dropout_lanes.h"
#include "ops/generator/dropout/dropout_spec.h"

namespace portacl::ops::dropout {
namespace {

using loops::moves::Generate;
using loops::moves::GenerateBoth;
using loops::moves::GeneratedBlock;
using loops::moves::Generation;
using loops::moves::Generator;

constexpr int64_t kBlockBytes = kBlock / 8;
constexpr double kNsPerWord = 0.8;

struct MaskParameters {
  decltype(DropoutFunctions::generate) generate;
  int64_t count;  // number of bits
  uint32_t end;   // words from here on keep their elements
};

MaskParameters MaskOf(double prob, int64_t count) {
  return {FunctionsFor(ActiveTarget()).generate, count, static_cast<uint32_t>(std::ceil(prob * 0x1p24))};
}

// The elements are bytes of the mask.
void Mask(GeneratedBlock& block, const void* parameters) {
  const auto& mask = *static_cast<const MaskParameters*>(parameters);
  auto* const bytes = reinterpret_cast<uint8_t*>(block.elements);
  for (int64_t at = 0; at < block.n; at += kBlockBytes) {
    uint8_t bits[kBlockBytes + 8];
    mask.generate(block.stream, 8 * (block.first + at), mask.end, bits);
    std::copy_n(bits, std::min(kBlockBytes, block.n - at), bytes + at);
  }
  const int64_t kept = mask.count - 8 * block.first;
  if (kept >= 8 * block.n) return;
  std::fill(bytes + kept / 8 + 1, bytes + std::max(block.n, kept / 8 + 1), uint8_t{0});
  bytes[kept / 8] = static_cast<uint8_t>(bytes[kept / 8] & ((1 << kept % 8) - 1));
}

struct ApplyParameters {
  decltype(DropoutFunctions::apply) apply;
  float factor;
  bool to_odd;
  double wide_factor;
};

void Apply(GeneratedBlock& block, const void* parameters) {
  const auto& call = *static_cast<const ApplyParameters*>(parameters);
  call.apply(block.bits, call.to_odd, call.factor, block.n, reinterpret_cast<float*>(block.elements));
}

void ApplyToDouble(GeneratedBlock& block, const void* parameters) {
  const double factor = static_cast<const ApplyParameters*>(parameters)->wide_factor;
  auto* const values = reinterpret_cast<double*>(block.elements);
  for (int64_t i = 0; i < block.n; ++i) values[i] = (block.bits[i / 8] >> i % 8 & 1) != 0 ? values[i] * factor : 0;
}

void Keep(GeneratedBlock& /*block*/, const void* /*parameters*/) {}

template <class T>
void Clear(GeneratedBlock& block, const void* /*parameters*/) {
  std::memset(block.elements, 0, static_cast<size_t>(block.n) * sizeof(T));
}

ApplyParameters ApplicationOf(double factor, aclDataType out) {
  return {FunctionsFor(ActiveTarget()).apply, static_cast<float>(factor), out != ACL_FLOAT, factor};
}

// out = self times the factor where the bit is 1.
Generation Masked(const exec::PlanBuilder& plan, int self, int mask, const ApplyParameters& parameters) {
  const int out = plan.Output("out");
  const bool is_double = plan.OperandView(out).dtype == ACL_DOUBLE;
  const Generator generator = {
      .run = is_double ? ApplyToDouble : Apply, .dtype = is_double ? ACL_DOUBLE : ACL_FLOAT, .ns_per_element = 0.5};
  return {.out = out, .generator = generator, .parameters = parameters, .inputs = {.first = self, .bits = mask}};
}

// out = self, or 0.
void WithoutMask(exec::PlanBuilder& plan, int self, bool keeps) {
  const int out = plan.Output("out");
  const bool is_double = plan.OperandView(out).dtype == ACL_DOUBLE;
  const Generator generator = {.run = keeps       ? Keep
                                      : is_double ? Clear<double>
                                                  : Clear<float>,
                               .dtype = is_double ? ACL_DOUBLE : ACL_FLOAT,
                               .ns_per_element = 0.3};
  if (!keeps) plan.Ignores(self);
  Generate(plan, {.out = out, .generator = generator, .inputs = {.first = keeps ? self : loops::moves::kNoInput}});
}

void ApplyMask(exec::PlanBuilder& plan, const char* self, double factor) {
  const int mask = plan.Input("mask");
  if (factor == 1 || !(factor >= 1 && std::isfinite(factor))) {
    plan.Ignores(mask);
    return WithoutMask(plan, plan.Input(self), factor == 1);
  }
  plan.ForbidInPlace(mask);
  const ApplyParameters parameters = ApplicationOf(factor, plan.OperandView(plan.Output("out")).dtype);
  Generate(plan, Masked(plan, plan.Input(self), mask, parameters));
}

void PlanDropoutDoMask(exec::PlanBuilder& plan) { ApplyMask(plan, "self", 1 / (1 - plan.Attribute<double>("prob"))); }

void PlanDropoutBackward(exec::PlanBuilder& plan) { ApplyMask(plan, "gradOutput", plan.Attribute<double>("scale")); }

void PlanDropoutGenMask(exec::PlanBuilder& plan) {
  int64_t count = 0;
  CountElements(plan.Ints(plan.schema().Find("shape")), &count);
  const MaskParameters mask = MaskOf(plan.Attribute<double>("prob"), count);
  Generate(plan, {.out = plan.Output("out"),
                  .generator = {.run = Mask, .dtype = ACL_UINT8, .ns_per_element = 8 * kNsPerWord},
                  .parameters = mask,
                  .count = MaskBytes(count)});
}

void PlanDropout(exec::PlanBuilder& plan) {
  const int input = plan.Input("input"), mask = plan.Output("maskOut");
  const auto p = plan.Attribute<double>("p");
  if (!plan.Attribute<bool>("train") || p == 0 || p == 1)
    return WithoutMask(plan, input, !plan.Attribute<bool>("train") || p == 0);
  int64_t count = 0, bytes = 0;
  CountElements(plan.OperandView(input).dims(), &count);
  CountElements(plan.OperandView(mask).dims(), &bytes);
  const MaskParameters bits = MaskOf(p, count);
  const ApplyParameters parameters = ApplicationOf(1 / (1 - p), plan.OperandView(plan.Output("out")).dtype);
  GenerateBoth(plan,
               {.out = mask,
                .generator = {.run = Mask, .dtype = ACL_UINT8, .ns_per_element = 8 * kNsPerWord},
                .parameters = bits,
                .count = std::min(bytes, MaskBytes(count))},
               Masked(plan, input, mask, parameters));
}

constexpr exec::PlanFunction PlanDropoutGenMaskV2 = PlanDropoutGenMask;
constexpr exec::PlanFunction PlanDropoutGenMaskV2Tensor = PlanDropoutGenMask;

}  // namespace

}  // namespace portacl::ops::dropout

#include "ops/generator/dropout/dropout_functions.inc"
