// SPDX-License-Identifier: Apache-2.0
// A C program as a client writes it: the types come from the spelled headers, the deleters from their functions.
#include "spellings.h"

typedef aclError (*FreeFunction)(void*);
typedef aclnnStatus (*DestroyFunction)(const aclTensor*);

const FreeFunction kFree = aclrtFree;
const DestroyFunction kDestroy = aclDestroyTensor;
const aclDataType kType = ACL_FLOAT16;
const aclnnStatus kStatus = ACLNN_ERR_PARAM_NULLPTR;
