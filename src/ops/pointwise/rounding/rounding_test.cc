// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "testing/call_phases.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"

ROW_CONTRACT_TESTS(Rounding, rounding);

namespace portacl::ops::rounding {
namespace {

using Floats = std::vector<float>;

class Rounding : public testing::DeviceTest {
 protected:
  // One tensor, in place, and a mode in memory.
  static Floats Round(const Floats& values, int8_t mode, int32_t status = 0) {
    const testing::DeviceArray<float> x(values);
    const testing::DeviceArray<int8_t> modes(std::vector<int8_t>{mode});
    calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnForeachRoundOffNumber"));
    for (const char* const list : {"x", "out"}) {
      call.argument(list).tensors.assign(1, {.dtype = ACL_FLOAT, .shape = {std::ssize(values)}, .strides = {}});
      call.tensor(list).data = const_cast<float*>(x.data());
    }
    call.tensor("roundMode") = {.dtype = ACL_INT8, .shape = {}, .strides = {}};
    call.tensor("roundMode").data = const_cast<int8_t*>(modes.data());
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(call.Plan(&bytes, &executor), 0);
    EXPECT_EQ(call.entry().run(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), status);
    return x.ToHost();
  }
};

TEST_F(Rounding, HasSevenModes) {
  const Floats x = {-2.5F, -1.5F, -0.75F, 0.5F, 1.5F, 2.25F};
  const std::map<int8_t, Floats> results = {{1, {-2, -2, -1, 0, 2, 2}},
                                            {2, {-3, -2, -1, 0, 1, 2}},
                                            {3, {-2, -1, 0, 1, 2, 3}},
                                            {4, {-3, -2, -1, 1, 2, 2}},
                                            {5, {-2, -1, 0, 0, 1, 2}},
                                            {6, {-3, -1, -1, 1, 1, 2}},
                                            {7, {-0.5F, -0.5F, -0.75F, 0.5F, 0.5F, 0.25F}}};
  testing::ForEachTarget([&] {
    for (const auto& [mode, out] : results) EXPECT_EQ(Round(x, mode), out) << int{mode};
  });
}

TEST_F(Rounding, ATaskWithAnotherModeFails) {
  EXPECT_EQ(Round({1.5F}, 0, 507015), Floats{1.5F});
  EXPECT_EQ(Round({1.5F}, 8, 507015), Floats{1.5F});
  EXPECT_EQ(Round({1.5F}, 2), Floats{1});
}

TEST_F(Rounding, RefusesOtherModesOfAScalar) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnForeachRoundOffNumberV2"));
  for (const double mode : {0.0, 8.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    call.argument("roundMode").real = mode;
    EXPECT_EQ(testing::StatusOf(call), 161002) << mode;
  }
  call.argument("roundMode").real = 7;
  EXPECT_EQ(testing::StatusOf(call), 0);
}

}  // namespace
}  // namespace portacl::ops::rounding
