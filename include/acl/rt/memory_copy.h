// SPDX-License-Identifier: Apache-2.0
// Copies and fills of more than one range of bytes: words, rows, batches, and addresses that are known only when the
// task runs.
#ifndef PORTACL_INCLUDE_ACL_RT_MEMORY_COPY_H_
#define PORTACL_INCLUDE_ACL_RT_MEMORY_COPY_H_

#include "acl/rt/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Locations of one copy of a batch.
typedef struct aclrtMemcpyBatchAttr {
  aclrtMemLocation dstLoc;
  aclrtMemLocation srcLoc;
  uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/// Fills 32-bit words and returns when done.
///
/// ptr      in  memory of aclrtMalloc or aclrtMallocHost, a multiple of 4.
/// memSize  in  size of `ptr` in bytes.
/// value    in  the word.
/// N        in  words; 0 succeeds before any other check.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, not aligned, other memory, no room); ACL_ERROR_RT_CONTEXT_NULL.
/// Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N);

/// Queues a fill with 32-bit words.
///
/// ptr, memSize, value, N  in  as for aclrtMemsetD32.
/// stream                  in  NULL is the default stream.
///
/// Returns as aclrtMemsetD32; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N,
                                                 aclrtStream stream);

/// aclrtMemcpyAsync that refuses ordinary host memory instead of waiting for the stream.
///
/// dst, destMax, src, count, kind, stream  in  as there; host memory must be from aclrtMallocHost or registered.
///
/// Returns as there; ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ordinary host memory). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count,
                                                           aclrtMemcpyKind kind, aclrtStream stream);

/// Queues a copy between addresses that are read when the task runs.
///
/// dst, src          in  memory in which the addresses are stored.
/// destMax           in  bytes available after the offset.
/// dstDataOffset     in  bytes added to the address at `dst`.
/// count             in  bytes to copy, at most `destMax`; 0 succeeds before any other check.
/// srcDataOffset     in  bytes added to the address at `src`.
/// kind              in  as for aclrtMemcpy.
/// stream            in  NULL is the default stream.
///
/// Returns as aclrtMemcpy, except for ranges, which a later synchronization reports; ACL_ERROR_RT_STREAM_CONTEXT;
/// ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset,
                                                        const void** src, size_t count, size_t srcDataOffset,
                                                        aclrtMemcpyKind kind, aclrtStream stream);

/// Copies rows and returns when done.
///
/// dst, src        in  first row.
/// dpitch, spitch  in  bytes from one row to the next.
/// width           in  bytes of a row, at most either pitch.
/// height          in  rows. Width or height 0 succeeds before any other check.
/// kind            in  ACL_MEMCPY_HOST_TO_DEVICE .. ACL_MEMCPY_DEFAULT; otherwise a hint.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, width, kind, or rows that leave the address space or their block
/// of memory, or lie in freed memory); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                           size_t height, aclrtMemcpyKind kind);

/// Queues a copy of rows, as aclrtMemcpyAsync does with one range.
///
/// dst, dpitch, src, spitch, width, height, kind  in  as for aclrtMemcpy2d.
/// stream                                         in  NULL is the default stream.
///
/// Returns as aclrtMemcpy2d; ACL_ERROR_RT_FEATURE_NOT_SUPPORT (both addresses are host memory);
/// ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                                size_t height, aclrtMemcpyKind kind, aclrtStream stream);

/// Makes several copies and returns when done. If an entry is refused, nothing is copied.
///
/// dsts, srcs     in   `numBatches` addresses each.
/// destMaxs       in   size of each destination in bytes.
/// sizes          in   bytes of each copy.
/// numBatches     in   not 0.
/// attrs          in   `numAttrs` locations; directions follow from the addresses.
/// attrsIndexes   in   the first entry for each of them: 0, then increasing.
/// numAttrs       in   1 .. numBatches.
/// failIndex      out  the refused entry, SIZE_MAX if none was.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (counts, attrsIndexes, a size above
/// its destMax, a range that aclrtMemcpy refuses); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                              size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                              size_t numAttrs, size_t* failIndex);

/// aclrtMemcpyBatch without failIndex.
///
/// dsts .. numAttrs  in  as there.
///
/// Returns as there. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                                size_t numAttrs);

/// Queues several copies, each like aclrtMemcpyAsync. If the checks refuse an entry, nothing is queued.
///
/// dsts .. numAttrs  in   as for aclrtMemcpyBatch.
/// failIndex         out  the entry that was refused, or that could not be queued; those before it are. Else SIZE_MAX.
/// stream            in   NULL is the default stream.
///
/// Returns as aclrtMemcpyBatch; ACL_ERROR_RT_FEATURE_NOT_SUPPORT (host memory on both sides);
/// ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                   size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                                   size_t numAttrs, size_t* failIndex, aclrtStream stream);

/// aclrtMemcpyBatchAsync without failIndex.
///
/// dsts .. numAttrs, stream  in  as there.
///
/// Returns as there. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                     size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                                     size_t* attrsIndexes, size_t numAttrs, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_MEMORY_COPY_H_
