// SPDX-License-Identifier: Apache-2.0
#include "loops/generate.h"

#include <algorithm>

#include "base/dtype.h"
#include "loops/conversion.h"
#include "loops/cut.h"
#include "loops/indices.h"
#include "loops/pack.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops {
namespace {

// Elements in the first-level cache, and of one thread.
constexpr int64_t kGeneratedBlock = 1024;
constexpr int64_t kGeneratedChunk = 16 * kGeneratedBlock;

struct GeneratePlan {
  Generator generator;
  const Conversion* store;  // null: nothing to do
  int out;
  int64_t bytes;   // of an element
  int64_t count;   // of elements
  int64_t row;     // elements that have one stride
  int64_t stride;  // bytes
  bool serial;     // elements share bytes
  Places rows;
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
};

struct GenerateTask {
  const GeneratePlan& plan;
  std::byte* out;
};

// Copies what follows each other to where it belongs, row by row.
void Place(const GeneratePlan& plan, std::byte* elements, int64_t first, int64_t n, std::byte* out) {
  while (n > 0) {
    const int64_t column = first % plan.row;
    const int64_t columns = std::min(n, plan.row - column);
    CopyBlock(plan.bytes, 1, columns, {elements, 0, plan.bytes},
              {out + plan.rows.Of(first / plan.row) + column * plan.stride, 0, plan.stride});
    elements += columns * plan.bytes;
    first += columns;
    n -= columns;
  }
}

void RunGenerateChunks(void* argument, int64_t first_chunk, int64_t end_chunk) {
  const auto& [plan, out] = *static_cast<const GenerateTask*>(argument);
  alignas(kLineBytes) std::byte elements[8 * kGeneratedBlock];
  alignas(kLineBytes) std::byte converted[8 * kGeneratedBlock];
  const int64_t end = std::min(plan.count, end_chunk * kGeneratedChunk);
  for (int64_t first = first_chunk * kGeneratedChunk; first < end; first += kGeneratedBlock) {
    const int64_t n = std::min(kGeneratedBlock, end - first);
    plan.generator.run(first, n, plan.parameters, elements);
    if (plan.store != nullptr) Convert(*plan.store, elements, converted, n);
    Place(plan, plan.store != nullptr ? converted : elements, first, n, out);
  }
}

int32_t RunGenerate(const exec::RunContext& context) {
  const GeneratePlan& plan = context.Parameters<GeneratePlan>();
  GenerateTask task{plan, context.Address(plan.out)};
  const int64_t chunks = CeilDivide(plan.count, kGeneratedChunk);
  if (chunks == 1 || plan.serial) {
    RunGenerateChunks(&task, 0, chunks);
  } else {
    parallel::ForRuns(chunks, RunGenerateChunks, &task);
  }
  return 0;
}

}  // namespace

inline namespace v1 {

void Generate(exec::PlanBuilder& plan, int out, const Generator& generator, const Parameters& parameters) {
  const View& view = plan.OperandView(out);
  const Conversion& store = ConversionOf(generator.dtype, view.dtype);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  // The innermost axes that are contiguous are one row.
  int inner = std::max(view.rank - 1, 0);
  int64_t row = view.rank == 0 ? 1 : view.shape[inner];
  const int64_t stride = view.rank == 0 ? 1 : view.step(inner);
  while (inner > 0 && view.step(inner - 1) == row * stride) row *= view.shape[--inner];
  GeneratePlan generate{.generator = generator,
                        .store = store.steps == 0 ? nullptr : &store,
                        .out = out,
                        .bytes = bytes,
                        .count = 0,
                        .row = row,
                        .stride = stride * bytes,
                        .serial = MayOverlapItself(view),
                        .rows = Places(view, 0, inner)};
  CountElements(view.dims(), &generate.count);
  if (generate.count == 0) return;
  parameters.CopyTo(generate.parameters);
  constexpr double kMostNs = 1e18;
  const double ns = static_cast<double>(generate.count) * generator.ns_per_element;
  plan.Run(RunGenerate, generate, static_cast<int64_t>(std::min(ns, kMostNs)));
}

}  // namespace v1
}  // namespace portacl::loops
