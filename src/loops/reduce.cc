// SPDX-License-Identifier: Apache-2.0
#include "loops/reduce.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "loops/cut.h"
#include "loops/dense.h"
#include "loops/nest.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops {
namespace {

// Each chunk leaves one partial sum on the stack of the run, so that no workspace is needed. More chunks than these
// would keep no machine busier.
constexpr int64_t kMostChunks = 1024;

// What phase 1 leaves for the run, copied into the executor up to the last operand in use.
struct SumPlan {
  LaneCode code;
  uint8_t operand[kMaxTileOperands] = {};
  uint8_t result = 0;
  aclDataType result_dtype = ACL_FLOAT;
  double divisor = 1;
  Cut cut = {};
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
  Nest nest;

  size_t UsedBytes() const {
    return static_cast<size_t>(reinterpret_cast<const std::byte*>(&nest.strides[nest.operands]) -
                               reinterpret_cast<const std::byte*>(this));
  }
};

struct SumTask {
  const SumPlan& plan;
  double* partial;
  std::byte* addresses[kMaxTileOperands];
};

void RunChunk(void* argument, int64_t chunk) {
  const SumTask& task = *static_cast<const SumTask*>(argument);
  const SumPlan& plan = task.plan;
  double sum = 0;
  Tile tile;
  tile.parameters = plan.parameters;
  tile.scratch = &sum;
  tile.past_cache = false;
  const int64_t first = chunk * plan.cut.tiles_per_chunk;
  const int64_t end = std::min(first + plan.cut.tiles_per_chunk, plan.cut.tiles);
  TileWalk walk(plan.nest, plan.cut, first);
  for (int64_t i = first; i < end;) {
    i += walk.Next(task.addresses, end - i, &tile);
    RunTile(plan.code, plan.nest, tile);
  }
  task.partial[chunk] = sum;
}

void Store(aclDataType dtype, double value, std::byte* to) {
  const float single = static_cast<float>(value);
  const uint16_t narrow = dtype == ACL_FLOAT16 ? DoubleToFloat16(value) : DoubleToBfloat16(value);
  switch (dtype) {
    case ACL_DOUBLE:
      std::memcpy(to, &value, sizeof(value));
      break;
    case ACL_FLOAT:
      std::memcpy(to, &single, sizeof(single));
      break;
    default:
      std::memcpy(to, &narrow, sizeof(narrow));
      break;
  }
}

int32_t RunSum(const exec::RunContext& context) {
  const SumPlan& plan = context.Parameters<SumPlan>();
  // No more than needed: the thread is the client's, and its stack may be small.
  auto* const partial = static_cast<double*>(__builtin_alloca(static_cast<size_t>(plan.cut.chunks) * sizeof(double)));
  SumTask task{plan, partial, {}};
  for (int i = 0; i < plan.nest.operands; ++i) task.addresses[i] = context.Address(plan.operand[i]);
  if (plan.cut.chunks > 1) {
    parallel::For(plan.cut.chunks, RunChunk, &task);
  } else if (plan.cut.chunks == 1) {
    RunChunk(&task, 0);
  }
  double sum = 0;
  for (int64_t chunk = 0; chunk < plan.cut.chunks; ++chunk) sum += partial[chunk];
  Store(plan.result_dtype, sum / plan.divisor, context.Address(plan.result));
  return 0;
}

Shape BroadcastOf(std::span<const View* const> views) {
  Shape shape;
  for (const View* view : views) BroadcastWith(&shape, view->dims());
  return shape;
}

}  // namespace

inline namespace v1 {

void Sum(exec::PlanBuilder& plan, std::initializer_list<int> inputs, int result, const SumKernel& kernel,
         const void* parameters, size_t parameter_bytes) {
  const View* views[kMaxTileOperands];
  SumPlan sum;
  size_t count = 0;
  for (const int operand : inputs) {
    sum.operand[count] = static_cast<uint8_t>(operand);
    views[count++] = &plan.OperandView(operand);
  }
  sum.code.run = kernel.run;
  sum.code.inputs = static_cast<int>(count);
  sum.code.repeated = kernel.repeated;
  if (kernel.in_float) SetConversions({views, count}, &sum.code);
  sum.result = static_cast<uint8_t>(result);
  sum.result_dtype = plan.OperandView(result).dtype;
  sum.nest = MakeNest(BroadcastOf({views, count}).span(), {views, count});
  const int64_t elements = sum.nest.Elements();
  if (kernel.mean) sum.divisor = static_cast<double>(elements);
  int64_t cost_ns = 0;
  if (elements != 0) {
    sum.cut = MakeCut(sum.nest, kernel.ns_per_element);
    sum.cut.tiles_per_chunk *= (sum.cut.chunks + kMostChunks - 1) / kMostChunks;
    sum.cut.chunks = (sum.cut.tiles + sum.cut.tiles_per_chunk - 1) / sum.cut.tiles_per_chunk;
    cost_ns = CostNs(sum.nest, kernel.ns_per_element);
  }
  if (parameter_bytes != 0) std::memcpy(sum.parameters, parameters, parameter_bytes);
  plan.RunBytes(RunSum, &sum, sum.UsedBytes(), cost_ns);
}

}  // namespace v1
}  // namespace portacl::loops
