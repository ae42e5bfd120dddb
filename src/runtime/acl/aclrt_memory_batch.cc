// SPDX-License-Identifier: Apache-2.0
// Batches of copies.
#include <cstdint>

#include "base/observer.h"
#include "runtime/acl/copy_checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/streams/transfer.h"

namespace portacl {
namespace {

struct Batch {
  void** dsts;
  size_t* dest_maxs;
  void** srcs;
  size_t* sizes;
  size_t count;
  aclrtMemcpyBatchAttr* attributes;
  size_t* attribute_indexes;
  size_t attribute_count;

  streams::Rows Entry(size_t index) const noexcept {
    return {dsts[index], sizes[index], srcs[index], sizes[index], sizes[index], 1};
  }
};

aclError CheckArrays(const char* function, const Batch& batch) noexcept {
  const auto null = [&]() -> const char* {
    if (batch.dsts == nullptr) return "dsts";
    if (batch.dest_maxs == nullptr) return "destMaxs";
    if (batch.srcs == nullptr) return "srcs";
    if (batch.sizes == nullptr) return "sizes";
    if (batch.attributes == nullptr) return "attrs";
    return batch.attribute_indexes == nullptr ? "attrsIndexes" : nullptr;
  }();
  if (null != nullptr) return NullArgument(function, null);
  if (batch.count == 0 || batch.attribute_count == 0 || batch.attribute_count > batch.count) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: arguments 'numBatches' and 'numAttrs': expected 1 <= numAttrs <= numBatches, got {} and {}",
                 function, batch.attribute_count, batch.count);
  }
  for (size_t index = 0; index < batch.attribute_count; ++index) {
    const size_t entry = batch.attribute_indexes[index];
    if (index == 0 ? entry == 0 : entry > batch.attribute_indexes[index - 1] && entry < batch.count) continue;
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'attrsIndexes': expected 0 and then rising numbers below {}, got {} at {}", function,
                 batch.count, entry, index);
  }
  return ACL_SUCCESS;
}

// Checks all entries before the first one is copied. *fail_index is set to the index of a refused entry.
aclError CheckEntries(const char* function, const Batch& batch, size_t* fail_index) noexcept {
  for (size_t index = 0; index < batch.count; ++index) {
    if (batch.sizes[index] == 0) continue;
    *fail_index = index;
    if (batch.dsts[index] == nullptr || batch.srcs[index] == nullptr) {
      return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument '{}': expected a pointer, got NULL at {}", function,
                   batch.dsts[index] == nullptr ? "dsts" : "srcs", index);
    }
    if (batch.sizes[index] > batch.dest_maxs[index]) {
      return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'sizes': expected at most destMaxs = {}, got {} at {}",
                   function, batch.dest_maxs[index], batch.sizes[index], index);
    }
    if (const aclError status = CheckRows(function, batch.Entry(index), ACL_ERROR_RT_PARAM_INVALID)) return status;
  }
  *fail_index = SIZE_MAX;
  return ACL_SUCCESS;
}

aclError CheckBatch(const char* function, const Batch& batch, size_t* fail_index) noexcept {
  *fail_index = SIZE_MAX;
  const aclError status = CheckArrays(function, batch);
  return status != ACL_SUCCESS ? status : CheckEntries(function, batch, fail_index);
}

aclError CopyBatch(const char* function, const Batch& batch, size_t* fail_index) noexcept {
  const aclError status = CheckBatch(function, batch, fail_index);
  if (status != ACL_SUCCESS) return status;
  const contexts::Context* context = contexts::ResolveContext(function);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  for (size_t index = 0; index < batch.count; ++index) {
    if (batch.sizes[index] == 0) continue;
    streams::NotifyOfCopy(batch.Entry(index));
    streams::CopyRows(devices::GetDevice(context->device()), batch.Entry(index));
  }
  return ACL_SUCCESS;
}

aclError QueueBatch(const char* function, const Batch& batch, size_t* fail_index, aclrtStream stream) noexcept {
  aclError status = CheckBatch(function, batch, fail_index);
  if (status != ACL_SUCCESS) return status;
  streams::Stream* live = contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  for (size_t index = 0; index < batch.count; ++index) {
    if (batch.sizes[index] == 0) continue;
    status = streams::QueueCopy(function, *live, batch.Entry(index), streams::Pageable::kWait);
    if (status == ACL_SUCCESS) continue;
    *fail_index = index;
    return status;
  }
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex) {
  const ApiCall api_call(__func__);
  if (failIndex == nullptr) return NullArgument(__func__, "failIndex");
  return CopyBatch(__func__, {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, failIndex);
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs) {
  const ApiCall api_call(__func__);
  size_t unused = 0;
  return CopyBatch(__func__, {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, &unused);
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                               aclrtStream stream) {
  const ApiCall api_call(__func__);
  if (failIndex == nullptr) return NullArgument(__func__, "failIndex");
  return QueueBatch(__func__, {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, failIndex,
                    stream);
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream) {
  const ApiCall api_call(__func__);
  size_t unused = 0;
  return QueueBatch(__func__, {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, &unused,
                    stream);
}
