// SPDX-License-Identifier: Apache-2.0
// The handler of SIGSEGV that strict mode installs when it closes the first pages.
#pragma once

namespace portacl::check {

class Guard;

// From now on `guard` handles faults; those at other addresses go to the former handler. Returns false when the system
// refuses.
bool CatchFaults(Guard& guard) noexcept;

}  // namespace portacl::check
