// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/generate.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "acl/error_codes/rt_error_codes.h"
#include "base/dtype.h"
#include "base/status.h"
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

// Elements of a chunk for one thread.
constexpr int64_t kGeneratedChunk = 16 * kGeneratedBlock;

// An operand in row-major order, as rows of equidistant elements.
struct Lines {
  int operand = kNoInput;
  aclDataType dtype = ACL_DT_UNDEFINED;
  const Conversion* conversion = nullptr;  // between its dtype and the generator's; null if they are the same
  int64_t bytes = 0;                       // per element
  int64_t row = 1;                         // in elements
  int64_t stride = 0;                      // in bytes
  Places rows;

  Lines() = default;
  Lines(int number, const View& view, const Conversion& to_or_from)
      : operand(number),
        dtype(view.dtype),
        conversion(to_or_from.steps == 0 ? nullptr : &to_or_from),
        bytes(static_cast<int64_t>(ElementBytes(view.dtype))) {
    // Joins the innermost axes into one row where strides allow it.
    int inner = std::max(view.rank - 1, 0);
    row = view.rank == 0 ? 1 : view.shape[inner];
    const int64_t step = view.rank == 0 ? 1 : view.step(inner);
    while (inner > 0 && view.step(inner - 1) == Product(row, step)) row *= view.shape[--inner];
    stride = step * bytes;
    rows = Places(view, 0, inner);
  }

  bool IsDense() const { return rows.rank == 0 && stride == bytes; }

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
  const char* api;
  Generator generator;
  StreamSource source;
  Lines first;
  Lines second;
  Lines bits;
  Lines out;
  int64_t count;                  // number of elements
  bool serial;                    // elements of the output share bytes
  MoveFunction stream = nullptr;  // non-temporal, for results that exceed the cache
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
};

struct BothPlans {
  GeneratePlan first;
  GeneratePlan second;
};

constexpr int64_t kAllValid = std::numeric_limits<int64_t>::max();

struct GenerateTask {
  GenerateTask(const GeneratePlan& of, const exec::RunContext& context)
      : plan(of),
        stream(of.source.In(context)),
        first(AddressOf(of.first, context)),
        second(AddressOf(of.second, context)),
        bits(AddressOf(of.bits, context)),
        out(AddressOf(of.out, context)) {}
  static std::byte* AddressOf(const Lines& lines, const exec::RunContext& context) {
    return lines.operand == kNoInput ? nullptr : context.Address(lines.operand);
  }

  const GeneratePlan& plan;
  const Stream stream;
  std::byte *const first, *const second, *const bits, *const out;
  std::atomic<int64_t> refused{kAllValid};
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

// The same with a conversion, by way of `before`. Where an operand is computed in place, its elements may be there
// already.
void CollectConverted(const Lines& in, std::byte* from, int64_t first, int64_t n, std::byte* before,
                      std::byte* elements) {
  if (in.conversion == nullptr && in.IsDense() && from + first * in.bytes == elements) return;
  if (in.conversion == nullptr) return Collect(in, from, first, n, elements);
  Collect(in, from, first, n, before);
  Convert(*in.conversion, before, elements, n);
}

// Generates the chunks [first_chunk, end_chunk).
void GenerateChunks(GenerateTask& task, int64_t first_chunk, int64_t end_chunk) {
  const GeneratePlan& plan = task.plan;
  alignas(kLineBytes) std::byte elements[8 * kGeneratedBlock], converted[16 * kGeneratedBlock];  // complex ones
  alignas(kLineBytes) std::byte second[8 * kGeneratedBlock];
  alignas(kLineBytes) std::byte bits[kGeneratedBlock / 8 + 8] = {};
  const bool is_direct = plan.out.IsDense() && plan.stream == nullptr;
  const int64_t end = std::min(plan.count, end_chunk * kGeneratedChunk);
  for (int64_t first = first_chunk * kGeneratedChunk; first < end; first += kGeneratedBlock) {
    const int64_t n = std::min(kGeneratedBlock, end - first);
    std::byte* const place = task.out + first * plan.out.bytes;
    std::byte* const generated = is_direct && plan.out.conversion == nullptr ? place : elements;
    // The first input is the last to be read: its elements may replace those of another that is computed in place.
    if (task.second != nullptr) CollectConverted(plan.second, task.second, first, n, converted, second);
    if (task.bits != nullptr) Collect(plan.bits, task.bits, first / 8, CeilDivide(n, int64_t{8}), bits);
    if (task.first != nullptr) CollectConverted(plan.first, task.first, first, n, converted, generated);
    GeneratedBlock block{.first = first,
                         .n = n,
                         .stream = task.stream,
                         .elements = generated,
                         .second = second,
                         .bits = reinterpret_cast<const uint8_t*>(bits)};
    plan.generator.run(block, plan.parameters);
    if (block.refused >= 0) {
      int64_t before = task.refused.load(std::memory_order_relaxed);
      while (first + block.refused < before && !task.refused.compare_exchange_weak(before, first + block.refused)) {
      }
    }
    if (plan.out.conversion != nullptr) Convert(*plan.out.conversion, elements, is_direct ? place : converted, n);
    if (!is_direct)
      Scatter(plan.out, plan.stream, plan.out.conversion != nullptr ? converted : elements, first, n, task.out);
  }
  if (plan.stream != nullptr) hwy::FlushStream();
}

int32_t RunOne(const GeneratePlan& plan, const exec::RunContext& context) {
  GenerateTask task(plan, context);
  RunChunks({.count = CeilDivide(plan.count, kGeneratedChunk), .is_serial = plan.serial},
            [&](int64_t first, int64_t end, std::byte*) { GenerateChunks(task, first, end); });
  const int64_t refused = task.refused.load(std::memory_order_relaxed);
  if (refused == kAllValid) return 0;
  alignas(16) std::byte element[16];
  Collect(plan.first, task.first, refused, 1, element);
  double value = 0;
  Convert(ConversionOf(plan.first.dtype, ACL_DOUBLE), element, reinterpret_cast<std::byte*>(&value), 1);
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: {}, got {} at {}", plan.api, plan.generator.valid, value, refused);
}

int32_t RunGenerate(const exec::RunContext& context) { return RunOne(context.Parameters<GeneratePlan>(), context); }

int32_t RunBoth(const exec::RunContext& context) {
  const auto& both = context.Parameters<BothPlans>();
  const int32_t status = RunOne(both.first, context);
  return status != 0 ? status : RunOne(both.second, context);
}

// An input, broadcast to the output.
Lines LinesOf(exec::PlanBuilder& plan, int in, const View& out, aclDataType dtype) {
  if (in == kNoInput) return {};
  const View& narrow = plan.OperandView(in);
  View whole = out;
  whole.dtype = narrow.dtype;
  for (int axis = 0; axis < whole.rank; ++axis) {
    const int own = axis - whole.rank + narrow.rank;
    whole.strides[axis] = own < 0 ? 0 : narrow.step(own);
  }
  // Each block is read before it is written; only elements that belong to several blocks would change before.
  if (MayOverlapItself(out) || MayOverlapItself(whole)) plan.ForbidInPlace(in);
  return {in, whole, ConversionOf(narrow.dtype, dtype)};
}

GeneratePlan PlanOf(exec::PlanBuilder& plan, const Generation& generation) {
  const View& view = plan.OperandView(generation.out);
  const Generator& generator = generation.generator;
  const auto [first, second, bits] = generation.inputs;
  GeneratePlan generate{.api = plan.schema().api,
                        .generator = generator,
                        .source = StreamSource(plan),
                        .first = LinesOf(plan, first, view, generator.dtype),
                        .second = LinesOf(plan, second, view, generator.dtype),
                        .bits = {},
                        .out = Lines(generation.out, view, ConversionOf(generator.dtype, view.dtype)),
                        .count = generation.count,
                        .serial = MayOverlapItself(view)};
  if (generation.count == kAllElements) CountElements(view.dims(), &generate.count);
  generation.parameters.CopyTo(generate.parameters);
  if (bits != kNoInput) generate.bits = Lines(bits, plan.OperandView(bits), ConversionOf(ACL_UINT8, ACL_UINT8));
  if (first == kNoInput && generate.out.stride == generate.out.bytes &&
      generate.count > NonTemporalBytes() / generate.out.bytes)
    generate.stream = StreamLanes(ActiveTarget());
  return generate;
}

int64_t CostOf(const GeneratePlan& generate) {
  constexpr double kMostNs = 1e18;
  return static_cast<int64_t>(
      std::min(static_cast<double>(generate.count) * generate.generator.ns_per_element, kMostNs));
}

}  // namespace

inline namespace v1 {

void Generate(exec::PlanBuilder& plan, const Generation& generation) {
  const GeneratePlan generate = PlanOf(plan, generation);
  if (generate.count != 0) plan.Run(RunGenerate, generate, CostOf(generate));
}

void GenerateBoth(exec::PlanBuilder& plan, const Generation& first, const Generation& second) {
  const BothPlans both{PlanOf(plan, first), PlanOf(plan, second)};
  if (both.second.count != 0) plan.Run(RunBoth, both, CostOf(both.first) + CostOf(both.second));
}

}  // namespace v1
}  // namespace portacl::loops::moves
