// SPDX-License-Identifier: Apache-2.0
//
// One value where a mask over all elements says: a fill.
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "ops/indexing/advanced_index/advanced_index_oracle.h"
#include "testing/call_memory.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

PORTACL_DECLARE_ROOM(advanced_index)

namespace portacl::ops::advanced_index {
namespace {

using calls::Call;
using calls::Random;
using calls::TensorBuilder;
using calls::TensorSpec;
using testing::DeviceArray;

class AdvancedIndexFill : public testing::DeviceTest {};

struct Fill {
  Dims self;
  std::vector<Dims> indices;  // a mask, after entries without elements
  Dims value;
  Dims strides;
};

TEST_F(AdvancedIndexFill, WritesTheValueWhereTheMaskSays) {
  Random random(3);
  const exec::OperatorEntry& entry = testing::FindRow(Operators(), "aclnnIndexPutImpl");
  for (const Fill& of : {Fill{{6, 50}, {{6, 50}}, {1}, {50, 1}}, Fill{{6, 50}, {{6, 50}}, {}, {120, 2}},
                         Fill{{6, 50}, {{0}, {50}}, {1}, {1, 7}}, Fill{{3, 4, 9}, {{0}, {4, 9}}, {1, 1}, {1, 30, 3}},
                         Fill{{3, 4, 9}, {{0}, {0}, {9}}, {1}, {36, 9, 1}}, Fill{{5000}, {{5000}}, {1}, {1}}}) {
    for (const aclDataType dtype : {ACL_BOOL, ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX64}) {
      Call call = calls::MakeValidCall(entry);
      call.tensor(0).dtype = call.tensor("values").dtype = dtype;
      call.tensor(0).shape = of.self;
      call.tensor(0).strides = of.strides;
      call.tensor("values").shape = of.value;
      std::vector<TensorSpec>& indices = call.argument("indices").tensors;
      indices.assign(of.indices.size(), indices.front());
      for (size_t i = 0; i < indices.size(); ++i) indices[i].shape = of.indices[i];
      indices.back().dtype = ACL_BOOL;
      call.argument("accumulate").integer = 0;
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      calls::CompleteContents(call);
      testing::ExpectConformanceOfThreads(call, {1, 3});
    }
  }
}

// As PyTorch passes x[x > 1] = x[3].
TEST_F(AdvancedIndexFill, TakesAnElementOfTheTensorItself) {
  const DeviceArray<float> self({0, 1, 2, 3, 4, 5});
  const DeviceArray<uint8_t> mask({0, 0, 1, 1, 1, 7});
  const aclTensor* const indices[] = {TensorBuilder(ACL_BOOL, {6}).Data(mask.data()).Build().release()};
  aclTensorList* const list = aclCreateTensorList(indices, 1);
  EXPECT_EQ(testing::StatusOfRun(aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl,
                                 TensorBuilder(ACL_FLOAT, {6}).Data(self.data()).Build().get(), list,
                                 TensorBuilder(ACL_FLOAT, {1}).Data(self.data() + 3).Build().get(), false, false),
            0);
  EXPECT_EQ(self.ToHost(), std::vector<float>({0, 1, 3, 3, 3, 3}));
  aclDestroyTensorList(list);
}

}  // namespace
}  // namespace portacl::ops::advanced_index
