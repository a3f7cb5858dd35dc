// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Where the tests find the sources, the build and the command. In a file of its own (paths.cpp.in) instead of compile
// definitions, so that checkouts in different folders share the compiler's cache.
#pragma once

namespace stickslip::tests {

extern const char* const kSourceFolder;
extern const char* const kBuildFolder;
extern const char* const kCommand;

}  // namespace stickslip::tests
