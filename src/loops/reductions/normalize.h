// SPDX-License-Identifier: Apache-2.0
//
// The engine for normalisations: lane code that needs whole rows, where a row may span several axes. It also handles
// statistics, one value per row such as its mean, and sums over all rows.
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

/// One more than the axes of a tensor, as one of these may be split in two: groups, and positions within a group.
inline constexpr int kMostNormAxes = kMaxRank + 1;

/// The axes that number the rows, followed by the axes within a row.
struct NormShape {
  int outer = 0;
  int inner = 0;
  int64_t sizes[kMostNormAxes] = {};

  void Add(int64_t size) { sizes[outer + inner++] = size; }
};

/// An operand that has an element for each position of the shape: distinct rows, or rows that repeat.
struct NormRows {
  int operand = kNoOperand;  // PlanBuilder::Operand
  int64_t strides[kMostNormAxes] = {};
  bool by_segment = false;  // the operand has one element for each position along the first axis of a row
};

/// Sums over all rows that share an element of the operand.
struct NormSums {
  int operand = kNoOperand;
  int64_t strides[kMostNormAxes] = {};  // positions of the sums, which are contiguous in the operand's order
};

inline constexpr int kMostNormRows = 5;
inline constexpr int kMostStatistics = 2;
inline constexpr int kMostNormSums = 2;

/// Operands in the order in which they are in a tile. Absent operands have a null base.
struct NormOperands {
  NormShape shape;
  int row_count = 0;
  int row_outputs = 0;        // number of outputs, the last of the rows
  bool has_segments = false;  // the first axis of a row is not joined with others
  NormRows rows[kMostNormRows] = {};
  int statistics[kMostStatistics] = {kNoOperand, kNoOperand};  // any shape with one element per row
  bool reads_statistics = false;                               // statistics are inputs; absent ones are 0
  NormSums sums[kMostNormSums] = {};
};

struct NormKernel {
  /// Operands of the tile: the rows, with contiguous columns; the statistics, one float per row whatever their dtype,
  /// even if absent from the call; the sums, doubles to add to, for the row's first position.
  LaneFunction run;
  double ns_per_element;      // arithmetic alone, on one core, operands in the first-level cache
  int64_t scratch_bytes = 0;  // size of Tile::scratch, which is aligned to 64 bytes
};

inline namespace v1 {

/// Plans `kernel`. Any strides. An output may be exactly one of the inputs: lane code reads a whole row before it
/// writes any of it, or works element by element. Rows without elements have statistics, too. Results do not depend on
/// the number of threads.
PORTACL_EXPORT void Normalize(exec::PlanBuilder& builder, const NormOperands& operands, const NormKernel& kernel,
                              const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops::reductions
