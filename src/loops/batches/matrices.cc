// SPDX-License-Identifier: Apache-2.0
#include "loops/batches/matrices.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>

#include "base/dtype.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"
#include "loops/tiles/tile_plan.h"
#include "loops/tiles/tiling.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops::batches {
namespace {

// Work that is worth another thread.
constexpr double kChunkNs = 50'000;

// More bytes of scratch no machine has.
constexpr int64_t kMostMatrixElements = int64_t{1} << 50;

struct PlannedMatrix {
  int operand = 0;
  int64_t offset = 0;  // bytes from the operand's element 0 to that of its part
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t bytes = 0;          // of an element
  int64_t scratch_bytes = 0;  // of one in scratch
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t batch[kMaxRank] = {};            // bytes
  const Conversion* conversion = nullptr;  // to what the kernel takes, or from it
  int64_t scratch = 0;                     // where the matrix begins in it

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
  int64_t dense = 0;  // where in scratch elements lie that are to be converted
  int64_t scratch_bytes = 0;
  PlannedMatrix operand[kMostMatrices] = {};
};

struct MatrixTask {
  const MatrixPlan& plan;
  std::byte* addresses[kMostMatrices];
  std::atomic<bool> out_of_memory{false};
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

void RunMatrix(const MatrixTask& task, int64_t number, std::byte* scratch) {
  const MatrixPlan& plan = task.plan;
  std::byte* places[kMostMatrices];
  Matrix matrices[kMostMatrices];
  for (int i = 0; i < plan.operands; ++i) {
    const PlannedMatrix& matrix = plan.operand[i];
    places[i] = task.addresses[i];
    matrices[i] = {reinterpret_cast<double*>(scratch + matrix.scratch), matrix.rows, matrix.columns};
  }
  for (int axis = plan.batch_rank; axis-- > 0; number /= plan.batch_shape[axis]) {
    for (int i = 0; i < plan.operands; ++i) places[i] += number % plan.batch_shape[axis] * plan.operand[i].batch[axis];
  }
  std::byte* const dense = scratch + plan.dense;
  for (int i = 0; i < plan.inputs; ++i) LoadMatrix(plan.operand[i], places[i], dense, matrices[i].elements);
  plan.run(matrices);
  for (int i = plan.inputs; i < plan.operands; ++i)
    StoreMatrix(plan.operand[i], matrices[i].elements, dense, places[i]);
}

// Chunks [first, end).
void RunMatrixChunks(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<MatrixTask*>(argument);
  const int64_t last = std::min(end * task.plan.matrices_per_chunk, task.plan.matrices);
  const auto run = [&](void* scratch) {
    try {
      for (int64_t i = first * task.plan.matrices_per_chunk; i < last; ++i)
        RunMatrix(task, i, static_cast<std::byte*>(scratch));
    } catch (const std::bad_alloc&) {
      task.out_of_memory.store(true, std::memory_order_relaxed);
    }
  };
  if (!WithScratch(task.plan.scratch_bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int32_t RunMatrices(const exec::RunContext& context) {
  MatrixTask task{.plan = context.Parameters<MatrixPlan>(), .addresses = {}};
  for (int i = 0; i < task.plan.operands; ++i)
    task.addresses[i] = context.Address(task.plan.operand[i].operand) + task.plan.operand[i].offset;
  if (task.plan.chunks == 1 || task.plan.is_serial) {
    RunMatrixChunks(&task, 0, task.plan.chunks);
  } else {
    parallel::ForRuns(task.plan.chunks, RunMatrixChunks, &task);
  }
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
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

// Matrices one after the other, then elements of one of them.
void PlanScratch(MatrixPlan* plan) {
  const auto place = [](int64_t bytes) { return CeilDivide(bytes, kLineBytes) * kLineBytes; };
  int64_t dense = 0;
  for (int i = 0; i < plan->operands; ++i) {
    PlannedMatrix& matrix = plan->operand[i];
    if (matrix.Elements() > kMostMatrixElements) throw std::bad_alloc();
    matrix.scratch = plan->dense;
    plan->dense += place(matrix.Elements() * matrix.scratch_bytes);
    if (!matrix.IsTakenAsItIs()) dense = std::max(dense, matrix.Elements() * matrix.bytes);
  }
  plan->scratch_bytes = plan->dense + dense;
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
