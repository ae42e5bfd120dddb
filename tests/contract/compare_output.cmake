# SPDX-License-Identifier: Apache-2.0
# cmake -DPLAIN=<command> -DFAST=<command> -P compare_output.cmake: both commands succeed and print the same text, which
# is not empty.
foreach(kind PLAIN FAST)
  list(FILTER ${kind} INCLUDE REGEX ".")  # without an emulator the command has an empty word
  execute_process(COMMAND ${${kind}} OUTPUT_VARIABLE output_${kind} ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${${kind}}: ${code}\n${errors}")
  endif()
endforeach()
if(output_PLAIN STREQUAL "" OR NOT output_PLAIN STREQUAL output_FAST)
  message(FATAL_ERROR "plain:\n${output_PLAIN}\nfast-math:\n${output_FAST}")
endif()
