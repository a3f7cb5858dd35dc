# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Builds for WebAssembly (script/web-assembly; Debian's emscripten): the simulator with its scenes and live sessions, and
# nothing that needs a library of the machine. What it stands on is header-only here: Eigen, fmt, nlohmann-json and toml++
# as the other builds have them, in a folder of their own, since the rest of /usr/include is the machine's.
set(web_headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${web_headers})
foreach(name Eigen fmt nlohmann toml++)
  find_path(web_${name} ${name} PATHS /usr/include/eigen3 /usr/include /usr/local/include
    NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${web_${name}}/${name} ${web_headers}/${name} SYMBOLIC)
endforeach()

foreach(target Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus Threads::Threads)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE ${web_headers})
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
target_compile_definitions(tomlplusplus::tomlplusplus INTERFACE TOML_HEADER_ONLY=1)

# SSE2 as on x86-64: Eigen adds in the same order, which gives the same bits.
add_compile_options(-Wno-bitwise-instead-of-logical -fwasm-exceptions -msimd128 -msse2 "SHELL:-isystem ${web_headers}"
  "SHELL:-isystem ${PROJECT_SOURCE_DIR}/apps/stickslip_web"
  "SHELL:-include ${PROJECT_SOURCE_DIR}/apps/stickslip_web/library_lacks.h")
add_link_options(-fwasm-exceptions)
# What a page loads is small before it is fast.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
