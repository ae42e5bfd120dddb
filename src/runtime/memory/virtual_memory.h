// SPDX-License-Identifier: Apache-2.0
// Reserved address space, physical memory, and the mappings that join them, on the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl.h"

namespace portacl::memory {

// The alignment of mappings: the page table and the memory's huge pages require it.
inline constexpr size_t kMapUnit = size_t{2} << 20;

// These functions return 0 or a status code with a report for `function`, and lock internally.
aclError ReserveAddresses(const char* function, size_t bytes, void** begin) noexcept;
aclError ReleaseAddresses(const char* function, void* begin) noexcept;

aclError AllocatePhysical(const char* function, size_t bytes, const aclrtPhysicalMemProp& properties,
                          aclrtDrvMemHandle* handle) noexcept;
aclError FreePhysical(const char* function, aclrtDrvMemHandle handle) noexcept;
aclError PhysicalProperties(const char* function, aclrtDrvMemHandle handle, aclrtPhysicalMemProp* properties) noexcept;

aclError MapPhysical(const char* function, void* begin, size_t bytes, aclrtDrvMemHandle handle) noexcept;
aclError UnmapPhysical(const char* function, void* begin) noexcept;

// Returns the physical memory that is mapped at an address, with an additional reference.
aclError RetainMapped(const char* function, const void* address, aclrtDrvMemHandle* handle) noexcept;
bool IsMapped(const void* begin, size_t bytes) noexcept;

// Whether an address lies in a reserved range. Cheap while no range is reserved.
bool IsReserved(const void* address) noexcept;

}  // namespace portacl::memory
