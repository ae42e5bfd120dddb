// SPDX-License-Identifier: Apache-2.0
// The interface of portacl/libportacl_symbols.so, which reads the debugging information of the client. It is opened
// when the first report is made.
#pragma once

#include <cstddef>

namespace portacl::check {

struct SourceLine {
  char function[512];
  char file[1024];
  int line;
};

}  // namespace portacl::check

extern "C" {
// The innermost function at a code address, and its line; empty where there is no debugging information.
using PortaclDescribeAddressFunction = void (*)(void* address, portacl::check::SourceLine* line);
__attribute__((visibility("default"))) void PortaclDescribeAddress(void* address, portacl::check::SourceLine* line);
}
