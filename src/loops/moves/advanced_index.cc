// SPDX-License-Identifier: Apache-2.0
//
// The result has axes before the indexed ones, axes of the indices, and axes behind. A block is what lies along the
// last: there is one for each item, that is each place along the others, and the table says where in `self` it begins.
#include "loops/moves/advanced_index.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "loops/elements/conversion.h"
#include "loops/moves/combine_blocks.h"
#include "loops/moves/copy.h"
#include "loops/moves/index_table.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

constexpr double kNsPerIndexedBlock = 2;
constexpr double kNsPerIndexedElement = 0.1;

// Elements are added to sums for all of self if those are at most this many times as many.
constexpr int64_t kMostSums = 4;

// Bytes of blocks that a chunk moves.
constexpr int64_t kIndexChunkBytes = 64 << 10;

struct IndexPlan {
  int self;
  int other;  // out or values
  bool puts;
  bool is_serial;
  const Combiner* adder;  // null: elements are replaced
  RowLanes add_lanes;
  int64_t contiguous_elements;  // of self, if it is contiguous and all of its axes are indexed; else 0
  aclDataType dtype;
  int64_t bytes;       // per element
  int64_t other_size;  // of `other` along the axis whose size the run finds; IndexTable::kAnySize: there is none
  Sequence before[2];  // the axes before the indexed ones, of self and of the other
  View indexed;        // of the other, along the axes of the indices
  TilePlan block;      // operand 1 is read, 2 is written
  TablePlan table;
};

// The axes of the result in three parts, for one operand.
struct Parts {
  View before, indexed, behind;

  explicit Parts(const View& view) {
    before = indexed = behind = view;
    before.rank = indexed.rank = behind.rank = 0;
  }
  static void Add(View* part, int64_t size, int64_t stride) {
    part->shape[part->rank] = size;
    part->strides[part->rank++] = stride;
  }
};

Parts PartsOfSelf(const View& self, const IndexEntries& entries) {
  Parts parts(self);
  for (int axis = 0; axis < self.rank; ++axis) {
    if (!entries.Indexes(axis))
      Parts::Add(axis < entries.first_axis() ? &parts.before : &parts.behind, self.shape[axis], self.step(axis));
  }
  return parts;
}

// An operand that is broadcast to the result. Along the axis whose size the run finds it has its own size.
Parts PartsOfOther(const View& other, const Shape& result, const IndexEntries& entries) {
  Parts parts(other);
  const int first = entries.first_axis(), end = first + entries.shape().rank;
  for (int axis = 0; axis < result.rank; ++axis) {
    const int own = axis - result.rank + other.rank;
    View* const part = axis < first ? &parts.before : axis < end ? &parts.indexed : &parts.behind;
    const bool is_unknown = axis == entries.UnknownAxis() && own >= 0;
    Parts::Add(part, is_unknown ? other.shape[own] : result.dims[axis], own < 0 ? 0 : other.step(own));
  }
  return parts;
}

struct IndexRun {
  const IndexPlan& plan;
  const IndexTable& table;
  const int64_t* offsets;  // all of them; null: they are computed for each item
  std::byte* self;
  std::byte* other;
  std::atomic<bool>& good;

  static constexpr int64_t kScratchBytes = 2 * IndexTable::kPiece * static_cast<int64_t>(sizeof(int64_t));

  int64_t items() const { return plan.before[0].count() * table.count(); }

  // Calls f(block in self, block in the other) for the items [first, end); the first is null where an index is out of
  // range.
  template <class F>
  void ForEachItem(int64_t first, int64_t end, std::byte* scratch, const F& f) const {
    const Sequence places(plan.indexed, table.shape().span());
    while (first < end) {
      const int64_t outer = first / table.count();
      const int64_t begin = first % table.count();
      const int64_t n = std::min({table.count() - begin, end - first, IndexTable::kPiece});
      std::byte* const in_self = self + plan.before[0].PlaceOf(outer);
      std::byte* const in_other = other + plan.before[1].PlaceOf(outer);
      const int64_t* const from = OffsetsOf(begin, n, scratch);
      const auto block = [&](int64_t i) {
        return from[i] == IndexTable::kNone ? nullptr : in_self + from[i] * plan.bytes;
      };
      if (places.IsContiguous()) {
        for (int64_t i = 0; i < n; ++i) f(block(i), in_other + (begin + i) * plan.bytes);
      } else {
        Sequence::Walk walk(places);
        for (int64_t i = 0; i < n; ++i) f(block(i), in_other + walk.PlaceOf(begin + i));
      }
      first += n;
    }
  }

 private:
  const int64_t* OffsetsOf(int64_t begin, int64_t n, std::byte* scratch) const {
    if (offsets != nullptr) return offsets + begin;
    auto* const computed = reinterpret_cast<int64_t*>(scratch);
    if (!table.Offsets(begin, n, scratch + kScratchBytes / 2, computed)) good.store(false, std::memory_order_relaxed);
    return computed;
  }
};

template <size_t kBytes>
void MoveElements(const IndexRun& run, int64_t first, int64_t end, std::byte* scratch) {
  if (run.plan.puts) {
    run.ForEachItem(first, end, scratch, [](std::byte* self, const std::byte* values) {
      if (self != nullptr) std::memcpy(self, values, kBytes);
    });
  } else {
    run.ForEachItem(first, end, scratch, [](const std::byte* self, std::byte* out) {
      if (self == nullptr)
        std::memset(out, 0, kBytes);
      else
        std::memcpy(out, self, kBytes);
    });
  }
}

void MoveSingle(const IndexRun& run, int64_t first, int64_t end, std::byte* scratch) {
  switch (run.plan.bytes) {
    case 1:
      return MoveElements<1>(run, first, end, scratch);
    case 2:
      return MoveElements<2>(run, first, end, scratch);
    case 4:
      return MoveElements<4>(run, first, end, scratch);
    case 8:
      return MoveElements<8>(run, first, end, scratch);
    default:
      return MoveElements<16>(run, first, end, scratch);
  }
}

// Moves the part of each block that the tile is of the first one.
void MoveBlocks(const IndexRun& run, const Tile& tile, int64_t first, int64_t end, std::byte* scratch) {
  const IndexPlan& plan = run.plan;
  run.ForEachItem(first, end, scratch, [&](std::byte* self, std::byte* other) {
    if (self == nullptr && plan.puts) return;
    TileOperand from = tile.operand[1], to = tile.operand[2];
    to.base += plan.puts ? self - run.self : other - run.other;
    if (self == nullptr) {
      for (int64_t row = 0; row < tile.rows; ++row) {
        for (int64_t c = 0; c < tile.columns; ++c)
          std::memset(BlockAt(to, row, c).base, 0, static_cast<size_t>(plan.bytes));
      }
      return;
    }
    from.base += plan.puts ? other - run.other : self - run.self;
    const bool is_dense = from.column_stride == plan.bytes && to.column_stride == plan.bytes;
    if (is_dense && tile.rows == 1) {
      std::memcpy(to.base, from.base, static_cast<size_t>(tile.columns * plan.bytes));
    } else {
      CopyBlock(plan.bytes, tile.rows, tile.columns, from, to);
    }
  });
}

// Adds elements to a sum for each element of `self`, which is contiguous. Those of 16 bits are added as FLOAT: the sums
// of all three are in float64.
void AddToAll(const IndexRun& run) {
  const IndexPlan& plan = run.plan;
  const bool is_narrow = plan.dtype == ACL_FLOAT16 || plan.dtype == ACL_BF16;
  const aclDataType added = is_narrow ? ACL_FLOAT : plan.dtype;
  const Combiner& adder = CombinerOf(added, Combine::kAdd);
  const Conversion& widening = ConversionOf(plan.dtype, added);
  const PoolMemory sums(plan.contiguous_elements * adder.state_bytes);
  const ElementRun all = {run.self, plan.bytes, plan.contiguous_elements};
  if (is_narrow || added == ACL_FLOAT) {
    Convert(ConversionOf(plan.dtype, ACL_DOUBLE), run.self, sums.As(), plan.contiguous_elements);
  } else {
    adder.start(all, sums.As());
  }
  const Sequence values(plan.indexed, run.table.shape().span());
  alignas(kLineBytes) std::byte read[IndexTable::kPiece * sizeof(double)];
  alignas(kLineBytes) std::byte widened[IndexTable::kPiece * sizeof(float)];
  for (int64_t first = 0; first < run.table.count(); first += IndexTable::kPiece) {
    const int64_t n = std::min(IndexTable::kPiece, run.table.count() - first);
    const std::byte* source = values.Read(run.other, first, n, read);
    if (is_narrow) {
      Convert(widening, source, widened, n);
      source = widened;
    }
    adder.scatter({.index = reinterpret_cast<const std::byte*>(run.offsets + first),
                   .source = source,
                   .states = sums.As(),
                   .counts = nullptr,
                   .size = {1, n},
                   .index_step = {0, sizeof(int64_t)},
                   .source_step = {0, static_cast<int64_t>(ElementBytes(added))},
                   .state_step = {0, 0},
                   .named_step = 1,
                   .limit = plan.contiguous_elements,
                   .from_end = 0,
                   .is_wide = true,
                   .includes_first = true,
                   .factor = {}});
  }
  plan.adder->store(sums.As(), all);
}

void AddBlocks(const IndexRun& run) {
  if (run.plan.contiguous_elements / kMostSums < run.table.count() && run.plan.contiguous_elements > 0)
    return AddToAll(run);
  const PoolMemory memory(2 * run.items() * static_cast<int64_t>(sizeof(Move)));
  Move* const moves = memory.As<Move>();
  int64_t n = 0;
  run.ForEachItem(0, run.items(), nullptr, [&](const std::byte* self, const std::byte* values) {
    if (self != nullptr)
      moves[n++] = {static_cast<uint64_t>(self - run.self), static_cast<uint64_t>(values - run.other)};
  });
  const IndexPlan& plan = run.plan;
  CombineMoves({.combiner = plan.adder,
                .result_combiner = plan.adder,
                .lanes = plan.add_lanes,
                .factor = {},
                .includes_self = true,
                .tiles = &plan.block,
                .source = run.other,
                .out = run.self},
               moves, n);
}

// Blocks are read in any order. They are written in the order of the indices, each thread writing its part of all of
// them.
void MoveAll(const IndexRun& run) {
  const IndexPlan& plan = run.plan;
  const bool is_single = plan.block.nest.Elements() == 1;
  const int64_t block_bytes =
      plan.bytes * std::min(plan.block.nest.Elements(), plan.block.tiling.tile_columns * plan.block.tiling.tile_rows);
  const int64_t each = plan.puts ? run.table.count() : std::max<int64_t>(1, kIndexChunkBytes / block_bytes);
  const int64_t ranges = CeilDivide(run.items(), each);
  const Chunks chunks{.count = ranges * plan.block.tiling.tiles,
                      .is_serial = plan.is_serial,
                      .scratch_bytes = run.offsets == nullptr ? IndexRun::kScratchBytes : 0};
  TileTask task(plan.block);
  task.addresses[0] = task.addresses[1] = plan.puts ? run.other : run.self;
  task.addresses[2] = plan.puts ? run.self : run.other;
  ForEachChunk(chunks, [&](int64_t chunk, std::byte* scratch) {
    const int64_t first = chunk % ranges * each;
    const int64_t end = std::min(first + each, run.items());
    if (is_single) return MoveSingle(run, first, end, scratch);
    Tile tile;
    TileWalk(plan.block.nest, plan.block.tiling, chunk / ranges).Next(task.addresses, 1, &tile);
    MoveBlocks(run, tile, first, end, scratch);
  });
}

int32_t RunIndex(const exec::RunContext& context) {
  const auto& plan = context.Parameters<IndexPlan>();
  IndexTable table(plan.table, context);
  if (const int32_t status = table.CheckSize(plan.other_size, plan.puts)) return status;
  if (table.count() == 0) return 0;
  table.FindPlaces();
  std::atomic<bool> good{true};
  // Offsets that serve several times are kept.
  const bool keeps = plan.adder != nullptr || plan.before[0].count() > 1 || plan.block.tiling.tiles > 1;
  const PoolMemory memory(keeps ? table.count() * static_cast<int64_t>(sizeof(int64_t)) : 0);
  if (keeps) good.store(table.Offsets(memory.As<int64_t>()), std::memory_order_relaxed);
  const IndexRun run{plan, table, memory.As<int64_t>(), context.Address(plan.self), context.Address(plan.other), good};
  if (plan.adder != nullptr) {
    AddBlocks(run);
  } else {
    MoveAll(run);
  }
  return good.load(std::memory_order_relaxed) ? 0 : table.RefuseIndex();
}

enum class Use : uint8_t { kRead, kReplace, kAdd };

void PlanIndex(exec::PlanBuilder& builder, int self, int indices, const IndexEntries& entries, int other, Use use) {
  const bool puts = use != Use::kRead;
  const View& view = builder.OperandView(self);
  const View& of_other = builder.OperandView(other);
  const Shape result = entries.Result(view);
  const Parts in_self = PartsOfSelf(view, entries), in_other = PartsOfOther(of_other, result, entries);
  const View *const from = puts ? &in_other.behind : &in_self.behind, *const to =
                                                                          puts ? &in_self.behind : &in_other.behind;
  const View* const behind[] = {from, from, to};
  const Sequence whole(view, view.dims());
  const int unknown = entries.UnknownAxis();
  const int own = unknown - result.rank + of_other.rank;
  IndexPlan plan{
      .self = self,
      .other = other,
      .puts = puts,
      .is_serial = MayOverlapItself(builder.OperandView(puts ? self : other)),
      .adder = use == Use::kAdd ? &CombinerOf(view.dtype, Combine::kAdd) : nullptr,
      .add_lanes = AddLanes(view.dtype),
      .contiguous_elements = whole.IsContiguous() && in_self.before.rank + in_self.behind.rank == 0 ? whole.count() : 0,
      .dtype = view.dtype,
      .bytes = static_cast<int64_t>(ElementBytes(view.dtype)),
      .other_size = unknown < 0 ? IndexTable::kAnySize
                    : own < 0   ? 1
                                : of_other.shape[own],
      .before = {Sequence(in_self.before, in_self.before.dims()), Sequence(in_other.before, in_self.before.dims())},
      .indexed = in_other.indexed,
      .block = {.code = {.inputs = 2}, .nest = MakeLoopNest(in_self.behind.dims(), behind)},
      .table = TablePlan(builder, view, indices, entries)};
  plan.block.tiling = MakeTiling(plan.block.nest, kNsPerIndexedElement);
  plan.block.serial = plan.is_serial;
  for (int k = 0; k < plan.table.count; ++k) builder.ForbidInPlace(plan.table.entries[k].operand);
  builder.ForbidInPlace(puts ? other : self);
  int64_t items = plan.before[0].count();
  for (const int64_t size : entries.shape().span()) items *= size;
  if (plan.other_size > 0) items *= plan.other_size;
  const int64_t elements = plan.block.nest.Elements();
  const double ns = kNsPerIndexedBlock / static_cast<double>(elements) + kNsPerIndexedElement;
  builder.RunBytes(RunIndex, &plan, sizeof(plan) - plan.table.UnusedBytes(),
                   CostNs(items * elements, 2 * plan.bytes, ns));
}

bool ReadEntries(const exec::PlanBuilder& plan, int self, int indices, IndexEntries* entries) {
  IndexProblem problem;
  return entries->Read(
      plan.OperandView(self), plan.Count(indices), [&](int i) -> const View& { return plan.Tensor(indices, i); },
      &problem);
}

}  // namespace

inline namespace v1 {

void Index(exec::PlanBuilder& plan, int self, int indices, int out) {
  IndexEntries entries;
  if (!ReadEntries(plan, self, indices, &entries)) return;  // phase 1 has refused it
  if (entries.items().empty()) return Copy(plan, self, out);
  PlanIndex(plan, self, indices, entries, out, Use::kRead);
}

void IndexPut(exec::PlanBuilder& plan, int self, int indices, int values, bool adds) {
  IndexEntries entries;
  if (ReadEntries(plan, self, indices, &entries) && !entries.items().empty())
    PlanIndex(plan, self, indices, entries, values, adds ? Use::kAdd : Use::kReplace);
}

}  // namespace v1
}  // namespace portacl::loops::moves
