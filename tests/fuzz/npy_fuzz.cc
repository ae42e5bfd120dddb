// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npy file: the result is an array that the bytes can hold, or a refusal, and never takes more memory
// than the file has. Half of the inputs are encoded: their first line becomes a header of the right length, in which a
// byte of 128 or more represents a word.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tool/npy.h"

namespace {

constexpr const char* kWords[] = {"'descr': ", "'fortran_order': ",
                                  "'shape': ", "True",
                                  "False",     "'<f4'",
                                  "'>f2'",     "'|u1'",
                                  "'<i8'",     "{",
                                  "}",         "(",
                                  ")",         ", "};

std::string Spelled(const std::string& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string header;
  for (size_t i = 0; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    byte < 128 ? header += text[i] : header += kWords[byte % std::size(kWords)];
  }
  header += '\n';
  const char length[] = {static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8 & 255)};
  return std::string("\x93NUMPY\1\0", 8) + std::string(length, 2) + header +
         text.substr(std::min(end + 1, text.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string content(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] >= 128) content = Spelled(content);
  std::istringstream file(content);
  npy::Array array;
  try {
    array = npy::Read(file);
  } catch (const std::runtime_error&) {
    return 0;
  }
  size_t bytes = array.ElementBytes();
  for (const int64_t dim : array.shape) bytes *= static_cast<size_t>(dim);
  if (bytes != array.bytes.size() || bytes > content.size()) std::abort();
  return 0;
}
