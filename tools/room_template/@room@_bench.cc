// SPDX-License-Identifier: Apache-2.0
//
// Not written yet: shapes from real models, named after them.
#include <benchmark/benchmark.h>

#include <vector>

#include "aclnnop/aclnn_@room@.h"
#include "testing/device_array.h"
#include "calls/tensor_builder.h"

namespace portacl::ops::@room@ {
namespace {

void BM_@Room@(benchmark::State& state) {
  const int64_t count = state.range(0);
  aclrtSetDevice(0);
  {
    const testing::DeviceArray<float> self(std::vector<float>(static_cast<size_t>(count), 0.5f)), out(static_cast<size_t>(count));
    const auto self_tensor = calls::TensorBuilder(ACL_FLOAT, {count}).Data(self.data()).Build();
    const auto out_tensor = calls::TensorBuilder(ACL_FLOAT, {count}).Data(out.data()).Build();
    for (auto _ : state) {
      uint64_t bytes = 0;
      aclOpExecutor* executor = nullptr;
      @api@GetWorkspaceSize(self_tensor.get(), out_tensor.get(), &bytes, &executor);
      @api@(nullptr, bytes, executor, nullptr);
      aclrtSynchronizeStream(nullptr);
    }
  }
  aclrtResetDevice(0);
  state.SetItemsProcessed(state.iterations() * count);
  state.SetBytesProcessed(state.iterations() * count * 2 * static_cast<int64_t>(sizeof(float)));
}
BENCHMARK(BM_@Room@)->Arg(1)->Arg(1 << 14)->Arg(1 << 22)->UseRealTime();

}  // namespace
}  // namespace portacl::ops::@room@
