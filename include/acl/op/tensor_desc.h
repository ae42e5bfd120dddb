// SPDX-License-Identifier: Apache-2.0
// Descriptions of tensors for operators by name: element type, shape and format, each in the form of the framework (the
// origin, given at creation) and in that of the memory (the storage). No operator is executed from them yet.
//
// Rules for every function here. A status is ACL_ERROR_INVALID_PARAM if a pointer is NULL, and
// ACL_ERROR_RT_INVALID_HANDLE for a description that is freed, or is none. Dims are >= 0, -1 for one that is unknown,
// or a single -2 if even their number is unknown. On failure nothing is changed or written. Threads: object.
#ifndef PORTACL_INCLUDE_ACL_OP_TENSOR_DESC_H_
#define PORTACL_INCLUDE_ACL_OP_TENSOR_DESC_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: the description of a tensor.
typedef struct aclTensorDesc aclTensorDesc;

/// Describes a tensor of `numDims` dims; origin and storage are equal.
///
/// Returns the description, to be freed with aclDestroyTensorDesc; NULL, with a report, if `numDims` is negative, dims
/// are missing, or memory is exhausted.
ACL_FUNC_VISIBILITY aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                                       aclFormat format);
/// Frees a description. NULL, and one that was freed before, are accepted.
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc* desc);

/// Element type; ACL_DT_UNDEFINED if there is no such description.
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
/// Format of the origin; ACL_FORMAT_UNDEFINED if there is no such description.
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc);
/// Number of dims of the origin; 0 if there is no such description.
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);
/// Dim `index` of the origin.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, or no such dim).
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize);
/// aclGetTensorDescDimV2 without a status: -1 if there is no such dim.
ACL_FUNC_VISIBILITY int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index);
/// Product of the dims of the origin, 1 without dims; 0 if one is unknown, if the product does not fit, or if there is
/// no such description.
ACL_FUNC_VISIBILITY size_t aclGetTensorDescElementCount(const aclTensorDesc* desc);
/// Bytes of that many elements, of aclDataTypeSize each; two of 4 bits share a byte, and the last byte counts in full.
/// 0 as above, and if the bytes do not fit.
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc* desc);
/// Name of the tensor; "" without one. Valid until the description is named anew or freed.
ACL_FUNC_VISIBILITY const char* aclGetTensorDescName(aclTensorDesc* desc);
/// The description at `index` of an array: `desc` itself for 0, else NULL.
ACL_FUNC_VISIBILITY aclTensorDesc* aclGetTensorDescByIndex(aclTensorDesc* desc, size_t index);
/// Address of a tensor that lies in memory of the library: always NULL.
ACL_FUNC_VISIBILITY void* aclGetTensorDescAddress(const aclTensorDesc* desc);

/// Names the tensor; NULL removes the name.
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc* desc, const char* name);
/// Sets the format of the storage.
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format);
/// Sets the shape of the storage.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, or a negative number of dims); ACL_ERROR_BAD_ALLOC. So do the
/// other functions that set a shape.
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims);
/// aclSetTensorFormat under another name.
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageFormat(aclTensorDesc* desc, aclFormat format);
/// aclSetTensorShape under another name.
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageShape(aclTensorDesc* desc, int numDims, const int64_t* dims);
/// Sets the format of the origin.
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginFormat(aclTensorDesc* desc, aclFormat format);
/// Sets the shape of the origin.
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginShape(aclTensorDesc* desc, int numDims, const int64_t* dims);
/// Sets the side on which the memory is.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, or no such side).
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType);
/// Makes the tensor an element of the input of a variable number of tensors that `dynamicInputName` names.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_BAD_ALLOC.
ACL_FUNC_VISIBILITY aclError aclSetTensorDynamicInput(aclTensorDesc* desc, const char* dynamicInputName);
/// Makes the tensor a constant: copies `length` bytes of the host's memory, in place of those set before.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, or no bytes); ACL_ERROR_BAD_ALLOC.
ACL_FUNC_VISIBILITY aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length);

/// Sets the least and the largest size of the first `dimsCount` dims, for dims that are unknown.
///
/// dimsRange  in  `dimsCount` pairs; a largest size of -1 or 0 is no limit.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_BAD_ALLOC.
ACL_FUNC_VISIBILITY aclError aclSetTensorShapeRange(aclTensorDesc* desc, size_t dimsCount, int64_t dimsRange[][2]);
/// The least and the largest size of dim `index` of the origin: as set by aclSetTensorShapeRange; else the dim's size
/// twice, or 0 and -1 for an unknown one.
///
/// dimRangeNum  in   room in `dimRange`, at least 2.
/// dimRange     out  two sizes.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such dim, or too little room).
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimRange(const aclTensorDesc* desc, size_t index, size_t dimRangeNum,
                                                      int64_t* dimRange);
/// Sets the least and the largest value of `valueCount` elements. They are checked, and not used.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null).
ACL_FUNC_VISIBILITY aclError aclSetTensorValueRange(aclTensorDesc* desc, size_t valueCount, int64_t valueRange[][2]);

/// Describes the same tensor in another format: the same dims if it is the format of the origin, and with the channel
/// moved from NCHW to NHWC or back.
///
/// srcDesc    in   the description; unchanged.
/// dstFormat  in   the other format.
/// dstDesc    out  a new description without name and constant, to be freed with aclDestroyTensorDesc.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_FORMAT_NOT_MATCH (another pair of formats, or not 4
/// dims); ACL_ERROR_BAD_ALLOC.
ACL_FUNC_VISIBILITY aclError aclTransTensorDescFormat(const aclTensorDesc* srcDesc, aclFormat dstFormat,
                                                      aclTensorDesc** dstDesc);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_OP_TENSOR_DESC_H_
