// SPDX-License-Identifier: Apache-2.0
// Pairs of an address and a size.
#include "base/observer.h"
#include "runtime/arguments.h"
#include "runtime/object_store.h"

struct aclDataBuffer {
  void* data;
  size_t size;
};

namespace portacl {
namespace {

constinit ObjectStore<aclDataBuffer> g_data_buffers;

}  // namespace
}  // namespace portacl

using namespace portacl;

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) { return g_data_buffers.Make({data, size}); }

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  const ApiCall api_call(__func__);
  if (dataBuffer == nullptr) return NullArgument(__func__, "dataBuffer");
  if (g_data_buffers.Destroy(dataBuffer)) return ACL_SUCCESS;
  return BadHandle(__func__, "dataBuffer", "data buffer", dataBuffer);
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  const ApiCall api_call(__func__);
  if (dataBuffer == nullptr) return NullArgument(__func__, "dataBuffer");
  aclDataBuffer* live = g_data_buffers.Live(dataBuffer);
  if (live == nullptr) return BadHandle(__func__, "dataBuffer", "data buffer", dataBuffer);
  *live = {data, size};
  return ACL_SUCCESS;
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  const aclDataBuffer* live = g_data_buffers.Live(dataBuffer);
  return live == nullptr ? nullptr : live->data;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  const aclDataBuffer* live = g_data_buffers.Live(dataBuffer);
  return live == nullptr ? 0 : live->size;
}
