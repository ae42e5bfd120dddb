// SPDX-License-Identifier: Apache-2.0
// The memory of a call's tensors, for tests that compare its content before and after a run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/views.h"
#include "testing/right_answer.h"

namespace portacl::testing {

inline constexpr std::byte kUnwritten{0xCD};

inline size_t BytesOf(const calls::TensorSpec& tensor) {
  return static_cast<size_t>(calls::ViewExtent(tensor.shape, tensor.Strides(), tensor.offset)) *
         calls::ElementBytes(tensor.dtype);
}

// Reads device memory, or that of guarded buffers.
inline Bytes ReadMemory(const void* data, size_t bytes) {
  Bytes content(bytes);
  EXPECT_EQ(aclrtMemcpy(content.data(), bytes, data, bytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  return content;
}

inline void WriteMemory(void* data, const Bytes& content) {
  EXPECT_EQ(aclrtMemcpy(data, content.size(), content.data(), content.size(), ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

// Sets each element of a contiguous operand to this value.
inline void FillWith(calls::Call& call, std::string_view name, double value) {
  const calls::TensorSpec& tensor = call.tensor(name);
  const std::vector<double> values(static_cast<size_t>(calls::ElementCount(tensor.shape)), value);
  WriteMemory(tensor.data, calls::Encode(tensor.dtype, values));
}

// Sets the elements of a contiguous tensor to 1, 2, 3 ...
inline void FillWithCount(const calls::TensorSpec& tensor) {
  std::vector<double> values(static_cast<size_t>(calls::ElementCount(tensor.shape)));
  std::iota(values.begin(), values.end(), 1.0);
  WriteMemory(tensor.data, calls::Encode(tensor.dtype, values));
}

// The tensors of an output list stay in the memory of the call. What is there before the run, for each tensor:
inline std::vector<Bytes> ListBefore(const calls::ArgumentSpec& list, bool is_read) {
  std::vector<Bytes> before;
  for (const calls::TensorSpec& tensor : list.tensors) {
    before.emplace_back(tensor.data == nullptr ? 0 : BytesOf(tensor), kUnwritten);
    if (is_read && !before.back().empty()) before.back() = ReadMemory(tensor.data, BytesOf(tensor));
  }
  return before;
}

// Called before the run:
inline void FillList(const calls::ArgumentSpec& list, const std::vector<Bytes>& before) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (!before[i].empty()) WriteMemory(list.tensors[i].data, before[i]);
  }
}

// Called after the run: returns the elements, one tensor after the other, and checks that nothing else was written.
inline Bytes TakeList(const calls::ArgumentSpec& list, const std::vector<Bytes>& before) {
  Bytes elements;
  for (size_t i = 0; i < before.size(); ++i) {
    const calls::TensorSpec& tensor = list.tensors[i];
    if (before[i].empty()) continue;
    const size_t size = calls::ElementBytes(tensor.dtype);
    Bytes block = ReadMemory(tensor.data, BytesOf(tensor));
    const std::vector<size_t> offsets = calls::ElementOffsets(tensor);
    for (const size_t at : offsets) elements.insert(elements.end(), &block[at], &block[at] + size);
    for (const size_t at : offsets) std::copy_n(&before[i][at], size, &block[at]);
    EXPECT_EQ(block, before[i]) << "beside the elements of a list";
  }
  return elements;
}

}  // namespace portacl::testing
