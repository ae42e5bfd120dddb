// SPDX-License-Identifier: Apache-2.0
// Counting, and reading the configuration file.
#include "runtime/init.h"

#include <charconv>
#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/status.h"
#include "runtime/context.h"
#include "runtime/float_mode.h"

namespace portacl {
namespace {

using nlohmann::json;

constexpr const char* kFunction = "aclInit";

// Printing a value of the file takes stack for each level.
constexpr int kMostDepth = 64;

// The whole file; nothing when it cannot be opened or read.
std::optional<std::string> ReadFile(const char* path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path, "re"), &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string text;
  char part[4096];
  for (size_t got = std::fread(part, 1, sizeof(part), file.get()); got > 0;
       got = std::fread(part, 1, sizeof(part), file.get())) {
    text.append(part, got);
  }
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return text;
}

const json* Member(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

aclError ReadReportScope(const json& config, ReportScope* scope) {
  *scope = ReportScope::kThread;
  const json* mode = Member(config, "err_msg_mode");
  if (mode == nullptr || *mode == "0") return ACL_SUCCESS;
  *scope = ReportScope::kProcess;
  if (*mode == "1") return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: key 'err_msg_mode': expected \"0\" or \"1\", got {}", kFunction,
               mode->dump());
}

aclError ReadDefaultDevice(const json& config, int* device) {
  *device = -1;
  const json* section = Member(config, "defaultDevice");
  const json* entry = section == nullptr ? nullptr : Member(*section, "default_device");
  if (entry == nullptr) return ACL_SUCCESS;
  const std::string text = entry->is_string() ? entry->get<std::string>() : entry->dump();
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *device);
  if (read.ec == std::errc() && read.ptr == end && *device >= 0 && *device < DeviceCount()) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: key 'default_device': expected a device in [0, {}), got '{}'", kFunction,
               DeviceCount(), text);
}

}  // namespace

aclError ProcessLife::Configure(const char* path) {
  std::string text;
  if (path != nullptr && *path != '\0') {
    std::optional<std::string> content = ReadFile(path);
    if (!content.has_value()) {
      return Failf(ACL_ERROR_INVALID_FILE, "{}: argument 'configPath': expected a readable file, got '{}'", kFunction,
                   path);
    }
    text = std::move(*content);
  }
  json config = json::object();
  if (text.find_first_not_of(" \t\r\n") != std::string::npos) {
    const DefaultFloatMode mode;  // the text may hold numbers with fractions
    bool too_deep = false;
    const auto keep = [&too_deep](int depth, json::parse_event_t, const json&) {
      too_deep |= depth > kMostDepth;
      return !too_deep;
    };
    config = json::parse(text, keep, /*allow_exceptions=*/false);
    if (config.is_discarded() || too_deep) {
      return Failf(ACL_ERROR_PARSE_FILE,
                   "{}: argument 'configPath': expected a JSON file of at most {} levels, got '{}' with other content",
                   kFunction, kMostDepth, path);
    }
  }
  ReportScope scope{};
  int device = -1;
  aclError status = ReadReportScope(config, &scope);
  if (status == ACL_SUCCESS) status = ReadDefaultDevice(config, &device);
  if (status != ACL_SUCCESS) return status;
  if (first_config_.has_value() && *first_config_ != text) {
    return Failf(ACL_ERROR_INVALID_PARAM,
                 "{}: argument 'configPath': expected the content of the first initialization, got another", kFunction);
  }
  first_config_ = std::move(text);
  SetReportScope(scope);
  SetDefaultDevice(device);
  return ACL_SUCCESS;
}

aclError ProcessLife::Init(const char* config_path) {
  const std::scoped_lock lock(mutex_);
  if (count_ > 0) {
    ++count_;
    return Failf(ACL_ERROR_REPEAT_INITIALIZE, "{}: expected the first call since aclFinalize, got call {}", kFunction,
                 count_);
  }
  const aclError status = Configure(config_path);
  if (status != ACL_SUCCESS) return status;
  count_ = 1;
  closed_ = false;
  return CallInitCallbacks(*first_config_);
}

aclError ProcessLife::Finalize() {
  const std::scoped_lock lock(mutex_);
  // A process that never initialised may still close once.
  if (closed_)
    return Failf(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: expected an initialised library, it is already finalized");
  closed_ = true;
  count_ = 0;
  return CallFinalizeCallbacks();
}

aclError ProcessLife::FinalizeReference(uint64_t* left) {
  const std::scoped_lock lock(mutex_);
  if (count_ == 0)
    return Failf(ACL_ERROR_REPEAT_FINALIZE, "aclFinalizeReference: expected a reference of aclInit, none is left");
  --count_;
  if (left != nullptr) *left = count_;
  if (count_ > 0) return ACL_SUCCESS;
  closed_ = true;
  return CallFinalizeCallbacks();
}

aclError ProcessLife::AddInitCallback(const char* function, int type, aclInitCallbackFunc callback, void* argument) {
  const std::scoped_lock lock(mutex_);
  const aclError status = init_callbacks_.Add(function, type, callback, argument);
  if (status != ACL_SUCCESS || count_ == 0) return status;
  return callback(first_config_->c_str(), first_config_->size(), argument);
}

aclError ProcessLife::RemoveInitCallback(const char* function, int type, aclInitCallbackFunc callback) {
  const std::scoped_lock lock(mutex_);
  return init_callbacks_.Remove(function, type, callback);
}

aclError ProcessLife::AddFinalizeCallback(const char* function, int type, aclFinalizeCallbackFunc callback,
                                          void* argument) {
  const std::scoped_lock lock(mutex_);
  return finalize_callbacks_.Add(function, type, callback, argument);
}

aclError ProcessLife::RemoveFinalizeCallback(const char* function, int type, aclFinalizeCallbackFunc callback) {
  const std::scoped_lock lock(mutex_);
  return finalize_callbacks_.Remove(function, type, callback);
}

// The first error counts; all are called.
aclError ProcessLife::CallInitCallbacks(const std::string& config) {
  aclError first = ACL_SUCCESS;
  for (const auto& entry : init_callbacks_.Copy()) {
    const aclError status = entry.function(config.c_str(), config.size(), entry.argument);
    if (first == ACL_SUCCESS) first = status;
  }
  return first;
}

aclError ProcessLife::CallFinalizeCallbacks() {
  aclError first = ACL_SUCCESS;
  for (const auto& entry : finalize_callbacks_.Copy()) {
    const aclError status = entry.function(entry.argument);
    if (first == ACL_SUCCESS) first = status;
  }
  return first;
}

ProcessLife& TheProcessLife() {
  static ProcessLife& life = *new ProcessLife;
  return life;
}

}  // namespace portacl
