// SPDX-License-Identifier: Apache-2.0
//
// Lines along the named axis share nothing, so that each is one thread's work. To be combined, a line has a state for
// each of its elements.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "loops/moves/scatter_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// The indices of some lines of a tile, as two nested loops: from line to line, and along the lines.
IndexedElements ElementsOf(const ScatterPlan& plan, const TileOperand& index, const TileOperand& source,
                           int64_t lines) {
  const int of_lines = plan.lines_are_long ? 0 : 1, along = 1 - of_lines;
  IndexedElements elements;
  elements.index = index.base;
  elements.source = source.base;
  elements.size[of_lines] = lines;
  elements.index_step[of_lines] = index.column_stride;
  elements.source_step[of_lines] = source.column_stride;
  elements.size[along] = plan.count_along;
  elements.index_step[along] = plan.index_step;
  elements.source_step[along] = plan.source_step;
  elements.limit = plan.positions.names.indices.limit;
  elements.from_end = plan.positions.names.indices.from_end;
  elements.is_wide = plan.positions.names.indices.is_wide;
  elements.narrow = plan.narrow;
  return elements;
}

// All that the loop reads is in locals: a byte that it writes could be any of it. kPlain: index and source run on, and
// names are neighbours.
template <size_t kBytes, class I, bool kPlain>
bool ReplaceLine(const IndexedElements& of, int64_t line, std::byte* out, int64_t step) {
  const std::byte* const index = of.index + line * of.index_step[0];
  const std::byte* const source = of.source + line * of.source_step[0];
  const int64_t index_step = kPlain ? int64_t{sizeof(I)} : of.index_step[1];
  const int64_t source_step = kPlain ? int64_t{kBytes} : of.source_step[1];
  const int64_t named_step = kPlain ? int64_t{kBytes} : of.named_step;
  const int64_t count = of.size[1], from_end = of.from_end;
  const auto limit = static_cast<uint64_t>(of.limit);
  if (kPlain) step = 0;
  bool good = true;
#pragma GCC unroll 4
  for (int64_t k = 0; k < count; ++k) {
    I read;
    std::memcpy(&read, index + k * index_step, sizeof(I));
    int64_t i = read;
    if (static_cast<uint64_t>(i) >= limit && i < 0) [[unlikely]]
      i += from_end;
    if (static_cast<uint64_t>(i) < limit) [[likely]] {
      std::memcpy(out + k * step + i * named_step, source + k * source_step, kBytes);
    } else {
      good = false;
    }
  }
  return good;
}

template <size_t kBytes, class I>
bool Replace(const IndexedElements& of, std::byte* out, const int64_t* out_step) {
  const bool is_plain =
      of.index_step[1] == sizeof(I) && of.source_step[1] == kBytes && of.named_step == kBytes && out_step[1] == 0;
  const auto replace = is_plain ? ReplaceLine<kBytes, I, true> : ReplaceLine<kBytes, I, false>;
  bool good = true;
  for (int64_t line = 0; line < of.size[0]; ++line) good &= replace(of, line, out + line * out_step[0], out_step[1]);
  return good;
}

using ReplaceFunction = bool (*)(const IndexedElements& of, std::byte* out, const int64_t* out_step);
template <class I>
ReplaceFunction ReplaceOf(int64_t bytes) {
  switch (bytes) {
    case 1:
      return Replace<1, I>;
    case 2:
      return Replace<2, I>;
    case 4:
      return Replace<4, I>;
    case 8:
      return Replace<8, I>;
    default:
      return Replace<16, I>;
  }
}

// The states of some lines of a tile, in scratch.
class LineStates {
 public:
  LineStates(const ScatterPlan& plan, std::byte* scratch, int64_t lines)
      : plan_(plan),
        combiner_(*plan.combiner),
        size_(plan.positions.names.indices.limit),
        lines_(lines),
        states_(scratch),
        counts_(Counts(plan) ? reinterpret_cast<uint32_t*>(scratch + StateBytes(plan, lines)) : nullptr) {}

  static int64_t ScratchBytes(const ScatterPlan& plan, int64_t lines) {
    const int64_t counts = Counts(plan) ? plan.positions.names.indices.limit * lines : 0;
    return StateBytes(plan, lines) + counts * static_cast<int64_t>(sizeof(uint32_t));
  }

  // `before` begins with what `out` does.
  bool Combine(const TileOperand& index, const TileOperand& source, std::byte* before, const TileOperand& out) {
    const bool is_long = plan_.lines_are_long;
    const int64_t runs = is_long ? lines_ : size_, length = is_long ? size_ : lines_;
    const int64_t run_step = is_long ? out.column_stride : plan_.named_step;
    const int64_t step = is_long ? plan_.named_step : out.column_stride;
    const int64_t run_bytes = length * combiner_.state_bytes;
    for (int64_t i = 0; i < runs; ++i) combiner_.start({before + i * run_step, step, length}, states_ + i * run_bytes);
    if (counts_ != nullptr) std::fill_n(counts_, size_ * lines_, 0);
    IndexedElements elements = ElementsOf(plan_, index, source, lines_);
    elements.states = states_;
    elements.counts = counts_;
    elements.state_step[is_long ? 0 : 1] = is_long ? size_ : 1;
    elements.named_step = is_long ? 1 : lines_;
    elements.includes_first = plan_.what.includes_self;
    elements.factor = plan_.what.factor;
    const bool good = combiner_.scatter(elements);
    if (combiner_.divide != nullptr) Divide();
    for (int64_t i = 0; i < runs; ++i)
      combiner_.store(states_ + i * run_bytes, {out.base + i * run_step, step, length});
    return good;
  }

 private:
  static bool Counts(const ScatterPlan& plan) { return plan.combiner->divide != nullptr || !plan.what.includes_self; }
  static int64_t StateBytes(const ScatterPlan& plan, int64_t lines) {
    return CeilDivide(plan.positions.names.indices.limit * lines * plan.combiner->state_bytes, kLineBytes) * kLineBytes;
  }

  void Divide() {
    for (int64_t i = 0; i < size_ * lines_; ++i) {
      if (counts_[i] != 0)
        combiner_.divide(int64_t{counts_[i]} + (plan_.what.includes_self ? 1 : 0), 1,
                         states_ + i * combiner_.state_bytes);
    }
  }

  const ScatterPlan& plan_;
  const Combiner& combiner_;
  int64_t size_;
  int64_t lines_;
  std::byte* states_;
  uint32_t* counts_;
};

// Calls f(index, source, out, lines, scratch) for the lines of all tiles.
template <class F>
bool ForEachLines(const ScatterRun& run, int64_t scratch_bytes, const F& f) {
  std::atomic<bool> good{true};
  const int64_t most = run.plan.tiles.tiling.tile_columns;
  RunChunks(run.plan.tiles.ChunksWith(scratch_bytes), [&](int64_t first, int64_t end, std::byte* scratch) {
    ForEachTile(run.Task(), first, end, scratch, [&](const Tile& tile) {
      for (int64_t column = 0; column < tile.columns; column += most) {
        if (!f(BlockAt(tile.operand[0], 0, column), BlockAt(tile.operand[1], 0, column),
               BlockAt(tile.operand[2], 0, column), std::min(most, tile.columns - column), scratch))
          good.store(false, std::memory_order_relaxed);
      }
    });
  });
  return good.load(std::memory_order_relaxed);
}

}  // namespace

bool ReplaceLines(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  const bool is_wide = plan.positions.names.indices.is_wide;
  const ReplaceFunction replace = is_wide ? ReplaceOf<int64_t>(plan.bytes) : ReplaceOf<int32_t>(plan.bytes);
  return ForEachLines(
      run, 0,
      [&](const TileOperand& index, const TileOperand& source, const TileOperand& out, int64_t lines, std::byte*) {
        int64_t out_step[2] = {};
        out_step[plan.lines_are_long ? 0 : 1] = out.column_stride;
        IndexedElements elements = ElementsOf(plan, index, source, lines);
        elements.named_step = plan.named_step;
        return replace(elements, out.base, out_step);
      });
}

bool CombineLines(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  return ForEachLines(run, LineStates::ScratchBytes(plan, plan.tiles.tiling.tile_columns),
                      [&](const TileOperand& index, const TileOperand& source, const TileOperand& out, int64_t lines,
                          std::byte* scratch) {
                        std::byte* const before = const_cast<std::byte*>(run.before) + (out.base - run.out);
                        return LineStates(plan, scratch, lines).Combine(index, source, before, out);
                      });
}

}  // namespace portacl::loops::moves
