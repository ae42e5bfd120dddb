// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the boxes that they copy: one for each element of the window, and
// borders for the parts outside the image.
#include <algorithm>
#include <vector>

#include "loops/moves/copy.h"
#include "ops/movement/im2col/im2col_spec.h"

namespace portacl::ops::im2col {
namespace {

using loops::moves::Box;

// The window positions [begin, end) at which the window's element `at` is inside the image.
struct Inside {
  int64_t begin;
  int64_t end;
};
Inside InsideOf(const Window& window, int64_t at) {
  const int64_t places = window.Places();
  const int64_t first = window.padding - at * window.dilation;  // position * stride >= first
  const int64_t begin = first <= 0 ? 0 : (first + window.stride - 1) / window.stride;
  const int64_t last = window.size - 1 + first;  // position * stride <= last
  const int64_t end = last < 0 ? 0 : last / window.stride + 1;
  return {std::min(begin, places), std::clamp(end, std::min(begin, places), places)};
}

void Limit(Box* box, int axis, int64_t begin, int64_t end) {
  Box::Axis& own = box->axes[axis];
  box->from_offset += begin * own.from;
  box->to_offset += begin * own.to;
  own.size = end - begin;
}

void PlanIm2col(exec::PlanBuilder& plan) {
  const View self = loops::moves::PlainView(plan, plan.Input("self"));
  const View out = loops::moves::PlainView(plan, plan.Output("out"));
  const auto number = [&](int argument, size_t i) { return plan.Ints(argument)[i]; };
  const auto window_of = [&](size_t i) {
    return Window{self.shape[self.rank - 2 + static_cast<int>(i)], number(kIm2col.Index("kernelSize"), i),
                  number(kIm2col.Index("dilation"), i), number(kIm2col.Index("padding"), i),
                  number(kIm2col.Index("stride"), i)};
  };
  const Window high = window_of(0), wide = window_of(1);
  const int image = self.rank - 2;  // axis of the height
  const int64_t row = out.strides[out.rank - 2], column = out.strides[out.rank - 1];
  std::vector<Box> boxes;
  for (int64_t i = 0; i < high.kernel; ++i) {
    for (int64_t j = 0; j < wide.kernel; ++j) {
      Box box{.from = plan.Input("self"), .to = plan.Output("out")};
      box.from_offset = self.offset + (i * high.dilation - high.padding) * self.strides[image] +
                        (j * wide.dilation - wide.padding) * self.strides[image + 1];
      box.to_offset = out.offset + (i * wide.kernel + j) * row;
      box.Add(self.rank == 4 ? self.shape[0] : 1, self.rank == 4 ? self.strides[0] : 0,
              self.rank == 4 ? out.strides[0] : 0);
      box.Add(self.shape[image - 1], self.strides[image - 1], high.kernel * wide.kernel * row);
      box.Add(high.Places(), high.stride * self.strides[image], wide.Places() * column);
      box.Add(wide.Places(), wide.stride * self.strides[image + 1], column);
      const Inside rows = InsideOf(high, i), columns = InsideOf(wide, j);
      const auto add = [&](int64_t top, int64_t bottom, int64_t left, int64_t right, bool is_image) {
        Box part = box;
        if (!is_image) part.from = Box::kValue;
        Limit(&part, 2, top, bottom);
        Limit(&part, 3, left, right);
        if (bottom > top && right > left) boxes.push_back(part);
      };
      add(rows.begin, rows.end, columns.begin, columns.end, true);
      add(0, rows.begin, 0, wide.Places(), false);
      add(rows.end, high.Places(), 0, wide.Places(), false);
      add(rows.begin, rows.end, 0, columns.begin, false);
      add(rows.begin, rows.end, columns.end, wide.Places(), false);
    }
  }
  loops::moves::Copy(plan, boxes);
}

}  // namespace

}  // namespace portacl::ops::im2col

#include "ops/movement/im2col/im2col_functions.inc"
