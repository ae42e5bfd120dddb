// SPDX-License-Identifier: Apache-2.0
//
// With k, two passes over a row leave the records of the elements that stay; only these are sorted to find what p
// leaves out.
#include "loops/reductions/top_k_top_p.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "base/target.h"
#include "base/tuning.h"
#include "loops/elements/conversion.h"
#include "loops/reductions/find_first.h"
#include "loops/reductions/order_lanes.h"
#include "loops/reductions/records.h"
#include "loops/reductions/top_k_top_p_lanes.h"
#include "loops/tiles/rows.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::reductions {
namespace {

struct TopParameters {
  OrderFunctions order;
  ExponentialsFunction exponentials;
  const Conversion* widen;   // from an element to FLOAT
  const Conversion* narrow;  // back
  bool has_p;
  bool has_k;
};

// The scratch for rows of n elements. FindFirst and the records of all elements need room for one more register.
struct TopScratch {
  explicit TopScratch(int64_t n, int64_t bytes)
      : records(layout.Add<ShortRecord>(n + kRecordsOfRegister)),
        others(layout.Add<ShortRecord>(n + kRecordsOfRegister)),
        values(layout.Add<float>(n)),
        copy(layout.Add<std::byte>(n * bytes)) {}

  ScratchLayout layout;
  ScratchPart<ShortRecord> records;
  ScratchPart<ShortRecord> others;
  ScratchPart<float> values;
  ScratchPart<std::byte> copy;
};

// Records of elements that stay.
struct Kept {
  ShortRecord* begin;
  int64_t count;
};

template <class T>
class TopRow {
 public:
  TopRow(const TopParameters& parameters, const T* row, int64_t n, std::byte* scratch)
      : parameters_(parameters), row_(row), n_(n), parts_(n, sizeof(T)), scratch_(scratch) {}

  // The records of the elements that are not smaller than the k-th largest, ascending by position.
  Kept LargestBy(int64_t k) {
    const Ordered falling{reinterpret_cast<const std::byte*>(row_), n_, true};
    ShortRecord* const first = parts_.others.In(scratch_);
    FindFirst(parameters_.order, falling, k, FirstCapacity(n_, k), first);
    Kept kept{parts_.records.In(scratch_), 0};
    parameters_.order.append_below(falling, 0, first[k - 1].rank() + 1, kept.begin, &kept.count,
                                   n_ + kRecordsOfRegister);
    for (int64_t i = 0; i < kept.count; ++i) kept.begin[i] = Inverted(kept.begin[i]);
    return kept;
  }

  Kept All() {
    Kept kept{parts_.records.In(scratch_), n_};
    parameters_.order.make({reinterpret_cast<const std::byte*>(row_), n_, false}, n_, kept.begin);
    return kept;
  }

  // Leaves out the smallest elements whose probabilities add up to no more than 1 - p.
  Kept WithoutTail(const Kept& all, float p) {
    ShortRecord* const others = parts_.others.In(scratch_);
    ShortRecord* const sorted = SortRecords<sizeof(T)>(all.begin, others, all.count);
    const int64_t last = all.count - 1;
    if (p <= 0) return {sorted + last, 1};
    T* const elements = reinterpret_cast<T*>(sorted == others ? all.begin : others);
    for (int64_t i = 0; i < all.count; ++i) elements[i] = row_[sorted[i].place()];
    float* const values = parts_.values.In(scratch_);
    Convert(*parameters_.widen, reinterpret_cast<const std::byte*>(elements), reinterpret_cast<std::byte*>(values),
            all.count);
    const float most = values[last];
    if (!std::isfinite(most)) return {sorted, all.count};            // probabilities are NaN
    const double share = std::max(1 - static_cast<double>(p), 0.0);  // NaN for NaN: no sum is within the limit
    const double limit = parameters_.exponentials(values, most, all.count) * share;
    int64_t left_out = 0;
    for (double sum = 0; left_out < last; ++left_out) {
      sum += static_cast<double>(values[left_out]);
      if (!(sum <= limit)) break;
    }
    return {sorted + left_out, all.count - left_out};
  }

 private:
  // The record in the other direction.
  static ShortRecord Inverted(const ShortRecord& record) {
    constexpr uint64_t kMostRank = (uint64_t{1} << (8 * sizeof(T))) - 1;
    return {kMostRank - record.rank(), static_cast<uint64_t>(record.place())};
  }

  const TopParameters& parameters_;
  const T* row_;
  int64_t n_;
  TopScratch parts_;
  std::byte* scratch_;
};

float FirstFloat(const Conversion& widen, const std::byte* element) {
  float value = 0;
  Convert(widen, element, reinterpret_cast<std::byte*>(&value), 1);
  return value;
}

// Operands of the tile: logits, p and k if there are any, out.
template <class T>
void KeepTop(const Tile& tile) {
  const auto& parameters = *static_cast<const TopParameters*>(tile.parameters);
  const int64_t n = tile.columns;
  const int of_k = parameters.has_p ? 2 : 1, out = of_k + (parameters.has_k ? 1 : 0);
  auto* const scratch = static_cast<std::byte*>(tile.scratch);
  const float infinite = -INFINITY;
  T lowest;
  Convert(*parameters.narrow, reinterpret_cast<const std::byte*>(&infinite), reinterpret_cast<std::byte*>(&lowest), 1);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* from = tile.Row<const T>(0, row);
    T* const to = tile.Row<T>(out, row);
    const int64_t k = parameters.has_k ? *tile.Row<const int32_t>(of_k, row) : 0;
    const bool has_most = k > 0 && k < n;
    if (!has_most && !parameters.has_p) {
      if (to != from) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
      continue;
    }
    if (to == from) {
      T* const copy = reinterpret_cast<T*>(TopScratch(n, sizeof(T)).copy.In(scratch));
      std::memcpy(copy, from, static_cast<size_t>(n) * sizeof(T));
      from = copy;
    }
    TopRow<T> top(parameters, from, n, scratch);
    Kept kept = has_most ? top.LargestBy(k) : top.All();
    if (parameters.has_p)
      kept = top.WithoutTail(kept, FirstFloat(*parameters.widen, tile.Row<const std::byte>(1, row)));
    std::fill_n(to, n, lowest);
    for (int64_t i = 0; i < kept.count; ++i) to[kept.begin[i].place()] = from[kept.begin[i].place()];
  }
}

}  // namespace

inline namespace v1 {

void TopKTopP(exec::PlanBuilder& plan, int logits, int p, int k, int out) {
  const View& from = plan.OperandView(logits);
  const auto bytes = static_cast<int64_t>(ElementBytes(from.dtype));
  const TopParameters parameters{.order = OrderFunctionsOf(from.dtype, ActiveTarget()),
                                 .exponentials = ExponentialsLanes(ActiveTarget()),
                                 .widen = &ConversionOf(from.dtype, ACL_FLOAT),
                                 .narrow = &ConversionOf(ACL_FLOAT, from.dtype),
                                 .has_p = p != kNoOperand,
                                 .has_k = k != kNoOperand};
  const int inputs = 1 + (parameters.has_p ? 1 : 0) + (parameters.has_k ? 1 : 0);
  const RowKernel kernel{.run = bytes == 2 ? KeepTop<uint16_t> : KeepTop<uint32_t>,
                         .ns_per_element = parameters.has_k ? 0.5 : CurrentTuning().sort_ns,
                         .scratch_bytes = TopScratch(from.shape[1], bytes).layout.bytes(),
                         .repeated = (1U << inputs) - 2};
  const auto of_rows = [&](int operand) {
    View view = plan.OperandView(operand);
    view.rank = 2;
    view.shape[1] = 1;
    view.strides[1] = 0;
    return OperandPart(operand, view);
  };
  if (parameters.has_p && parameters.has_k)
    return Rows(plan, {logits, of_rows(p), of_rows(k), out}, kernel, parameters);
  if (parameters.has_p) return Rows(plan, {logits, of_rows(p), out}, kernel, parameters);
  if (parameters.has_k) return Rows(plan, {logits, of_rows(k), out}, kernel, parameters);
  Rows(plan, {logits, out}, kernel, parameters);
}

}  // namespace v1
}  // namespace portacl::loops::reductions
