// SPDX-License-Identifier: Apache-2.0
// aclTensor objects for tests, see tensor_builder.h.
#include "calls/tensor_builder.h"

#include <functional>
#include <numeric>

namespace portacl::calls {

int64_t ElementCount(const Dims& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

Dims ContiguousStrides(const Dims& shape) {
  Dims strides(shape.size());
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

int64_t ViewExtent(const Dims& shape, const Dims& strides, int64_t offset) {
  int64_t last = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return 0;
    last += (shape[axis] - 1) * strides[axis];
  }
  return last + 1;
}

TensorHandle TensorBuilder::Build() const {
  const Dims& storage = has_storage_ ? storage_ : shape_;
  return TensorHandle(aclCreateTensor(shape_.data(), shape_.size(), dtype_, has_strides_ ? strides_.data() : nullptr,
                                      offset_, format_, storage.data(), storage.size(), data_));
}

}  // namespace portacl::calls
