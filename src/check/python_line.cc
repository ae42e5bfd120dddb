// SPDX-License-Identifier: Apache-2.0
// Python's own functions, if the process contains Python: they are looked up by name, so that nothing is linked.
#include <dlfcn.h>

#include <cstring>
#include <utility>

#include "check/call_sites.h"

namespace portacl::check {
namespace {

struct Python {
  template <class Function>
  static Function Find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }

  int (*is_initialized)() = Find<int (*)()>("Py_IsInitialized");
  void* (*this_thread)() = Find<void* (*)()>("PyGILState_GetThisThreadState");
  int (*check)() = Find<int (*)()>("PyGILState_Check");
  int (*ensure)() = Find<int (*)()>("PyGILState_Ensure");
  void (*release)(int) = Find<void (*)(int)>("PyGILState_Release");
  void* (*frame_of)(void*) = Find<void* (*)(void*)>("PyThreadState_GetFrame");
  void* (*code_of)(void*) = Find<void* (*)(void*)>("PyFrame_GetCode");
  void* (*back_of)(void*) = Find<void* (*)(void*)>("PyFrame_GetBack");
  int (*line_of)(void*) = Find<int (*)(void*)>("PyFrame_GetLineNumber");
  void* (*attribute)(void*, const char*) = Find<void* (*)(void*, const char*)>("PyObject_GetAttrString");
  const char* (*text_of)(void*) = Find<const char* (*)(void*)>("PyUnicode_AsUTF8");
  void (*drop)(void*) = Find<void (*)(void*)>("Py_DecRef");

  bool complete() const {
    return is_initialized && this_thread && check && ensure && release && frame_of && code_of && back_of && line_of &&
           attribute && text_of && drop;
  }
};

// Repeats the look-up until the process contains Python.
const Python* ThePython() {
  static Python python;
  if (!python.complete()) {
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized") == nullptr) return nullptr;
    python = Python();
  }
  return python.complete() ? &python : nullptr;
}

std::string TextOf(const Python& python, void* object, const char* name) {
  void* const value = python.attribute(object, name);
  const char* const text = value == nullptr ? nullptr : python.text_of(value);
  std::string copy = text == nullptr ? "" : text;
  if (value != nullptr) python.drop(value);
  return copy;
}

bool OfPackage(const std::string& file) {
  for (const char* part : {"/site-packages/", "/dist-packages/", "/portacl/", "/lib/python3", "<frozen"}) {
    if (file.find(part) != std::string::npos) return true;
  }
  return false;
}

// The caller holds the interpreter's lock. Finds the innermost frame outside of packages; if there is none, the
// innermost frame.
bool FindLine(const Python& python, CallSiteText* line) {
  bool found = false;
  for (void* frame = python.frame_of(python.this_thread()); frame != nullptr;) {
    void* const code = python.code_of(frame);
    CallSiteText here{TextOf(python, code, "co_name"), TextOf(python, code, "co_filename"), python.line_of(frame)};
    python.drop(code);
    const bool package = OfPackage(here.file);
    if (!found || !package) *line = std::move(here);
    found = true;
    void* const back = package ? python.back_of(frame) : nullptr;
    python.drop(frame);
    frame = back;
  }
  return found;
}

}  // namespace

bool PythonLine(CallSiteText* line) noexcept {
  try {
    const Python* const python = ThePython();
    if (python == nullptr || python->is_initialized() == 0 || python->this_thread() == nullptr) return false;
    // ctypes releases the interpreter's lock during a call.
    const bool holds = python->check() != 0;
    const int state = holds ? 0 : python->ensure();
    const bool found = FindLine(*python, line);
    if (!holds) python->release(state);
    return found;
  } catch (...) {
    return false;
  }
}

}  // namespace portacl::check
