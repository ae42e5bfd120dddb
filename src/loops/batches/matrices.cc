// SPDX-License-Identifier: Apache-2.0
#include "loops/batches/matrices.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include "base/dtype.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"
#include "tensor/view.h"

namespace portacl::loops::batches {
namespace {

// The smallest amount of work that is worth another thread.
constexpr double kChunkNs = 50'000;

// No machine has scratch memory for a larger matrix.
constexpr int64_t kMostMatrixElements = int64_t{1} << 50;

struct PlannedMatrix {
  int operand = 0;
  int64_t offset = 0;  // bytes from element 0 of the operand to that of its part
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t bytes = 0;          // per element
  int64_t scratch_bytes = 0;  // per element in scratch
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t batch[kMaxRank] = {};            // bytes
  const Conversion* conversion = nullptr;  // to the dtype of the kernel, or from it
  ScratchPart<double> elements = {};

  int64_t Elements() const { return rows * columns; }
  bool IsTakenAsItIs() const { return conversion->steps == 0; }
};

struct MatrixPlan {
  void (*run)(const Matrix* operands) = nullptr;
  int operands = 0;
  int inputs = 0;
  bool is_serial = false;  // elements of an output share bytes
  int batch_rank = 0;
  int64_t batch_shape[kMaxRank] = {};
  int64_t matrices = 1;
  int64_t matrices_per_chunk = 1;
  int64_t chunks = 1;
  ScratchLayout layout = {};
  ScratchPart<std::byte> dense = {};  // elements of one matrix before or after their conversion
  PlannedMatrix operand[kMostMatrices] = {};
};

void LoadMatrix(const PlannedMatrix& matrix, std::byte* from, std::byte* dense, double* to) {
  if (matrix.Elements() == 0) return;
  auto* const elements = reinterpret_cast<std::byte*>(to);
  if (matrix.IsTakenAsItIs()) dense = elements;
  CopyBlock(matrix.bytes, matrix.rows, matrix.columns, {from, matrix.row_stride, matrix.column_stride},
            {dense, matrix.columns * matrix.bytes, matrix.bytes});
  if (!matrix.IsTakenAsItIs()) Convert(*matrix.conversion, dense, elements, matrix.Elements());
}

void StoreMatrix(const PlannedMatrix& matrix, double* from, std::byte* dense, std::byte* to) {
  if (matrix.Elements() == 0) return;
  auto* const elements = reinterpret_cast<std::byte*>(from);
  if (matrix.IsTakenAsItIs()) {
    dense = elements;
  } else {
    Convert(*matrix.conversion, elements, dense, matrix.Elements());
  }
  CopyBlock(matrix.bytes, matrix.rows, matrix.columns, {dense, matrix.columns * matrix.bytes, matrix.bytes},
            {to, matrix.row_stride, matrix.column_stride});
}

void RunMatrix(const MatrixPlan& plan, std::byte* const* addresses, int64_t number, std::byte* scratch) {
  std::byte* places[kMostMatrices];
  Matrix matrices[kMostMatrices];
  for (int i = 0; i < plan.operands; ++i) {
    const PlannedMatrix& matrix = plan.operand[i];
    places[i] = addresses[i];
    matrices[i] = {matrix.elements.In(scratch), matrix.rows, matrix.columns};
  }
  for (int axis = plan.batch_rank; axis-- > 0; number /= plan.batch_shape[axis]) {
    for (int i = 0; i < plan.operands; ++i) places[i] += number % plan.batch_shape[axis] * plan.operand[i].batch[axis];
  }
  std::byte* const dense = plan.dense.In(scratch);
  for (int i = 0; i < plan.inputs; ++i) LoadMatrix(plan.operand[i], places[i], dense, matrices[i].elements);
  plan.run(matrices);
  for (int i = plan.inputs; i < plan.operands; ++i)
    StoreMatrix(plan.operand[i], matrices[i].elements, dense, places[i]);
}

int32_t RunMatrices(const exec::RunContext& context) {
  const MatrixPlan& plan = context.Parameters<MatrixPlan>();
  std::byte* addresses[kMostMatrices];
  for (int i = 0; i < plan.operands; ++i)
    addresses[i] = context.Address(plan.operand[i].operand) + plan.operand[i].offset;
  ForEachChunk({.count = plan.chunks, .is_serial = plan.is_serial, .scratch_bytes = plan.layout.bytes()},
               [&](int64_t chunk, std::byte* scratch) {
                 const int64_t first = chunk * plan.matrices_per_chunk;
                 const int64_t end = std::min(first + plan.matrices_per_chunk, plan.matrices);
                 for (int64_t i = first; i < end; ++i) RunMatrix(plan, addresses, i, scratch);
               });
  return 0;
}

PlannedMatrix PlanMatrix(const exec::PlanBuilder& builder, const OperandPart& part, const View& view, bool is_input) {
  const View& whole = builder.OperandView(part.operand);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const int rank = view.rank;
  const aclDataType taken = IsComplex(view.dtype) ? ACL_COMPLEX128 : ACL_DOUBLE;
  PlannedMatrix matrix{.operand = part.operand,
                       .offset = (view.offset - whole.offset) * bytes,
                       .rows = view.shape[rank - 2],
                       .columns = view.shape[rank - 1],
                       .bytes = bytes,
                       .scratch_bytes = static_cast<int64_t>(ElementBytes(taken)),
                       .row_stride = view.step(rank - 2) * bytes,
                       .column_stride = view.step(rank - 1) * bytes,
                       .conversion = is_input ? &ConversionOf(view.dtype, taken) : &ConversionOf(taken, view.dtype)};
  for (int axis = 0; axis < rank - 2; ++axis) matrix.batch[axis] = view.step(axis) * bytes;
  return matrix;
}

void PlanScratch(MatrixPlan* plan) {
  int64_t dense = 0;
  for (int i = 0; i < plan->operands; ++i) {
    PlannedMatrix& matrix = plan->operand[i];
    if (matrix.Elements() > kMostMatrixElements) throw std::bad_alloc();
    constexpr auto kDouble = static_cast<int64_t>(sizeof(double));
    matrix.elements = plan->layout.Add<double>(matrix.Elements() * matrix.scratch_bytes / kDouble);
    if (!matrix.IsTakenAsItIs()) dense = std::max(dense, matrix.Elements() * matrix.bytes);
  }
  plan->dense = plan->layout.Add<std::byte>(dense);
}

}  // namespace

inline namespace v1 {

void Matrices(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands, const MatrixKernel& kernel) {
  const OperandViews views(builder, operands);
  const View& last = *views.span().back();
  MatrixPlan plan{.run = kernel.run,
                  .operands = views.count(),
                  .inputs = views.count() - kernel.outputs,
                  .batch_rank = last.rank - 2};
  bool has_results = false;
  int i = 0;
  for (const OperandPart& part : operands) {
    const bool is_input = i < plan.inputs;
    plan.operand[i] = PlanMatrix(builder, part, *views.span()[static_cast<size_t>(i)], is_input);
    has_results |= !is_input && plan.operand[i].Elements() != 0;
    plan.is_serial |= !is_input && MayOverlapItself(builder.OperandView(part.operand));
    ++i;
  }
  if (!has_results) return;
  for (int axis = 0; axis < plan.batch_rank; ++axis) plan.matrices *= plan.batch_shape[axis] = last.shape[axis];
  if (plan.matrices == 0) return;
  PlanScratch(&plan);
  for (int input = 0; plan.is_serial && input < plan.inputs; ++input)
    builder.ForbidInPlace(plan.operand[input].operand);
  plan.matrices_per_chunk = std::max<int64_t>(1, static_cast<int64_t>(kChunkNs / kernel.ns_per_matrix));
  plan.chunks = CeilDivide(plan.matrices, plan.matrices_per_chunk);
  const double ns = std::min(1e18, kernel.ns_per_matrix * static_cast<double>(plan.matrices));
  builder.Run(RunMatrices, plan, static_cast<int64_t>(ns));
}

}  // namespace v1
}  // namespace portacl::loops::batches
