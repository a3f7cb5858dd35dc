# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Installs the complementarity library alone, for find_package(stickslip COMPONENTS complementarity).
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)

install(TARGETS stickslip_complementarity EXPORT stickslip-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT complementarity)
install(EXPORT stickslip-targets NAMESPACE stickslip:: DESTINATION ${package_folder} COMPONENT complementarity)
install(DIRECTORY src/stickslip/complementarity DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stickslip
  COMPONENT complementarity FILES_MATCHING PATTERN "*.h" PATTERN "corpus" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT complementarity)

configure_package_config_file(cmake/stickslip-config.cmake.in ${PROJECT_BINARY_DIR}/stickslip-config.cmake
  INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stickslip-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stickslip-config.cmake ${PROJECT_BINARY_DIR}/stickslip-config-version.cmake
  DESTINATION ${package_folder} COMPONENT complementarity)
