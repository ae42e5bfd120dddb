// SPDX-License-Identifier: Apache-2.0
// Groups of cores of a device. These functions are not supported.
#ifndef PORTACL_INCLUDE_ACL_RT_CORE_GROUP_H_
#define PORTACL_INCLUDE_ACL_RT_CORE_GROUP_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Attributes of a group of cores.
typedef enum aclrtGroupAttr {
  ACL_GROUP_AICORE_INT = 0,
  ACL_GROUP_AIV_INT = 1,
  ACL_GROUP_AIC_INT = 2,
  ACL_GROUP_SDMANUM_INT = 3,
  ACL_GROUP_ASQNUM_INT = 4,
  ACL_GROUP_GROUPID_INT = 5
} aclrtGroupAttr;

/// Opaque: a group of cores.
typedef struct tagRtGroupInfo aclrtGroupInfo;

/// Groups of cores. This device has none: each of these functions returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT and leaves
/// a message with its name; aclrtCreateGroupInfo returns NULL. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtSetGroup(int32_t groupId);
ACL_FUNC_VISIBILITY aclError aclrtGetGroupCount(uint32_t* count);
ACL_FUNC_VISIBILITY aclrtGroupInfo* aclrtCreateGroupInfo(void);
ACL_FUNC_VISIBILITY aclError aclrtDestroyGroupInfo(aclrtGroupInfo* groupInfo);
ACL_FUNC_VISIBILITY aclError aclrtGetAllGroupInfo(aclrtGroupInfo* groupInfo);
ACL_FUNC_VISIBILITY aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo* groupInfo, int32_t groupIndex,
                                                     aclrtGroupAttr attr, void* attrValue, size_t valueLen,
                                                     size_t* paramRetSize);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_CORE_GROUP_H_
