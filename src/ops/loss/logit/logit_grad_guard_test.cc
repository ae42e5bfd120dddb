// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogitGrad touches nothing but the elements of its operands: each of them ends, or begins, at a forbidden page.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/logit/logit_test_support.h"
#include "testing/guarded_buffer.h"

namespace portacl::ops::logit {
namespace {

using calls::ElementBytes;
using calls::TensorBuilder;
using testing::ForEachTarget;
using testing::GuardedBuffer;
using testing::GuardSide;

class LogitGradGuard : public DeviceTest {
 protected:
  // n elements, every `stride`-th of the memory, in operands that lie at the guard; memory that no aclrtMalloc returned
  // is taken as it is.
  static void Check(aclDataType dtype, int64_t n, int64_t stride, GuardSide side) {
    SCOPED_TRACE("n " + std::to_string(n) + ", stride " + std::to_string(stride));
    const size_t element = ElementBytes(dtype);
    const auto count = static_cast<size_t>(n);
    const size_t bytes = (count - 1) * static_cast<size_t>(stride) * element + element;
    const GuardedBuffer x(bytes, side);
    const GuardedBuffer dy(bytes, side);
    const GuardedBuffer out(bytes, side);
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i % 13 + 1) / 16;
    const std::vector<std::byte> encoded = Encode(dtype, values);
    const std::vector<std::byte> want = LogitGradBytes(dtype, encoded, encoded, -1);
    const auto at = [&](const GuardedBuffer& buffer, size_t i) {
      return buffer.begin() + i * static_cast<size_t>(stride) * element;
    };
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(at(x, i), &encoded[i * element], element);
      std::memcpy(at(dy, i), &encoded[i * element], element);
    }
    const auto tensor = [&](const GuardedBuffer& buffer) {
      return TensorBuilder(dtype, {n}).Strides({stride}).Data(buffer.begin()).Build();
    };
    RunLogitGrad(tensor(x).get(), tensor(dy).get(), -1, tensor(out).get());
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(at(out, i), &want[i * element], element), 0) << "element " << i;
    }
    EXPECT_TRUE(x.Intact() && dy.Intact() && out.Intact());
  }
};

TEST_F(LogitGradGuard, TouchesNothingBesideItsOperands) {
  ForEachTarget([&] {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
        for (int64_t n = 1; n <= 67; ++n) Check(dtype, n, 1, side);
        for (const int64_t n : {1, 2, 15, 16, 17, 1000}) Check(dtype, n, 3, side);
      }
    }
  });
}

}  // namespace
}  // namespace portacl::ops::logit
