// SPDX-License-Identifier: Apache-2.0
// operator_client CASE faulty|right: memory that operators read and write.
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_zero.h"
#include "check_client.h"

namespace check_client {
namespace {

void Read(const Memory& memory) {
  char host[kBytes];
  Expect(aclrtMemcpy(host, kBytes, memory.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

void UninitializedAdd(bool right) {
  const Memory x;
  Block sum;
  const Stream stream;
  const Scalar one(1);
  Expect(aclrtMemset(x.data, kBytes, 0, kBytes));
  // there uninitialized-add
  Expect(aclrtMalloc(&sum.data, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  if (right) Expect(aclrtMemset(sum.data, kBytes, 0, kBytes));
  const Tensor self(sum.data), other(x.data);
  // here uninitialized-add
  RUN(aclnnInplaceAdd, stream, self, other, one);
  // The mistake is reported only once.
  RUN(aclnnInplaceAdds, stream, self, one, one);
  Expect(aclrtSynchronizeStream(stream.handle));
}

void UninitializedMuls(bool right) {
  const Memory x;
  const Stream stream;
  const Scalar two(2);
  const Tensor self(x.data);
  if (right) RUN(aclnnInplaceZero, stream, self);
  // here uninitialized-muls
  RUN(aclnnInplaceMuls, stream, self, two);
}

void UninitializedRelu(bool right) {
  const Memory x;
  const Stream stream;
  const Scalar two(2);
  const Tensor self(x.data);
  if (right) RUN(aclnnInplaceFillScalar, stream, self, two);
  // here uninitialized-relu
  RUN(aclnnInplaceRelu, stream, self);
}

// selfRef = beta * selfRef + mat1 * mat2; with beta = 0, selfRef is not read.
void UninitializedAddmm(bool right) {
  const Memory x, sum;
  const Stream stream;
  const Scalar one(1), beta(right ? 0 : 1);
  Expect(aclrtMemset(x.data, kBytes, 0, kBytes));
  const Tensor self(sum.data, {32, 32}), mat(x.data, {32, 32});
  // here uninitialized-addmm
  RUN(aclnnInplaceAddmm, stream, self, mat, mat, beta, one, 0);
  Expect(aclrtSynchronizeStream(stream.handle));
  Read(sum);
}

// The source of the copy was never written; its target is not read.
void UninitializedCopy(bool right) {
  const Memory from, to;
  const Stream stream;
  const Tensor self(to.data), source(from.data);
  if (right) Expect(aclrtMemset(from.data, kBytes, 0, kBytes));
  // here uninitialized-copy
  RUN(aclnnInplaceCopy, stream, self, source);
  Expect(aclrtSynchronizeStream(stream.handle));
}

// Behind the coordinates that are found, the output has no values.
void UninitializedBehindResult(bool right) {
  const Memory x, found;
  const Stream stream;
  const int64_t rows = right ? 512 : 500;
  Expect(aclrtMemset(x.data, kBytes, 0, kBytes));
  Expect(aclrtMemset(x.data, kBytes, 1, static_cast<size_t>(rows) * sizeof(float)));
  const Tensor self(x.data), out(found.data, {512, 1}, ACL_INT64), whole(found.data);
  RUN(aclnnNonzero, stream, self, out);
  // here uninitialized-behind-result
  RUN(aclnnInplaceRelu, stream, whole);
  Expect(aclrtSynchronizeStream(stream.handle));
}

// The index is too large by one, so the rows have no values.
void StatusInPlace(bool right) {
  const Memory table, indices, rows;
  const Stream stream;
  const int64_t index = right ? 3 : 4;
  Expect(aclrtMemset(table.data, kBytes, 0, kBytes));
  Expect(aclrtMemcpy(indices.data, kBytes, &index, sizeof(index), ACL_MEMCPY_HOST_TO_DEVICE));
  const Tensor weight(table.data, {4, 8}), which(indices.data, {1}, ACL_INT64), out(rows.data, {1, 8});
  // there status-in-place
  RUN(aclnnEmbedding, stream, weight, which, out);
  static_cast<void>(aclrtSynchronizeStream(stream.handle));
  // here status-in-place
  RUN(aclnnInplaceRelu, stream, out);
  Expect(aclrtSynchronizeStream(stream.handle));
}

constexpr Case kCases[] = {
    {"uninitialized-add", UninitializedAdd},
    {"uninitialized-muls", UninitializedMuls},
    {"uninitialized-relu", UninitializedRelu},
    {"uninitialized-addmm", UninitializedAddmm},
    {"uninitialized-copy", UninitializedCopy},
    {"status-in-place", StatusInPlace},
    {"uninitialized-behind-result", UninitializedBehindResult},
};

}  // namespace
}  // namespace check_client

int main(int argc, char** argv) { return check_client::RunCase(check_client::kCases, argc, argv); }
