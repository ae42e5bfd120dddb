// SPDX-License-Identifier: Apache-2.0
#include "tool/collectives.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "base/library_folder.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

constexpr HcclDataType kType = HCCL_DATA_TYPE_FP32;
constexpr HcclReduceOp kOp = HCCL_REDUCE_SUM;

template <class Function>
void Find(void* library, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(dlsym(library, name));
  if (*function == nullptr) throw Failure(fmt::format("libhccl.so has no {}", name));
}

// The path of a library in the folder of libascendcl.so. The loader would find it by name, but not if a sanitizer
// intercepts dlopen().
std::string PathBesideRuntime(const char* name) { return FolderOfLibrary(dlsym(RTLD_NEXT, "aclInit")) + name; }

// Parts of equal size, in the form that functions for uneven parts take.
struct EvenParts {
  EvenParts(uint32_t ranks, uint64_t each)
      : counts(ranks, each), offsets(ranks), matrix(uint64_t{ranks} * ranks, each) {
    for (uint32_t rank = 0; rank < ranks; ++rank) offsets[rank] = rank * each;
  }

  std::vector<uint64_t> counts;
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> matrix;
};

using Rank = CollectiveRank;

HcclResult QueueAllGatherV(const Rank& r, uint64_t count) {
  const EvenParts parts(r.ranks, count / r.ranks);
  return r.hccl.all_gather_v(r.send, count / r.ranks, r.receive, parts.counts.data(), parts.offsets.data(), kType,
                             r.comm, r.stream);
}

HcclResult QueueReduceScatterV(const Rank& r, uint64_t count) {
  const EvenParts parts(r.ranks, count / r.ranks);
  return r.hccl.reduce_scatter_v(r.send, parts.counts.data(), parts.offsets.data(), r.receive, count / r.ranks, kType,
                                 kOp, r.comm, r.stream);
}

HcclResult QueueAlltoAllV(const Rank& r, uint64_t count) {
  const EvenParts parts(r.ranks, count / r.ranks);
  return r.hccl.all_to_all_v(r.send, parts.counts.data(), parts.offsets.data(), kType, r.receive, parts.counts.data(),
                             parts.offsets.data(), kType, r.comm, r.stream);
}

HcclResult QueueAlltoAllVC(const Rank& r, uint64_t count) {
  const EvenParts parts(r.ranks, count / r.ranks);
  return r.hccl.all_to_all_vc(r.send, parts.matrix.data(), kType, r.receive, kType, r.comm, r.stream);
}

// Sends to the next rank and receives from the previous one.
HcclResult QueueRing(const Rank& r, uint64_t count) {
  HcclSendRecvItem items[] = {{HCCL_SEND, r.send, count, kType, (r.rank + 1) % r.ranks},
                              {HCCL_RECV, r.receive, count, kType, (r.rank + r.ranks - 1) % r.ranks}};
  return r.hccl.batch_send_recv(items, 2, r.comm, r.stream);
}

}  // namespace

HcclFunctions::HcclFunctions() {
  void* const library = dlopen(PathBesideRuntime("libhccl.so").c_str(), RTLD_NOW);
  if (library == nullptr) throw Failure(dlerror());
  Find(library, "HcclGetRootInfo", &get_root_info);
  Find(library, "HcclCommInitRootInfo", &init);
  Find(library, "HcclCommDestroy", &destroy);
  Find(library, "HcclAllReduce", &all_reduce);
  Find(library, "HcclBroadcast", &broadcast);
  Find(library, "HcclAllGather", &all_gather);
  Find(library, "HcclAllGatherV", &all_gather_v);
  Find(library, "HcclReduceScatter", &reduce_scatter);
  Find(library, "HcclReduceScatterV", &reduce_scatter_v);
  Find(library, "HcclReduce", &reduce);
  Find(library, "HcclScatter", &scatter);
  Find(library, "HcclAlltoAll", &all_to_all);
  Find(library, "HcclAlltoAllV", &all_to_all_v);
  Find(library, "HcclAlltoAllVC", &all_to_all_vc);
  Find(library, "HcclBatchSendRecv", &batch_send_recv);
  Find(library, "HcclBarrier", &barrier);
}

const std::vector<Collective>& Collectives() {
  static const std::vector<Collective> collectives = {
      {"HcclAllReduce",
       [](const Rank& r, uint64_t n) { return r.hccl.all_reduce(r.send, r.receive, n, kType, kOp, r.comm, r.stream); }},
      {"HcclReduce",
       [](const Rank& r, uint64_t n) { return r.hccl.reduce(r.send, r.receive, n, kType, kOp, 0, r.comm, r.stream); }},
      {"HcclReduceScatter",
       [](const Rank& r, uint64_t n) {
         return r.hccl.reduce_scatter(r.send, r.receive, n / r.ranks, kType, kOp, r.comm, r.stream);
       }},
      {"HcclReduceScatterV", &QueueReduceScatterV},
      {"HcclBroadcast",
       [](const Rank& r, uint64_t n) { return r.hccl.broadcast(r.receive, n, kType, 0, r.comm, r.stream); }},
      {"HcclScatter",
       [](const Rank& r, uint64_t n) {
         return r.hccl.scatter(r.send, r.receive, n / r.ranks, kType, 0, r.comm, r.stream);
       }},
      {"HcclAllGather",
       [](const Rank& r, uint64_t n) {
         return r.hccl.all_gather(r.send, r.receive, n / r.ranks, kType, r.comm, r.stream);
       }},
      {"HcclAllGatherV", &QueueAllGatherV},
      {"HcclAlltoAll",
       [](const Rank& r, uint64_t n) {
         return r.hccl.all_to_all(r.send, n / r.ranks, kType, r.receive, n / r.ranks, kType, r.comm, r.stream);
       }},
      {"HcclAlltoAllV", &QueueAlltoAllV},
      {"HcclAlltoAllVC", &QueueAlltoAllVC},
      {"HcclBatchSendRecv", &QueueRing},
      {"HcclBarrier", [](const Rank& r, uint64_t) { return r.hccl.barrier(r.comm, r.stream); }}};
  return collectives;
}

}  // namespace portacl::tool
