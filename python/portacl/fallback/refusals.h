// SPDX-License-Identifier: Apache-2.0
//
// Which errors of the plug-in's kernels mean that the CPU should compute the call.
//
// The toolkit reports by a number what it refused. For calls that do not reach the toolkit, the plug-in's error is
// examined: it names an operator that the toolkit does not export, or is one of the plug-in's own refusals. Any other
// error goes to the caller.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

namespace portacl {

// The last refusal of the toolkit's phase 1 in this thread; reading it clears it.
struct LastRefusal {
  enum : int32_t { kNone = 0, kSoc = 1, kDtype = 2, kOther = 3 };
  int32_t refusal = kNone;
  const char* name = nullptr;
};
inline LastRefusal TakeRefusal() {
  using Take = int32_t (*)(const char**);
  static const auto take = reinterpret_cast<Take>(dlsym(RTLD_DEFAULT, "PortaclTakeRefusal"));
  LastRefusal last;
  if (take != nullptr) last.refusal = take(&last.name);
  return last;
}

// Whether `error` is one of the plug-in's own messages for what a card does not support.
inline bool IsRefusalOfPlugin(const std::string& error) {
  static const std::regex refusal(
      R"(current operator \w+ do not have aclnn implementation)"
      R"(|not support(?:ed)? on (?:Ascend950|this soc)|no longer supported on Ascend950|Ascend950 not support)"
      R"(|Input data type should not be float64)"
      R"(|svd_npu only supported Float)"
      R"(|npu (?:dose|does) not support float64)"
      R"(|not support torch\.fp64 dtypes)"
      R"(|is not support int8 dtype)"
      R"(|input only supported Int32, Float16, Float32)"
      R"(|input must be half\b)"
      R"(|Renorm only support float16 or float32 type)"
      R"(|is not supported for tensor with data type)"
      R"(|only supports torch\.float16 and torch\.float32 dtypes)");
  return std::regex_search(error, refusal);
}

inline bool IsExported(const std::string& name) {
  return dlsym(RTLD_DEFAULT, name.c_str()) != nullptr &&
         dlsym(RTLD_DEFAULT, (name + "GetWorkspaceSize").c_str()) != nullptr;
}

// The first operator named in `error` that the toolkit does not export.
inline std::optional<std::string> NotExported(const std::string& error) {
  static const std::regex name(R"(\b(aclnn[A-Z]\w*?)(?:GetWorkspaceSize)?\b)");
  for (std::sregex_iterator found(error.begin(), error.end(), name), end; found != end; ++found) {
    std::string operator_name = (*found)[1].str();
    if (!IsExported(operator_name)) return operator_name;
  }
  return std::nullopt;
}

// Kernels of the plug-in's own operators have further messages for a toolkit that lacks what they need.
inline std::optional<std::string> MissingInWords(const std::string& error) {
  static const std::regex failed(R"(aclnn\w+ failed, error code is)");
  static const std::regex wanted(R"(\baclnn|\bCANN\b|\bcann\b|operator \w+ do not support)");
  static const std::regex absent(
      "not found|not in lib|does not exist|do not|don't support|not support|[Uu]pgrade|[Uu]pdate|only aclnn|"
      "there is no aclnn");
  static const std::regex name(R"(\baclnn\w+)");
  std::smatch found;
  if (std::regex_search(error, failed) || !std::regex_search(error, wanted) || !std::regex_search(error, absent))
    return std::nullopt;
  return std::regex_search(error, found, name) ? found[0].str() : "any aclnn operator";
}

// The operator or dtype that a kernel of the plug-in did not find; nullopt for other errors. Called once per error.
inline std::optional<std::string> NotFound(const std::string& error, bool is_of_plugin = false) {
  const LastRefusal last = TakeRefusal();
  if (last.refusal == LastRefusal::kSoc) return std::string(last.name) + " (561003)";
  if (last.refusal == LastRefusal::kDtype) return std::string(last.name) + " (dtype)";
  if (last.refusal == LastRefusal::kOther) return std::nullopt;
  if (std::optional<std::string> name = NotExported(error)) return name;
  if (IsRefusalOfPlugin(error)) return "any aclnn operator";
  return is_of_plugin ? MissingInWords(error) : std::nullopt;
}

}  // namespace portacl
