// SPDX-License-Identifier: Apache-2.0
// Options of the operator compiler: texts that are kept for clients that read them.
#include <array>
#include <cstring>
#include <mutex>

#include "acl/acl_op_compiler.h"
#include "base/observer.h"
#include "base/process_mutex.h"
#include "runtime/acl/copied.h"
#include "runtime/arguments.h"
#include "runtime/streams/stream_settings.h"

namespace portacl {
namespace {

constexpr int kCompileOptions = ACL_OP_DEBUG_OPTION + 1;

// Never destroyed: clients read options from destructors of their own static objects.
union CompileOptions {
  constexpr CompileOptions() : texts() {}
  ~CompileOptions() {}
  std::array<Copied<char>, kCompileOptions> texts;
};

constinit CompileOptions g_compile_options;
constinit ProcessMutex g_compile_options_mutex;  // guards g_compile_options
constinit char g_dump_settings = 0;

aclError CheckCompileOption(const char* function, int option) noexcept {
  if (option >= 0 && option < kCompileOptions) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'opt': expected an option in 0..{}, got {}", function,
               kCompileOptions - 1, option);
}

// The text with its final 0. `room` holds the default of a number. The caller holds g_compile_options_mutex.
std::span<const char> CompileOptionText(int option, std::array<char, 12>* room) noexcept {
  const auto text = g_compile_options.texts[static_cast<size_t>(option)].values();
  if (!text.empty()) return text;
  room->fill(0);
  if (option == ACL_AICORE_NUM) fmt::format_to_n(room->data(), room->size() - 1, "{}", streams::kCubeCores);
  return {room->data(), std::strlen(room->data()) + 1};
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
  const ApiCall api_call(__func__);
  const int option = EnumNumber(opt);
  if (const aclError status = CheckCompileOption(__func__, option); status != ACL_SUCCESS) return status;
  if (value == nullptr) return NullArgument(__func__, "value");
  {
    const std::scoped_lock lock(g_compile_options_mutex);
    if (!g_compile_options.texts[static_cast<size_t>(option)].Assign(value, std::strlen(value) + 1))
      return Failf(ACL_ERROR_BAD_ALLOC, "{}: out of host memory", __func__);
  }
  return option == ACL_OP_DETERMINISTIC ? aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, std::strcmp(value, "1") == 0)
                                        : ACL_SUCCESS;
}

size_t aclGetCompileoptSize(aclCompileOpt opt) {
  const ApiCall api_call(__func__);
  const int option = EnumNumber(opt);
  if (CheckCompileOption(__func__, option) != ACL_SUCCESS) return 0;
  std::array<char, 12> room;
  const std::scoped_lock lock(g_compile_options_mutex);
  return CompileOptionText(option, &room).size();
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
  const ApiCall api_call(__func__);
  const int option = EnumNumber(opt);
  if (const aclError status = CheckCompileOption(__func__, option); status != ACL_SUCCESS) return status;
  if (value == nullptr) return NullArgument(__func__, "value");
  std::array<char, 12> room;
  const std::scoped_lock lock(g_compile_options_mutex);
  const auto text = CompileOptionText(option, &room);
  if (length < text.size()) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'length': expected {} bytes or more, got {}", __func__,
                 text.size(), length);
  }
  std::memcpy(value, text.data(), text.size());
  return ACL_SUCCESS;
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag) {
  const ApiCall api_call(__func__);
  const int number = EnumNumber(flag);
  if (number == ACL_OP_COMPILE_DEFAULT || number == ACL_OP_COMPILE_FUZZ) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'flag': expected 0 or 1, got {}", __func__, number);
}

aclGraphDumpOption* aclCreateGraphDumpOpt() { return reinterpret_cast<aclGraphDumpOption*>(&g_dump_settings); }

aclError aclDestroyGraphDumpOpt(const aclGraphDumpOption*) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
