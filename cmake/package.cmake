# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# A Debian package of the command: script/package. It holds the command, its manual page, completion for bash, zsh and
# fish, and the examples; dpkg-shlibdeps finds the libraries that it depends on.
if(NOT TARGET stickslip)
  return()
endif()
set(shell_files ${PROJECT_BINARY_DIR}/shell)
add_custom_command(OUTPUT ${shell_files}/stickslip.1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${shell_files}
  COMMAND stickslip completion man > ${shell_files}/stickslip.1
  COMMAND stickslip completion bash > ${shell_files}/stickslip
  COMMAND stickslip completion zsh > ${shell_files}/_stickslip
  COMMAND stickslip completion fish > ${shell_files}/stickslip.fish
  DEPENDS stickslip COMMENT "Manual page and shell completion" VERBATIM)
add_custom_target(shell_files ALL DEPENDS ${shell_files}/stickslip.1)
install(FILES ${shell_files}/stickslip.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES ${shell_files}/stickslip DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
install(FILES ${shell_files}/_stickslip DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT command)
install(FILES ${shell_files}/stickslip.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT command)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command
  FILES_MATCHING PATTERN "*.toml" PATTERN "*.obj" PATTERN "*.svg" PATTERN "*.stl" PATTERN "README.md")
# The simulator for browsers, where script/web-assembly has built it.
install(FILES ${PROJECT_BINARY_DIR}/web-assembly/stickslip.js ${PROJECT_BINARY_DIR}/web-assembly/stickslip.wasm
  DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip/web-assembly COMPONENT command OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stickslip)
set(CPACK_PACKAGE_CONTACT "the stickslip authors")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the stickslip authors")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
