# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Installs what other programs use, by component: find_package(stickslip COMPONENTS complementarity simulation).
#
#   complementarity   the static library of problems and solvers alone (docs/using-the-library.md)
#   simulation        models, scenes and the simulator as a shared library (docs/embedding.md)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)

configure_package_config_file(cmake/stickslip-config.cmake.in ${PROJECT_BINARY_DIR}/stickslip-config.cmake
  INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stickslip-config-version.cmake COMPATIBILITY SameMinorVersion)

function(install_component component target)
  install(TARGETS ${target} EXPORT stickslip-${component}-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  install(EXPORT stickslip-${component}-targets NAMESPACE stickslip:: DESTINATION ${package_folder}
    COMPONENT ${component})
  foreach(layer IN LISTS ARGN)
    install(DIRECTORY src/stickslip/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stickslip
      COMPONENT ${component} FILES_MATCHING PATTERN "*.h" PATTERN "corpus" EXCLUDE)
  endforeach()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/stickslip-config.cmake ${PROJECT_BINARY_DIR}/stickslip-config-version.cmake
    DESTINATION ${package_folder} COMPONENT ${component})
endfunction()

install_component(complementarity stickslip_complementarity complementarity)
if(TARGET stickslip_simulation)
  install_component(simulation stickslip_simulation complementarity files math model collision contact stepping
    simulation expression motion scene runs)
endif()
