// SPDX-License-Identifier: Apache-2.0
// Numbers that were measured on processors: what parts of the work take, and how far ahead memory is prefetched. They
// choose between ways to the same bits, and how many threads help; what decides the order of a sum stands beside the
// sum.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace portacl {

/// One row of the table in tuning.cc: what bench/fit_tuning.py measures on one core of a micro-architecture.
struct Tuning {
  const char* microarchitecture;
  bool halves_512_bits;  // registers of AVX-512 are worked on in halves, and widening to them takes twice as long

  double core_bytes_per_ns;  // one core's share of the memory bandwidth

  /// A multiply-add of matrix products in panels, with registers of 512 bits and with shorter ones.
  double product_ns;
  double short_register_product_ns;
  double tile_product_ns;      // of BFLOAT16, by AMX
  double bfloat16_product_ns;  // by AVX512_BF16
  /// In the time of an element of a product's operand that is packed as it lies: one that is packed while it is
  /// multiplied, one that is transposed, and a result that is stored transposed.
  double pack_while_multiplying_cost;
  double pack_transposed_cost;
  double store_transposed_cost;

  /// With quantised weights: a multiply-add, and what reading a weight takes beside it.
  double quantized_product_ns;
  double quantized_weight_ns;

  /// A multiply-add of convolutions: with the pixels' channels as neighbours, in panels, and along rows of one channel;
  /// and an element of an input that is rearranged before.
  double convolution_pixel_ns;
  double convolution_panel_ns;
  double convolution_tap_ns;
  double convolution_stage_ns;

  double scan_ns;  // an element
  double sort_ns;

  /// How far ahead operands are prefetched that are larger than the caches: those of elementwise operators, those of them that
  /// have strides, rows of dot products, and quantised weights.
  int64_t elementwise_prefetch_bytes;
  int64_t strided_prefetch_bytes;
  int64_t dot_prefetch_bytes;
  int64_t weight_prefetch_bytes;

  int64_t second_level_bytes;  // operands of up to this size need no prefetching
};

/// How far ahead a row that is reduced is prefetched: the same on all machines that were measured, and known while
/// compiling, as rows may be short.
inline constexpr size_t kReductionPrefetchBytes = 1024;

inline namespace v1 {

/// The row of this processor, chosen at the first call; PORTACL_TUNING replaces some of its numbers.
PORTACL_EXPORT const Tuning& CurrentTuning() noexcept;

}  // namespace v1

/// Replaces numbers by those of a text, "product_ns=0.01,sort_ns=20": false, and nothing is replaced, where a name is
/// unknown or a number is not positive. Only for CurrentTuning() and its test.
bool ReplaceNumbers(const char* text, Tuning* tuning) noexcept;

}  // namespace portacl
