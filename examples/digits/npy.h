// SPDX-License-Identifier: Apache-2.0
// Reads an array from a .npy file: uint8 or little-endian float32, row-major. A file is data, not a promise: whatever
// it says about its size is compared with what is there before memory is taken.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace npy {

struct Array {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

namespace detail {

// What follows `'key':` in the header, a Python dictionary literal.
inline std::string ValueOf(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) throw std::runtime_error("no '" + key + "' in the header");
  const size_t begin = header.find_first_not_of(' ', at + key.size() + 3);
  if (begin == std::string::npos) throw std::runtime_error("nothing after '" + key + "'");
  const size_t end = header[begin] == '(' ? header.find(')', begin) : header.find(',', begin);
  if (end == std::string::npos) throw std::runtime_error("no end of the value of '" + key + "'");
  return header.substr(begin, end - begin + (header[begin] == '(' ? 1 : 0));
}

// "(1797, 8, 8)" -> {1797, 8, 8}; `limit` bounds the product, so that it cannot overflow.
inline std::vector<int64_t> ParseShape(const std::string& text, uint64_t limit) {
  std::vector<int64_t> shape;
  uint64_t count = 1;
  uint64_t number = 0;
  bool digits = false;
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      number = number * 10 + static_cast<uint64_t>(c - '0');
      digits = true;
      if (number > limit) throw std::runtime_error("the shape promises more than the file holds");
    } else if (c == ',' || c == ')') {
      if (!digits) continue;
      shape.push_back(static_cast<int64_t>(number));
      if (number != 0 && count > limit / number)
        throw std::runtime_error("the shape promises more than the file holds");
      count *= number;
      number = 0;
      digits = false;
    } else if (c != '(' && c != ' ') {
      throw std::runtime_error("the shape is not a list of numbers");
    }
  }
  return shape;
}

}  // namespace detail

inline Array Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be opened");
  file.seekg(0, std::ios::end);
  const uint64_t file_bytes = static_cast<uint64_t>(file.tellg());
  file.seekg(0);

  // Magic number, version, and the header's length: 2 bytes in version 1, 4 later.
  unsigned char start[12] = {};
  file.read(reinterpret_cast<char*>(start), 10);
  if (!file || std::memcmp(start, "\x93NUMPY", 6) != 0) throw std::runtime_error("not a .npy file");
  uint64_t header_bytes = start[8] | start[9] << 8;
  uint64_t header_at = 10;
  if (start[6] > 1) {
    file.read(reinterpret_cast<char*>(start) + 10, 2);
    header_bytes |= static_cast<uint64_t>(start[10]) << 16 | static_cast<uint64_t>(start[11]) << 24;
    header_at = 12;
  }
  if (!file || header_bytes > file_bytes - header_at) throw std::runtime_error("the header is cut off");
  std::string header(header_bytes, ' ');
  file.read(&header[0], static_cast<std::streamsize>(header_bytes));

  const std::string descr = detail::ValueOf(header, "descr");
  const bool is_float = descr == "'<f4'";
  if (!is_float && descr != "'|u1'") throw std::runtime_error("element type " + descr + " instead of '<f4' or '|u1'");
  if (detail::ValueOf(header, "fortran_order") != "False") throw std::runtime_error("not in row-major order");
  const uint64_t element_bytes = is_float ? 4 : 1;
  const uint64_t data_bytes = file_bytes - header_at - header_bytes;

  Array array;
  array.shape = detail::ParseShape(detail::ValueOf(header, "shape"), data_bytes / element_bytes);
  uint64_t count = 1;
  for (int64_t dim : array.shape) count *= static_cast<uint64_t>(dim);
  std::vector<unsigned char> bytes(count * element_bytes);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("the data is cut off");
  array.values.resize(count);
  if (is_float) {
    if (count != 0) std::memcpy(array.values.data(), bytes.data(), bytes.size());
  } else {
    for (uint64_t i = 0; i < count; ++i) array.values[i] = bytes[i];
  }
  return array;
}

}  // namespace npy
