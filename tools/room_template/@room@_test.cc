// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_@room@.h"
#include "exec/bind.h"
#include "ops/@family@/@room@/@room@_reference.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"
#include "calls/tensor_builder.h"
#include "testing/two_phases.h"
#include "testing/ulp.h"

namespace portacl::ops::@room@ {

std::span<const exec::OperatorEntry> Operators();

namespace {

using portacl::testing::DeviceArray;
using portacl::calls::TensorBuilder;

std::vector<float> Compute(const std::vector<float>& self) {
  const DeviceArray<float> in(self), out(self.size());
  const auto count = static_cast<int64_t>(self.size());
  const auto self_tensor = TensorBuilder(ACL_FLOAT, {count}).Data(in.data()).Build();
  const auto out_tensor = TensorBuilder(ACL_FLOAT, {count}).Data(out.data()).Build();
  testing::RunPhases(@api@GetWorkspaceSize, @api@, self_tensor.get(), out_tensor.get());
  return out.ToHost();
}

TEST(@Room@, MatchesTheWorkedExamples) { FAIL() << "not written yet: rows of the public page, call -> result"; }

TEST(@Room@, MatchesTheReferenceOnEveryTarget) {
  ASSERT_FALSE(std::isnan(@Room@Reference(0.5))) << "not written yet: the reference, and which inputs this test takes";
  testing::ForEachTarget([] {
    const std::vector<float> self = {0.5f, 0.25f, -1.0f};
    const std::vector<float> out = Compute(self);
    for (size_t i = 0; i < self.size(); ++i) EXPECT_ULP(@Room@Reference(self[i]), out[i], 1);
  });
}

TEST(@Room@, KeepsItsSpecialValues) { FAIL() << "not written yet: zeros, infinities, NaN, the ends of the domain"; }

}  // namespace
}  // namespace portacl::ops::@room@

OP_CONTRACT_TESTS(@Room@, portacl::ops::@room@::Operators()[0]);
