// SPDX-License-Identifier: Apache-2.0
// Values that were measured on processors: the times of parts of the work, and prefetch distances. They choose between
// algorithms with the same bits, and how many threads help. Values that decide the order of a sum are defined next to
// that sum.
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl {

/// One row of the table in tuning.cc: the values that bench/fit_tuning.py measures on one core of a micro-architecture.
struct Tuning {
  const char* microarchitecture;
  bool halves_512_bits;  // AVX-512 is executed in halves, and widening to it takes twice as long

  double core_bytes_per_ns;  // one core's share of the memory bandwidth

  /// The time of a multiply-add of matrix products in panels, with registers of 512 bits and with shorter ones.
  double product_ns;
  double short_register_product_ns;
  double tile_product_ns;      // for BFLOAT16, with AMX
  double bfloat16_product_ns;  // with AVX512_BF16
  /// Costs relative to packing one element of an operand without transposing it: for an element that is packed during
  /// the multiplication, one that is transposed, and a result that is stored transposed.
  double pack_while_multiplying_cost;
  double pack_transposed_cost;
  double store_transposed_cost;

  /// With quantised weights: the times of a multiply-add, and of reading a weight.
  double quantized_product_ns;
  double quantized_weight_ns;

  /// The times of a multiply-add of convolutions, with adjacent channels of a pixel, in panels, and along rows of one
  /// channel, and of rearranging one element of the input before.
  double convolution_pixel_ns;
  double convolution_panel_ns;
  double convolution_tap_ns;
  double convolution_stage_ns;

  double scan_ns;  // for one element
  double sort_ns;

  /// Prefetch distances for operands that are larger than the caches: of elementwise operators, of those with a single
  /// operand that is also the result (0: none), of those with several of which one is (0: none), of those with strides,
  /// for rows of dot products, for quantised weights, and of reduced rows.
  int64_t elementwise_prefetch_bytes;
  int64_t in_place_prefetch_bytes;
  int64_t several_in_place_prefetch_bytes;
  int64_t strided_prefetch_bytes;
  int64_t dot_prefetch_bytes;
  int64_t weight_prefetch_bytes;
  int64_t reduction_prefetch_bytes;

  int64_t second_level_bytes;  // operands of up to this size are not prefetched
};

inline namespace v1 {

/// The row of this processor, chosen at the first call; PORTACL_TUNING replaces some of its values.
PORTACL_EXPORT const Tuning& CurrentTuning() noexcept;

}  // namespace v1

/// Replaces values by those of a text like "product_ns=0.01,sort_ns=20". Returns false, without replacing any, when a
/// name is unknown, or a value is negative, or 0 and not in bytes. Only for CurrentTuning() and its test.
bool ReplaceNumbers(const char* text, Tuning* tuning) noexcept;

}  // namespace portacl
