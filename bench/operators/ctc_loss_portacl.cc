// SPDX-License-Identifier: Apache-2.0
// Phase 1 of the pair with operands in the order of operators/ctc_loss.py. All samples are as long as the batch.
#include <vector>

#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "bench/operand_view.h"

namespace {

// A client's lists of lengths: made once for a batch.
class Lengths {
 public:
  Lengths(const aclTensor* logProbs, const aclTensor* targets) {
    const int64_t steps = Dim(logProbs, 0);
    const int64_t samples = Dim(logProbs, 1);
    const int64_t labels = Dim(targets, 1);
    inputs_ = aclCreateIntArray(std::vector<int64_t>(static_cast<size_t>(samples), steps).data(),
                                static_cast<uint64_t>(samples));
    targets_ = aclCreateIntArray(std::vector<int64_t>(static_cast<size_t>(samples), labels).data(),
                                 static_cast<uint64_t>(samples));
    batch_ = logProbs;
  }
  ~Lengths() {
    aclDestroyIntArray(inputs_);
    aclDestroyIntArray(targets_);
  }
  Lengths(const Lengths&) = delete;

  const aclTensor* batch() const { return batch_; }
  const aclIntArray* inputs() const { return inputs_; }
  const aclIntArray* targets() const { return targets_; }

 private:
  static int64_t Dim(const aclTensor* tensor, uint64_t axis) {
    int64_t* dims = nullptr;
    uint64_t rank = 0;
    aclGetViewShape(tensor, &dims, &rank);
    const int64_t dim = dims[axis];
    delete[] dims;
    return dim;
  }

  const aclTensor* batch_;
  aclIntArray* inputs_;
  aclIntArray* targets_;
};

// Of the call that is measured; the others of the row do not come in between.
const Lengths& LengthsOf(const aclTensor* logProbs, const aclTensor* targets) {
  static Lengths* kept = nullptr;
  if (kept == nullptr || kept->batch() != logProbs) {
    delete kept;
    kept = new Lengths(logProbs, targets);
  }
  return *kept;
}

}  // namespace

BENCH_EXPORT aclnnStatus PlanCtcLoss(aclTensor* const* operand, const double*, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  const Lengths& lengths = LengthsOf(operand[0], operand[1]);
  return aclnnCtcLossGetWorkspaceSize(operand[0], operand[1], lengths.inputs(), lengths.targets(), 0, false, operand[2],
                                      operand[3], workspaceSize, executor);
}

BENCH_EXPORT aclnnStatus PlanCtcLossBackward(aclTensor* const* operand, const double*, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
  const Lengths& lengths = LengthsOf(operand[1], operand[2]);
  return aclnnCtcLossBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], lengths.inputs(), lengths.targets(),
                                              operand[3], operand[4], 0, false, operand[5], workspaceSize, executor);
}
