// SPDX-License-Identifier: Apache-2.0
// Reads arrays in NumPy's .npy format (numpy.lib.format, versions 1 to 3). A file is data, not a promise: what
// it says about its size is compared with what is there before memory is taken. Needs nothing but C++17, so that the
// examples, which are clients, use it as well.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace npy {

struct Array {
  std::string type;  // kind and bytes of an element: "f2", "f4", "f8", "b1", "u1", "i4" or "i8"
  std::vector<int64_t> shape;
  std::vector<unsigned char> bytes;  // little-endian elements in row-major order, whatever the file had

  size_t ElementBytes() const { return static_cast<size_t>(type[1] - '0'); }
  size_t Count() const { return bytes.size() / ElementBytes(); }
};

namespace detail {

constexpr size_t kMaxHeaderBytes = 1 << 16;  // NumPy itself accepts 10,000
constexpr size_t kMaxRank = 64;

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
      if (bit == 0 || (seen & bit) != 0) throw std::runtime_error("the header has an unexpected key '" + key + "'");
      seen |= bit;
      if (bit == 1) header.descr = String();
      if (bit == 2) header.fortran_order = Bool();
      if (bit == 4) header.shape = Shape();
      if (!Accept(',') && Peek() != '}') throw Broken();
    }
    if (seen != 7) throw std::runtime_error("the header lacks 'descr', 'fortran_order' or 'shape'");
    if (Peek() != '\0') throw Broken();
    return header;
  }

 private:
  static std::runtime_error Broken() {
    return std::runtime_error("the header is not the dictionary that it should be");
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
    if (!Accept(c)) throw Broken();
  }
  std::string String() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') throw Broken();
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) throw Broken();
    const std::string value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  bool Bool() {
    Peek();
    const bool value = text_.compare(at_, 4, "True") == 0;
    if (!value && text_.compare(at_, 5, "False") != 0) throw Broken();
    at_ += value ? 4 : 5;
    return value;
  }
  std::vector<int64_t> Shape() {
    std::vector<int64_t> shape;
    Expect('(');
    while (!Accept(')')) {
      if (Peek() < '0' || Peek() > '9') throw Broken();
      int64_t size = 0;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        if (size > (INT64_MAX - 9) / 10) throw std::runtime_error("a dimension is too large");
        size = size * 10 + (text_[at_] - '0');
      }
      shape.push_back(size);
      if (shape.size() > kMaxRank) throw std::runtime_error("more than 64 dimensions");
      if (!Accept(',') && Peek() != ')') throw Broken();
    }
    return shape;
  }

  const std::string& text_;
  size_t at_ = 0;
};

// Number of elements; throws when they would be more than `limit`. Of an empty array the other sizes count, too:
// whoever multiplies them must not overflow.
inline uint64_t CountElements(const std::vector<int64_t>& shape, uint64_t limit) {
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (empty) limit = uint64_t{1} << 48;
  uint64_t count = 1;
  for (const int64_t size : shape) {
    if (size == 0) continue;
    if (static_cast<uint64_t>(size) > limit / count) {
      throw std::runtime_error(empty ? "a dimension is too large" : "the data is cut off");
    }
    count *= static_cast<uint64_t>(size);
  }
  if (count > limit) throw std::runtime_error("the data is cut off");
  return empty ? 0 : count;
}

// Column-major to row-major.
inline std::vector<unsigned char> Transposed(const Array& array) {
  const size_t element = array.ElementBytes(), rank = array.shape.size(), count = array.Count();
  std::vector<size_t> strides(rank, 1), index(rank, 0);
  for (size_t axis = 1; axis < rank; ++axis)
    strides[axis] = strides[axis - 1] * static_cast<size_t>(array.shape[axis - 1]);
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

// Throws std::runtime_error with what is wrong.
inline Array Read(std::istream& file) {
  file.seekg(0, std::ios::end);
  const std::streamoff end = file.tellg();
  file.seekg(0);
  unsigned char start[12] = {};
  file.read(reinterpret_cast<char*>(start), 10);
  if (!file || std::memcmp(start, "\x93NUMPY", 6) != 0) throw std::runtime_error("not a .npy file");
  if (start[6] < 1 || start[6] > 3) throw std::runtime_error("an unknown version of the .npy format");
  uint64_t at = 10;
  uint64_t header_bytes = start[8] | start[9] << 8;
  if (start[6] > 1) {  // four bytes of length instead of two
    file.read(reinterpret_cast<char*>(start) + 10, 2);
    header_bytes |= static_cast<uint64_t>(start[10]) << 16 | static_cast<uint64_t>(start[11]) << 24;
    at = 12;
  }
  const uint64_t file_bytes = static_cast<uint64_t>(std::max<std::streamoff>(end, 0));
  if (!file || file_bytes < at || header_bytes > file_bytes - at) throw std::runtime_error("the header is cut off");
  if (header_bytes > detail::kMaxHeaderBytes) throw std::runtime_error("the header is longer than 64 KiB");
  std::string text(header_bytes, ' ');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw std::runtime_error("the header is cut off");
  const detail::Header header = detail::HeaderParser(text).Parse();

  Array array;
  array.shape = header.shape;
  if (!header.descr.empty()) array.type = header.descr.substr(1);
  const char order = header.descr.empty() ? '\0' : header.descr[0];
  const char* const types[] = {"f2", "f4", "f8", "b1", "u1", "i4", "i8"};
  const bool known =
      std::any_of(std::begin(types), std::end(types), [&](const char* type) { return array.type == type; });
  if (!known || std::strchr("<>|=", order) == nullptr) {
    throw std::runtime_error("elements of type '" + header.descr.substr(0, 40) +
                             "'; expected float16, float32, float64, bool, uint8, int32 or int64");
  }
  const uint64_t data_bytes = file_bytes - at - header_bytes;
  const uint64_t count = detail::CountElements(array.shape, data_bytes / array.ElementBytes());
  if (count * array.ElementBytes() != data_bytes) throw std::runtime_error("the file goes on behind the data");
  array.bytes.resize(data_bytes);
  file.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(data_bytes));
  if (!file) throw std::runtime_error("the data is cut off");
  if (order == '>') {
    const auto step = static_cast<std::ptrdiff_t>(array.ElementBytes());
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
