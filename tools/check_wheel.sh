#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_wheel.sh: makes a wheel from build/toolkit, installs it in a new virtual environment, and uses it there, outside
# of the source tree. For continuous integration. If pip cannot install scikit-build-core, the check says so and exits
# with 77. The wheel stays in build/check_wheel for the checks of PyTorch.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
source tools/wheel.sh
choose_cmake

scratch=$PWD/build/check_wheel
make_wheel
# Debian's NumPy is used; only the wheel is installed.
/usr/bin/python3 -m venv --system-site-packages "$scratch/venv"
python=$scratch/venv/bin/python
wheels=("$scratch"/portacl-*.whl)
ls -l "${wheels[0]}"
"$python" -m pip install --quiet --no-deps "${wheels[0]}"

# The wheel has every file of the toolkit, but neither its links nor its empty folders; in addition the libraries that Gloo needs. The toolkit's Python
# packages are beside portacl.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
find build/toolkit/ -type f -printf '%P\n' | while read -r file; do
  installed=$(sed -E 's,^[^/]+-linux/(include|lib64)/,\1/,; s,^,portacl/toolkit/,; s,^portacl/toolkit/python/site-packages/,,' <<< "$file")
  cmp "build/toolkit/$file" "$site/$installed"
done
if [[ -f build/toolkit/lib64/portacl/libportacl_gloo.so ]]; then
  gloo=$site/portacl/toolkit/lib64/portacl
  [[ -z $(ldd "$gloo/libportacl_gloo.so" | grep -E 'gloo|hiredis|ibverbs|libnl' | grep -v "=> $gloo/") ]]
fi
test -f "$site/portacl/toolkit/runtime/version.info" -a -f "$site/portacl/toolkit/compiler/version.info" -a -f "$site/portacl/toolkit/opp/version.info"

mkdir "$scratch/elsewhere"
cd "$scratch/elsewhere"
unset PYTHONPATH PORTACL_TOOLKIT LD_LIBRARY_PATH ASCEND_HOME_PATH
[[ $("$python" -c 'import portacl.toolkit; print(portacl.toolkit.find())') == "$site/portacl/toolkit" ]]
version=$("$scratch/venv/bin/portacl" version | cut -d ' ' -f 2)
[[ $("$python" -c 'import importlib.metadata; print(importlib.metadata.version("portacl"))') == "$version" ]]
test -f "$site/portacl/__init__.pyi" -a -f "$site/portacl/py.typed"
[[ $("$python" -c 'import portacl; print(portacl.__version__)') == "$version" ]]
"$scratch/venv/bin/portacl" run aclnnLogitGrad x=random:2,3 dy=random:2,3 eps=-1 --verify
for test in run acl acl_table acl_util; do
  "$python" "$OLDPWD/python/tests/test_$test.py"
done
# The hook runs when torch is imported; here it finds a stand-in for torch.
mkdir stand_in
touch stand_in/torch.py stand_in/torch_npu.py
hooked() { PYTHONPATH=$PWD/stand_in "$python" -W ignore -c 'import sys; assert "portacl" not in sys.modules; import torch; print("portacl" in sys.modules)'; }
[[ $(hooked) == True && $(PORTACL_DISABLE=1 hooked) == False ]]

# A C++ program is compiled against the wheel as well.
g++ -std=c++17 "$OLDPWD/examples/logit_grad.cpp" -I "$site/portacl/toolkit/include" -L "$site/portacl/toolkit/lib64" \
  -lopapi_nn -lopapi_math -lascendcl -lnnopbase -o logit_grad
bash -c 'source "$1/set_env.sh" && ./logit_grad' - "$site/portacl/toolkit" | grep 'result\[2\] is: 14.2857'
PATH=$PATH:/usr/bin cmake -DCMAKE_PREFIX_PATH="$site/portacl/toolkit/lib64/cmake" -S "$OLDPWD/examples" -B cmake > /dev/null
cmake --build cmake > /dev/null
cmake/logit_grad | grep 'result\[2\] is: 14.2857'
