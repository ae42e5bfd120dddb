// SPDX-License-Identifier: Apache-2.0
//
// aclnnCast through the C API: what it accepts. What elements become is aclnnInplaceCopy's, whose tests look at all
// pairs of dtypes.
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_cast.h"
#include "base/product.h"
#include "ops/conversion/copy/copy_test_support.h"

namespace portacl::ops::copy {
namespace {

using calls::TensorHandle;
using testing::ForEachTarget;

class Cast : public DeviceTest {
 protected:
  static aclnnStatus Phase1(const aclTensor* self, aclDataType dtype, aclTensor* out) {
    return testing::PhaseOne(aclnnCastGetWorkspaceSize, self, dtype, out);
  }

  static void Run(const aclTensor* self, aclDataType dtype, aclTensor* out) {
    testing::RunPhases(aclnnCastGetWorkspaceSize, aclnnCast, self, dtype, out);
  }
};

TEST_F(Cast, ConvertsAsTheCopyDoes) {
  std::vector<double> values(1001);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) * 1.7 - 800;
  ForEachTarget([&] {
    for (const aclDataType from : kAllDtypes) {
      const Elements elements = calls::Encode(from, values);
      const DeviceArray<std::byte> self(elements);
      for (const aclDataType to : kAllDtypes) {
        const DeviceArray<std::byte> out(values.size() * calls::ElementBytes(to));
        Run(TensorBuilder(from, {7, 143}).Data(self.data()).Build().get(), to,
            TensorBuilder(to, {7, 143}).Data(out.data()).Build().get());
        ExpectSameElements(from, elements, to, Expected(from, elements, to), out.ToHost());
      }
    }
  });
}

TEST_F(Cast, TurnsATransposedTensor) {
  const DeviceArray<float> self({1.5F, 2.5F, -3.5F, 4.5F, 5.5F, 1e10F});
  const DeviceArray<int32_t> out(6);
  Run(TensorBuilder(ACL_FLOAT, {3, 2}).Strides({1, 3}).Data(self.data()).Build().get(), ACL_INT32,
      TensorBuilder(ACL_INT32, {3, 2}).Data(out.data()).Build().get());
  EXPECT_EQ(out.ToHost(), std::vector<int32_t>({1, 4, 2, 5, -3, 2147483647}));
}

TEST_F(Cast, OutIsOfTheDtypeAndOfTheShape) {
  const TensorHandle self = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const auto status = [&](aclDataType dtype, aclDataType out, const Dims& shape) {
    return Phase1(self.get(), dtype, TensorBuilder(out, shape).Build().get());
  };
  EXPECT_EQ(status(ACL_INT64, ACL_INT64, {2, 3}), 0);
  EXPECT_EQ(status(ACL_INT64, ACL_INT32, {2, 3}), 161002);
  EXPECT_EQ(status(ACL_COMPLEX32, ACL_COMPLEX32, {2, 3}), 161002);
  EXPECT_EQ(status(ACL_STRING, ACL_STRING, {2, 3}), 161002);
  EXPECT_EQ(status(ACL_INT64, ACL_INT64, {3}), 161002) << "nothing is broadcast";
  EXPECT_EQ(status(ACL_INT64, ACL_INT64, {1, 2, 3}), 161002);
}

TEST_F(Cast, TakesTheDtypesOfTheProduct) {
  for (const Product& product : kProducts) {
    SetCurrentProductForTest(&product);
    const bool exists = product.family != Family::kAscend310B;
    const bool has_bfloat16 = product.family != Family::kAscend910 && product.family != Family::kAscend310P;
    const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
    for (const aclDataType dtype : kAllDtypes) {
      const TensorHandle tensor = TensorBuilder(dtype, {2}).Build();
      const aclnnStatus want = !exists ? 561003 : dtype == ACL_BF16 && !has_bfloat16 ? 161002 : 0;
      EXPECT_EQ(Phase1(tensor.get(), ACL_FLOAT, f.get()), want) << product.full_name << dtype;
      EXPECT_EQ(Phase1(f.get(), dtype, tensor.get()), want) << product.full_name << dtype;
    }
    EXPECT_EQ(Phase1(nullptr, ACL_FLOAT, f.get()), 161001) << product.full_name;
  }
  SetCurrentProductForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::copy
