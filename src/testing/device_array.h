// SPDX-License-Identifier: Apache-2.0
// A typed block of device memory that is accessed only through the public C API: it also works on a device whose memory
// the host cannot access.
//
//   DeviceArray<float> x({1, 2, 3});
//   ... run an operator on x.data() ...
//   EXPECT_EQ(x.ToHost(), ...);
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/closed_padding.h"

namespace portacl::testing {

template <class T>
class DeviceArray {
 public:
  // Newly allocated memory, filled with 0xCD bytes so that an unwritten element is recognised.
  explicit DeviceArray(size_t count) : count_(count) {
    void* data = nullptr;
    if (aclrtMalloc(&data, Bytes() == 0 ? 1 : Bytes(), ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
      throw std::bad_alloc();
    data_ = static_cast<T*>(data);
    EXPECT_EQ(aclrtMemset(data_, Bytes(), 0xCD, Bytes()), ACL_SUCCESS);
    calls::ClosePadding(data_, Bytes() == 0 ? 1 : Bytes());
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { FromHost(values); }
  ~DeviceArray() {
    if (data_ == nullptr) return;
    EXPECT_EQ(aclrtFree(data_), ACL_SUCCESS);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&&) = delete;

  T* data() const { return data_; }  // a device address: must not be dereferenced on the host
  size_t size() const { return count_; }
  size_t Bytes() const { return count_ * sizeof(T); }

  void FromHost(const std::vector<T>& values) {
    ASSERT_LE(values.size(), count_);
    EXPECT_EQ(aclrtMemcpy(data_, Bytes(), values.data(), values.size() * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_SUCCESS);
  }
  std::vector<T> ToHost() const {
    std::vector<T> values(count_);
    EXPECT_EQ(aclrtMemcpy(values.data(), Bytes(), data_, Bytes(), ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};

}  // namespace portacl::testing
