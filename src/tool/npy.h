// SPDX-License-Identifier: Apache-2.0
// Reads arrays in NumPy's .npy format, versions 1 to 3. The sizes that a file states are checked against its length
// before memory is allocated. Needs only C++17, so that the examples, which are clients, can use it as well.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace npy {

inline constexpr const char* kTypes[] = {"f2", "f4", "f8", "b1", "u1", "u2", "u4",
                                         "u8", "i1", "i2", "i4", "i8", "c8", "c16"};

struct Array {
  std::string type;  // kind and size in bytes of an element: one of kTypes
  std::vector<int64_t> shape;
  std::vector<unsigned char> bytes;  // little-endian elements in row-major order, whatever the order in the file

  size_t ElementBytes() const { return type == "c16" ? 16 : static_cast<size_t>(type[1] - '0'); }
};

namespace detail {

[[noreturn]] inline void Refuse(const std::string& why) { throw std::runtime_error(why); }

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// The header is a Python dictionary literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  explicit HeaderParser(const std::string& text) : text_(text) {}

  Header Parse() {
    Header header;
    unsigned seen = 0;
    Expect('{');
    while (!Accept('}')) {
      const std::string key = String();
      Expect(':');
      const unsigned bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
      if (bit == 0 || (seen & bit) != 0) Refuse("the header has an unexpected key '" + key + "'");
      seen |= bit;
      if (bit == 1) header.descr = String();
      if (bit == 2) header.fortran_order = Bool();
      if (bit == 4) header.shape = Shape();
      if (!Accept(',') && Peek() != '}') Break();
    }
    if (seen != 7) Refuse("the header lacks 'descr', 'fortran_order' or 'shape'");
    if (Peek() != '\0') Break();
    return header;
  }

 private:
  [[noreturn]] static void Break() {
    Refuse("expected a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}");
  }

  char Peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Accept(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Accept(c)) Break();
  }
  std::string String() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') Break();
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) Break();
    const std::string value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  bool Bool() {
    Peek();
    const bool value = text_.compare(at_, 4, "True") == 0;
    if (!value && text_.compare(at_, 5, "False") != 0) Break();
    at_ += value ? 4 : 5;
    return value;
  }
  std::vector<int64_t> Shape() {
    std::vector<int64_t> shape;
    Expect('(');
    while (!Accept(')')) {
      if (Peek() < '0' || Peek() > '9') Break();
      int64_t size = 0;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        if (size > (INT64_MAX - 9) / 10) Refuse("a dimension is too large");
        size = size * 10 + (text_[at_] - '0');
      }
      shape.push_back(size);
      if (shape.size() > 64) Refuse("more than 64 dimensions");
      if (!Accept(',') && Peek() != ')') Break();
    }
    return shape;
  }

  const std::string& text_;
  size_t at_ = 0;
};

// Number of elements; throws if it would exceed `limit`. The nonzero sizes of an empty array are limited, too, so that
// their product does not overflow.
inline uint64_t CountElements(const std::vector<int64_t>& shape, uint64_t limit) {
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (empty) limit = uint64_t{1} << 48;
  uint64_t count = 1;
  for (const int64_t size : shape) {
    const auto factor = static_cast<uint64_t>(std::max<int64_t>(size, 1));
    if (factor > limit / count) Refuse(empty ? "a dimension is too large" : "the data is truncated");
    count *= factor;
  }
  if (count > limit) Refuse("the data is truncated");
  return empty ? 0 : count;
}

// Converts column-major to row-major order.
inline std::vector<unsigned char> Transposed(const Array& array) {
  const size_t element = array.ElementBytes(), rank = array.shape.size(), count = array.bytes.size() / element;
  std::vector<size_t> strides(rank, 1), index(rank, 0);
  for (size_t i = 1; i < rank; ++i) strides[i] = strides[i - 1] * static_cast<size_t>(array.shape[i - 1]);
  std::vector<unsigned char> result(array.bytes.size());
  size_t from = 0;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(&result[i * element], &array.bytes[from * element], element);
    for (size_t axis = rank; axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < static_cast<size_t>(array.shape[axis])) break;
      from -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace detail

// Throws std::runtime_error with a description of the problem.
inline Array Read(std::istream& file) {
  file.seekg(0, std::ios::end);
  const auto file_bytes = static_cast<uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  file.seekg(0);
  unsigned char start[12] = {};
  file.read(reinterpret_cast<char*>(start), 10);
  if (!file || std::memcmp(start, "\x93NUMPY", 6) != 0) detail::Refuse("not a .npy file");
  if (start[6] < 1 || start[6] > 3)
    detail::Refuse("expected version 1, 2 or 3 of the .npy format, got " + std::to_string(start[6]));
  uint64_t at = 10;
  uint64_t header_bytes = start[8] | start[9] << 8;
  if (start[6] > 1) {  // the length has four bytes instead of two
    file.read(reinterpret_cast<char*>(start) + 10, 2);
    header_bytes |= static_cast<uint64_t>(start[10]) << 16 | static_cast<uint64_t>(start[11]) << 24;
    at = 12;
  }
  if (!file || file_bytes < at || header_bytes > file_bytes - at) detail::Refuse("the header is truncated");
  if (header_bytes > 65536) detail::Refuse("the header is longer than 64 KiB");
  std::string text(header_bytes, ' ');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) detail::Refuse("the header is truncated");
  const detail::Header header = detail::HeaderParser(text).Parse();

  Array array;
  array.shape = header.shape;
  const std::string order = header.descr.substr(0, 1);
  array.type = header.descr.substr(order.size());
  const bool known = std::find(std::begin(kTypes), std::end(kTypes), array.type) != std::end(kTypes);
  if (!known || (order != "<" && order != ">" && order != "|" && order != "=")) {
    detail::Refuse("elements of type '" + header.descr.substr(0, 40) +
                   "'; expected a float, an integer, bool or complex");
  }
  const uint64_t data_bytes = file_bytes - at - header_bytes;
  const uint64_t count = detail::CountElements(array.shape, data_bytes / array.ElementBytes());
  if (count * array.ElementBytes() != data_bytes) detail::Refuse("there are bytes after the data");
  array.bytes.resize(data_bytes);
  file.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(data_bytes));
  if (!file) detail::Refuse("the data is truncated");
  if (order == ">") {
    const size_t parts = array.type[0] == 'c' ? 2 : 1;
    const auto step = static_cast<std::ptrdiff_t>(array.ElementBytes() / parts);
    for (auto it = array.bytes.begin(); it != array.bytes.end(); it += step) std::reverse(it, it + step);
  }
  if (header.fortran_order && array.shape.size() > 1) array.bytes = detail::Transposed(array);
  return array;
}

inline Array Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::strerror(errno));
  return Read(file);
}

}  // namespace npy
