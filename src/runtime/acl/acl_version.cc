// SPDX-License-Identifier: Apache-2.0
// Versions of packages, read from the toolkit's files, and the toolkit's properties.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/no_cancel.h"
#include "base/observer.h"
#include "base/soc.h"
#include "runtime/arguments.h"

namespace portacl {
namespace {

constexpr const char* kDriverInstallation = "/etc/ascend_install.info";

// Returns the text after `key` at the beginning of a line; empty when there is no such file or line.
std::optional<std::string> ReadValue(const std::string& path, std::string_view key) {
  const NoCancel no_cancel;
  FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr && errno == ENOMEM) throw std::bad_alloc();
  if (file == nullptr) return std::nullopt;
  std::optional<std::string> value;
  char line[1024];
  while (!value.has_value() && std::fgets(line, sizeof(line), file) != nullptr) {
    std::string_view text = line;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    if (text.starts_with(key)) value = text.substr(key.size());
  }
  std::fclose(file);
  return value;
}

std::optional<std::string> PackageVersion(std::string package) {
  if (package == "driver") {
    const std::optional<std::string> root = ReadValue(kDriverInstallation, "Driver_Install_Path_Param=");
    return root.has_value() ? ReadValue(*root + "/driver/version.info", "Version=") : std::nullopt;
  }
  const char* root = VariableText(Variable::kHomePath);
  if (root == nullptr || package.find('/') != std::string::npos) return std::nullopt;
  std::replace(package.begin(), package.end(), '_', '-');
  std::optional<std::string> version =
      ReadValue(std::string(root) + "/share/info/" + package + "/version.info", "Version=");
  if (version.has_value()) return version;
  std::replace(package.begin(), package.end(), '-', '_');
  return ReadValue(std::string(root) + "/share/info/" + package + "/version.info", "Version=");
}

aclError NoVersion(const char* function, const char* package) noexcept {
  return Failf(ACL_ERROR_INVALID_FILE,
               "{}: expected share/info/{}/version.info below ASCEND_HOME_PATH with a line 'Version=', found none",
               function, package);
}

// The package that each aclCANNPackageName names.
constexpr std::array<const char*, 8> kPackages = {"runtime",   "runtime",    "bisheng-compiler", "hccl",
                                                  "oam-tools", "ops-legacy", "ops-legacy",       "driver"};

// Removes and returns the text before the next dot.
std::string_view NextPart(std::string_view* rest) noexcept {
  const std::string_view part = rest->substr(0, rest->find('.'));
  rest->remove_prefix(std::min(rest->size(), part.size() + 1));
  return part;
}

template <size_t kRoom>
void StoreText(std::string_view text, char (&room)[kRoom]) noexcept {
  std::memcpy(room, text.data(), std::min(text.size(), kRoom - 1));
}

bool ReadNumber(std::string_view text, int32_t most, int32_t* number) noexcept {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *number);
  return read.ec == std::errc() && read.ptr == end && *number >= 0 && *number <= most;
}

struct Suffix {
  std::string_view name;
  int32_t less;
};
constexpr Suffix kSuffixes[] = {{"alpha", 300}, {"beta", 200}, {"rc", 100}};

std::optional<int32_t> VersionNumber(std::string_view text) noexcept {
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = 0;
  if (!ReadNumber(NextPart(&text), 200, &major) || !ReadNumber(NextPart(&text), 99, &minor) ||
      !ReadNumber(NextPart(&text), 99, &patch))
    return std::nullopt;
  const int32_t number = major * 10'000'000 + minor * 100'000 + patch * 1'000;
  if (text.empty()) return number;
  for (const Suffix& suffix : kSuffixes) {
    int32_t count = 0;
    if (text.starts_with(suffix.name) && ReadNumber(text.substr(suffix.name.size()), 99, &count))
      return number - suffix.less + count;
  }
  return std::nullopt;
}

constexpr aclCannAttr kAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};

bool SocHasBfloat16() noexcept {
  const SocFamily family = CurrentSoc().family;
  return family == SocFamily::kAscend910B || family == SocFamily::kAscend910_93 || family == SocFamily::kAscend950;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (pkgName == nullptr) return NullArgument(function, "pkgName");
  if (versionStr == nullptr) return NullArgument(function, "versionStr");
  return Guard(function, [=]() -> int32_t {
    const std::optional<std::string> version = PackageVersion(pkgName);
    if (!version.has_value()) return NoVersion(function, pkgName);
    const size_t length = std::min<size_t>(version->size(), ACL_PKG_VERSION_MAX_SIZE - 1);
    std::memcpy(versionStr, version->data(), length);
    versionStr[length] = '\0';
    return ACL_SUCCESS;
  });
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (pkgName == nullptr) return NullArgument(function, "pkgName");
  if (versionNum == nullptr) return NullArgument(function, "versionNum");
  return Guard(function, [=]() -> int32_t {
    const std::optional<std::string> version = PackageVersion(pkgName);
    if (!version.has_value()) return NoVersion(function, pkgName);
    const std::optional<int32_t> number = VersionNumber(*version);
    if (!number.has_value()) {
      return Failf(ACL_ERROR_INTERNAL_ERROR, "{}: expected a version such as 9.1.0 or 9.1.0.rc1, found '{}'", function,
                   *version);
    }
    *versionNum = *number;
    return ACL_SUCCESS;
  });
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (version == nullptr) return NullArgument(function, "version");
  const int number = EnumNumber(name);
  if (number < 0 || static_cast<size_t>(number) >= kPackages.size()) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'name': expected 0..7, got {}", function, number);
  }
  return Guard(function, [=]() -> int32_t {
    const char* package = kPackages[static_cast<size_t>(number)];
    const std::optional<std::string> text = PackageVersion(package);
    if (!text.has_value()) return NoVersion(function, package);
    *version = {};
    StoreText(*text, version->version);
    std::string_view rest = *text;
    StoreText(NextPart(&rest), version->majorVersion);
    StoreText(NextPart(&rest), version->minorVersion);
    StoreText(NextPart(&rest), version->releaseVersion);
    StoreText(rest, version->patchVersion);
    return ACL_SUCCESS;
  });
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  const ApiCall api_call(__func__);
  if (cannAttrList == nullptr) return NullArgument(__func__, "cannAttrList");
  if (num == nullptr) return NullArgument(__func__, "num");
  *cannAttrList = kAttributes;
  *num = std::size(kAttributes);
  return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  switch (EnumNumber(cannAttr)) {
    case ACL_CANN_ATTR_INF_NAN:
      *value = 1;
      return ACL_SUCCESS;
    case ACL_CANN_ATTR_BF16:
      *value = SocHasBfloat16() ? 1 : 0;
      return ACL_SUCCESS;
    case ACL_CANN_ATTR_JIT_COMPILE:
      *value = 0;
      return ACL_SUCCESS;
    default:
      return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'cannAttr': expected 0..2, got {}", __func__,
                   EnumNumber(cannAttr));
  }
}
