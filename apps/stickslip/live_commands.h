// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a client of a live session may ask for, as one JSON object each: docs/live-protocol.md.
#pragma once

#include "live_session.h"

#include <string>

namespace stickslip::app {

// Gives the command to the session. Empty, or what is wrong with it.
[[nodiscard]] std::string command(LiveSession& session, const std::string& text);

}  // namespace stickslip::app
