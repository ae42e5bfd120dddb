// SPDX-License-Identifier: Apache-2.0
//
// The last step of a matrix product: stores the results of a tile of sums.
#include <cstring>

#include "loops/products/product_task.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::products {
namespace {

// The addends of a row as float32; in place if they need no copy.
const float* AddendsAsFloats(const ProductResult& addend, std::byte* from, int64_t columns, std::byte* dense,
                             float* floats) {
  if (columns == 0) return floats;
  const bool is_float = addend.conversion->steps == 0, runs_on = addend.column_stride == addend.bytes || columns == 1;
  if (is_float && runs_on) return reinterpret_cast<const float*>(from);
  auto* const as_floats = reinterpret_cast<std::byte*>(floats);
  CopyBlock(addend.bytes, 1, columns, StridedBlock(from, 0, addend.column_stride),
            StridedBlock(is_float ? as_floats : dense, 0, addend.bytes));
  if (!is_float) addend.conversion->step[0](dense, as_floats, columns);
  return floats;
}

}  // namespace

void StoreProducts(const ProductPlan& plan, const ProductPlace& batch, int64_t row, int64_t column, int64_t rows,
                   int64_t columns, float* tile, int64_t stride, std::byte* dense, float* addends) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const ProductResult& out = plan.out;
  std::byte* const to = batch.out + row * out.row_stride + column * out.column_stride;
  const bool is_plain = out.conversion->steps == 0 && out.column_stride == kFloat;
  if (plan.is_scaled) {
    const ProductResult& addend = plan.addend;
    const float* row_addends = nullptr;
    for (int64_t i = 0; i < rows; ++i) {
      float* const floats = tile + i * stride;
      if (plan.beta != 0 && (i == 0 || addend.row_stride != 0)) {
        std::byte* const from = batch.addend + (row + i) * addend.row_stride + column * addend.column_stride;
        row_addends = AddendsAsFloats(addend, from, columns, dense, addends);
      }
      auto* const results = is_plain ? reinterpret_cast<float*>(to + i * out.row_stride) : floats;
      plan.lanes.combine(floats, row_addends, columns, plan.alpha, plan.beta, results);
    }
    if (is_plain) return;
  }
  auto* const from = reinterpret_cast<std::byte*>(tile);
  if (out.conversion->steps == 0) {
    return CopyBlock(kFloat, rows, columns, StridedBlock(from, stride * kFloat, kFloat),
                     StridedBlock(to, out.row_stride, out.column_stride));
  }
  if (out.column_stride == out.bytes) {
    for (int64_t i = 0; i < rows; ++i)
      out.conversion->step[0](from + i * stride * kFloat, to + i * out.row_stride, columns);
    return;
  }
  // Converts each row in place: the narrow results of a row are no longer than its floats.
  for (int64_t i = 0; i < rows; ++i) {
    std::byte* const floats = from + i * stride * kFloat;
    out.conversion->step[0](floats, dense, columns);
    std::memcpy(floats, dense, static_cast<size_t>(columns * out.bytes));
  }
  CopyBlock(out.bytes, rows, columns, StridedBlock(from, stride * kFloat, out.bytes),
            StridedBlock(to, out.row_stride, out.column_stride));
}

}  // namespace portacl::loops::products
