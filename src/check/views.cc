// SPDX-License-Identifier: Apache-2.0
#include "check/views.h"

#include <algorithm>
#include <cstdint>

#include "base/dtype.h"

namespace portacl::check {
namespace {

// A view with more runs is treated as one run that is touched only in part.
constexpr int64_t kMostRuns = 1024;

struct Axis {
  int64_t size;
  int64_t stride;  // in bytes
};

}  // namespace

ViewBytes BytesOf(const OperandNote& operand) {
  const auto reach = static_cast<size_t>(operand.bytes);
  const auto element = static_cast<int64_t>(ElementBytes(static_cast<aclDataType>(operand.dtype)));
  if (element == 0) return {{{0, reach}}, false};
  std::vector<Axis> axes;
  for (size_t axis = 0; axis < operand.shape.size(); ++axis) {
    const int64_t stride = operand.strides[axis] * element;
    if (operand.shape[axis] == 1 || stride == 0) continue;
    if (stride < 0) return {{{0, reach}}, false};
    axes.push_back({operand.shape[axis], stride});
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  int64_t run = element;
  size_t outer = 0;
  for (; outer < axes.size() && axes[outer].stride <= run; ++outer)
    run = std::max(run, (axes[outer].size - 1) * axes[outer].stride + run);
  int64_t runs = 1;
  for (size_t axis = outer; axis < axes.size(); ++axis) {
    if (axes[axis].size > kMostRuns / runs) return {{{0, reach}}, false};
    runs *= axes[axis].size;
  }
  ViewBytes bytes;
  bytes.runs.reserve(static_cast<size_t>(runs));
  bytes.runs.push_back({0, static_cast<size_t>(run)});
  for (size_t axis = outer; axis < axes.size(); ++axis) {
    const size_t before = bytes.runs.size();
    for (int64_t step = 1; step < axes[axis].size; ++step) {
      for (size_t i = 0; i < before; ++i)
        bytes.runs.push_back(
            {bytes.runs[i].begin + static_cast<size_t>(step * axes[axis].stride), bytes.runs[i].bytes});
    }
  }
  return bytes;
}

std::vector<int64_t> LayoutOf(const OperandNote& operand) {
  std::vector<int64_t> layout;  // size, stride, size, stride ...
  for (size_t axis = 0; axis < operand.shape.size(); ++axis) {
    const int64_t size = operand.shape[axis], stride = operand.strides[axis];
    if (size == 1) continue;
    if (!layout.empty() && layout.back() == size * stride) {
      layout[layout.size() - 2] *= size;
      layout.back() = stride;
    } else {
      layout.push_back(size);
      layout.push_back(stride);
    }
  }
  return layout;
}

}  // namespace portacl::check
