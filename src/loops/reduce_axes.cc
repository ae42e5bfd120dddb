// SPDX-License-Identifier: Apache-2.0
#include "loops/reduce_axes.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "base/dtype.h"
#include "loops/conversion.h"
#include "loops/cut.h"
#include "loops/nest.h"
#include "loops/pack.h"
#include "runtime/contexts/submit.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops {
namespace {

// States, and elements, that a thread has at a time, of 16 bytes half as many; and elements of a row beside others.
constexpr int64_t kBufferElements = 1024;
constexpr int64_t kBufferBytes = 8 * kBufferElements;
constexpr int64_t kBufferColumns = 256;

// A piece of a long axis, and how many pieces a call has at most. More would keep no machine busier.
constexpr int64_t kPieceElements = 1 << 14;
constexpr int64_t kMostPieces = 64;

// One axis of the call.
struct Axis {
  int64_t size = 1;
  int64_t in = 0;  // bytes from one element to the next
  int64_t out[kMaxPlanes] = {};
};

struct ReducePlan {
  Reducer reducer;
  const Conversion* cast = nullptr;  // null: nothing to do
  const Conversion* convert = nullptr;
  const Conversion* store[kMaxPlanes] = {};
  int self = 0;
  int outputs = 0;
  int output[kMaxPlanes] = {};
  int64_t in_bytes = 0;
  int64_t buffer_elements = kBufferElements;
  int64_t out_bytes[kMaxPlanes] = {};

  bool by_rows = false;  // the innermost axis is reduced
  bool serial = false;   // elements of an output share bytes
  int kept_axes = 0;     // beside the first
  int reduced_axes = 0;
  Axis kept;  // those of a tile
  Axis reduced;
  Axis other_kept[kMaxRank];
  Axis other_reduced[kMaxRank];

  int64_t count = 0;           // elements of each state
  int64_t block = 0;           // states
  int64_t blocks_of_axis = 0;  // along `kept`
  int64_t blocks = 0;
  int64_t slab = 0;  // elements along `reduced` that one tile has
  int64_t slabs_of_axis = 0;
  int64_t slabs = 0;
  int64_t slabs_per_piece = 0;
  int64_t pieces = 1;
  int64_t items_per_chunk = 1;
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};

  bool Converts() const { return cast != nullptr || convert != nullptr; }
  int64_t StateBytes() const { return reducer.plane_bytes[0] + (reducer.planes > 1 ? reducer.plane_bytes[1] : 0); }
};

// Memory of a thread.
struct Buffers {
  std::byte planes[kMaxPlanes][kBufferBytes];
  std::byte copy[3][kBufferBytes];
};

// A block of states and where its elements lie.
struct Block {
  int64_t n;
  const std::byte* in;
  std::byte* out[kMaxPlanes];
};

struct ReduceTask {
  const ReducePlan& plan;
  const std::byte* in;
  std::byte* out[kMaxPlanes];
  std::byte* partial = nullptr;  // states of each piece of each block
};

Block FindBlock(const ReduceTask& task, int64_t number) {
  const ReducePlan& plan = task.plan;
  const int64_t first = number % plan.blocks_of_axis * plan.block;
  number /= plan.blocks_of_axis;
  Block block{std::min(plan.block, plan.kept.size - first), task.in + first * plan.kept.in, {}};
  for (int i = 0; i < plan.outputs; ++i) block.out[i] = task.out[i] + first * plan.kept.out[i];
  for (int a = 0; a < plan.kept_axes; ++a) {
    const Axis& axis = plan.other_kept[a];
    const int64_t at = number % axis.size;
    number /= axis.size;
    block.in += at * axis.in;
    for (int i = 0; i < plan.outputs; ++i) block.out[i] += at * axis.out[i];
  }
  return block;
}

void AddDense(const ReducePlan& plan, const ReduceTile& tile) {
  plan.by_rows ? plan.reducer.add_rows(tile) : plan.reducer.add_columns(tile);
}

// Copies elements together and converts them.
const std::byte* Gather(const ReducePlan& plan, const TileOperand& from, int64_t rows, int64_t columns,
                        Buffers& buffers) {
  const std::byte* at = from.base;
  const int64_t n = rows * columns;
  int used = 0;
  if (from.column_stride != plan.in_bytes || (rows > 1 && from.row_stride != columns * plan.in_bytes)) {
    CopyBlock(plan.in_bytes, rows, columns, from, {buffers.copy[used], columns * plan.in_bytes, plan.in_bytes});
    at = buffers.copy[used++];
  }
  for (const Conversion* conversion : {plan.cast, plan.convert}) {
    if (conversion == nullptr) continue;
    Convert(*conversion, at, buffers.copy[used], n);
    at = buffers.copy[used++];
  }
  return at;
}

void AddTile(const ReducePlan& plan, const TileOperand& from, ReduceTile tile, Buffers& buffers) {
  if (!plan.Converts() && (from.column_stride == plan.in_bytes || tile.columns == 1)) {
    tile.in = from.base;
    tile.row_stride = from.row_stride;
    return AddDense(plan, tile);
  }
  const ReduceTile whole = tile;
  const int64_t most_columns = plan.by_rows ? plan.buffer_elements : kBufferColumns;
  const int64_t columns = std::min(whole.columns, most_columns);
  const int64_t rows = std::min(whole.rows, plan.buffer_elements / columns);
  const int64_t bytes = static_cast<int64_t>(ElementBytes(plan.reducer.dtype));
  for (int64_t row = 0; row < whole.rows; row += rows) {
    for (int64_t column = 0; column < whole.columns; column += columns) {
      tile.rows = std::min(rows, whole.rows - row);
      tile.columns = std::min(columns, whole.columns - column);
      const int64_t state = plan.by_rows ? row : column;
      tile.first = whole.first + (plan.by_rows ? column : row);
      for (int i = 0; i < plan.reducer.planes; ++i)
        tile.planes[i] = whole.planes[i] + state * plan.reducer.plane_bytes[i];
      tile.in = Gather(plan, BlockAt(from, row, column), tile.rows, tile.columns, buffers);
      tile.row_stride = tile.columns * bytes;
      AddDense(plan, tile);
    }
  }
}

// The elements of slab number `slab`.
void AddSlab(const ReducePlan& plan, const Block& block, int64_t slab, const ReduceStates& states, Buffers& buffers) {
  const int64_t first = slab % plan.slabs_of_axis * plan.slab;
  slab /= plan.slabs_of_axis;
  const std::byte* in = block.in + first * plan.reduced.in;
  for (int a = 0; a < plan.reduced_axes; ++a) {
    const Axis& axis = plan.other_reduced[a];
    in += slab % axis.size * axis.in;
    slab /= axis.size;
  }
  const int64_t length = std::min(plan.slab, plan.reduced.size - first);
  ReduceTile tile{.rows = plan.by_rows ? block.n : length,
                  .columns = plan.by_rows ? length : block.n,
                  .in = nullptr,
                  .row_stride = 0,
                  .first = first,
                  .planes = {states.planes[0], states.planes[1]},
                  .parameters = plan.parameters};
  const auto [row, column] =
      plan.by_rows ? std::pair(plan.kept.in, plan.reduced.in) : std::pair(plan.reduced.in, plan.kept.in);
  AddTile(plan, {const_cast<std::byte*>(in), row, column}, tile, buffers);
}

void Finish(const ReducePlan& plan, const Block& block, const ReduceStates& states, Buffers& buffers) {
  std::byte* results[kMaxPlanes] = {buffers.copy[0], buffers.copy[1]};
  plan.reducer.finish(states, results);
  for (int i = 0; i < plan.outputs; ++i) {
    const std::byte* from = results[plan.reducer.first_result + i];
    if (plan.store[i] != nullptr) {
      Convert(*plan.store[i], from, buffers.copy[2], block.n);
      from = buffers.copy[2];
    }
    const int64_t bytes = plan.out_bytes[i];
    CopyBlock(bytes, 1, block.n, {const_cast<std::byte*>(from), 0, bytes}, {block.out[i], 0, plan.kept.out[i]});
  }
}

ReduceStates StatesIn(const ReducePlan& plan, int64_t n, Buffers& buffers) {
  return {n, {buffers.planes[0], buffers.planes[1]}, plan.count, plan.parameters};
}

// The states of a piece, one plane after the other.
std::byte* PartialOf(const ReduceTask& task, int64_t block, int64_t piece) {
  return task.partial + (block * task.plan.pieces + piece) * task.plan.block * task.plan.StateBytes();
}

// Pieces of blocks.
void RunItems(void* argument, int64_t first, int64_t end) {
  const ReduceTask& task = *static_cast<const ReduceTask*>(argument);
  const ReducePlan& plan = task.plan;
  alignas(kLineBytes) Buffers buffers;
  const int64_t items = plan.blocks * plan.pieces;
  end = std::min(end * plan.items_per_chunk, items);
  for (int64_t item = first * plan.items_per_chunk; item < end; ++item) {
    const Block block = FindBlock(task, item / plan.pieces);
    const int64_t piece = item % plan.pieces;
    const ReduceStates states = StatesIn(plan, block.n, buffers);
    plan.reducer.start(states);
    const int64_t last = std::min(plan.slabs, (piece + 1) * plan.slabs_per_piece);
    for (int64_t slab = piece * plan.slabs_per_piece; slab < last; ++slab) AddSlab(plan, block, slab, states, buffers);
    if (plan.pieces == 1) {
      Finish(plan, block, states, buffers);
      continue;
    }
    std::byte* to = PartialOf(task, item / plan.pieces, piece);
    for (int i = 0; i < plan.reducer.planes; ++i) {
      std::memcpy(to, states.planes[i], static_cast<size_t>(block.n * plan.reducer.plane_bytes[i]));
      to += plan.block * plan.reducer.plane_bytes[i];
    }
  }
}

// Blocks [first, end) from their pieces.
void MergeBlocks(void* argument, int64_t first, int64_t end) {
  const ReduceTask& task = *static_cast<const ReduceTask*>(argument);
  const ReducePlan& plan = task.plan;
  alignas(kLineBytes) Buffers buffers;
  for (int64_t number = first; number < end; ++number) {
    const Block block = FindBlock(task, number);
    const ReduceStates states = StatesIn(plan, block.n, buffers);
    plan.reducer.start(states);
    for (int64_t piece = 0; piece < plan.pieces; ++piece) {
      std::byte* const from = PartialOf(task, number, piece);
      std::byte* const planes[kMaxPlanes] = {from, from + plan.block * plan.reducer.plane_bytes[0]};
      plan.reducer.merge(states, planes);
    }
    Finish(plan, block, states, buffers);
  }
}

void Run(const ReducePlan& plan, ReduceTask& task, int64_t chunks, void (*body)(void*, int64_t, int64_t)) {
  if (chunks == 1 || plan.serial) {
    body(&task, 0, chunks);
  } else {
    parallel::ForRuns(chunks, body, &task);
  }
}

int32_t RunReduce(const exec::RunContext& context) {
  const ReducePlan& plan = context.Parameters<ReducePlan>();
  ReduceTask task{plan, context.Address(plan.self), {}};
  for (int i = 0; i < plan.outputs; ++i) task.out[i] = context.Address(plan.output[i]);
  if (plan.pieces > 1) {
    const int64_t bytes = plan.blocks * plan.pieces * plan.block * plan.StateBytes();
    task.partial = static_cast<std::byte*>(contexts::AllocateScratch(static_cast<size_t>(bytes)));
    if (task.partial == nullptr) throw std::bad_alloc();
  }
  Run(plan, task, CeilDivide(plan.blocks * plan.pieces, plan.items_per_chunk), RunItems);
  if (plan.pieces > 1) Run(plan, task, plan.blocks, MergeBlocks);
  contexts::FreeScratch(task.partial);
  return 0;
}

// `view` with the shape of `self`: step 0 along the reduced axes.
View AlongSelf(const View& self, const View& view, uint32_t axes) {
  View result = view;
  result.rank = self.rank;
  int next = 0;
  for (int axis = 0; axis < self.rank; ++axis) {
    const bool is_reduced = (axes >> axis & 1) != 0;
    result.shape[axis] = self.shape[axis];
    result.strides[axis] = is_reduced ? 0 : view.strides[view.rank == self.rank ? axis : next];
    next += !is_reduced;
  }
  return result;
}

// Of every state one element of its own, so that the strides tell the axes apart.
View MarksOf(const View& self, uint32_t axes) {
  View marks;
  marks.dtype = ACL_INT8;
  marks.rank = self.rank;
  int64_t step = 1;
  for (int axis = self.rank - 1; axis >= 0; --axis) {
    const bool is_reduced = (axes >> axis & 1) != 0;
    marks.shape[axis] = self.shape[axis];
    marks.strides[axis] = is_reduced ? 0 : step;
    if (!is_reduced) step *= self.shape[axis];
  }
  return marks;
}

Axis AxisAt(const Nest& nest, int at, int outputs) {
  Axis axis{nest.shape[at], nest.strides[1 + outputs][at], {}};
  for (int i = 0; i < outputs; ++i) axis.out[i] = nest.strides[1 + i][at];
  return axis;
}

void SetAxes(const Nest& nest, ReducePlan* plan) {
  bool has_kept = false;
  bool has_reduced = false;
  for (int at = 0; at < nest.rank; ++at) {
    const Axis axis = AxisAt(nest, at, plan->outputs);
    if (nest.strides[0][at] != 0) {
      (has_kept ? plan->other_kept[plan->kept_axes++] : plan->kept) = axis;
      has_kept = true;
    } else {
      plan->by_rows |= at == 0;
      (has_reduced ? plan->other_reduced[plan->reduced_axes++] : plan->reduced) = axis;
      has_reduced = true;
    }
  }
}

void SetSizes(bool is_empty, ReducePlan* plan) {
  plan->count = is_empty ? 0 : plan->reduced.size;
  for (int a = 0; a < plan->reduced_axes; ++a) plan->count *= plan->other_reduced[a].size;
  const int64_t widest = std::max({int64_t{8}, plan->reducer.plane_bytes[0], plan->out_bytes[0], plan->out_bytes[1]});
  const int64_t states = kBufferBytes / widest;
  const int64_t rows = std::clamp<int64_t>(kPieceElements / std::max<int64_t>(plan->count, 1), 1, states);
  plan->block = std::min(plan->kept.size, plan->by_rows ? rows : states);
  plan->blocks_of_axis = CeilDivide(plan->kept.size, plan->block);
  plan->blocks = plan->blocks_of_axis;
  for (int a = 0; a < plan->kept_axes; ++a) plan->blocks *= plan->other_kept[a].size;
  const int64_t elements = plan->block * std::max<int64_t>(plan->count, 1);
  if (is_empty) {
    plan->slabs_of_axis = 1;
    plan->kept.in = 0;  // there may be no memory to step through
    for (int a = 0; a < plan->kept_axes; ++a) plan->other_kept[a].in = 0;
  } else {
    plan->slab = plan->by_rows ? kPieceElements : std::max<int64_t>(64, kPieceElements / plan->block);
    plan->slabs_of_axis = CeilDivide(plan->reduced.size, plan->slab);
    plan->slabs = plan->slabs_of_axis;
    for (int a = 0; a < plan->reduced_axes; ++a) plan->slabs *= plan->other_reduced[a].size;
    const int64_t most = std::min(CeilDivide(kMostPieces, plan->blocks), elements / kPieceElements);
    plan->pieces = std::clamp<int64_t>(plan->slabs, 1, std::max<int64_t>(most, 1));
  }
  plan->slabs_per_piece = CeilDivide(plan->slabs, plan->pieces);
  if (plan->slabs > 0) plan->pieces = CeilDivide(plan->slabs, plan->slabs_per_piece);
  plan->items_per_chunk = std::max<int64_t>(1, kPieceElements / std::max<int64_t>(1, elements / plan->pieces));
}

const Conversion* Between(aclDataType from, aclDataType to) {
  const Conversion& conversion = ConversionOf(from, to);
  return conversion.steps == 0 ? nullptr : &conversion;
}

}  // namespace

inline namespace v1 {

void ReduceAxes(exec::PlanBuilder& builder, int self, std::initializer_list<int> outputs, uint32_t axes,
                const Reducer& reducer, const Parameters& parameters) {
  ReducePlan plan;
  plan.reducer = reducer;
  plan.self = self;
  View in = builder.OperandView(self);
  plan.in_bytes = static_cast<int64_t>(ElementBytes(in.dtype));
  const aclDataType cast = reducer.cast == ACL_DT_UNDEFINED ? in.dtype : reducer.cast;
  plan.cast = Between(in.dtype, cast);
  plan.convert = Between(cast, reducer.dtype);
  for (const aclDataType dtype : {in.dtype, cast, reducer.dtype})
    plan.buffer_elements = std::min(plan.buffer_elements, kBufferBytes / static_cast<int64_t>(ElementBytes(dtype)));
  bool is_empty = false;
  for (int axis = 0; axis < in.rank; ++axis) {
    if ((axes >> axis & 1) == 0 || in.shape[axis] != 0) continue;
    is_empty = true;
    in.shape[axis] = 1;
  }
  View views[2 + kMaxPlanes] = {MarksOf(in, axes)};
  const View* pointers[2 + kMaxPlanes] = {&views[0]};
  size_t used = 1;
  for (const int output : outputs) {
    const View& out = builder.OperandView(output);
    const int i = plan.outputs++;
    plan.output[i] = output;
    plan.out_bytes[i] = static_cast<int64_t>(ElementBytes(out.dtype));
    plan.store[i] = Between(reducer.result_dtype[reducer.first_result + i], out.dtype);
    plan.serial |= MayOverlapItself(out);
    views[used] = AlongSelf(in, out, axes);
    pointers[used] = &views[used];
    ++used;
  }
  views[used] = in, pointers[used] = &views[used], ++used;
  const Nest nest = MakeNest(in.dims(), {pointers, used});
  if (nest.Elements() == 0) return;
  SetAxes(nest, &plan);
  SetSizes(is_empty, &plan);
  parameters.CopyTo(plan.parameters);
  // Results are few, and the marks are in no memory.
  builder.Run(RunReduce, plan, CostNs(nest.Elements(), nest.element_bytes[used - 1], reducer.ns_per_element));
}

}  // namespace v1
}  // namespace portacl::loops
