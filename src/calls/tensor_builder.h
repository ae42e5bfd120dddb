// SPDX-License-Identifier: Apache-2.0
// Builds aclTensor objects one property at a time; defaults are contiguous, ND, offset 0, storage = view.
//
//   TensorHandle x = TensorBuilder(ACL_FLOAT, {3, 4}).Strides({1, 3}).Offset(2).Data(block).Build();
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace portacl::calls {

struct TensorDeleter {
  void operator()(aclTensor* tensor) const { aclDestroyTensor(tensor); }
};
using TensorHandle = std::unique_ptr<aclTensor, TensorDeleter>;

using Dims = std::vector<int64_t>;

int64_t ElementCount(const Dims& shape);
Dims ContiguousStrides(const Dims& shape);
// Number of elements from the first to the last that a view reaches, including the offset; 0 for an empty view.
int64_t ViewExtent(const Dims& shape, const Dims& strides, int64_t offset);

class TensorBuilder {
 public:
  TensorBuilder(aclDataType dtype, Dims shape) : dtype_(dtype), shape_(std::move(shape)) {}

  TensorBuilder& Strides(Dims strides) { return strides_ = std::move(strides), has_strides_ = true, *this; }
  TensorBuilder& Offset(int64_t offset) { return offset_ = offset, *this; }
  TensorBuilder& Format(aclFormat format) { return format_ = format, *this; }
  TensorBuilder& Storage(Dims dims) { return storage_ = std::move(dims), has_storage_ = true, *this; }
  TensorBuilder& Data(const void* data) { return data_ = const_cast<void*>(data), *this; }
  TensorBuilder& Dtype(aclDataType dtype) { return dtype_ = dtype, *this; }
  TensorBuilder& Shape(Dims shape) { return shape_ = std::move(shape), *this; }

  TensorHandle Build() const;

 private:
  aclDataType dtype_;
  Dims shape_;
  Dims strides_;
  Dims storage_;
  bool has_strides_ = false;
  bool has_storage_ = false;
  int64_t offset_ = 0;
  aclFormat format_ = ACL_FORMAT_ND;
  void* data_ = nullptr;
};

}  // namespace portacl::calls
