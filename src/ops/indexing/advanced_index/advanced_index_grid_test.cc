// SPDX-License-Identifier: Apache-2.0
//
// Indices of rows and of columns that are broadcast to a grid: they name the same columns in all rows, or others in
// each.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_index.h"
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

class AdvancedIndexGrid : public testing::DeviceTest {};

struct Grid {
  Dims rows, columns, all;
};

Call MakeGridCall(const Grid& of, aclDataType dtype, bool puts) {
  Call call = calls::MakeValidCall(Operators()[puts ? 1 : 0]);
  call.tensor(0).dtype = dtype;
  call.tensor(0).shape = {30, 70};
  std::vector<TensorSpec>& indices = call.argument("indices").tensors;
  indices.assign(2, indices.front());
  indices[0].dtype = ACL_INT64;
  indices[1].dtype = ACL_INT32;
  indices[0].shape = of.rows;
  indices[1].shape = of.columns;
  TensorSpec& other = call.tensor(puts ? "values" : "out");
  other.dtype = dtype;
  other.shape = of.all;
  call.AllocateData();
  return call;
}

TEST_F(AdvancedIndexGrid, HasTheElementsOfRowsAndColumns) {
  Random random(5);
  for (const Grid& of : {Grid{{5, 1}, {40}, {5, 40}}, Grid{{3, 5, 1}, {1, 33}, {3, 5, 33}},
                         Grid{{5, 1}, {5, 40}, {5, 40}}, Grid{{5, 40}, {5, 40}, {5, 40}},
                         Grid{{200, 1}, {300}, {200, 300}}, Grid{{3, 1}, {3000}, {3, 3000}}, Grid{{1}, {40}, {40}}}) {
    for (const aclDataType dtype : {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_INT64}) {
      for (const bool puts : {false, true}) {
        Call call = MakeGridCall(of, dtype, puts);
        calls::DrawContents(call, random, 0);
        calls::CompleteContents(call);
        testing::ExpectConformanceOfThreads(call, {1, 3});
      }
    }
  }
}

// Where an index is none, 0 is read and nothing is written; the others count.
TEST_F(AdvancedIndexGrid, PassesOverRowsAndColumnsThatAreNone) {
  constexpr int64_t kRows = 6, kColumns = 50;
  const std::vector<int64_t> rows = {1, kRows, -1};
  std::vector<int64_t> columns(40);
  std::iota(columns.begin(), columns.end(), 0);
  columns[7] = kColumns;
  columns[8] = -kColumns - 1;
  std::vector<float> elements(kRows * kColumns), values(rows.size() * columns.size());
  std::iota(elements.begin(), elements.end(), 1.0F);
  std::iota(values.begin(), values.end(), 1000.0F);
  std::vector<float> read(values.size()), written = elements;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t row = rows[i / columns.size()], column = columns[i % columns.size()];
    if (row == kRows || column < 0 || column == kColumns) continue;
    const auto place = static_cast<size_t>((row < 0 ? row + kRows : row) * kColumns + column);
    read[i] = elements[place];
    written[place] = values[i];
  }
  const DeviceArray<float> self(elements), out(values.size()), source(values);
  const DeviceArray<int64_t> row_data(rows), column_data(columns);
  const auto whole = TensorBuilder(ACL_FLOAT, {kRows, kColumns}).Data(self.data()).Build();
  const aclTensor* const indices[] = {TensorBuilder(ACL_INT64, {3, 1}).Data(row_data.data()).Build().release(),
                                      TensorBuilder(ACL_INT64, {40}).Data(column_data.data()).Build().release()};
  aclTensorList* const list = aclCreateTensorList(indices, 2);
  EXPECT_EQ(testing::StatusOfRun(aclnnIndexGetWorkspaceSize, aclnnIndex, whole.get(), list,
                                 TensorBuilder(ACL_FLOAT, {3, 40}).Data(out.data()).Build().get()),
            507015);
  EXPECT_EQ(out.ToHost(), read);
  EXPECT_EQ(testing::StatusOfRun(aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl, whole.get(), list,
                                 TensorBuilder(ACL_FLOAT, {3, 40}).Data(source.data()).Build().get(), false, false),
            507015);
  EXPECT_EQ(self.ToHost(), written);
  aclDestroyTensorList(list);
}

}  // namespace
}  // namespace portacl::ops::advanced_index
