// SPDX-License-Identifier: Apache-2.0
// The library is used while another library is being loaded, so that a thread holds the loader's lock.
#include <dlfcn.h>
#include <unistd.h>

#include "contract_support.h"

namespace contract {
namespace {

TEST(LoadDeathTest, OperatorsRunInStaticConstructorsOfALibrary) {
  EXPECT_IN_FRESH_PROCESS({
    alarm(60);  // ends the process if it hangs
    setenv("PORTACL_NUM_THREADS", "4", 1);
    void* library = dlopen(LOAD_TIME_CLIENT, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto* status = static_cast<const aclError*>(dlsym(library, "load_time_status"));
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(*status, kOk) << TakeMessage();
  });
}

}  // namespace
}  // namespace contract
