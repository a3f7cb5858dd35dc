# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# The install test: installs each component into an empty prefix of its own, builds the examples there as separate
# projects that know only that prefix, runs them. Then: an unknown component, one that is not installed and a wrong
# version must be refused.
# Called with -DBUILD=<build folder> -DSOURCE=<source folder> -DWORK=<scratch folder> -DCOMPILER=<C++ compiler>.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${code}): ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component complementarity)

# The example is copied away from the source tree, so that nothing but the prefix can provide the headers.
file(COPY ${SOURCE}/tests/install/consumer ${SOURCE}/examples/complementarity/sliding_block.cpp DESTINATION ${WORK})
run(${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -G Ninja)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/sliding_block)
message(STATUS "the installed library answers:\n${output}")

foreach(wrong IN ITEMS "-DCOMPONENT=no_such_component" "-DCOMPONENT=simulation" "-DVERSION=99.0")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/refused -DCMAKE_PREFIX_PATH=${WORK}/prefix
      -DCMAKE_CXX_COMPILER=${COMPILER} ${wrong} -G Ninja
    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE output)
  if(code EQUAL 0 OR NOT output MATCHES "stickslip")
    message(FATAL_ERROR "find_package accepted ${wrong}")
  endif()
  file(REMOVE_RECURSE ${WORK}/refused)
endforeach()

# Embedding: the simulator as a shared library.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/embed_prefix --component simulation)
file(COPY ${SOURCE}/tests/install/embed ${SOURCE}/examples/embed/ball.cpp ${SOURCE}/examples/embed/contact_forces.cpp
     ${SOURCE}/examples/embed/block.toml DESTINATION ${WORK})
run(${CMAKE_COMMAND} -S ${WORK}/embed -B ${WORK}/embed_build -DCMAKE_PREFIX_PATH=${WORK}/embed_prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -G Ninja)
run(${CMAKE_COMMAND} --build ${WORK}/embed_build)
foreach(program ball contact_forces)
  run(${WORK}/embed_build/${program} ${WORK}/block.toml)
  # What the comments promise: the lines that begin with //   >.
  file(STRINGS ${WORK}/${program}.cpp promised REGEX "^//   > ")
  list(TRANSFORM promised REPLACE "^//   > " "")
  list(JOIN promised "\n" promised)
  string(STRIP "${output}" output)
  if(promised STREQUAL "" OR NOT output STREQUAL promised)
    message(FATAL_ERROR "${program} promises\n${promised}\nand prints\n${output}")
  endif()
endforeach()

# Nothing but our own names is exported, and each with the version of the interface.
find_program(NM nm)
file(GLOB library ${WORK}/embed_prefix/lib*/libstickslip.so ${WORK}/embed_prefix/lib/*/libstickslip.so)
if(NM)
  run(${NM} -DC --defined-only --with-symbol-versions ${library})
  string(REPLACE ";" "," output "${output}")
  string(REGEX REPLACE "\n" ";" names "${output}")
  list(FILTER names EXCLUDE REGEX "stickslip.*@@stickslip_[0-9]+\\.[0-9]+$| A stickslip_[0-9]+\\.[0-9]+|^$")
  if(NOT names STREQUAL "")
    message(FATAL_ERROR "exported without a version, or not ours: ${names}")
  endif()
endif()
file(REMOVE_RECURSE ${WORK})
