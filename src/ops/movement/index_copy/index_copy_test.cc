// SPDX-License-Identifier: Apache-2.0
//
// IndexCopy, IndexFillTensor and their forms in place: the promises that follow from schemas and oracle, worked
// examples, and what an index that is none does.
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_index_copy.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

namespace portacl::ops::index_copy {
std::span<const exec::OperatorEntry> Operators();
}

ROW_CONTRACT_TESTS(IndexCopy, portacl::ops::index_copy::Operators());

namespace portacl::ops::index_copy {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;

class IndexCopy : public testing::DeviceTest {
 protected:
  // Rows into zeros [3,2]; what is there in the end.
  static std::vector<float> CopyRows(const std::vector<int64_t>& rows, const std::vector<float>& source,
                                     int32_t status) {
    const DeviceArray<float> self(std::vector<float>(6));
    const DeviceArray<int64_t> index(rows);
    const DeviceArray<float> values(source);
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    const auto count = std::ssize(rows);
    EXPECT_EQ(aclnnInplaceIndexCopyGetWorkspaceSize(
                  TensorBuilder(ACL_FLOAT, {3, 2}).Data(self.data()).Build().get(), 0,
                  TensorBuilder(ACL_INT64, {count}).Data(index.data()).Build().get(),
                  TensorBuilder(ACL_FLOAT, {count, 2}).Data(values.data()).Build().get(), &bytes, &executor),
              0);
    aclGetRecentErrMsg();
    EXPECT_EQ(aclnnInplaceIndexCopy(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), status);
    return self.ToHost();
  }
};

TEST_F(IndexCopy, TheLastOfEqualIndicesCounts) {
  EXPECT_EQ(CopyRows({2, 0, 2}, {1, 1, 2, 2, 3, 3}, 0), std::vector<float>({2, 2, 0, 0, 3, 3}));
}

TEST_F(IndexCopy, PassesOverAnIndexThatIsNone) {
  EXPECT_EQ(CopyRows({1, 3, -1}, {1, 1, 2, 2, 3, 3}, 507015), std::vector<float>({0, 0, 1, 1, 0, 0}));
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("aclnnInplaceIndexCopy: argument 'index': expected elements from 0 to 2, got 3 at 1"),
            std::string::npos)
      << message;
}

TEST_F(IndexCopy, FillsRowsOfBothEnds) {
  testing::ExpectExample(Operators()[2],
                         {{"self", {ACL_FLOAT, {4, 1}, {1, 2, 3, 4}}}, {"out", {ACL_FLOAT, {4, 1}, {9, 2, 3, 9}}}},
                         {{"dim", 0}, {"value", 9}}, 0, {{"index", {-1, 0, 3}}});
  calls::Call call = calls::MakeValidCall(Operators()[3]);
  call.tensor("selfRef").shape = {2, 3};
  call.argument("dim").integer = 1;
  const auto status = [&](const Dims& index) {
    call.argument("index").integers = index;
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus result = call.Plan(&bytes, &executor);
    EXPECT_TRUE(result != 0 || aclDestroyAclOpExecutor(executor) == 0);
    return result;
  };
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({2, -3, 2}), 0);
  EXPECT_EQ(status({3}), 161002);
  EXPECT_EQ(status({0, -4}), 161002);
}

TEST_F(IndexCopy, SourceHasARowForEachIndex) {
  const auto status = [](const Dims& self, int64_t dim, const Dims& index, const Dims& source) {
    return testing::PhaseOne(aclnnInplaceIndexCopyGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(), dim,
                             TensorBuilder(ACL_INT32, index).Build().get(),
                             TensorBuilder(ACL_FLOAT, source).Build().get());
  };
  EXPECT_EQ(status({3, 2}, 0, {5}, {5, 2}), 0);
  EXPECT_EQ(status({3, 2}, -1, {}, {3, 1}), 0);
  EXPECT_EQ(status({}, 0, {}, {}), 0);
  EXPECT_EQ(status({}, 0, {1}, {}), 0);
  EXPECT_EQ(status({}, 0, {2}, {}), 161002);
  EXPECT_EQ(status({3, 2}, 0, {5}, {3, 2}), 161002);
  EXPECT_EQ(status({3, 2}, 2, {5}, {5, 2}), 161002);
  EXPECT_EQ(status({3, 2}, 0, {5, 1}, {5, 2}), 161002);
}

}  // namespace
}  // namespace portacl::ops::index_copy
