// SPDX-License-Identifier: Apache-2.0
// The handler of SIGSEGV that strict mode installs when it closes the first pages.
#pragma once

namespace portacl::check {

class Guard;

// From now on faults go to `guard`, and those that are none of its to the handler before. False: the system refuses.
bool CatchFaults(Guard& guard) noexcept;

}  // namespace portacl::check
