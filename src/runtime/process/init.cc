// SPDX-License-Identifier: Apache-2.0
// Counting of initialisations, and reading of the configuration file.
#include "runtime/process/init.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <new>

#include "base/never_destroyed.h"
#include "base/no_cancel.h"
#include "base/observer.h"
#include "base/status.h"
#include "runtime/contexts/context.h"
#include "runtime/process/config_text.h"

namespace portacl::process {
namespace {

constexpr const char* kFunction = "aclInit";

// Returns the whole file; empty when it cannot be opened or read.
std::optional<std::string> ReadFile(const char* path) {
  const NoCancel no_cancel;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path, "re"), &std::fclose);
  if (file == nullptr && errno == ENOMEM) throw std::bad_alloc();
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

aclError ReadReportScope(const ConfigSettings& settings, ReportScope* scope) {
  *scope = ReportScope::kThread;
  const std::optional<Setting>& mode = settings.report_mode;
  if (!mode.has_value() || (mode->is_text && mode->text == "0")) return ACL_SUCCESS;
  *scope = ReportScope::kProcess;
  if (mode->is_text && mode->text == "1") return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: key 'err_msg_mode': expected \"0\" or \"1\", got {}", kFunction,
               mode->text);
}

aclError ReadDefaultDevice(const ConfigSettings& settings, int* device) {
  *device = -1;
  if (!settings.default_device.has_value()) return ACL_SUCCESS;
  const std::string& text = settings.default_device->text;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *device);
  if (read.ec == std::errc() && read.ptr == end && *device >= 0 && *device < devices::DeviceCount()) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: key 'default_device': expected a device in [0, {}), got '{}'", kFunction,
               devices::DeviceCount(), text);
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
  ConfigSettings settings;
  if (text.find_first_not_of(" \t\r\n") != std::string::npos && !ReadConfigText(text, &settings)) {
    return Failf(ACL_ERROR_PARSE_FILE, "{}: argument 'configPath': expected a JSON file, got '{}' with other content",
                 kFunction, path);
  }
  ReportScope scope{};
  int device = -1;
  aclError status = ReadReportScope(settings, &scope);
  if (status == ACL_SUCCESS) status = ReadDefaultDevice(settings, &device);
  if (status != ACL_SUCCESS) return status;
  if (first_config_.has_value() && *first_config_ != text) {
    return Failf(ACL_ERROR_INVALID_PARAM,
                 "{}: argument 'configPath': expected the content of the first initialization, got another", kFunction);
  }
  first_config_ = std::move(text);
  SetReportScope(scope);
  contexts::SetDefaultDevice(device);
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
  // A process that never initialised the library may still finalize it once.
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

// Calls all callbacks; returns the first error.
aclError ProcessLife::CallInitCallbacks(const std::string& config) {
  aclError first = ACL_SUCCESS;
  init_callbacks_.Each([&](const auto& entry) {
    const aclError status = entry.function(config.c_str(), config.size(), entry.argument);
    if (first == ACL_SUCCESS) first = status;
  });
  return first;
}

aclError ProcessLife::CallFinalizeCallbacks() {
  NotifyObservers([](Observer& each) { each.Finalized(); });
  aclError first = ACL_SUCCESS;
  finalize_callbacks_.Each([&](const auto& entry) {
    const aclError status = entry.function(entry.argument);
    if (first == ACL_SUCCESS) first = status;
  });
  return first;
}

ProcessLife& TheProcessLife() {
  static NeverDestroyed<ProcessLife> life;
  return *life;
}

}  // namespace portacl::process
