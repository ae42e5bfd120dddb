// SPDX-License-Identifier: Apache-2.0
// Where the client called: addresses of its code, from the innermost function outside the toolkit outwards, and the
// line of Python code if there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#include "base/process_mutex.h"

namespace portacl::check {

using CallSiteId = uint32_t;  // 0: unknown

struct CallSiteText {
  std::string function;
  std::string file;  // "" where it is unknown
  int line = 0;

  // Returns "train() at main.cc:12".
  std::string Text() const;
};

class CallSites {
 public:
  // The site of the calling thread. The caller must hold no lock that a thread with the interpreter's lock may wait
  // for.
  CallSiteId Here() noexcept;
  // The site of a fault at an instruction; called in its handler. Returns false when the toolkit caused it.
  bool OfClient(void* code, CallSiteId* here) noexcept;
  const CallSiteText& Describe(CallSiteId id);
  // Whether PyTorch's plug-in made the call, and not the program itself.
  bool CalledByPlugIn() noexcept;

 private:
  struct CallSite {
    void* address = nullptr;
    CallSiteText text;
    bool described = false;
  };

  bool IsOurs(void* address);
  CallSiteId Keep(void* client, CallSiteText python, bool is_python);

  ProcessMutex mutex_;
  std::unordered_map<void*, bool> ours_;
  std::map<std::pair<void*, std::string>, CallSiteId> ids_;
  std::deque<CallSite> call_sites_{1};
};

// The line of Python code that the calling thread runs, outside of packages. Returns false when there is none.
bool PythonLine(CallSiteText* line) noexcept;

}  // namespace portacl::check
