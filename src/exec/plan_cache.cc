// SPDX-License-Identifier: Apache-2.0
#include "exec/plan_cache.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/target.h"
#include "base/thread_end.h"
#include "base/visibility.h"
#include "exec/executor_pool.h"
#include "tensor/array.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace portacl::exec {
namespace {

constexpr size_t kMostWords = 128;
constexpr size_t kMostOperands = 24;          // enough for attention, or a list of a few tensors
constexpr size_t kMostText = 31;              // "BNSD_BSND"
constexpr size_t kMostParameterBytes = 8192;  // larger plans are not cached
constexpr size_t kSlack = 3 + 2 * kMaxRank;   // the words of one tensor
constexpr uint64_t kAbsent = ~uint64_t{0};

struct Key {
  size_t count = 0;
  uint64_t words[kMostWords + kSlack] = {};
};

struct Addresses {
  void* items[kMostOperands];
  size_t count;
};

struct CachedPlan {
  Key key;
  Executor plan{0};          // has no handle: it is only copied from
  Executor* kept = nullptr;  // an executor that holds this plan from call to call
  bool kept_is_current = false;

  ~CachedPlan() {
    if (kept != nullptr) Disown(kept);
  }
};

// An executor with the cached plan. The kept one needs no copy; others serve while it is in use. Throws bad_alloc.
Executor* ExecutorOf(CachedPlan& cached) {
  if (cached.kept == nullptr) {
    cached.kept = TakeExecutor();
    cached.kept->owner.store(Executor::Owner::kCacheIdle, std::memory_order_relaxed);
  }
  if (cached.kept->owner.load(std::memory_order_acquire) != Executor::Owner::kCacheIdle) {
    ExecutorPointer executor(TakeExecutor());
    executor->CopyPlan(cached.plan);
    return executor.release();
  }
  if (!cached.kept_is_current) cached.kept->CopyPlan(cached.plan);
  cached.kept_is_current = true;
  cached.kept->repeatable = false;
  cached.kept->owner.store(Executor::Owner::kCacheBusy, std::memory_order_relaxed);
  return cached.kept;
}

// A layer of a language model makes twenty calls that differ from each other. In sets of two plans some would drive
// each other out, and be planned again for every token.
constexpr int kSetBits = 5;
using Set = CachedPlan* [4];  // the most recently used one comes first
struct PlanCache {
  CachedPlan* last = nullptr;  // the plan that was found last: most calls are like the one before
  Set sets[1 << kSetBits] = {};
  ~PlanCache() {
    for (const auto& set : sets) {
      for (CachedPlan* cached : set) delete cached;
    }
  }
};
PORTACL_HOT_THREAD_LOCAL constinit thread_local PlanCache* cache = nullptr;
PORTACL_HOT_THREAD_LOCAL constinit thread_local bool thread_ended = false;

const ThreadEnd cache_end([](void* of_thread) {
  thread_ended = true;
  cache = nullptr;
  delete static_cast<PlanCache*>(of_thread);
});

// Creates the thread's plans at its first call; they are deleted when the thread ends. Null without memory, and after
// that.
PlanCache* MakeCache() noexcept {
  if (thread_ended) return nullptr;
  std::unique_ptr<PlanCache> fresh(new (std::nothrow) PlanCache);
  if (fresh != nullptr && cache_end.Watch(fresh.get())) cache = fresh.release();
  return cache;
}

uint64_t HashOf(const Value& value, uint64_t hash) {
  const aclTensor* tensor = nullptr;
  if (value.kind() == ValueKind::kTensor) {
    tensor = value.As<const aclTensor*>();
  } else if (const auto* list = value.As<const aclTensorList*>(); list != nullptr && list->alive()) {
    tensor = list->values().empty() ? nullptr : list->values().front();
  }
  if (tensor != nullptr && tensor->rank <= kMaxRank) {
    hash ^= static_cast<uint64_t>(tensor->dtype);
    for (uint32_t axis = 0; axis < tensor->rank; ++axis)
      hash = hash * 0x9E3779B97F4A7C15 + static_cast<uint64_t>(tensor->shape[axis]);
  }
  return hash;
}

// The set to search for a call. Most calls of one operator differ, if at all, in the shape of the first or last tensor.
Set& SetOf(const Schema& schema, std::span<const Value> values) {
  uint64_t hash = reinterpret_cast<uintptr_t>(&schema);
  hash = HashOf(values[static_cast<size_t>(schema.tensors.front())], hash);
  hash = HashOf(values[static_cast<size_t>(schema.tensors.back())], hash);
  return cache->sets[hash * 0x9E3779B97F4A7C15 >> (64 - kSetBits)];
}

// The words of a call are written to a key (Word is uint64_t), or compared with one (const uint64_t). Each function
// takes a pointer to its first word and returns a pointer past its last, or null when words differ, the key is full, or
// words cannot express the argument.
template <class Word>
inline Word* Next(Word* place, uint64_t word, uint64_t* difference) {
  if constexpr (std::is_const_v<Word>) {
    *difference |= *place ^ word;
  } else {
    *place = word;
  }
  return place + 1;
}

template <class Word>
inline Word* TensorWords(const aclTensor* tensor, Word* place) {
  uint64_t difference = 0;
  if (tensor == nullptr) {
    place = Next(place, kAbsent, &difference);
  } else {
    if (!tensor->alive() || tensor->rank > kMaxRank) return nullptr;
    const auto dtype = std::bit_cast<uint32_t>(tensor->dtype);
    const auto format = std::bit_cast<uint32_t>(tensor->format);
    place = Next(place, uint64_t{dtype} << 32 | format, &difference);
    // Checks of FRACTAL_NZ depend on the storage, too.
    place = Next(place, tensor->rank | uint64_t{IsStoredInBlocks(*tensor)} << 32, &difference);
    place = Next(place, static_cast<uint64_t>(tensor->offset), &difference);
    for (uint32_t axis = 0; axis < tensor->rank; ++axis) {
      place = Next(place, static_cast<uint64_t>(tensor->shape[axis]), &difference);
      place = Next(place, static_cast<uint64_t>(tensor->strides[axis]), &difference);
    }
  }
  return difference == 0 ? place : nullptr;
}

template <class Array, class Word>
Word* ArrayWords(const Array* array, Word* place, const uint64_t* end) {
  uint64_t difference = 0;
  if (array == nullptr) {
    place = Next(place, kAbsent, &difference);
  } else {
    const auto values = array->values();
    if (!array->alive() || values.size() > kMostWords || place + values.size() >= end) return nullptr;
    place = Next(place, values.size(), &difference);
    for (const auto value : values) {
      uint64_t word = 0;
      std::memcpy(&word, &value, sizeof(value));
      place = Next(place, word, &difference);
    }
  }
  return difference == 0 ? place : nullptr;
}

template <class Word>
Word* ScalarWords(const aclScalar* scalar, Word* place) {
  uint64_t difference = 0;
  if (scalar == nullptr) {
    place = Next(place, kAbsent, &difference);
  } else {
    if (!scalar->alive()) return nullptr;
    uint64_t bytes[2];
    std::memcpy(bytes, scalar->bytes, sizeof(bytes));
    place = Next(place, std::bit_cast<uint32_t>(scalar->dtype), &difference);
    place = Next(place, bytes[0], &difference);
    place = Next(place, bytes[1], &difference);
  }
  return difference == 0 ? place : nullptr;
}

template <class Word>
Word* TextWords(const char* text, Word* place) {
  uint64_t difference = 0;
  if (text == nullptr) {
    place = Next(place, kAbsent, &difference);
  } else {
    const size_t size = strnlen(text, kMostText + 1);
    if (size > kMostText) return nullptr;
    uint64_t words[(kMostText + 1) / sizeof(uint64_t)] = {};
    std::memcpy(words, text, size);
    place = Next(place, size, &difference);
    for (const uint64_t word : words) place = Next(place, word, &difference);
  }
  return difference == 0 ? place : nullptr;
}

template <class Word>
inline Word* ValueWords(const Value& value, Word* place, const uint64_t* end) {
  uint64_t word = 0;
  switch (value.kind()) {
    case ValueKind::kDouble:
    case ValueKind::kFloat:
      word = value.word();
      break;
    case ValueKind::kInt64:
    case ValueKind::kUInt64:
    case ValueKind::kInt32:
    case ValueKind::kInt8:
    case ValueKind::kBool:
    case ValueKind::kDtype:
      word = static_cast<uint64_t>(value.integer());
      break;
    case ValueKind::kIntArray:
      return ArrayWords(value.As<const aclIntArray*>(), place, end);
    case ValueKind::kFloatArray:
      return ArrayWords(value.As<const aclFloatArray*>(), place, end);
    case ValueKind::kBoolArray:
      return ArrayWords(value.As<const aclBoolArray*>(), place, end);
    case ValueKind::kScalar:
      return ScalarWords(value.As<const aclScalar*>(), place);
    case ValueKind::kString:
      return TextWords(value.As<const char*>(), place);
    case ValueKind::kTensor:
    case ValueKind::kTensorList:
    case ValueKind::kScalarList:
      return nullptr;
  }
  uint64_t difference = 0;
  place = Next(place, word, &difference);
  return difference == 0 ? place : nullptr;
}

// All that the outcome of phase 1 depends on; the addresses of the operands are stored beside it, in the order of a
// run.
template <class Word>
inline Word* CallWords(const Schema& schema, PlanFunction plan, std::span<const Value> values, Word* place,
                       const uint64_t* end, Addresses* addresses) {
  uint64_t difference = 0;
  place = Next(place, reinterpret_cast<uintptr_t>(&schema), &difference);
  place = Next(place, reinterpret_cast<uintptr_t>(plan), &difference);
  place = Next(place, settings_version.load(std::memory_order_relaxed), &difference);
  if (difference != 0) return nullptr;
  // A comparison does not have to check for the end of the key: the words so far were equal, so that no more tensors
  // follow than were written, and a tensor that differs reads no further than the slack.
  constexpr bool kWrites = !std::is_const_v<Word>;
  size_t operands = 0;
  for (int arg : schema.tensors) {
    const Value& value = values[static_cast<size_t>(arg)];
    if (value.kind() == ValueKind::kTensor) [[likely]] {
      if (kWrites && (operands == kMostOperands || place >= end)) return nullptr;
      const auto* tensor = value.As<const aclTensor*>();
      addresses->items[operands++] = tensor == nullptr ? nullptr : tensor->data;
      place = TensorWords(tensor, place);
      if (place == nullptr) return nullptr;
      continue;
    }
    const auto* list = value.kind() == ValueKind::kTensorList ? value.As<const aclTensorList*>() : nullptr;
    if (list == nullptr || !list->alive()) return nullptr;
    place = Next(place, list->values().size(), &difference);
    if (difference != 0) return nullptr;
    for (const aclTensor* tensor : list->values()) {
      if (kWrites && (operands == kMostOperands || place >= end)) return nullptr;
      addresses->items[operands++] = tensor == nullptr ? nullptr : tensor->data;
      place = TensorWords(tensor, place);
      if (place == nullptr) return nullptr;
    }
  }
  addresses->count = operands;
  for (const Value& value : values) {
    if (IsTensor(value.kind())) continue;
    if (kWrites && place >= end) return nullptr;
    place = ValueWords(value, place, end);
    if (place == nullptr) return nullptr;
  }
  return place;
}

}  // namespace

Executor* FindPlan(const Schema& schema, PlanFunction plan, std::span<const Value> values) {
  if (cache == nullptr) return nullptr;
  Addresses addresses;
  const auto is_of = [&](const CachedPlan* cached) {
    if (cached == nullptr) return false;
    const uint64_t* words = cached->key.words;
    return CallWords(schema, plan, values, words, words + kMostWords, &addresses) == words + cached->key.count;
  };
  CachedPlan* cached = cache->last;
  if (!is_of(cached)) [[unlikely]] {
    Set& set = SetOf(schema, values);
    const auto found = std::ranges::find_if(set, is_of);
    if (found == std::end(set)) return nullptr;
    std::rotate(std::begin(set), found, found + 1);
    cached = cache->last = set[0];
  }
  Executor* executor = ExecutorOf(*cached);
  executor->SetAddresses({addresses.items, addresses.count});
  return executor;
}

void KeepPlan(const Schema& schema, PlanFunction plan, std::span<const Value> values,
              const Executor& executor) noexcept {
  Key key;
  Addresses addresses;
  const uint64_t* const end = CallWords(schema, plan, values, key.words, key.words + kMostWords, &addresses);
  if (end == nullptr || executor.parameter_bytes() > kMostParameterBytes) return;
  if (cache == nullptr && MakeCache() == nullptr) return;
  Set& set = SetOf(schema, values);
  CachedPlan*& oldest = *std::rbegin(set);
  if (oldest == nullptr) oldest = new (std::nothrow) CachedPlan;
  if (oldest == nullptr) return;
  oldest->key.count = 0;  // without memory, the entry describes no call
  oldest->kept_is_current = false;
  try {
    oldest->plan.CopyPlan(executor);
  } catch (const std::bad_alloc&) {
    return;
  }
  key.count = static_cast<size_t>(end - key.words);
  oldest->key = key;
  std::rotate(std::begin(set), std::end(set) - 1, std::end(set));
}

}  // namespace portacl::exec
