// SPDX-License-Identifier: Apache-2.0
// 1,797 real images of handwritten digits through logit and its gradient, in three number formats, each result compared
// with a float64 computation made here; and a picture of it. An ordinary client: it knows nothing of Portacl but CANN's
// headers and library names.
//
//   digits <digits.npy> <picture.png>        exit status 0 when every result is as exact as promised
//
// A pixel becomes x = (pixel + 0.5) / 17, which lies inside (0, 1). The incoming gradient dy pulls each pixel towards
// its mean over all images. eps = 0.05 clamps blank and full pixels, whose gradient must be exactly 0.
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../src/tool/npy.h"  // the tool's reader; it needs nothing but the standard library
#include "acl/acl.h"
#include "copy_speed.h"
#include "number_format.h"
#include "operators.h"
#include "picture.h"

namespace {

constexpr size_t kPixels = 64;  // of one image
constexpr size_t kShown = 10;   // images in the picture: the first ten of the file are 0 to 9

void Check(int status, const char* call) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(call) + " returned " + std::to_string(status) + "\n" + (message ? message : ""));
}

struct Digits {
  std::vector<int64_t> shape;
  std::vector<float> x, dy;
};

// dy = x - mean of x at the same pixel.
Digits ReadDigits(const std::string& path) {
  const npy::Array file = npy::Read(path);
  if (file.type != "u1" || file.shape.size() != 3 || file.bytes.size() < kShown * kPixels || file.shape[1] != 8 ||
      file.shape[2] != 8) {
    throw std::runtime_error("not a list of 8x8 images");
  }
  const double images = static_cast<double>(file.shape[0]);
  std::vector<double> mean(kPixels, 0.0);
  for (size_t i = 0; i < file.bytes.size(); ++i) mean[i % kPixels] += file.bytes[i] / images;
  Digits digits{file.shape, {}, {}};
  for (size_t i = 0; i < file.bytes.size(); ++i) {
    digits.x.push_back((file.bytes[i] + 0.5f) / 17);
    digits.dy.push_back(static_cast<float>((file.bytes[i] - mean[i % kPixels]) / 17));
  }
  return digits;
}

// Device memory and the tensor that describes it.
class DeviceTensor {
 public:
  DeviceTensor(const Format& format, const std::vector<int64_t>& shape, const std::vector<float>& values)
      : format_(format), host_(values.size() * format.bytes) {
    for (size_t i = 0; i < values.size(); ++i) Store(format, values[i], &host_[i * format.bytes]);
    Check(aclrtMalloc(&address_, host_.size(), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    Check(aclrtMemcpy(address_, host_.size(), host_.data(), host_.size(), ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
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

  aclTensor* tensor() const { return tensor_; }
  size_t bytes() const { return host_.size(); }

  std::vector<float> Fetch() {
    Check(aclrtMemcpy(host_.data(), host_.size(), address_, host_.size(), ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    std::vector<float> values;
    for (size_t at = 0; at < host_.size(); at += format_.bytes) values.push_back(Load(format_, &host_[at]));
    return values;
  }

 private:
  const Format& format_;
  std::vector<unsigned char> host_;
  void* address_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

// Both phases, and the wait for the result.
void Call(const Operator& op, aclTensor* const* in, aclTensor* out, aclrtStream stream) {
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  Check(op.plan(in, out, &workspace_size, &executor), op.name);
  void* workspace = nullptr;
  if (workspace_size > 0) Check(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  const int status = op.run(workspace, workspace_size, executor, stream);
  const int waited = aclrtSynchronizeStream(stream);
  if (workspace != nullptr) aclrtFree(workspace);
  Check(status, op.name);
  Check(waited, "aclrtSynchronizeStream");
}

double BestSeconds(const Operator& op, aclTensor* const* in, aclTensor* out, aclrtStream stream) {
  constexpr int kCalls = 100;
  double best = INFINITY;
  for (int call = 0; call < kCalls; ++call) {
    const auto start = std::chrono::steady_clock::now();
    Call(op, in, out, stream);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

struct Result {
  std::vector<float> values;
  bool good;
};

// Runs one operator in one format and prints its line of the table.
Result Run(const Operator& op, const Format& format, const Digits& digits, aclrtStream stream) {
  DeviceTensor x(format, digits.shape, digits.x), dy(format, digits.shape, digits.dy);
  DeviceTensor out(format, digits.shape, std::vector<float>(digits.x.size(), -1.0f));
  aclTensor* const in[] = {x.tensor(), dy.tensor()};
  const double seconds = BestSeconds(op, in, out.tensor(), stream);

  Result result{out.Fetch(), true};
  const std::vector<float> x_read = x.Fetch(), dy_read = dy.Fetch();
  const double promised = format.type == ACL_FLOAT ? op.float_ulp : 1;
  double largest = 0;
  for (size_t i = 0; i < x_read.size(); ++i) {
    const double ulp = UlpDistance(format, result.values[i], op.reference(x_read[i], dy_read[i]));
    result.good = result.good && ulp <= promised;  // a NaN is wrong, too
    largest = std::max(largest, ulp);
  }

  const size_t bytes = out.bytes() * static_cast<size_t>(op.inputs + 1);
  const double speed = static_cast<double>(bytes) / seconds;
  std::printf("%-15s %-9s %lldx%lldx%lld  %7.1f us %6.1f %8.0f %%   %.2f ULP of %g%s\n", op.name, format.name,
              static_cast<long long>(digits.shape[0]), static_cast<long long>(digits.shape[1]),
              static_cast<long long>(digits.shape[2]), seconds * 1e6, speed / 1e9, 100 * speed / CopySpeed(bytes),
              largest, promised, result.good ? "" : "  WRONG");
  return result;
}

std::vector<float> Shown(const std::vector<float>& values) {
  return {values.begin(), values.begin() + kShown * kPixels};
}

bool RunAll(const std::string& data, const std::string& picture) {
  const Digits digits = ReadDigits(data);
  Check(aclInit(nullptr), "aclInit");
  Check(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = nullptr;
  Check(aclrtCreateStream(&stream), "aclrtCreateStream");
  std::printf("%lld handwritten digits, eps = %g, device %s\n\n", static_cast<long long>(digits.shape[0]), kEps,
              aclrtGetSocName());
  std::printf("%-15s %-9s %-8s  %10s %6s %10s   %s\n", "operator", "dtype", "shape", "time", "GB/s", "of a copy",
              "largest error");
  std::vector<PictureRow> rows = {{"input", Shown(digits.x), false}};
  bool good = true;
  for (const Operator& op : kOperators) {
    for (const Format& format : kFormats) {
      const Result result = Run(op, format, digits, stream);
      good = good && result.good;
      if (format.type == ACL_FLOAT) rows.push_back({op.name, Shown(result.values), true});
    }
  }
  Check(aclrtDestroyStream(stream), "aclrtDestroyStream");
  Check(aclrtResetDevice(0), "aclrtResetDevice");
  Check(aclFinalize(), "aclFinalize");
  WritePicture(picture, rows);
  std::printf(
      "\nA copy moves as many bytes within the same caches; an operator that reads more than it writes may beat it.\n"
      "%s\n",
      good ? "Every result agrees with the float64 reference."
           : "Some results are further from the float64 reference than promised.");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s <digits.npy> <picture.png>\n", argv[0]);
    return 2;
  }
  try {
    return RunAll(argv[1], argv[2]) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}
