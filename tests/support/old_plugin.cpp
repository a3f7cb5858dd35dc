// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A plug-in of another version of the interface. It has nothing else, so that it stays what it is.
struct Entry {
  int version;
  void (*enter)();
};
extern "C" const Entry stickslip_plugin;
const Entry stickslip_plugin = {0, nullptr};
