// SPDX-License-Identifier: Apache-2.0
//
// The lane helpers of this folder as plain functions, one set per instruction set, for their tests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::simd {

inline constexpr size_t kMaxHalfLanes = 128;  // 16-bit lanes of the widest register, SVE with 2048 bits

/// One 16-bit format. Each call handles one register: `lanes` elements at `stored`, half as many floats in each half.
struct ConversionLanes {
  size_t lanes;
  void (*widen)(const uint16_t* stored, float* first, float* second);
  void (*narrow)(const float* first, const float* second, uint16_t* stored);
  void (*narrow_results)(const float* first, const float* second, uint16_t* stored);
};

struct TailLanes {
  size_t double_lanes;
  size_t float_lanes;
  size_t half_lanes;
  size_t byte_lanes;
  size_t mask_lanes;  // of ByteLanes, as many as there are floats
  // Loads n elements by LoadTail, then stores the whole register to `to`: dead lanes must be zero.
  void (*load_half)(const uint16_t* from, size_t n, uint16_t* to);
  void (*load_float)(const float* from, size_t n, float* to);
  void (*load_double)(const double* from, size_t n, double* to);
  void (*load_bytes)(const uint8_t* from, size_t n, uint8_t* to);
  void (*load_mask)(const uint8_t* from, size_t n, uint8_t* to);
  void (*store_half)(const uint16_t* from, uint16_t* to, size_t n);
  void (*store_float)(const float* from, float* to, size_t n);
  void (*store_double)(const double* from, double* to, size_t n);
  void (*store_bytes)(const uint8_t* from, uint8_t* to, size_t n);
  void (*store_mask)(const uint8_t* from, uint8_t* to, size_t n);
};

/// Functions that compute out[i] = a[i] + b[i] by Map.
struct MapLanes {
  void (*add_double)(const double* a, const double* b, double* out, size_t n, bool non_temporal);
  void (*add_float)(const float* a, const float* b, float* out, size_t n, bool non_temporal);
  void (*add_float16)(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n, bool non_temporal);
  void (*add_bfloat16)(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n, bool non_temporal);
  void (*add_one_float)(const float* a, float b, float* out, size_t n);  // one value for all
  /// Computes both by MapTwo; difference[i] = a[i] - b[i].
  void (*add_and_subtract)(const float* a, const float* b, float* sum, float* difference, size_t n, bool non_temporal);
};

/// The sum of all a[i] + b[i], by AddUp and FoldLanes.
struct SumLanes {
  double (*of_float)(const float* a, const float* b, size_t n, bool grouped);
  double (*of_float16)(const uint16_t* a, const uint16_t* b, size_t n, bool grouped);
  double (*of_bfloat16)(const uint16_t* a, const uint16_t* b, size_t n, bool grouped);
  double (*with_one_float)(const float* a, float b, size_t n);
  double (*with_one_bfloat16)(const uint16_t* a, uint16_t b, size_t n);
};

/// to[i] = Exp(from[i]) for one register.
struct ExpLanes {
  void (*wide)(const float* from, float* to);
  void (*narrow)(const float* from, float* to);
  void (*wide_double)(const double* from, double* to);
  void (*narrow_double)(const double* from, double* to);
};

/// to[i] = ln from[i], and ln(m[i] 2^n[i]), for one register.
struct LogLanes {
  void (*of_float)(const float* from, float* to);
  void (*wide)(const double* m, const double* n, double* to);
  void (*narrow)(const double* m, const double* n, double* to);
};

/// to[i] = sigmoid(from[i]) for one register; `scaled` is ScaledSigmoid, with sigmoid(from) = to * 2^-rest and e =
/// e^-from * 2^-rest.
struct SigmoidLanes {
  void (*wide)(const float* from, float* to);
  void (*narrow)(const float* from, float* to);
  void (*scaled)(const float* from, float* to, float* e, float* rest);
  /// product[i] * 2^-rest, by Unscaled.
  void (*unscaled)(const float* product, const float* from, const float* rest, float* to);
};

/// The sum of n elements by SumRow, and twice each element by StoreRow or, where possible, StoreWholeRow.
struct RowLanes {
  double (*sum)(const float* from, size_t n);
  void (*double_float)(const float* from, float* to, size_t n, bool non_temporal, bool backwards);
  void (*double_float16)(const uint16_t* from, uint16_t* to, size_t n, bool non_temporal, bool backwards);
  void (*double_bfloat16)(const uint16_t* from, uint16_t* to, size_t n, bool non_temporal, bool backwards);
  /// 1 for bytes that are not 0, by LoadMask.
  void (*mask)(const uint8_t* from, uint8_t* to, size_t n);
};

struct LaneFunctions {
  ConversionLanes float16;
  ConversionLanes bfloat16;
  TailLanes tail;
  MapLanes map;
  ExpLanes exp;
  LogLanes log;
  SigmoidLanes sigmoid;
  SumLanes sum;
  RowLanes row;
  bool fused;  // MulAdd rounds once
};

LaneFunctions LaneFunctionsFor(int64_t target);

}  // namespace portacl::simd
