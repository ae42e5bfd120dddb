// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npy file: an array that fits them, or a refusal; never more memory than the file has.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tool/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
  npy::Array array;
  try {
    array = npy::Read(file);
  } catch (const std::runtime_error&) {
    return 0;
  }
  size_t bytes = array.ElementBytes();
  for (const int64_t dim : array.shape) bytes *= static_cast<size_t>(dim);
  if (bytes != array.bytes.size() || bytes > size) std::abort();
  return 0;
}
