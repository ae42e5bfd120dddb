// SPDX-License-Identifier: Apache-2.0
// Starts a trace while the library is loaded, if PORTACL_TRACE requests one.
#include <pthread.h>

#include <cstdlib>
#include <string>

#include "base/environment.h"
#include "base/never_destroyed.h"
#include "trace/recorder.h"

namespace portacl::trace {
namespace {

Recorder& TheRecorder() noexcept {
  static NeverDestroyed<Recorder> recorder;
  return *recorder;
}

bool Begin() noexcept {
  const char* text = VariableText(Variable::kTrace);
  if (text == nullptr) return false;
  try {
    const std::string name = text;
    const bool table = name == "summary";
    TheRecorder().Start(table ? "" : name, table);
    // Exit handlers of the program run before this one, because they are registered later.
    std::atexit([] { TheRecorder().Finish(); });
    pthread_atfork(nullptr, nullptr, [] { TheRecorder().BeginAnew(); });
  } catch (...) {
    return false;
  }
  return true;
}

[[maybe_unused]] const bool g_begun = Begin();

}  // namespace
}  // namespace portacl::trace
