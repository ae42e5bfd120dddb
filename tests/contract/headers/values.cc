// SPDX-License-Identifier: Apache-2.0
#include "values.h"

// In C no constant expression names a variable.
#include "statuses.inc"
