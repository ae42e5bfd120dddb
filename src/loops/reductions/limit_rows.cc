// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/limit_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "loops/elements/conversion.h"
#include "loops/moves/indices.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::reductions {
namespace {

constexpr double kNsPerPower = 2;
constexpr int64_t kRowBlock = 256;  // elements that are converted at once

struct LimitPlan {
  moves::Indices indices;
  int32_t self;
  aclDataType dtype;
  int64_t columns;
  int64_t row_step;
  int64_t column_step;
  bool is_serial;
  double most;
  double order;
};

// Joins the magnitudes of a row's elements.
class RowNorm {
 public:
  explicit RowNorm(double order) : order_(order), norm_(order == -kInfinity ? kInfinity : 0) {}

  void Add(double x) {
    const double size = std::abs(x);
    if (order_ == 0) {
      norm_ += size != 0 ? 1 : 0;
    } else if (std::isinf(order_)) {
      if (std::isnan(size) || (order_ > 0 ? size > norm_ : size < norm_)) norm_ = size;
    } else {
      norm_ += order_ == 2 ? size * size : order_ == 1 ? size : std::pow(size, order_);
    }
  }
  double Value() const {
    if (order_ == 2) return std::sqrt(norm_);
    return order_ == 0 || order_ == 1 || std::isinf(order_) ? norm_ : std::pow(norm_, 1 / order_);
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double order_;
  double norm_;
};

// The elements of a row, block by block, in float64.
class RowBlocks {
 public:
  RowBlocks(const LimitPlan& plan, std::byte* row)
      : plan_(plan),
        row_(row),
        bytes_(static_cast<int64_t>(ElementBytes(plan.dtype))),
        widen_(ConversionOf(plan.dtype, ACL_DOUBLE)),
        narrow_(ConversionOf(ACL_DOUBLE, plan.dtype)) {}

  template <class F>
  void ForEach(const F& f) {
    for (int64_t c = 0; c < plan_.columns; c += kRowBlock) {
      const int64_t n = std::min(kRowBlock, plan_.columns - c);
      CopyBlock(bytes_, 1, n, At(c), {stored_, 0, bytes_});
      Convert(widen_, stored_, reinterpret_cast<std::byte*>(numbers_), n);
      f(numbers_, c, n);
    }
  }
  void Store(int64_t c, int64_t n) {
    Convert(narrow_, reinterpret_cast<const std::byte*>(numbers_), stored_, n);
    CopyBlock(bytes_, 1, n, {stored_, 0, bytes_}, At(c));
  }

 private:
  TileOperand At(int64_t column) const { return {row_ + column * plan_.column_step, 0, plan_.column_step}; }

  const LimitPlan& plan_;
  std::byte* row_;
  int64_t bytes_;
  const Conversion& widen_;
  const Conversion& narrow_;
  alignas(64) std::byte stored_[kRowBlock * sizeof(float)];
  alignas(64) double numbers_[kRowBlock];
};

void LimitRow(const LimitPlan& plan, std::byte* row) {
  RowBlocks blocks(plan, row);
  RowNorm norm(plan.order);
  blocks.ForEach([&](const double* numbers, int64_t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) norm.Add(numbers[i]);
  });
  if (!(norm.Value() > plan.most)) return;
  constexpr double kEps = 1e-7;
  const double factor = plan.most / (norm.Value() + kEps);
  blocks.ForEach([&](double* numbers, int64_t c, int64_t n) {
    for (int64_t i = 0; i < n; ++i) numbers[i] *= factor;
    blocks.Store(c, n);
  });
}

int32_t RunLimitRows(const exec::RunContext& context) {
  const auto& plan = context.Parameters<LimitPlan>();
  const std::byte* const indices = context.Address(plan.indices.operand);
  std::byte* const self = context.Address(plan.self);
  const PoolMemory named(plan.indices.limit);
  auto* const is_named = named.As<char>();
  std::fill_n(is_named, plan.indices.limit, 0);
  bool good = true;
  moves::PlaceWalk walk(plan.indices.places);
  for (int64_t k = 0, count = plan.indices.places.Count(); k < count; ++k, walk.Next()) {
    const int64_t row = moves::ReadIndex(indices + walk.place(), plan.indices.is_wide);
    if (plan.indices.Holds(row)) {
      is_named[row] = 1;
    } else {
      good = false;
    }
  }
  const int64_t rows = std::max<int64_t>(1, (8 << 10) / std::max<int64_t>(plan.columns, 1));
  ForEachChunk({.count = CeilDivide(plan.indices.limit, rows), .is_serial = plan.is_serial},
               [&](int64_t chunk, std::byte*) {
                 for (int64_t row = chunk * rows; row < std::min((chunk + 1) * rows, plan.indices.limit); ++row) {
                   if (is_named[row] != 0) LimitRow(plan, self + row * plan.row_step);
                 }
               });
  return good ? 0 : plan.indices.Refuse(indices);
}

}  // namespace

inline namespace v1 {

void LimitRows(exec::PlanBuilder& plan, int self, int indices, double most, double order) {
  const View& rows = plan.OperandView(self);
  const LimitPlan limit{.indices = moves::Indices(plan, indices, rows.shape[0]),
                        .self = self,
                        .dtype = rows.dtype,
                        .columns = rows.shape[1],
                        .row_step = moves::StepBytes(rows, 0),
                        .column_step = moves::StepBytes(rows, 1),
                        .is_serial = MayOverlapItself(rows),
                        .most = most,
                        .order = order};
  plan.ForbidInPlace(indices);
  if (rows.shape[0] == 0 || rows.shape[1] == 0) return;
  const int64_t elements = std::min(limit.indices.places.Count(), rows.shape[0]) * rows.shape[1];
  plan.Run(RunLimitRows, limit, CostNs(elements, 8, kNsPerPower));
}

}  // namespace v1
}  // namespace portacl::loops::reductions
