// SPDX-License-Identifier: Apache-2.0
// C functions of arrays and lists.
#include "tensor/array.h"

#include <algorithm>
#include <type_traits>

#include "tensor/argument.h"

namespace portacl {
namespace {

template <class Array, class Element>
Array* Create(const char* function, const Element* values, uint64_t size) noexcept {
  if (values == nullptr) size = 0;
  Array* array = Take<Array>();
  auto* kept = array == nullptr ? nullptr : array->Reserve(size);
  if (kept == nullptr) {
    if (array != nullptr) GiveBack(array);
    Failf(ACLNN_ERR_INNER, "{}: argument 'size': no host memory for {} values", function, size);
    return nullptr;
  }
  if constexpr (std::is_same_v<Array, aclBoolArray>) {
    std::transform(values, values + size, kept, [](unsigned char byte) { return byte != 0; });
  } else {
    std::copy_n(values, size, kept);
  }
  return array;
}

template <class Array>
aclnnStatus Destroy(const char* function, const Array* array) noexcept {
  if (array == nullptr) return 0;
  if (!array->alive()) {
    NotifyOfDeadObject(function, array);
    return 0;
  }
  Array* mine = const_cast<Array*>(array);
  mine->Release();
  GiveBack(mine);
  return 0;
}

// The list owns its elements. An element that the client has already destroyed is dead and not destroyed again.
template <class List, class Object>
aclnnStatus DestroyWithElements(const char* function, const List* list,
                                aclnnStatus (*destroy)(const Object*)) noexcept {
  if (list != nullptr && list->alive()) {
    for (const Object* element : list->values()) destroy(element);
  }
  return Destroy(function, list);
}

template <class Array>
aclnnStatus GetSize(const char* function, const char* name, const Array* array, uint64_t* size) noexcept {
  if (const int32_t status = CheckObject(function, name, array); status != 0) return status;
  if (const int32_t status = CheckPointer(function, "size", size); status != 0) return status;
  *size = array->values().size();
  return 0;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return Create<aclIntArray>(__func__, value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return Create<aclFloatArray>(__func__, value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  // Clients fill these arrays with bytes; a byte that is neither 0 nor 1 must not be read as bool.
  return Create<aclBoolArray>(__func__, reinterpret_cast<const unsigned char*>(value), size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return Create<aclTensorList>(__func__, value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return Create<aclScalarList>(__func__, value, size);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return Destroy(__func__, array); }
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) { return Destroy(__func__, array); }
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) { return Destroy(__func__, array); }
aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return DestroyWithElements(__func__, array, aclDestroyTensor);
}
aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return DestroyWithElements(__func__, array, aclDestroyScalar);
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return GetSize(__func__, "array", array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return GetSize(__func__, "array", array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return GetSize(__func__, "array", array, size);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return GetSize(__func__, "tensorList", tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return GetSize(__func__, "scalarList", scalarList, size);
}
