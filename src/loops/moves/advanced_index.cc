// SPDX-License-Identifier: Apache-2.0
//
// How a list of indices is planned, and blocks that are read or replaced.
#include "loops/moves/advanced_index.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/advanced_index_run.h"
#include "loops/moves/combine_blocks.h"
#include "loops/moves/copy.h"
#include "loops/moves/fill_masked.h"
#include "loops/moves/index_table.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

constexpr double kNsPerIndexedBlock = 2;
constexpr double kNsPerIndexedElement = 0.1;

// Bytes of blocks that a chunk moves.
constexpr int64_t kIndexChunkBytes = 64 << 10;

// Blocks that are written have one share for each 512 of their bytes: to test whether a place is in a share takes a
// few percent of the time to write these.
constexpr int64_t kShareBytes = 512;
constexpr int64_t kMostShares = 16;

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

// Single elements, those of the other operand next to each other. All that the loops read is in locals: a byte that
// they write could be any of it.
template <size_t kBytes>
void MovePiece(bool puts, std::byte* self, std::byte* other, const int64_t* from, int64_t n) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  if (puts) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < n; ++i) {
      const int64_t place = from[i];
      if (place != IndexTable::kNone) [[likely]]
        std::memcpy(self + place * kStep, other + i * kStep, kBytes);
    }
    return;
  }
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i) {
    const int64_t place = from[i];
    if (place != IndexTable::kNone) [[likely]] {
      std::memcpy(other + i * kStep, self + place * kStep, kBytes);
    } else {
      std::memset(other + i * kStep, 0, kBytes);
    }
  }
}

// The same for rows whose offsets differ by a number.
template <size_t kBytes>
void MoveLikeRows(const IndexRun& run, int64_t first, int64_t end, std::byte* scratch) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  const IndexTable& table = run.table;
  const bool puts = run.plan.puts;
  auto* const offsets = reinterpret_cast<int64_t*>(scratch);
  bool good = table.OffsetsOfColumns(offsets);
  for (int64_t n; first < end; first += n) {
    const int64_t column = first % table.columns(), of_row = table.OffsetOfRow(first);
    n = std::min(table.columns() - column, end - first);
    std::byte* const other = run.other + first * kStep;
    if (of_row != IndexTable::kNone) {
      MovePiece<kBytes>(puts, run.self + of_row * kStep, other, offsets + column, n);
      continue;
    }
    good = false;
    if (!puts) std::memset(other, 0, static_cast<size_t>(n) * kBytes);
  }
  if (!good) run.good.store(false, std::memory_order_relaxed);
}

template <size_t kBytes>
void MoveElements(const IndexRun& run, int64_t first, int64_t end, std::byte* scratch) {
  const bool puts = run.plan.puts;
  const Sequence places(run.plan.indexed, run.table.shape().span());
  if (places.IsContiguous()) {
    if (run.offsets == nullptr && run.plan.table.has_like_rows && run.table.columns() <= IndexTable::kPiece)
      return MoveLikeRows<kBytes>(run, first, end, scratch);
    return run.ForEachPiece(first, end, scratch,
                            [puts](std::byte* self, std::byte* other, int64_t begin, const int64_t* from, int64_t n) {
                              MovePiece<kBytes>(puts, self, other + begin * static_cast<int64_t>(kBytes), from, n);
                            });
  }
  run.ForEachItem(first, end, scratch, [puts](std::byte* self, std::byte* other) {
    if (self != nullptr)
      std::memcpy(puts ? self : other, puts ? other : self, kBytes);
    else if (!puts)
      std::memset(other, 0, kBytes);
  });
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

// Blocks of which a thread writes those whose places are its share.
struct Share {
  uint64_t number;
  uint64_t of;

  bool Has(int64_t place) const {
    return of == 1 || ((static_cast<uint64_t>(place) * 0x9E3779B97F4A7C15) >> 32) * of >> 32 == number;
  }
};

// Moves the part of each block that the tile is of the first one.
void MoveBlocks(const IndexRun& run, const Tile& tile, int64_t first, int64_t end, const Share& share,
                std::byte* scratch) {
  const IndexPlan& plan = run.plan;
  const int64_t row_bytes = tile.columns * plan.bytes;
  const bool streams = row_bytes % kLineBytes == 0 && run.items() > NonTemporalBytes() / (2 * row_bytes);
  run.ForEachItem(first, end, scratch, [&](std::byte* self, std::byte* other) {
    if (plan.puts && (self == nullptr || !share.Has(self - run.self))) return;
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
    if (!is_dense || tile.rows != 1) return CopyBlock(plan.bytes, tile.rows, tile.columns, from, to);
    if (streams && reinterpret_cast<uintptr_t>(to.base) % kLineBytes == 0) {
      StoreAround(from.base, to.base, row_bytes);
    } else {
      std::memcpy(to.base, from.base, static_cast<size_t>(row_bytes));
    }
  });
  if (streams) hwy::FlushStream();
}

// The bytes of the part of a block that a tile has.
int64_t PartBytes(const IndexPlan& plan) {
  return plan.bytes *
         std::min(plan.block.nest.Elements(), plan.block.tiling.tile_columns * plan.block.tiling.tile_rows);
}

// The number of shares of the blocks that are written: each thread goes through the places of all of them.
int64_t SharesOf(const IndexPlan& plan, const IndexTable& table) {
  const int64_t bytes = PartBytes(plan);
  const int64_t most = std::min(bytes / kShareBytes, bytes * table.count() / kIndexChunkBytes);
  return plan.puts && !plan.is_serial ? std::clamp<int64_t>(most, 1, kMostShares) : 1;
}

// Blocks are read in any order. They are written in the order of the indices, each thread writing its share and its
// part of all of them.
void MoveAll(const IndexRun& run) {
  const IndexPlan& plan = run.plan;
  const bool is_single = plan.block.nest.Elements() == 1;
  const int64_t block_bytes = PartBytes(plan), shares = SharesOf(plan, run.table);
  const int64_t each = plan.puts ? run.table.count() : std::max<int64_t>(1, kIndexChunkBytes / block_bytes);
  const int64_t ranges = CeilDivide(run.items(), each);
  const Chunks chunks{.count = ranges * shares * plan.block.tiling.tiles,
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
    TileWalk(plan.block.nest, plan.block.tiling, chunk / (ranges * shares)).Next(task.addresses, 1, &tile);
    const Share share{static_cast<uint64_t>(chunk / ranges % shares), static_cast<uint64_t>(shares)};
    MoveBlocks(run, tile, first, end, share, scratch);
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
  const bool keeps = !AddsElements(plan, table) && (plan.adder != nullptr || plan.before[0].count() > 1 ||
                                                    plan.block.tiling.tiles > 1 || SharesOf(plan, table) > 1);
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

// Whether the list is a mask that says for each element whether it becomes the one value: a fill needs no list of
// places.
bool IsMaskOfFill(const View& self, const IndexEntries& entries, const View& values) {
  constexpr size_t kMostBytes = 8;
  const IndexEntry& entry = entries.items().front();
  return entries.items().size() == 1 && entry.is_mask && entry.axis + entry.axes == self.rank &&
         std::ranges::all_of(values.dims(), [](int64_t size) { return size == 1; }) &&
         ElementBytes(self.dtype) <= kMostBytes;
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
  if (!ReadEntries(plan, self, indices, &entries) || entries.items().empty()) return;
  if (!adds && IsMaskOfFill(plan.OperandView(self), entries, plan.OperandView(values)))
    return FillMasked(plan, self, plan.Operand(indices, entries.items().front().element), values);
  PlanIndex(plan, self, indices, entries, values, adds ? Use::kAdd : Use::kReplace);
}

}  // namespace v1
}  // namespace portacl::loops::moves
