// SPDX-License-Identifier: Apache-2.0
// Physical memory is a range of an anonymous file, so that it can be mapped at any address. A run of adjacent mappings
// is one block in the page table, so operators treat a block that has grown like any other.
#include "runtime/memory/virtual_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "base/never_destroyed.h"
#include "base/process_mutex.h"
#include "runtime/arguments.h"
#include "runtime/devices/cpu_device.h"
#include "runtime/handle_table.h"
#include "runtime/memory/page_table.h"
#include "runtime/memory/physical_memory.h"
#include "runtime/memory/pool.h"

namespace portacl::memory {
namespace {

// Guarded by the mutex of the address space.
struct Physical {
  FileRange memory;
  size_t bytes = 0;
  int device = 0;
  int references = 0;  // references that clients hold
  int mappings = 0;
  aclrtPhysicalMemProp properties{};
};
using PhysicalTable = HandleTable<Physical, 0x0C04, 1 << 16>;
constinit PhysicalTable g_physical;

struct Mapping {
  size_t bytes;
  HandleBits physical;
};

struct MappedRun {
  size_t bytes;
  Region* region;
};

struct Reservation {
  size_t bytes;
  std::map<uintptr_t, Mapping> mappings;
  std::map<uintptr_t, MappedRun> runs;
};

class AddressSpace {
 public:
  ProcessMutex mutex;
  std::map<uintptr_t, Reservation> reservations;
  std::atomic<size_t> reserved{0};  // the number of reserved ranges
  PhysicalMemory memory;

  // Finds the reserved range that contains the address.
  Reservation* Find(uintptr_t address) {
    const auto after = reservations.upper_bound(address);
    if (after == reservations.begin()) return nullptr;
    const auto found = std::prev(after);
    return address - found->first < found->second.bytes ? &found->second : nullptr;
  }

  void Join(Reservation& reservation, uintptr_t begin, size_t bytes, int device);
  void Cut(Reservation& reservation, uintptr_t begin, size_t bytes);

 private:
  static constexpr size_t kQuarantine = 64;

  Region* NewRegion(uintptr_t begin, size_t bytes, Pool* pool);
  void Retire(Region* region) noexcept {
    region->next = nullptr;
    (last_retired_ == nullptr ? first_retired_ : last_retired_->next) = region;
    last_retired_ = region;
    ++retired_;
  }

  Region* first_retired_ = nullptr;
  Region* last_retired_ = nullptr;
  size_t retired_ = 0;
};

// Never destroyed: clients may free memory while the process ends.
AddressSpace& TheSpace() {
  static NeverDestroyed<AddressSpace> space;
  return *space;
}

// A reader without a lock may still use a region that was removed, so regions are reused late.
Region* AddressSpace::NewRegion(uintptr_t begin, size_t bytes, Pool* pool) {
  Region* region = nullptr;
  if (retired_ > kQuarantine) {
    region = first_retired_;
    first_retired_ = region->next;
    --retired_;
  } else {
    region = new Region;
  }
  region->begin.store(begin, std::memory_order_relaxed);
  region->bytes.store(bytes, std::memory_order_relaxed);
  region->pool.store(pool, std::memory_order_relaxed);
  region->asked.store(bytes | Region::kUnpadded, std::memory_order_relaxed);
  region->slot_bytes.store(Region::kMappedRun, std::memory_order_release);
  return region;
}

// Adds a mapping. A run that only grows at its end keeps its region; otherwise readers see the old regions until the
// new one is complete.
void AddressSpace::Join(Reservation& reservation, uintptr_t begin, size_t bytes, int device) {
  auto& runs = reservation.runs;
  auto right = runs.find(begin + bytes);
  auto left = runs.lower_bound(begin);
  left = left == runs.begin() ? runs.end() : std::prev(left);
  if (left != runs.end() && left->first + left->second.bytes != begin) left = runs.end();
  if (left != runs.end() && right == runs.end()) {
    MappedRun& run = left->second;
    if (!g_page_table.Set(begin, bytes, run.region)) throw std::bad_alloc();
    run.bytes += bytes;
    run.region->bytes.store(run.bytes, std::memory_order_relaxed);
    run.region->asked.store(run.bytes | Region::kUnpadded, std::memory_order_release);
    return;
  }
  const uintptr_t first = left != runs.end() ? left->first : begin;
  const uintptr_t last = right != runs.end() ? right->first + right->second.bytes : begin + bytes;
  Pool* pool = left != runs.end() ? left->second.region->pool.load(std::memory_order_relaxed) : &DevicePool(device);
  Region* region = NewRegion(first, last - first, pool);
  try {
    if (!g_page_table.Set(begin, bytes, region)) throw std::bad_alloc();
    if (left == runs.end()) left = runs.emplace(first, MappedRun{}).first;
  } catch (...) {
    g_page_table.Set(begin, bytes, nullptr);
    Retire(region);
    throw;
  }
  g_page_table.Set(first, last - first, region);
  if (left->second.region != nullptr) Retire(left->second.region);
  left->second = {last - first, region};
  if (right == runs.end()) return;
  Retire(right->second.region);
  runs.erase(right);
}

// Removes a mapping. The steps that may fail come first.
void AddressSpace::Cut(Reservation& reservation, uintptr_t begin, size_t bytes) {
  auto& runs = reservation.runs;
  const auto found = std::prev(runs.upper_bound(begin));
  const uintptr_t first = found->first;
  const uintptr_t end = begin + bytes;
  const size_t rest = first + found->second.bytes - end;
  Region* region = found->second.region;
  if (rest > 0) {
    const auto added = runs.emplace(end, MappedRun{rest, nullptr}).first;
    Region* after = nullptr;
    try {
      after = NewRegion(end, rest, region->pool.load(std::memory_order_relaxed));
    } catch (...) {
      runs.erase(added);
      throw;
    }
    added->second.region = after;
    g_page_table.Set(end, rest, after);
  }
  g_page_table.Set(begin, bytes, nullptr);
  CountFreedBlock();
  if (begin > first) {
    found->second.bytes = begin - first;
    region->bytes.store(begin - first, std::memory_order_relaxed);
    region->asked.store((begin - first) | Region::kUnpadded, std::memory_order_release);
  } else {
    Retire(region);
    runs.erase(found);
  }
}

aclError NoMemory(const char* function, const char* what, size_t bytes) noexcept {
  return Failf(ACL_ERROR_RT_MEMORY_ALLOCATION,
               "{}: argument 'size': expected no more than the {} that is left, got {} bytes", function, what, bytes);
}

// The caller holds the lock of the address space.
void DropPhysical(HandleBits handle, Physical* physical) noexcept {
  if (physical->references > 0 || physical->mappings > 0) return;
  PhysicalMemory::Free(physical->memory, physical->bytes);
  DevicePool(physical->device).Refund(physical->bytes);
  if (g_physical.Close(handle) != nullptr) g_physical.Recycle(physical);
}

// Returns live memory that a client still references, or null with *status. The caller holds the lock of the address
// space.
Physical* ResolvePhysical(const char* function, aclrtDrvMemHandle handle, aclError* status) noexcept {
  Physical* physical = g_physical.Find(handle);
  if (physical != nullptr && physical->references > 0) return physical;
  *status = BadHandle(function, "handle", "physical memory", handle);
  return nullptr;
}

}  // namespace

aclError ReserveAddresses(const char* function, size_t bytes, void** begin) noexcept {
  return Guard(function, [=]() -> int32_t {
    constexpr size_t kMost = size_t{1} << 46;
    if (bytes > kMost) return NoMemory(function, "address space", bytes);
    const size_t whole = (bytes + kMapUnit - 1) / kMapUnit * kMapUnit;
    AddressSpace& space = TheSpace();
    const std::scoped_lock lock(space.mutex);
    void* mapped = devices::MapAligned(whole, kMapUnit, PROT_NONE);
    if (mapped == nullptr) return NoMemory(function, "address space", bytes);
    try {
      space.reservations[reinterpret_cast<uintptr_t>(mapped)].bytes = whole;
    } catch (...) {
      munmap(mapped, whole);
      throw;
    }
    space.reserved.store(space.reservations.size(), std::memory_order_relaxed);
    *begin = mapped;
    return ACL_SUCCESS;
  });
}

aclError ReleaseAddresses(const char* function, void* begin) noexcept {
  AddressSpace& space = TheSpace();
  const std::scoped_lock lock(space.mutex);
  const auto found = space.reservations.find(reinterpret_cast<uintptr_t>(begin));
  if (found == space.reservations.end() || !found->second.mappings.empty()) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'virPtr': expected the beginning of a reserved range with nothing mapped, got {}",
                 function, begin);
  }
  munmap(begin, found->second.bytes);
  space.reservations.erase(found);
  space.reserved.store(space.reservations.size(), std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError AllocatePhysical(const char* function, size_t bytes, const aclrtPhysicalMemProp& properties,
                          aclrtDrvMemHandle* handle) noexcept {
  return Guard(function, [=]() -> int32_t {
    const int device = static_cast<int>(properties.location.id);
    if (!DevicePool(device).Charge(bytes)) return NoMemory(function, "device memory", bytes);
    HandleBits bits = 0;
    try {
      AddressSpace& space = TheSpace();
      const std::scoped_lock lock(space.mutex);
      FileRange memory = space.memory.Allocate(bytes);
      if (memory.file != nullptr)
        bits = g_physical.Open([&](Physical& slot, HandleBits) { slot = {memory, bytes, device, 1, 0, properties}; });
      if (bits == 0) PhysicalMemory::Free(memory, bytes);
    } catch (...) {
      DevicePool(device).Refund(bytes);
      throw;
    }
    if (bits == 0) {
      DevicePool(device).Refund(bytes);
      return NoMemory(function, "device memory", bytes);
    }
    *handle = ToHandle(bits);
    return ACL_SUCCESS;
  });
}

aclError FreePhysical(const char* function, aclrtDrvMemHandle handle) noexcept {
  const std::scoped_lock lock(TheSpace().mutex);
  aclError status = ACL_SUCCESS;
  Physical* physical = ResolvePhysical(function, handle, &status);
  if (physical == nullptr) return status;
  --physical->references;
  DropPhysical(ToBits(handle), physical);
  return ACL_SUCCESS;
}

aclError PhysicalProperties(const char* function, aclrtDrvMemHandle handle, aclrtPhysicalMemProp* properties) noexcept {
  const std::scoped_lock lock(TheSpace().mutex);
  aclError status = ACL_SUCCESS;
  const Physical* physical = ResolvePhysical(function, handle, &status);
  if (physical != nullptr) *properties = physical->properties;
  return status;
}

aclError MapPhysical(const char* function, void* pointer, size_t bytes, aclrtDrvMemHandle handle) noexcept {
  return Guard(function, [=]() -> int32_t {
    const auto begin = reinterpret_cast<uintptr_t>(pointer);
    AddressSpace& space = TheSpace();
    const std::scoped_lock lock(space.mutex);
    aclError status = ACL_SUCCESS;
    Physical* physical = ResolvePhysical(function, handle, &status);
    if (physical == nullptr) return status;
    if (bytes != physical->bytes) {
      return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'size': expected the {} bytes of the memory, got {}",
                   function, physical->bytes, bytes);
    }
    Reservation* reservation = space.Find(begin);
    const auto fits = [&] {
      if (reservation == nullptr || begin % kMapUnit != 0 || space.Find(begin + bytes - 1) != reservation) return false;
      const auto after = reservation->mappings.lower_bound(begin);
      if (after != reservation->mappings.end() && after->first < begin + bytes) return false;
      if (after == reservation->mappings.begin()) return true;
      const auto before = std::prev(after);
      return before->first + before->second.bytes <= begin;
    };
    if (!fits()) {
      return Failf(ACL_ERROR_RT_PARAM_INVALID,
                   "{}: argument 'virPtr': expected a multiple of {} in a reserved range with {} free bytes, got {}",
                   function, kMapUnit, bytes, pointer);
    }
    const auto entry = reservation->mappings.emplace(begin, Mapping{bytes, ToBits(handle)}).first;
    const FileRange& memory = physical->memory;
    if (mmap(pointer, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory.file->descriptor(), memory.begin) ==
        MAP_FAILED) {
      reservation->mappings.erase(entry);
      return NoMemory(function, "room for mappings", bytes);
    }
    try {
      space.Join(*reservation, begin, bytes, physical->device);
    } catch (...) {
      reservation->mappings.erase(entry);
      mmap(pointer, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      throw;
    }
    ++physical->mappings;
    return ACL_SUCCESS;
  });
}

aclError UnmapPhysical(const char* function, void* pointer) noexcept {
  return Guard(function, [=]() -> int32_t {
    const auto begin = reinterpret_cast<uintptr_t>(pointer);
    AddressSpace& space = TheSpace();
    const std::scoped_lock lock(space.mutex);
    Reservation* reservation = space.Find(begin);
    if (reservation == nullptr || reservation->mappings.count(begin) == 0) {
      return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'virPtr': expected an address that was mapped, got {}",
                   function, pointer);
    }
    const Mapping mapping = reservation->mappings[begin];
    space.Cut(*reservation, begin, mapping.bytes);
    reservation->mappings.erase(begin);
    mmap(pointer, mapping.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    Physical* physical = g_physical.Find(mapping.physical);
    --physical->mappings;
    DropPhysical(mapping.physical, physical);
    return ACL_SUCCESS;
  });
}

aclError RetainMapped(const char* function, const void* address, aclrtDrvMemHandle* handle) noexcept {
  const auto place = reinterpret_cast<uintptr_t>(address);
  AddressSpace& space = TheSpace();
  const std::scoped_lock lock(space.mutex);
  const Reservation* reservation = space.Find(place);
  if (reservation != nullptr) {
    const auto after = reservation->mappings.upper_bound(place);
    if (after != reservation->mappings.begin() && place - std::prev(after)->first < std::prev(after)->second.bytes) {
      const HandleBits bits = std::prev(after)->second.physical;
      ++g_physical.Find(bits)->references;
      *handle = ToHandle(bits);
      return ACL_SUCCESS;
    }
  }
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'virPtr': expected a mapped address, got {}", function,
               address);
}

bool IsMapped(const void* begin, size_t bytes) noexcept {
  const auto place = reinterpret_cast<uintptr_t>(begin);
  AddressSpace& space = TheSpace();
  const std::scoped_lock lock(space.mutex);
  const Reservation* reservation = space.Find(place);
  if (reservation == nullptr) return false;
  const auto after = reservation->runs.upper_bound(place);
  if (after == reservation->runs.begin()) return false;
  const auto run = std::prev(after);
  return place - run->first < run->second.bytes && bytes <= run->second.bytes - (place - run->first);
}

bool IsReserved(const void* address) noexcept {
  AddressSpace& space = TheSpace();
  if (space.reserved.load(std::memory_order_relaxed) == 0) return false;
  const std::scoped_lock lock(space.mutex);
  return space.Find(reinterpret_cast<uintptr_t>(address)) != nullptr;
}

}  // namespace portacl::memory
