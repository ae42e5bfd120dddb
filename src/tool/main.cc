// SPDX-License-Identifier: Apache-2.0
// The program portacl.
#include "tool/command_line.h"

int main(int count, char** arguments) { return portacl::tool::Main(count, arguments); }
