// SPDX-License-Identifier: Apache-2.0
// Opening and closing the library for the process: a count, and the settings of a JSON file.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "acl/acl.h"

namespace portacl {

class ProcessLife {
 public:
  aclError Init(const char* config_path);
  aclError Finalize() noexcept;
  aclError FinalizeReference(uint64_t* left) noexcept;

 private:
  aclError Configure(const char* path);

  std::recursive_mutex mutex_;
  uint64_t count_ = 0;
  bool closed_ = false;  // finalized, and not initialised since
  std::optional<std::string> first_config_;
};

// Never destroyed.
ProcessLife& TheProcessLife();

}  // namespace portacl
