// SPDX-License-Identifier: Apache-2.0
// Reserved address space, physical memory, and the mappings that join them, on the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl.h"

namespace portacl::memory {

// Where a mapping may begin: what the page table and the memory's huge pages ask for.
inline constexpr size_t kMapUnit = size_t{2} << 20;

// All return 0 or a status code with a report for `function`, and lock themselves.
aclError ReserveAddresses(const char* function, size_t bytes, void** begin) noexcept;
aclError ReleaseAddresses(const char* function, void* begin) noexcept;

aclError AllocatePhysical(const char* function, size_t bytes, const aclrtPhysicalMemProp& properties,
                          aclrtDrvMemHandle* handle) noexcept;
aclError FreePhysical(const char* function, aclrtDrvMemHandle handle) noexcept;
aclError PhysicalProperties(const char* function, aclrtDrvMemHandle handle, aclrtPhysicalMemProp* properties) noexcept;

aclError MapPhysical(const char* function, void* begin, size_t bytes, aclrtDrvMemHandle handle) noexcept;
aclError UnmapPhysical(const char* function, void* begin) noexcept;

// The physical memory mapped at an address, with one reference more.
aclError RetainMapped(const char* function, const void* address, aclrtDrvMemHandle* handle) noexcept;
bool IsMapped(const void* begin, size_t bytes) noexcept;

// Whether an address lies in a reserved range. Cheap while there is none.
bool IsReserved(const void* address) noexcept;

}  // namespace portacl::memory
