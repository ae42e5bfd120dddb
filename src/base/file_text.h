// SPDX-License-Identifier: Apache-2.0
// The text of small files, read without a stream of the C library, which would allocate memory: values that a process
// reads once from the machine must not depend on whether memory was free at that moment.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

#include "base/no_cancel.h"

namespace portacl {

template <size_t size>
bool ReadFileText(const char* path, char (&text)[size]) noexcept {
  const NoCancel no_cancel;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = read(file, text, size - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  return length >= 0;
}

}  // namespace portacl
