// SPDX-License-Identifier: Apache-2.0
// Initialising and finalizing the library for the process: a count, and the settings of a JSON file.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "acl/acl.h"
#include "runtime/process/life_callbacks.h"

namespace portacl::process {

class ProcessLife {
 public:
  aclError Init(const char* config_path);
  aclError Finalize();
  aclError FinalizeReference(uint64_t* left);

  // Adds functions that are called when the library is initialised (at once if it already is) and when it is finalized.
  aclError AddInitCallback(const char* function, int type, aclInitCallbackFunc callback, void* argument);
  aclError RemoveInitCallback(const char* function, int type, aclInitCallbackFunc callback);
  aclError AddFinalizeCallback(const char* function, int type, aclFinalizeCallbackFunc callback, void* argument);
  aclError RemoveFinalizeCallback(const char* function, int type, aclFinalizeCallbackFunc callback);

  // In a forked child: another thread of the parent may have held the mutex.
  void RenewMutex() noexcept { new (&mutex_) std::recursive_mutex; }

 private:
  aclError Configure(const char* path);
  aclError CallInitCallbacks(const std::string& config);
  aclError CallFinalizeCallbacks();

  std::recursive_mutex mutex_;
  uint64_t count_ = 0;
  bool closed_ = false;  // finalized, and not initialised since
  std::optional<std::string> first_config_;
  LifeCallbacks<aclInitCallbackFunc> init_callbacks_;
  LifeCallbacks<aclFinalizeCallbackFunc> finalize_callbacks_;
};

// Never destroyed: the library may be called while the process ends.
ProcessLife& TheProcessLife();

}  // namespace portacl::process
