// SPDX-License-Identifier: Apache-2.0
//
// Helpers shared by the tests of this room: copies of elements given as bytes. Device memory is accessed only through
// the C API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_copy.h"
#include "base/dtype.h"
#include "calls/convert_element.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "testing/device_array.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

namespace portacl::ops::copy {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;
using testing::DeviceTest;
using Elements = std::vector<std::byte>;

inline constexpr aclDataType kAllDtypes[] = {ACL_INT8,   ACL_INT16,  ACL_INT32,  ACL_INT64,     ACL_UINT8,
                                             ACL_UINT16, ACL_UINT32, ACL_UINT64, ACL_FLOAT16,   ACL_BF16,
                                             ACL_FLOAT,  ACL_DOUBLE, ACL_BOOL,   ACL_COMPLEX64, ACL_COMPLEX128};

inline aclnnStatus InplaceCopyPhase1(aclTensor* self, const aclTensor* src) {
  return testing::PhaseOne(aclnnInplaceCopyGetWorkspaceSize, self, src);
}

inline void RunInplaceCopy(aclTensor* self, const aclTensor* src) {
  testing::RunPhases(aclnnInplaceCopyGetWorkspaceSize, aclnnInplaceCopy, self, src);
}

/// Converts one-dimensional, contiguous elements to another dtype.
inline Elements Converted(aclDataType from, const Elements& elements, aclDataType to) {
  const auto n = static_cast<int64_t>(elements.size() / calls::ElementBytes(from));
  const DeviceArray<std::byte> src(elements);
  const DeviceArray<std::byte> self(static_cast<size_t>(n) * calls::ElementBytes(to));
  RunInplaceCopy(TensorBuilder(to, {n}).Data(self.data()).Build().get(),
                 TensorBuilder(from, {n}).Data(src.data()).Build().get());
  return self.ToHost();
}

/// The same with the reference.
inline Elements Expected(aclDataType from, const Elements& elements, aclDataType to) {
  const size_t from_bytes = calls::ElementBytes(from);
  const size_t to_bytes = calls::ElementBytes(to);
  Elements expected(elements.size() / from_bytes * to_bytes);
  for (size_t i = 0; i * from_bytes < elements.size(); ++i)
    calls::ConvertElement(from, &elements[i * from_bytes], to, &expected[i * to_bytes]);
  return expected;
}

/// Fails at the first element that differs.
inline void ExpectSameElements(aclDataType from, const Elements& elements, aclDataType to, const Elements& want,
                               const Elements& got) {
  ASSERT_EQ(got.size(), want.size());
  const size_t from_bytes = calls::ElementBytes(from);
  const size_t to_bytes = calls::ElementBytes(to);
  for (size_t i = 0; i * to_bytes < want.size(); ++i) {
    const bool same = from == to ? std::memcmp(&want[i * to_bytes], &got[i * to_bytes], to_bytes) == 0
                                 : calls::SameElement(to, &want[i * to_bytes], &got[i * to_bytes]);
    ASSERT_TRUE(same) << DtypeName(from) << " to " << DtypeName(to) << ", element " << i << ", "
                      << calls::DescribeElement(from, &elements[i * from_bytes]) << ": want "
                      << calls::DescribeElement(to, &want[i * to_bytes]) << ", got "
                      << calls::DescribeElement(to, &got[i * to_bytes]);
  }
}

inline void ExpectAsReference(aclDataType from, const Elements& elements, aclDataType to) {
  ExpectSameElements(from, elements, to, Expected(from, elements, to), Converted(from, elements, to));
}

/// Elements with exactly these values; `T` is the stored C++ type.
template <class T>
Elements BytesOf(const std::vector<T>& values) {
  Elements bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace portacl::ops::copy
