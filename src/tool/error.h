// SPDX-License-Identifier: Apache-2.0
// Exceptions that end a command. main() prints their text, one line, and returns the exit code.
#pragma once

#include <stdexcept>

namespace portacl::tool {

// The command line is wrong: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command failed: exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace portacl::tool
