// SPDX-License-Identifier: Apache-2.0
//
// Views and random operands for the layout tests of this room.
#pragma once

#include <cstring>
#include <vector>

#include "ops/loss/logit/logit_test_support.h"
#include "testing/random.h"

namespace portacl::ops::logit {

/// Strides and offset of a view, in elements.
struct Layout {
  calls::Dims strides;
  int64_t offset = 0;
};

/// Offsets of the elements of a view, in row-major order.
inline std::vector<size_t> Offsets(const calls::Dims& shape, const Layout& layout) {
  std::vector<size_t> offsets;
  calls::Dims index(shape.size(), 0);
  const int64_t count = calls::ElementCount(shape);
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = layout.offset;
    for (size_t axis = 0; axis < shape.size(); ++axis) offset += index[axis] * layout.strides[axis];
    offsets.push_back(static_cast<size_t>(offset));
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return offsets;
}

/// The elements at these offsets.
inline std::vector<std::byte> Pick(const std::vector<std::byte>& block, const std::vector<size_t>& offsets,
                                   size_t size) {
  std::vector<std::byte> picked(offsets.size() * size);
  for (size_t i = 0; i < offsets.size(); ++i) std::memcpy(&picked[i * size], &block[offsets[i] * size], size);
  return picked;
}

class LayoutTest : public DeviceTest {
 protected:
  std::vector<std::byte> RandomBlock(aclDataType dtype, int64_t elements) {
    std::vector<double> values;
    for (int64_t i = 0; i < elements; ++i) values.push_back(random_.Real(-0.1, 1.1));
    return Encode(dtype, values);
  }

 private:
  testing::Random random_;
};

}  // namespace portacl::ops::logit
