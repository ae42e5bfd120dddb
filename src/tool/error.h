// SPDX-License-Identifier: Apache-2.0
// What ends a command. Each carries one clear line; main() prints it and chooses the exit code.
#pragma once

#include <stdexcept>

namespace portacl::tool {

// The command line is wrong: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command line is right and the work cannot be done, or its result is bad: exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace portacl::tool
