// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a recording says about the run that it records.
#pragma once

#include "stickslip/recording/frame.h"
#include "stickslip/recording/run_description.h"
#include "stickslip/scene/scene.h"

namespace stickslip::app {

[[nodiscard]] recording::RunDescription describe(const scene::Scene& scene);

[[nodiscard]] recording::RecordingInfo recording_info(const scene::Scene& scene);

}  // namespace stickslip::app
