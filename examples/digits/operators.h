// SPDX-License-Identifier: Apache-2.0
// The operators that the digits pass through. One that is elementwise joins with an entry: its name, how many tensors
// it reads, its two calls, what it should compute, and how exact it promises to be.
#pragma once

#include <cmath>

#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"

constexpr double kEps = 0.05;  // limits inputs to [eps, 1 - eps], which are rounded to float
constexpr float kLow = static_cast<float>(kEps);
constexpr float kHigh = 1.0f - kLow;

struct Operator {
  const char* name;
  int inputs;  // the first of: the input, the incoming gradient
  aclnnStatus (*plan)(aclTensor* const* in, aclTensor* out, uint64_t* workspace_size, aclOpExecutor** executor);
  aclnnStatus (*run)(void* workspace, uint64_t workspace_size, aclOpExecutor* executor, aclrtStream stream);
  double (*reference)(double x, double dy);
  double float_ulp;  // promised for FLOAT; the shorter formats promise 1
};

inline double Logit(double x, double) {
  const double z = std::fmin(std::fmax(x, kLow), kHigh);
  return std::log(z / (1 - z));
}

// Beyond the limits nothing changes with x: exactly 0.
inline double LogitGrad(double x, double dy) { return x < kLow || x > kHigh ? 0 : dy / (x * (1 - x)); }

const Operator kOperators[] = {
    {"aclnnLogit", 1,
     [](aclTensor* const* in, aclTensor* out, uint64_t* workspace_size, aclOpExecutor** executor) {
       return aclnnLogitGetWorkspaceSize(in[0], kEps, out, workspace_size, executor);
     },
     aclnnLogit, Logit, 1.9},
    {"aclnnLogitGrad", 2,
     [](aclTensor* const* in, aclTensor* out, uint64_t* workspace_size, aclOpExecutor** executor) {
       return aclnnLogitGradGetWorkspaceSize(in[0], in[1], kEps, out, workspace_size, executor);
     },
     aclnnLogitGrad, LogitGrad, 2.1},  // 1.5 where the processor has fused multiply-add
};
