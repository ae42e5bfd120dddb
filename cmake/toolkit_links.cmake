# SPDX-License-Identifier: Apache-2.0
# Run at installation, with `arch` set: creates the folders that must exist, and the other names of the real ones.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(MAKE_DIRECTORY "${root}/bin" "${root}/opp" "${root}/runtime" "${root}/compiler" "${root}/python/site-packages")

function(link_to target name)
  cmake_path(GET name PARENT_PATH folder)
  file(MAKE_DIRECTORY "${root}/${folder}")
  file(CREATE_LINK "${target}" "${root}/${name}" SYMBOLIC)
endfunction()

link_to(${arch}/include include)
link_to(${arch}/lib64 lib64)
link_to(${arch}/lib64 devlib)
foreach(old acllib fwkacllib)
  link_to(../${arch}/include ${old}/include)
  link_to(../${arch}/lib64 ${old}/lib64)
endforeach()
