// SPDX-License-Identifier: Apache-2.0
// Versions and properties of the toolkit.
#ifndef PORTACL_INCLUDE_ACL_RT_VERSION_H_
#define PORTACL_INCLUDE_ACL_RT_VERSION_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Size of the texts of aclCANNPackageVersion, in bytes.
#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/// Properties of the toolkit.
typedef enum aclCannAttr {
  ACL_CANN_ATTR_UNDEFINED = -1,
  ACL_CANN_ATTR_INF_NAN = 0,
  ACL_CANN_ATTR_BF16 = 1,
  ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

/// Parts of the toolkit that have a version.
typedef enum aclCANNPackageName {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME = 1,
  ACL_PKG_NAME_COMPILER = 2,
  ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4,
  ACL_PKG_NAME_OPP = 5,
  ACL_PKG_NAME_OPP_KERNEL = 6,
  ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

/// Version of one part of the toolkit, as texts.
typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/// Version of a package, from share/info/<package>/version.info below ASCEND_HOME_PATH.
///
/// pkgName     in   such as "runtime", "ops_nn" or "ops-legacy"; '-' and '_' are the same. "driver" is looked up where
///                  /etc/ascend_install.info says.
/// versionStr  out  null-terminated text such as "9.1.0", in a buffer of 128 bytes.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_INVALID_FILE (variable not set, no such package).
/// Threads: process.
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char* pkgName, char* versionStr);

/// Version of a package as a number: A.B.C gives A * 10^7 + B * 10^5 + C * 10^3; with a suffix .alpha<n>, .beta<n> or
/// .rc<n> it is 300, 200 or 100 less, plus n.
///
/// pkgName     in   as for aclsysGetVersionStr.
/// versionNum  out  the number.
///
/// Returns as aclsysGetVersionStr; ACL_ERROR_INTERNAL_ERROR (the version has another form). Threads: process.
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum);

/// Version of a part of the toolkit, complete and split: in "8.1.RC1.alpha2" the major version is "8", the minor "1",
/// the release "RC1", the patch "alpha2".
///
/// name     in   any aclCANNPackageName.
/// version  out  null-terminated texts; the rest is zero.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such part); ACL_ERROR_INVALID_FILE (variable not set, not
/// installed). Threads: process.
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version);

/// The properties that aclGetCannAttribute supports.
///
/// cannAttrList  out  array that lives as long as the process.
/// num           out  its length.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num);

/// One property of the toolkit on the emulated SoC.
///
/// cannAttr  in   ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16 or ACL_CANN_ATTR_JIT_COMPILE.
/// value     out  1 or 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such property). Threads: process.
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_VERSION_H_
