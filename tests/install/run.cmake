# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# The install test: installs the library into an empty prefix, builds the example there as a separate project that knows
# only that prefix, runs it. Then: an unknown component and a wrong version must be refused.
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

foreach(wrong IN ITEMS "-DCOMPONENT=no_such_component" "-DVERSION=99.0")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/refused -DCMAKE_PREFIX_PATH=${WORK}/prefix
      -DCMAKE_CXX_COMPILER=${COMPILER} ${wrong} -G Ninja
    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE output)
  if(code EQUAL 0 OR NOT output MATCHES "stickslip")
    message(FATAL_ERROR "find_package accepted ${wrong}")
  endif()
  file(REMOVE_RECURSE ${WORK}/refused)
endforeach()
file(REMOVE_RECURSE ${WORK})
