# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# stickslip_precompile(TARGET): the headers that nearly every file reads (Eigen above all) are parsed once per target;
# that is most of the time of a build. Sources still include what they use: the clang builds go without.
option(STICKSLIP_PRECOMPILE "Precompile Eigen and the standard headers" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT EMSCRIPTEN)
  set(STICKSLIP_PRECOMPILE OFF)
endif()
set(STICKSLIP_PRECOMPILED_HEADERS
  <Eigen/Dense> <Eigen/Sparse> <fmt/format.h>
  <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <optional> <span>
  <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
function(stickslip_precompile target)
  if(STICKSLIP_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${STICKSLIP_PRECOMPILED_HEADERS} ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache needs it
    endif()
  endif()
endfunction()
