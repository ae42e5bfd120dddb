#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_llama.sh: runs a tenth of the operator tests of llama.cpp's CANN backend, unmodified, on build/toolkit. The
# sources stay in build/llama for later runs; if they cannot be downloaded, the check says so and exits with 77.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! examples/llama/run fetch > build/llama-fetch.log 2>&1; then
  echo "llama.cpp is not tested: its sources cannot be fetched ($(tail -n 1 build/llama-fetch.log))"
  exit 77
fi
examples/llama/run --every 10 build test
