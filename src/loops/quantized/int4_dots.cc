// SPDX-License-Identifier: Apache-2.0
//
// Written for x86 and its fixed register sizes, as bfloat16_blocks.cc is.
#include "loops/quantized/int4_dots.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/target.h"
#include "base/tuning.h"
#include "loops/products/x86_intrinsics.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::quantized {
namespace {

constinit std::atomic<bool> is_allowed{true};

#if HWY_ARCH_X86_64

HWY_PUSH_ATTRIBUTES("avx,avx2,fma,f16c,bmi,bmi2,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")

// Bits of the largest value of a block, in units: the sum of a lane's eight values, times 15, stays below 2^31.
constexpr int kBits = 22;
constexpr int kLowBits = 15;

inline __mmask16 FirstLanes(int64_t count) {
  return count >= 16 ? ~__mmask16{0} : static_cast<__mmask16>((1 << std::max<int64_t>(count, 0)) - 1);
}

// Weights as values from 0 to 15, those at even positions and those at odd positions.
struct Nibbles {
  __m512i even, odd;
};

// In each lane, sums the products of the weights with the values that the digits make up, highest digit first.
template <int kDigits>
inline __m512i MultiplyAll(const Nibbles& weights, const int8_t (&digits)[kDigits][2][kInt4Block / 2]) {
  __m512i sum = _mm512_setzero_si512();
#pragma GCC unroll 3
  for (int digit = kDigits - 1; digit >= 0; --digit) {
    sum = _mm512_slli_epi32(sum, 8);
    sum = _mm512_dpbusd_epi32(sum, weights.even, _mm512_load_si512(digits[digit][0]));
    sum = _mm512_dpbusd_epi32(sum, weights.odd, _mm512_load_si512(digits[digit][1]));
  }
  return sum;
}

inline __m512 Scaled(__m512i products, const int32_t* excess, float unit, __m512 scales, __m512 sum) {
  const __m512 exact = _mm512_cvtepi32_ps(_mm512_sub_epi32(products, _mm512_load_si512(excess)));
  return _mm512_fmadd_ps(exact, _mm512_mul_ps(scales, _mm512_set1_ps(unit)), sum);
}

// Adds the products of a block.
inline __m512 AddBlock(__m512i weights, const Int4Block& x, __m512 scales, __m512 sum) {
  const __m512i low_half = _mm512_set1_epi8(15);
  weights = _mm512_xor_si512(weights, _mm512_set1_epi8(static_cast<char>(0x88)));
  const Nibbles nibbles = {_mm512_and_si512(weights, low_half),
                           _mm512_and_si512(_mm512_srli_epi16(weights, 4), low_half)};
  sum = Scaled(MultiplyAll(nibbles, x.digits), x.excess, x.unit, scales, sum);
  if (x.low_unit == 0) return sum;
  return Scaled(MultiplyAll(nibbles, x.low_digits), x.low_excess, x.low_unit, scales, sum);
}

// Stores the lowest digit of each value, and removes it from the value.
inline void TakeDigits(__m512i* numbers, int8_t* to) {
  const __m512i digits = _mm512_srai_epi32(_mm512_slli_epi32(*numbers, 24), 24);
  *numbers = _mm512_srai_epi32(_mm512_sub_epi32(*numbers, digits), 8);
  _mm_store_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(digits));
}

// Stores sixteen elements, from even or from odd positions, as digits at position `at`. Returns false if any is no
// multiple of the smallest unit.
inline bool PutDigits(__m512 x, __m512 units, int64_t odd, int64_t at, Int4Block* block) {
  const __m512 scaled = _mm512_mul_ps(x, units);
  __m512i numbers = _mm512_cvtps_epi32(scaled);
  const __m512 rest = _mm512_mul_ps(_mm512_sub_ps(scaled, _mm512_cvtepi32_ps(numbers)), _mm512_set1_ps(1 << kLowBits));
  __m512i low = _mm512_cvtps_epi32(rest);
  const bool is_exact = _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(low), rest, _CMP_NEQ_UQ) == 0;
  for (auto& digits : block->digits) TakeDigits(&numbers, digits[odd] + at);
  for (auto& digits : block->low_digits) TakeDigits(&low, digits[odd] + at);
  return is_exact;
}

bool MakeBlock(const float* x, int64_t count, Int4Block* block) {
  const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
  __m512i largest = _mm512_setzero_si512();
  for (int64_t i = 0; i < count; i += 16)
    largest =
        _mm512_max_epi32(largest, _mm512_and_si512(_mm512_maskz_loadu_epi32(FirstLanes(count - i), x + i), magnitude));
  const int bits = _mm512_reduce_max_epi32(largest);
  if (bits >= 0x7F800000) return false;  // an infinity or a NaN
  const int exponent = bits == 0 ? 0 : (bits >> 23) - 126;
  block->unit = std::ldexp(1.0F, exponent - kBits);
  const __m512 units = _mm512_set1_ps(std::ldexp(1.0F, kBits - exponent));
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  for (int64_t i = 0; i < kInt4Block; i += 32) {
    const __m512 first = _mm512_maskz_loadu_ps(FirstLanes(count - i), x + i);
    const __m512 second = _mm512_maskz_loadu_ps(FirstLanes(count - i - 16), x + i + 16);
    if (!PutDigits(_mm512_permutex2var_ps(first, even, second), units, 0, i / 2, block) ||
        !PutDigits(_mm512_permutex2var_ps(first, odd, second), units, 1, i / 2, block))
      return false;
  }
  const Nibbles eights = {_mm512_set1_epi8(8), _mm512_set1_epi8(8)};
  _mm512_store_si512(block->excess, MultiplyAll(eights, block->digits));
  _mm512_store_si512(block->low_excess, MultiplyAll(eights, block->low_digits));
  const __m512i low = _mm512_or_si512(
      _mm512_or_si512(_mm512_load_si512(block->low_digits[0][0]), _mm512_load_si512(block->low_digits[0][1])),
      _mm512_or_si512(_mm512_load_si512(block->low_digits[1][0]), _mm512_load_si512(block->low_digits[1][1])));
  block->low_unit = _mm512_test_epi32_mask(low, low) == 0 ? 0 : std::ldexp(block->unit, -kLowBits);
  return true;
}

bool MakeBlocks(const float* x, int64_t depth, Int4Block* blocks) {
  for (int64_t first = 0; first < depth; first += kInt4Block, ++blocks) {
    if (!MakeBlock(x + first, std::min(kInt4Block, depth - first), blocks)) return false;
  }
  return true;
}

// The scales of a block: how many consecutive ones there are, and which of them each lane uses.
struct ScalesOfBlock {
  explicit ScalesOfBlock(const QuantizedColumns& columns)
      : is_one(columns.groups == 1 || columns.group >= kInt4Block), count(is_one ? 1 : kInt4Block / columns.group) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    places = is_one ? _mm512_setzero_si512() : _mm512_srli_epi32(lane, count == 4 ? 2 : 3);
  }
  // Loads the first `some` scales.
  __m512 Load(const std::byte* from, int64_t some) const {
    const __m128i scales = _mm_maskz_loadu_epi16(static_cast<__mmask8>((1 << some) - 1), from);
    return _mm512_permutexvar_ps(places, _mm512_castps128_ps512(_mm_cvtph_ps(scales)));
  }
  bool is_one;  // the block lies within one group
  int64_t count;
  __m512i places;
};

void Dot(const Int4Dot& dot) {
  constexpr int64_t kScaleBytes = 2, kBlockBytes = kInt4Block / 2, kBlocksAdded = kQuantizedBlock / kInt4Block;
  const QuantizedColumns& columns = dot.columns;
  const int64_t blocks = Int4Blocks(columns.depth), whole = columns.depth / kInt4Block;
  const ScalesOfBlock of_block(columns);
  const int64_t blocks_of_scale = columns.groups == 1 ? blocks : std::max<int64_t>(1, columns.group / kInt4Block);
  const int64_t prefetch_bytes = CurrentTuning().weight_prefetch_bytes;
  for (int64_t column = 0; column < dot.count; ++column) {
    const std::byte* weights = columns.weights + column * columns.stride;
    const std::byte* scales = dot.scales + column * dot.scale_stride;
    int64_t left_of_scale = blocks_of_scale;
    double total = 0;
    for (int64_t first = 0; first < blocks; first += kBlocksAdded) {
      __m512 sum = _mm512_setzero_ps();
      int64_t i = first;
      for (const int64_t end = std::min(whole, first + kBlocksAdded); i < end; ++i, weights += kBlockBytes) {
        __builtin_prefetch(weights + prefetch_bytes, 0, 2);
        sum = AddBlock(_mm512_loadu_si512(weights), dot.x[i], of_block.Load(scales, of_block.count), sum);
        if (--left_of_scale == 0) scales += of_block.count * kScaleBytes, left_of_scale = blocks_of_scale;
      }
      if (i == whole && i < std::min(blocks, first + kBlocksAdded)) {
        const int64_t left = columns.depth % kInt4Block;
        const int64_t some = of_block.is_one ? 1 : CeilDivide(left, columns.group);
        const __m512i last = _mm512_maskz_loadu_epi8((__mmask64{1} << (left + 1) / 2) - 1, weights);
        sum = AddBlock(last, dot.x[i], of_block.Load(scales, some), sum);
      }
      total += static_cast<double>(_mm512_reduce_add_ps(sum));
    }
    dot.out[column] = total;
  }
}

HWY_POP_ATTRIBUTES

bool HasByteProducts() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vnni");
}

#endif

}  // namespace

const Int4Dots* Int4DotsFor(int64_t group, int64_t depth) {
#if HWY_ARCH_X86_64
  static constexpr Int4Dots kDots = {.make_blocks = MakeBlocks, .dot = Dot};
  static const bool has_them = HasByteProducts();
  const bool fits = group == 32 || group == 64 || group % kInt4Block == 0 || group >= depth;
  return has_them && ActiveTarget() <= HWY_AVX3 && fits && is_allowed.load(std::memory_order_relaxed) ? &kDots
                                                                                                      : nullptr;
#else
  static_cast<void>(group);
  static_cast<void>(depth);
  return nullptr;
#endif
}

void AllowInt4DotsForTest(bool allow) noexcept {
  is_allowed.store(allow, std::memory_order_relaxed);
  settings_version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace portacl::loops::quantized
