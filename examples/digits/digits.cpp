// SPDX-License-Identifier: Apache-2.0
// Gradients of logit over 1,797 real images of handwritten digits, in three number formats, each result compared with a
// float64 computation made here. An ordinary client: it knows nothing of Portacl but CANN's headers and library names.
//
//   digits <path of digits.npy>        exit status 0 when every result is as exact as promised
//
// A pixel becomes x = (pixel + 0.5) / 17, which lies inside (0, 1). The incoming gradient dy pulls each pixel towards
// its mean over all images. eps = 0.05 clamps: blank and full pixels, beyond [eps, 1 - eps], must get exactly 0.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../src/tool/npy.h"  // the tool's reader; it needs nothing but the standard library
#include "acl/acl.h"
#include "aclnnop/aclnn_logit_grad.h"

namespace {

constexpr double kEps = 0.05;

void Check(int status, const char* call) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(call) + " returned " + std::to_string(status) + "\n" + (message ? message : ""));
}

uint32_t FloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// One number format: how its elements are written and read, and how far apart its numbers lie.
struct Format {
  const char* name;
  aclDataType type;
  size_t bytes;
  int precision;     // bits of the significand
  int min_exponent;  // of the smallest normal number
  double max_ulp;    // the operator's accuracy promise
};

constexpr Format kFormats[] = {
    {"FLOAT", ACL_FLOAT, 4, 24, -126, 2.1},  // 1.5 where the processor has fused multiply-add
    {"FLOAT16", ACL_FLOAT16, 2, 11, -14, 1},
    {"BFLOAT16", ACL_BF16, 2, 8, -126, 1},
};

void Store(const Format& format, float value, unsigned char* element) {
  if (format.type == ACL_FLOAT) {
    std::memcpy(element, &value, sizeof value);
    return;
  }
  uint16_t bits;
  if (format.type == ACL_FLOAT16) {
    bits = aclFloatToFloat16(value);
  } else {
    const uint32_t wide = FloatBits(value);
    bits = static_cast<uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);  // half-way cases to the even neighbour
  }
  std::memcpy(element, &bits, sizeof bits);
}

float Load(const Format& format, const unsigned char* element) {
  if (format.type == ACL_FLOAT) {
    float value;
    std::memcpy(&value, element, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof bits);
  return format.type == ACL_FLOAT16 ? aclFloat16ToFloat(bits) : FloatFromBits(static_cast<uint32_t>(bits) << 16);
}

// |got - exact| in units of the last place that `format` has at `exact`.
double UlpDistance(const Format& format, float got, double exact) {
  if (exact == 0) return got == 0 ? 0 : INFINITY;
  const int exponent = std::max(std::ilogb(exact), format.min_exponent);
  return std::fabs(got - exact) / std::ldexp(1.0, exponent - (format.precision - 1));
}

double Reference(double x, double dy) {
  const float low = static_cast<float>(kEps);
  const float high = 1.0f - low;
  return x < low || x > high ? 0 : dy / (x * (1 - x));
}

// Device memory and the tensor that describes it.
class DeviceTensor {
 public:
  DeviceTensor(const Format& format, const std::vector<int64_t>& shape, size_t bytes) {
    Check(aclrtMalloc(&address_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    tensor_ = aclCreateTensor(shape.data(), shape.size(), format.type, nullptr, 0, ACL_FORMAT_ND, shape.data(),
                              shape.size(), address_);
    if (tensor_ == nullptr) throw std::runtime_error("aclCreateTensor returned NULL");
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;
  ~DeviceTensor() {
    aclDestroyTensor(tensor_);
    aclrtFree(address_);
  }
  void* address() const { return address_; }
  aclTensor* tensor() const { return tensor_; }

 private:
  void* address_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

void LogitGrad(const DeviceTensor& x, const DeviceTensor& dy, const DeviceTensor& out, aclrtStream stream) {
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  Check(aclnnLogitGradGetWorkspaceSize(x.tensor(), dy.tensor(), kEps, out.tensor(), &workspace_size, &executor),
        "aclnnLogitGradGetWorkspaceSize");
  void* workspace = nullptr;
  if (workspace_size > 0) Check(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  const int status = aclnnLogitGrad(workspace, workspace_size, executor, stream);
  const int waited = aclrtSynchronizeStream(stream);
  if (workspace != nullptr) aclrtFree(workspace);
  Check(status, "aclnnLogitGrad");
  Check(waited, "aclrtSynchronizeStream");
}

// Computes the gradients in one format, prints a row of the table, and says whether all of them are as promised.
bool RunFormat(const Format& format, const npy::Array& digits, const std::vector<float>& dy, aclrtStream stream) {
  const size_t count = digits.bytes.size();
  const size_t bytes = count * format.bytes;
  std::vector<unsigned char> x_host(bytes), dy_host(bytes), out_host(bytes, 0xff);
  for (size_t i = 0; i < count; ++i) {
    Store(format, (digits.bytes[i] + 0.5f) / 17, &x_host[i * format.bytes]);
    Store(format, dy[i], &dy_host[i * format.bytes]);
  }

  DeviceTensor x(format, digits.shape, bytes), dy_device(format, digits.shape, bytes), out(format, digits.shape, bytes);
  Check(aclrtMemcpy(x.address(), bytes, x_host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  Check(aclrtMemcpy(dy_device.address(), bytes, dy_host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  Check(aclrtMemcpy(out.address(), bytes, out_host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");

  constexpr int kRuns = 20;
  double best_us = INFINITY;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    LogitGrad(x, dy_device, out, stream);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    best_us = std::min(best_us, took.count());
  }
  Check(aclrtMemcpy(out_host.data(), bytes, out.address(), bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");

  size_t clamped = 0;
  size_t wrong = 0;
  double max_ulp = 0;
  for (size_t i = 0; i < count; ++i) {
    const double exact = Reference(Load(format, &x_host[i * format.bytes]), Load(format, &dy_host[i * format.bytes]));
    const double ulp = UlpDistance(format, Load(format, &out_host[i * format.bytes]), exact);
    clamped += exact == 0;
    wrong += !(ulp <= format.max_ulp);  // a NaN is wrong, too
    max_ulp = std::max(max_ulp, ulp);
  }
  std::printf("%-9s %9zu %9zu %9.3f %6g %9.1f   %s\n", format.name, count, clamped, max_ulp, format.max_ulp, best_us,
              wrong == 0 ? "ok" : (std::to_string(wrong) + " wrong").c_str());
  return wrong == 0;
}

// dy = x - mean of x at the same pixel.
std::vector<float> Gradient(const npy::Array& digits) {
  const size_t pixels = 64;
  const size_t images = digits.bytes.size() / pixels;
  std::vector<double> mean(pixels, 0.0);
  for (size_t i = 0; i < digits.bytes.size(); ++i) mean[i % pixels] += digits.bytes[i] / static_cast<double>(images);
  std::vector<float> dy(digits.bytes.size());
  for (size_t i = 0; i < dy.size(); ++i) dy[i] = static_cast<float>((digits.bytes[i] - mean[i % pixels]) / 17);
  return dy;
}

int Run(const std::string& path) {
  const npy::Array digits = npy::Read(path);
  if (digits.type != "u1" || digits.shape.size() != 3 || digits.shape[0] == 0 || digits.shape[1] != 8 ||
      digits.shape[2] != 8) {
    throw std::runtime_error("not a list of 8x8 images");
  }
  const std::vector<float> dy = Gradient(digits);

  Check(aclInit(nullptr), "aclInit");
  Check(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = nullptr;
  Check(aclrtCreateStream(&stream), "aclrtCreateStream");
  std::printf("%lld handwritten digits through aclnnLogitGrad, eps = %g, device %s\n\n",
              static_cast<long long>(digits.shape[0]), kEps, aclrtGetSocName());
  std::printf("%-9s %9s %9s %9s %6s %9s\n", "dtype", "gradients", "clamped", "max ULP", "limit", "us/call");
  bool good = true;
  for (const Format& format : kFormats) good = RunFormat(format, digits, dy, stream) && good;
  Check(aclrtDestroyStream(stream), "aclrtDestroyStream");
  Check(aclrtResetDevice(0), "aclrtResetDevice");
  Check(aclFinalize(), "aclFinalize");
  std::printf("\n%s\n", good ? "Every gradient agrees with the float64 reference."
                             : "Some gradients are further from the float64 reference than promised.");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s <path of digits.npy>\n", argv[0]);
    return 2;
  }
  try {
    return Run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 2;
  }
}
