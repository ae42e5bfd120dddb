// SPDX-License-Identifier: Apache-2.0
// What PyTorch's operators on npu (tools/build_fallback.py) call in libstdc++ that GCC 8's does not have. They share
// the libstdc++ of torch, and so cannot have a copy of their own. Compiled as C++17, where the same calls are to older
// functions.
#include <new>
#include <sstream>
#include <string>

#define OLD(NAME) __asm__(NAME) __attribute__((visibility("hidden")))

// GCC 11: std::stringbuf::str() const &
std::string StringOf(const std::stringbuf& buffer)
    OLD("_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv");
std::string StringOf(const std::stringbuf& buffer) { return buffer.str(); }

// GCC 9: std::ostringstream::ostringstream()
void Construct(std::ostringstream* stream) OLD("_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev");
void Construct(std::ostringstream* stream) { new (stream) std::ostringstream(std::ios_base::out); }

// GCC 11: std::__throw_bad_array_new_length()
void Throw() OLD("_ZSt28__throw_bad_array_new_lengthv");
void Throw() { throw std::bad_array_new_length(); }
