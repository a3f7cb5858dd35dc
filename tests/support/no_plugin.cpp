// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A shared library that is no plug-in.
extern "C" int nothing_to_see_here() {
  return 0;
}
