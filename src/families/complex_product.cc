// SPDX-License-Identifier: Apache-2.0
#include "families/complex_product.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "families/complex.h"

namespace portacl::families {
namespace {

using loops::reductions::ReduceStates;
using loops::reductions::ReduceTile;

Complex128* StatesOf(const ReduceStates& states) { return reinterpret_cast<Complex128*>(states.planes[0]); }

void Start(const ReduceStates& states) { std::fill_n(StatesOf(states), states.n, Complex128(1)); }

const Complex128* RowOf(const ReduceTile& tile, int64_t row) {
  return reinterpret_cast<const Complex128*>(tile.in + row * tile.row_stride);
}
void AddRows(const ReduceTile& tile) {
  auto* const states = reinterpret_cast<Complex128*>(tile.planes[0]);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const Complex128* const in = RowOf(tile, row);
    for (int64_t i = 0; i < tile.columns; ++i) states[row] = Multiply(states[row], in[i]);
  }
}
void AddColumns(const ReduceTile& tile) {
  auto* const states = reinterpret_cast<Complex128*>(tile.planes[0]);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const Complex128* const in = RowOf(tile, row);
    for (int64_t i = 0; i < tile.columns; ++i) states[i] = Multiply(states[i], in[i]);
  }
}

void Merge(const ReduceStates& states, std::byte* const* others) {
  const auto* const other = reinterpret_cast<const Complex128*>(others[0]);
  for (int64_t i = 0; i < states.n; ++i) StatesOf(states)[i] = Multiply(StatesOf(states)[i], other[i]);
}

void Finish(const ReduceStates& states, std::byte* const* results) {
  std::copy_n(StatesOf(states), states.n, reinterpret_cast<Complex128*>(results[0]));
}

}  // namespace

loops::reductions::Reducer ComplexProduct() {
  return {.start = Start,
          .add_rows = AddRows,
          .add_columns = AddColumns,
          .merge = Merge,
          .finish = Finish,
          .dtype = ACL_COMPLEX128,
          .result_dtype = {ACL_COMPLEX128},
          .plane_bytes = {16, 8},
          .ns_per_element = 5};
}

}  // namespace portacl::families
