# SPDX-License-Identifier: Apache-2.0
# A wheel made of a toolkit that exists: PORTACL_PREBUILT_TOOLKIT. Nothing is compiled.
set(arch "${CMAKE_SYSTEM_PROCESSOR}-linux")
cmake_path(ABSOLUTE_PATH PORTACL_PREBUILT_TOOLKIT BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
if(NOT EXISTS "${PORTACL_PREBUILT_TOOLKIT}/${arch}/lib64/libascendcl.so")
  message(FATAL_ERROR "PORTACL_PREBUILT_TOOLKIT: no toolkit in ${PORTACL_PREBUILT_TOOLKIT}")
endif()
foreach(folder include lib64)
  install(DIRECTORY "${PORTACL_PREBUILT_TOOLKIT}/${arch}/${folder}/" DESTINATION ${folder})
endforeach()
install(DIRECTORY "${PORTACL_PREBUILT_TOOLKIT}/bin" "${PORTACL_PREBUILT_TOOLKIT}/share" DESTINATION . USE_SOURCE_PERMISSIONS)
install(FILES "${PORTACL_PREBUILT_TOOLKIT}/set_env.sh" DESTINATION .)
foreach(folder opp runtime compiler)    # a wheel holds no empty folders
  install(FILES "${PORTACL_PREBUILT_TOOLKIT}/share/info/runtime/version.info" DESTINATION ${folder})
endforeach()
install(FILES "${PORTACL_PREBUILT_TOOLKIT}/${arch}/ascend_toolkit_install.info" DESTINATION ${arch})
add_custom_target(installed)
