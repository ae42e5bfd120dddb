// SPDX-License-Identifier: Apache-2.0
// A small client of aclnnLogitGrad: three blocks of device memory, both phases, and the expected result.
#pragma once

#include <vector>

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "contract_support.h"

namespace contract {

// Device memory initialised with `values`, freed by the destructor.
class Block {
 public:
  explicit Block(const std::vector<float>& values) : count_(values.size()) {
    EXPECT_EQ(aclrtMalloc(&data_, Bytes(), ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_EQ(aclrtMemcpy(data_, Bytes(), values.data(), Bytes(), ACL_MEMCPY_HOST_TO_DEVICE), kOk);
  }
  ~Block() { EXPECT_EQ(aclrtFree(data_), kOk); }
  Block(const Block&) = delete;

  void* data() const { return data_; }
  std::vector<float> Values() const {
    std::vector<float> values(count_);
    EXPECT_EQ(aclrtMemcpy(values.data(), Bytes(), data_, Bytes(), ACL_MEMCPY_DEVICE_TO_HOST), kOk);
    return values;
  }

 private:
  size_t Bytes() const { return count_ * sizeof(float); }
  void* data_ = nullptr;
  size_t count_;
};

inline aclTensor* MakeTensor(std::vector<int64_t> dims, void* data, aclDataType dtype = ACL_FLOAT) {
  return aclCreateTensor(dims.data(), dims.size(), dtype, nullptr, 0, ACL_FORMAT_ND, dims.data(), dims.size(), data);
}

// x in (0, 1), dy = 1 + i: out = dy / (x (1 - x)), exactly representable for the values of x used here.
struct LogitCase {
  static constexpr int64_t kCount = 300;
  std::vector<float> x, dy, out;

  explicit LogitCase(float factor = 1) {
    for (int64_t i = 0; i < kCount; ++i) {
      x.push_back(0.5f);
      dy.push_back(factor * static_cast<float>(i + 1));
      out.push_back(4 * dy.back());
    }
  }
};

struct LogitOperands {
  Block x, dy, out;
  aclTensor *x_tensor, *dy_tensor, *out_tensor;

  explicit LogitOperands(const LogitCase& values = LogitCase())
      : x(values.x),
        dy(values.dy),
        out(std::vector<float>(values.out.size(), -1)),
        x_tensor(MakeTensor({LogitCase::kCount}, x.data())),
        dy_tensor(MakeTensor({LogitCase::kCount}, dy.data())),
        out_tensor(MakeTensor({LogitCase::kCount}, out.data())) {}
  ~LogitOperands() { DestroyTensors(); }

  void DestroyTensors() {
    for (aclTensor** tensor : {&x_tensor, &dy_tensor, &out_tensor}) {
      EXPECT_EQ(aclDestroyTensor(*tensor), kOk);
      *tensor = nullptr;
    }
  }
  aclOpExecutor* Plan() {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnLogitGradGetWorkspaceSize(x_tensor, dy_tensor, -1, out_tensor, &bytes, &executor), kOk);
    EXPECT_EQ(bytes, 0u);
    return executor;
  }
};

}  // namespace contract
