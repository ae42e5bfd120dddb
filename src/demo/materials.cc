// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <stdexcept>
#include <utility>

#include "demo/scene.h"
#include "tool/npy.h"
#include "tool/npy_writer.h"

namespace portacl::demo {

namespace {

npy::Array ReadFile(const std::string& path) {
  try {
    return npy::Read(path);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

template <class T>
std::string WriteFile(const std::string& path, const char* type, const std::vector<int64_t>& shape,
                      const std::vector<T>& values) {
  npy::Array array;
  array.type = type;
  array.shape = shape;
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  try {
    npy::Write(path, array);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
  return path;
}

}  // namespace

Materials::Materials(const std::string& digits, std::string folder) : folder_(std::move(folder)) {
  constexpr size_t kPixels = 64;
  const npy::Array file = ReadFile(digits);
  if (file.type != "u1" || file.shape.size() != 3 || file.shape[0] == 0 || file.shape[1] != 8 || file.shape[2] != 8)
    throw std::runtime_error(digits + ": not a list of images of 8 x 8");
  std::vector<double> mean(kPixels, 0.0);
  for (size_t i = 0; i < file.bytes.size(); ++i) mean[i % kPixels] += file.bytes[i];
  std::vector<float> pull;
  for (size_t i = 0; i < file.bytes.size(); ++i) {
    ink_.push_back((file.bytes[i] + 0.5f) / 17);
    pull.push_back(static_cast<float>((file.bytes[i] - mean[i % kPixels] / static_cast<double>(file.shape[0])) / 17));
  }
  ink_file_ = Save("ink", file.shape, ink_);
  pull_file_ = Save("pull", file.shape, pull);
}

std::string Materials::Save(const std::string& name, const std::vector<int64_t>& shape,
                            const std::vector<float>& values) const {
  return WriteFile(File(name), "f4", shape, values);
}

std::string Materials::Save(const std::string& name, const std::vector<int64_t>& shape,
                            const std::vector<int64_t>& values) const {
  return WriteFile(File(name), "i8", shape, values);
}

std::string Materials::Save(const std::string& name, const std::vector<int64_t>& shape,
                            const std::vector<uint8_t>& values) const {
  return WriteFile(File(name), "b1", shape, values);
}

}  // namespace portacl::demo
