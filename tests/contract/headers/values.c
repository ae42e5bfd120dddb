// SPDX-License-Identifier: Apache-2.0
#include "values.h"

extern int portacl_values;
