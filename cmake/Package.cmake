# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build folder makes a Debian package: the toolkit under /usr/lib/portacl, and links or descriptions in
# the places where a system looks for commands, man pages, completions, CMake packages and pkg-config files. The
# libraries are not in the loader's path: their names are CANN's, and set_env.sh selects the toolkit that a program
# uses.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME portacl)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "The Portacl authors <nobody@portacl.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "Programs written for Huawei's Ascend cards (AscendCL runtime calls and two-phase aclnn operators) compile, link and run "
  "with this toolkit on an ordinary CPU. It has the interface of CANN ${PORTACL_CANN_VERSION}.")
string(JOIN "" CPACK_PACKAGE_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/portacl)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, pkg-config, cmake")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}/lib64")    # the toolkit's libraries depend on each other

configure_file(cmake/package_links.cmake.in package_links.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_BINARY_DIR}/package_links.cmake")
include(CPack)
