// SPDX-License-Identifier: Apache-2.0
// System options: one value for the process, and the values that were set for each context.
#include <array>
#include <atomic>

#include "base/observer.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {
namespace {

constinit std::array<std::atomic<int64_t>, contexts::kOptions> g_options{};

struct OptionRule {
  const char* name;
  int64_t most;
  bool per_context;
};
constexpr std::array<OptionRule, contexts::kOptions> kRules = {{
    {"ACL_OPT_DETERMINISTIC", 3, true},
    {"ACL_OPT_ENABLE_DEBUG_KERNEL", 1, true},
    {"ACL_OPT_STRONG_CONSISTENCY", 1, true},
    {"ACL_OPT_ENABLE_KERNEL_EARLY_START", 1, false},
}};

// Returns the rule of an option, or null with a report.
const OptionRule* RuleOf(const char* function, int number, bool of_context) noexcept {
  if (number >= 0 && number < contexts::kOptions) {
    const OptionRule& rule = kRules[static_cast<size_t>(number)];
    if (rule.per_context || !of_context) return &rule;
  }
  Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'opt': expected an option in 0..{}, got {}", function,
        of_context ? 2 : contexts::kOptions - 1, number);
  return nullptr;
}

aclError CheckValue(const char* function, const OptionRule& rule, int64_t value) noexcept {
  if (value >= 0 && value <= rule.most) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'value': expected 0..{} for {}, got {}", function, rule.most,
               rule.name, value);
}

std::atomic<int64_t>& ProcessValue(aclSysParamOpt option) noexcept { return g_options[static_cast<size_t>(option)]; }

}  // namespace

}  // namespace portacl

using namespace portacl;

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  const ApiCall api_call(__func__);
  const OptionRule* rule = RuleOf(__func__, EnumNumber(opt), false);
  if (rule == nullptr) return ACL_ERROR_INVALID_PARAM;
  const aclError status = CheckValue(__func__, *rule, value);
  if (status == ACL_SUCCESS) ProcessValue(opt).store(value, std::memory_order_relaxed);
  return status;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  if (RuleOf(__func__, EnumNumber(opt), false) == nullptr) return ACL_ERROR_INVALID_PARAM;
  *value = ProcessValue(opt).load(std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  const ApiCall api_call(__func__);
  const OptionRule* rule = RuleOf(__func__, EnumNumber(opt), true);
  if (rule == nullptr) return ACL_ERROR_INVALID_PARAM;
  const aclError status = CheckValue(__func__, *rule, value);
  if (status != ACL_SUCCESS) return status;
  contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  context->SetOption(static_cast<int>(opt), value);
  ProcessValue(opt).store(value, std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  const OptionRule* rule = RuleOf(__func__, EnumNumber(opt), true);
  if (rule == nullptr) return ACL_ERROR_INVALID_PARAM;
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  if (!context->GetOption(static_cast<int>(opt), value)) {
    return Failf(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                 "{}: argument 'opt': expected an option that was set in this context, got {}", __func__, rule->name);
  }
  return ACL_SUCCESS;
}
