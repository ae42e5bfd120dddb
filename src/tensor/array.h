// SPDX-License-Identifier: Apache-2.0
// The content of arrays and lists: copies of the client's values or pointers.
#pragma once

#include <cstdint>
#include <limits>
#include <new>
#include <span>

#include "aclnn/acl_meta.h"
#include "tensor/object_pool.h"

namespace portacl {

template <class Value, ObjectKind kObjectKind>
class ArrayObject : public PooledObject {
 public:
  static constexpr ObjectKind kKind = kObjectKind;

  std::span<const Value> values() const noexcept { return {values_, size_}; }

  /// Makes room for `size` values and returns it; nullptr when memory is exhausted. The object must be new or released.
  Value* Reserve(uint64_t size) noexcept {
    if (size > kInlineValues) {
      if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / sizeof(Value)) return nullptr;
      Value* values = new (std::nothrow) Value[size];
      if (values == nullptr) return nullptr;
      values_ = values;
    }
    size_ = size;
    return values_;
  }

  void Release() noexcept {
    if (values_ != inline_values_) delete[] values_;
    values_ = inline_values_;
    size_ = 0;
  }

 private:
  static constexpr uint64_t kInlineValues = 8;  // sizes, paddings, dims: most arrays are this short

  uint64_t size_ = 0;
  Value* values_ = inline_values_;
  Value inline_values_[kInlineValues] = {};
};

}  // namespace portacl

struct aclIntArray final : portacl::ArrayObject<int64_t, portacl::ObjectKind::kIntArray> {};
struct aclFloatArray final : portacl::ArrayObject<float, portacl::ObjectKind::kFloatArray> {};
struct aclBoolArray final : portacl::ArrayObject<bool, portacl::ObjectKind::kBoolArray> {};
struct aclTensorList final : portacl::ArrayObject<const aclTensor*, portacl::ObjectKind::kTensorList> {};
struct aclScalarList final : portacl::ArrayObject<const aclScalar*, portacl::ObjectKind::kScalarList> {};
