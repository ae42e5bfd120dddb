// SPDX-License-Identifier: Apache-2.0
// Base types that only descriptions of models and single operators use.
#ifndef PORTACL_INCLUDE_ACL_ACL_BASE_MDL_H_
#define PORTACL_INCLUDE_ACL_ACL_BASE_MDL_H_

#ifdef __cplusplus
extern "C" {
#endif

/// Location of a tensor description's data.
typedef enum aclMemType {
  ACL_MEMTYPE_DEVICE = 0,
  ACL_MEMTYPE_HOST = 1,
  ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_BASE_MDL_H_
