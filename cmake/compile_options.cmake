# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# One INTERFACE target that every own target links privately, so that nothing of it reaches users of the library.
add_library(stickslip_compile_options INTERFACE)

# -Wconversion is left out: Eigen's signed indices against the standard library's unsigned ones drown it in noise.
target_compile_options(stickslip_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  # The same bits on every machine: no fused multiply-add behind our back.
  -ffp-contract=off)

if(STICKSLIP_WARNINGS_AS_ERRORS)
  target_compile_options(stickslip_compile_options INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 reports these falsely inside Eigen's vectorised loops once they are inlined.
    target_compile_options(stickslip_compile_options INTERFACE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread)
  endif()
endif()

if(STICKSLIP_SANITIZE)
  add_compile_options(-fsanitize=${STICKSLIP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STICKSLIP_SANITIZE})
endif()
