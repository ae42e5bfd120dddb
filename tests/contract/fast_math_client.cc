// SPDX-License-Identifier: Apache-2.0
// A client that prints the bits of results from subnormal inputs. Built twice: without and with -ffast-math, whose
// start-up code makes the processor treat subnormals as zero. Both must print the same, and the client's mode must not
// change. Values are handled only as bits, so that the compiler cannot compute results itself.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_logit_grad.h"

namespace {

#if defined(__x86_64__)
uint64_t FloatMode() { return __builtin_ia32_stmxcsr() & 0x8040; }  // flush-to-zero, denormals-are-zero
#elif defined(__aarch64__)
uint64_t FloatMode() { return __builtin_aarch64_get_fpcr() & (1u << 24); }
#endif

void Check(int32_t code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: %d\n", what, code);
  std::exit(1);
}

template <class Bits>
void* Upload(const std::vector<Bits>& values) {
  void* device = nullptr;
  const size_t bytes = values.size() * sizeof(Bits);
  Check(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  Check(aclrtMemcpy(device, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  return device;
}

// Runs the gradient on `count` elements that repeat the given bits, and prints the first results and a sum over all.
template <class Bits>
void Run(aclDataType dtype, const std::vector<Bits>& x_bits, const std::vector<Bits>& dy_bits, int64_t count) {
  std::vector<Bits> x, dy, out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) {
    x.push_back(x_bits[i % x_bits.size()]);
    dy.push_back(dy_bits[i / x_bits.size() % dy_bits.size()]);
  }
  void* data[] = {Upload(x), Upload(dy), Upload(out)};
  aclTensor* tensors[3];
  for (int i = 0; i < 3; ++i)
    tensors[i] = aclCreateTensor(&count, 1, dtype, nullptr, 0, ACL_FORMAT_ND, &count, 1, data[i]);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  Check(aclnnLogitGradGetWorkspaceSize(tensors[0], tensors[1], -1, tensors[2], &bytes, &executor), "phase 1");
  Check(aclnnLogitGrad(nullptr, 0, executor, nullptr), "phase 2");
  Check(aclrtSynchronizeStream(nullptr), "aclrtSynchronizeStream");
  const size_t out_bytes = out.size() * sizeof(Bits);
  Check(aclrtMemcpy(out.data(), out_bytes, data[2], out_bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
  uint64_t sum = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (i < x_bits.size() * dy_bits.size()) std::printf("%x ", static_cast<unsigned>(out[i]));
    sum = sum * 31 + out[i];
  }
  std::printf("\n%lld elements: %llx\n", static_cast<long long>(count), static_cast<unsigned long long>(sum));
  for (int i = 0; i < 3; ++i) {
    Check(aclDestroyTensor(tensors[i]), "aclDestroyTensor");
    Check(aclrtFree(data[i]), "aclrtFree");
  }
}

}  // namespace

int main() {
  const uint64_t mode = FloatMode();
#ifdef __FAST_MATH__
  if (mode == 0) {
    std::fprintf(stderr, "this build should start with subnormals off: it tests nothing\n");
    return 1;
  }
#endif
  Check(aclrtSetDevice(0), "aclrtSetDevice");
  // 0.5, 0.25, the smallest normal value, and subnormals of both signs; the same for gradients, so that inputs, results
  // or both are subnormal.
  const std::vector<uint32_t> x32 = {0x3f000000, 0x3e800000, 0x00800000, 0x007fffff,
                                     0x00000001, 0x80000001, 0x00012345};
  const std::vector<uint32_t> dy32 = {0x3f800000, 0x00000001, 0x80000003, 0x00400000,
                                      0x007fffff, 0x00000000, 0x00800001};
  const std::vector<uint16_t> x16 = {0x3800, 0x3400, 0x0400, 0x03ff, 0x0001, 0x8001};
  const std::vector<uint16_t> dy16 = {0x3c00, 0x0001, 0x8003, 0x03ff, 0x0200, 0x0000};
  const std::vector<uint16_t> x_bf16 = {0x3f00, 0x3e80, 0x0080, 0x007f, 0x0001, 0x8001};
  const std::vector<uint16_t> dy_bf16 = {0x3f80, 0x0001, 0x8003, 0x007f, 0x0040, 0x0000};
  for (const int64_t count : {49, 1 << 20}) {  // executed at once in this thread, and split over many
    Run<uint32_t>(ACL_FLOAT, x32, dy32, count);
    Run<uint16_t>(ACL_FLOAT16, x16, dy16, count);
    Run<uint16_t>(ACL_BF16, x_bf16, dy_bf16, count);
  }
  Check(aclrtResetDevice(0), "aclrtResetDevice");
  if (FloatMode() != mode) {
    std::fprintf(stderr, "the library changed the floating-point mode of its client\n");
    return 1;
  }
  return 0;
}
