// SPDX-License-Identifier: Apache-2.0
#include "families/products.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/format.h"
#include "tensor/tensor.h"

namespace portacl::families {
namespace {

using Dims = std::span<const int64_t>;

// The number of axes of a factor before those of its matrix.
int32_t BatchRank(int32_t rank) { return std::max(rank - 2, 0); }

// The size of a batch along `axis` of `rank` axes; 1 if the factor lacks that axis.
int64_t BatchSize(Dims dims, int32_t rank, int32_t axis) {
  const int32_t at = axis - (rank - BatchRank(static_cast<int32_t>(dims.size())));
  return at < 0 ? 1 : dims[static_cast<size_t>(at)];
}

int64_t InnerOf(Dims second) { return second.size() == 1 ? second[0] : second[second.size() - 2]; }

// The view of a factor whose batch is broadcast to `batch`, with `rank` axes; the axes of its matrix follow.
View WithBatch(const View& view, int32_t rank, const int64_t* batch, int32_t matrix_rank) {
  View result = view;
  const int32_t own = view.rank - matrix_rank;
  result.rank = rank + matrix_rank;
  for (int32_t axis = 0; axis < result.rank; ++axis) {
    const int32_t at = axis - (rank - own);
    result.shape[axis] = at < 0 ? 1 : view.shape[at];
    result.strides[axis] = at < 0 ? 0 : view.strides[at];
    if (axis < rank && result.shape[axis] != batch[axis]) {
      result.shape[axis] = batch[axis];
      result.strides[axis] = 0;
    }
  }
  return result;
}

// Inserts an axis of size 1 at `axis`.
void InsertAxis(View* view, int32_t axis) {
  for (int32_t at = view->rank++; at > axis; --at) {
    view->shape[at] = view->shape[at - 1];
    view->strides[at] = view->strides[at - 1];
  }
  view->shape[axis] = 1;
  view->strides[axis] = 0;
}

}  // namespace

aclnnStatus CheckFactors(const exec::Arguments& arguments, const exec::Step& step) {
  const int first = FirstFactor(arguments.schema());
  const Dims a = arguments.Tensor(first).dims(), b = arguments.Tensor(first + 1).dims();
  const auto refuse = [&](std::string_view rule) {
    return arguments.Refuse(step, first + 1,
                            fmt::format("{} ('{}' is [{}])", rule,
                                        arguments.schema().args[static_cast<size_t>(first)].name, fmt::join(a, ",")),
                            fmt::format("[{}]", fmt::join(b, ",")));
  };
  if (a.back() != InnerOf(b)) return refuse(fmt::format("{} rows", a.back()));
  const int32_t rank = std::max(BatchRank(static_cast<int32_t>(a.size())), BatchRank(static_cast<int32_t>(b.size())));
  for (int32_t axis = 0; axis < rank; ++axis) {
    const int64_t of_a = BatchSize(a, rank, axis), of_b = BatchSize(b, rank, axis);
    if (of_a != of_b && of_a != 1 && of_b != 1) return refuse("a batch that broadcasts");
  }
  return exec::kSuccess;
}

bool ProductShape(const exec::Arguments& arguments, Shape* shape) {
  const int first = FirstFactor(arguments.schema());
  const Dims a = arguments.Tensor(first).dims(), b = arguments.Tensor(first + 1).dims();
  if (a.empty() || b.empty() || a.back() != InnerOf(b)) return false;
  const int32_t rank = std::max(BatchRank(static_cast<int32_t>(a.size())), BatchRank(static_cast<int32_t>(b.size())));
  shape->rank = 0;
  for (int32_t axis = 0; axis < rank; ++axis) {
    const int64_t of_a = BatchSize(a, rank, axis), of_b = BatchSize(b, rank, axis);
    if (of_a != of_b && of_a != 1 && of_b != 1) return false;
    shape->dims[shape->rank++] = of_a == 1 ? of_b : of_a;
  }
  if (a.size() > 1) shape->dims[shape->rank++] = a[a.size() - 2];
  if (b.size() > 1) shape->dims[shape->rank++] = b.back();
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

ProductViews ViewsOf(const View& a, const View& b, const View& out) {
  ProductViews views{a, b, out};
  if (b.rank == 1) {
    InsertAxis(&views.b, 1);
    InsertAxis(&views.out, out.rank);
  }
  if (a.rank == 1) {
    InsertAxis(&views.a, 0);
    InsertAxis(&views.out, views.out.rank - 1);
  }
  const int32_t rank = views.out.rank - 2;
  views.a = WithBatch(views.a, rank, views.out.shape, 2);
  views.b = WithBatch(views.b, rank, views.out.shape, 2);
  return views;
}

View AddendView(const View& view, const View& a, const View& b, const View& product) {
  View addend = WithBatch(view, product.rank - view.rank, product.shape, view.rank);
  addend.rank = product.rank;
  for (int32_t axis = 0; axis < product.rank; ++axis) {
    if (addend.shape[axis] == product.shape[axis]) continue;
    addend.shape[axis] = product.shape[axis];
    addend.strides[axis] = 0;
  }
  if (b.rank == 1) InsertAxis(&addend, addend.rank);
  if (a.rank == 1) InsertAxis(&addend, addend.rank - 1);
  return addend;
}

void PlanProduct(exec::PlanBuilder& plan) {
  const int a = plan.Operand(0), b = plan.Operand(1), out = plan.Operand(2);
  const ProductViews views = ViewsOf(plan.OperandView(a), plan.OperandView(b), plan.OperandView(out));
  loops::products::MatMul(plan, {.a = {a, views.a}, .b = {b, views.b}, .out = {out, views.out}});
}

}  // namespace portacl::families
