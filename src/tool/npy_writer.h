// SPDX-License-Identifier: Apache-2.0
// Writes arrays in NumPy's .npy format, version 1, row-major.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tool/npy.h"

namespace npy {

// Throws std::runtime_error with the system's message, also if the disk is full.
inline void Write(const std::string& path, const Array& array) {
  std::string header = "{'descr': '" + std::string(array.ElementBytes() == 1 ? "|" : "<") + array.type +
                       "', 'fortran_order': False, 'shape': (";
  for (const int64_t size : array.shape) header += std::to_string(size) + ", ";
  header += "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const std::string start = {'\x93',
                             'N',
                             'U',
                             'M',
                             'P',
                             'Y',
                             1,
                             0,
                             static_cast<char>(header.size() & 255),
                             static_cast<char>(header.size() >> 8)};
  FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) throw std::runtime_error(std::strerror(errno));
  errno = 0;
  bool good = std::fwrite(start.data(), 1, start.size(), file) == start.size();
  good = good && std::fwrite(header.data(), 1, header.size(), file) == header.size();
  if (!array.bytes.empty()) {  // the address of an empty vector is null, which fwrite does not accept
    good = good && std::fwrite(array.bytes.data(), 1, array.bytes.size(), file) == array.bytes.size();
  }
  const int error = errno;
  if (std::fclose(file) != 0 || !good) throw std::runtime_error(std::strerror(good ? errno : error));
}

}  // namespace npy
