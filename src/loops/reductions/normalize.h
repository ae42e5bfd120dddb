// SPDX-License-Identifier: Apache-2.0
//
// The engine of normalisations: lane code that needs whole rows, which may be several axes, numbers of which each row
// has one, such as its mean, and sums of something over all rows.
//
//   NormShape shape = {.outer = 2, .inner = 1, .sizes = {4, 8, 64}};
//   Normalize(plan, {.shape = shape, .rows = {x, gamma, y}, .row_outputs = 1, .statistics = {rstd}}, kernel,
//                    parameters);
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"
#include "loops/tiles/tile.h"

namespace portacl::loops::reductions {

/// An axis of a tensor may count as two: groups, and what is in one.
inline constexpr int kMostNormAxes = kMaxRank + 1;
inline constexpr int kNoOperand = -1;

/// The axes that number rows, and behind them those of a row.
struct NormShape {
  int outer = 0;
  int inner = 0;
  int64_t sizes[kMostNormAxes] = {};

  void Add(int64_t size) { sizes[outer + inner++] = size; }
};

/// An operand with an element at each place of the shape: rows of it, or rows that repeat.
struct NormRows {
  int operand = kNoOperand;  // PlanBuilder::Operand
  int64_t strides[kMostNormAxes] = {};
  bool by_segment = false;  // it has one element for each place along the first axis of a row
};

/// Sums over all rows, one for each place that differs.
struct NormSums {
  int operand = kNoOperand;
  int64_t strides[kMostNormAxes] = {};  // between the places of sums, which follow each other as in the operand
};

inline constexpr int kMostNormRows = 5;
inline constexpr int kMostStatistics = 2;
inline constexpr int kMostNormSums = 2;

/// In the order in which lane code finds them in a tile. Those that are not there have a null base.
struct NormOperands {
  NormShape shape;
  int row_count = 0;
  int row_outputs = 0;        // the last of the rows
  bool has_segments = false;  // the first axis of a row is not joined with others
  NormRows rows[kMostNormRows] = {};
  int statistics[kMostStatistics] = {kNoOperand, kNoOperand};  // any shape with as many elements as there are rows
  bool reads_statistics = false;                               // they are inputs; those that are not there are 0
  NormSums sums[kMostNormSums] = {};
};

struct NormKernel {
  /// Operands of a tile: the rows, whose columns are contiguous; the statistics, one float a row whatever their dtype,
  /// also where nobody wants them; the sums, doubles to be added to, of the row's first place.
  LaneFunction run;
  double ns_per_element;      // arithmetic alone, one core, operands in the first-level cache
  int64_t scratch_bytes = 0;  // that `run` finds at Tile::scratch, aligned to 64 bytes
};

inline namespace v1 {

/// Plans `kernel`. Any strides. An output may be exactly one of the inputs: lane code reads all of a row before it
/// writes any of it, or element by element. Rows without elements have statistics. Results do not depend on the number
/// of threads.
PORTACL_EXPORT void Normalize(exec::PlanBuilder& builder, const NormOperands& operands, const NormKernel& kernel,
                              const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops::reductions
