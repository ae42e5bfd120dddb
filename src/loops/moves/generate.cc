// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/generate.h"

#include <algorithm>

#include "base/dtype.h"
#include "base/target.h"
#include "hwy/cache_control.h"
#include "loops/elements/conversion.h"
#include "loops/elements/move_lanes.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/indices.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"
#include "tensor/view.h"

namespace portacl::loops::moves {
namespace {

// Elements of a block in the first-level cache, and of a chunk for one thread.
constexpr int64_t kGeneratedBlock = 1024;
constexpr int64_t kGeneratedChunk = 16 * kGeneratedBlock;

// An operand in row-major order, as rows of equidistant elements.
struct Lines {
  int operand = kNoInput;
  const Conversion* conversion = nullptr;  // between its dtype and the generator's; null if they are the same
  int64_t bytes = 0;                       // per element
  int64_t row = 1;                         // in elements
  int64_t stride = 0;                      // in bytes
  Places rows;

  Lines() = default;
  Lines(int number, const View& view, const Conversion& to_or_from)
      : operand(number),
        conversion(to_or_from.steps == 0 ? nullptr : &to_or_from),
        bytes(static_cast<int64_t>(ElementBytes(view.dtype))) {
    // Joins the innermost axes into one row where strides allow it.
    int inner = std::max(view.rank - 1, 0);
    row = view.rank == 0 ? 1 : view.shape[inner];
    const int64_t step = view.rank == 0 ? 1 : view.step(inner);
    while (inner > 0 && view.step(inner - 1) == row * step) row *= view.shape[--inner];
    stride = step * bytes;
    rows = Places(view, 0, inner);
  }

  // Splits the elements [first, first + n) into pieces of rows, and calls f(place, elements, n) for each.
  template <class F>
  void ForEachPiece(int64_t first, int64_t n, const F& f) const {
    for (int64_t done = 0; done < n;) {
      const int64_t column = (first + done) % row;
      const int64_t columns = std::min(n - done, row - column);
      f(rows.Of((first + done) / row) + column * stride, done, columns);
      done += columns;
    }
  }
};

struct GeneratePlan {
  Generator generator;
  Lines in;
  Lines out;
  int64_t count;                  // number of elements
  bool serial;                    // elements of the output share bytes
  MoveFunction stream = nullptr;  // non-temporal, for results that exceed the cache
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
};

// Stores contiguous elements at their positions.
void Scatter(const Lines& out, MoveFunction stream, const std::byte* elements, int64_t first, int64_t n,
             std::byte* to) {
  auto* const from = const_cast<std::byte*>(elements);  // read only
  out.ForEachPiece(first, n, [&](int64_t place, int64_t at, int64_t columns) {
    if (stream != nullptr) return stream(from + at * out.bytes, to + place, columns * out.bytes);
    CopyBlock(out.bytes, 1, columns, {from + at * out.bytes, 0, out.bytes}, {to + place, 0, out.stride});
  });
}

// Loads elements from their positions into a contiguous block.
void Collect(const Lines& in, std::byte* from, int64_t first, int64_t n, std::byte* elements) {
  in.ForEachPiece(first, n, [&](int64_t place, int64_t at, int64_t columns) {
    CopyBlock(in.bytes, 1, columns, {from + place, 0, in.stride}, {elements + at * in.bytes, 0, in.bytes});
  });
}

// Generates the chunks [first_chunk, end_chunk).
void GenerateChunks(const GeneratePlan& plan, std::byte* in, std::byte* out, int64_t first_chunk, int64_t end_chunk) {
  alignas(kLineBytes) std::byte elements[8 * kGeneratedBlock];
  alignas(kLineBytes) std::byte converted[8 * kGeneratedBlock];
  const int64_t end = std::min(plan.count, end_chunk * kGeneratedChunk);
  for (int64_t first = first_chunk * kGeneratedChunk; first < end; first += kGeneratedBlock) {
    const int64_t n = std::min(kGeneratedBlock, end - first);
    if (in != nullptr) {
      Collect(plan.in, in, first, n, plan.in.conversion != nullptr ? converted : elements);
      if (plan.in.conversion != nullptr) Convert(*plan.in.conversion, converted, elements, n);
    }
    plan.generator.run(first, n, plan.parameters, elements);
    if (plan.out.conversion != nullptr) Convert(*plan.out.conversion, elements, converted, n);
    Scatter(plan.out, plan.stream, plan.out.conversion != nullptr ? converted : elements, first, n, out);
  }
  if (plan.stream != nullptr) hwy::FlushStream();
}

int32_t RunGenerate(const exec::RunContext& context) {
  const GeneratePlan& plan = context.Parameters<GeneratePlan>();
  const int in = plan.in.operand;
  std::byte *const from = in == kNoInput ? nullptr : context.Address(in), *const to = context.Address(plan.out.operand);
  RunChunks({.count = CeilDivide(plan.count, kGeneratedChunk), .is_serial = plan.serial},
            [&](int64_t first, int64_t end, std::byte*) { GenerateChunks(plan, from, to, first, end); });
  return 0;
}

}  // namespace

inline namespace v1 {

void Generate(exec::PlanBuilder& plan, int out, const Generator& generator, const Parameters& parameters, int in) {
  const View& view = plan.OperandView(out);
  GeneratePlan generate{.generator = generator,
                        .in = {},
                        .out = Lines(out, view, ConversionOf(generator.dtype, view.dtype)),
                        .count = 0,
                        .serial = MayOverlapItself(view)};
  CountElements(view.dims(), &generate.count);
  if (generate.count == 0) return;
  parameters.CopyTo(generate.parameters);
  if (in == kNoInput && generate.out.stride == generate.out.bytes &&
      generate.count > NonTemporalBytes() / generate.out.bytes)
    generate.stream = StreamLanes(ActiveTarget());
  if (in != kNoInput) {
    const View& narrow = plan.OperandView(in);
    View whole = view;
    whole.dtype = narrow.dtype;
    for (int axis = 0; axis < whole.rank; ++axis) {
      const int own = axis - whole.rank + narrow.rank;
      whole.strides[axis] = own < 0 ? 0 : narrow.step(own);
    }
    generate.in = Lines(in, whole, ConversionOf(narrow.dtype, generator.dtype));
    plan.ForbidInPlace(in);
  }
  constexpr double kMostNs = 1e18;
  const double ns = static_cast<double>(generate.count) * generator.ns_per_element;
  plan.Run(RunGenerate, generate, static_cast<int64_t>(std::min(ns, kMostNs)));
}

}  // namespace v1
}  // namespace portacl::loops::moves
