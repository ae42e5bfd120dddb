// SPDX-License-Identifier: Apache-2.0
//
// Large operands: the bits do not depend on the number of threads, and sums of ten million losses are exact but for one
// rounding. A file of its own, the last of the room: memory once handed out stays in the pool, and the fake device
// protects all of it with every call that follows.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/smooth_l1_loss/smooth_l1_loss_test_support.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/thread_count.h"
#include "testing/ulp.h"

namespace portacl::ops::smooth_l1_loss {
namespace {

class SmoothL1LossThreads : public DeviceTest {
 protected:
  // Random for a while, then repeated: large blocks are slow to draw.
  Bytes RepeatedBlock(aclDataType dtype, size_t elements, size_t period) {
    std::vector<double> values;
    for (size_t i = 0; i < period; ++i) values.push_back(random_.Real(-3, 3));
    Bytes block = Encode(dtype, values);
    const size_t bytes = block.size();
    block.resize(elements * calls::ElementBytes(dtype));
    for (size_t i = bytes; i < block.size(); ++i) block[i] = block[i - bytes];
    return block;
  }

  testing::Random random_;
};

// Several chunks and a ragged end; past the size from which results are stored around the cache.
TEST_F(SmoothL1LossThreads, AnyNumberGivesTheSameBits) {
  constexpr int64_t kRows = testing::SampleSize(1031), kColumns = 4099;
  for (const aclDataType dtype : kAllDtypes) {
    const DeviceTensor self(dtype, {kRows, kColumns}, RepeatedBlock(dtype, kRows * kColumns, 65521));
    const DeviceTensor target(dtype, {kRows, 1}, RepeatedBlock(dtype, kRows, kRows));
    const DeviceTensor grad_out(dtype, {kColumns}, RepeatedBlock(dtype, kColumns, kColumns));
    const DeviceTensor loss(dtype, {kRows, kColumns}), grad(dtype, {kRows, kColumns});
    const DeviceTensor mean(ACL_DOUBLE, {}), sum(dtype, {});
    std::vector<Bytes> first;
    for (const int threads : {1, 2, 3, 8}) {
      const testing::ThreadCount count(threads);
      RunBackward(grad_out.get(), self.get(), target.get(), kMean, 1.3f, grad.get());
      RunLoss(self.get(), target.get(), kNone, 1.3f, loss.get());
      RunLoss(self.get(), target.get(), kMean, 1.3f, mean.get());
      RunLoss(self.get(), target.get(), kSum, 1.3f, sum.get());
      const std::vector<Bytes> got = {grad.bytes(), loss.bytes(), mean.bytes(), sum.bytes()};
      if (first.empty()) first = got;
      EXPECT_TRUE(got == first) << threads << " threads, dtype " << dtype;
    }
  }
}

// The sum of the float32 losses is that of the elementwise results, added in long double.
TEST_F(SmoothL1LossThreads, SumsOfTenMillionLossesAreWithinOneUlp) {
  constexpr size_t kElements = testing::SampleSize(10'000'000);
  const Dims shape = {static_cast<int64_t>(kElements)};
  const DeviceTensor zero(ACL_FLOAT, {1}, std::vector<double>{0});
  const DeviceTensor losses(ACL_FLOAT, shape), sum(ACL_FLOAT, {1}), mean(ACL_FLOAT, {});
  for (const bool constant : {true, false}) {
    const DeviceTensor self(ACL_FLOAT, shape,
                            RepeatedBlock(ACL_FLOAT, kElements, constant ? 1 : testing::SampleSize(999'983)));
    testing::ForEachTarget([&] {
      RunLoss(self.get(), zero.get(), kNone, 1.3f, losses.get());
      RunLoss(self.get(), zero.get(), kSum, 1.3f, sum.get());
      RunLoss(self.get(), zero.get(), kMean, 1.3f, mean.get());
      const Bytes bytes = losses.bytes();
      long double exact = 0;
      for (size_t i = 0; i < kElements; ++i) {
        float loss;
        std::memcpy(&loss, &bytes[4 * i], sizeof(loss));
        exact += static_cast<long double>(loss);
      }
      EXPECT_TRUE(testing::WithinUlp(ACL_FLOAT, exact, sum.bytes().data(), 1)) << "constant " << constant;
      EXPECT_TRUE(testing::WithinUlp(ACL_FLOAT, exact / kElements, mean.bytes().data(), 1)) << "constant " << constant;
    });
  }
}

}  // namespace
}  // namespace portacl::ops::smooth_l1_loss
