// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Compiled for a wide instruction set: with Eigen's own choice a quaternion would be aligned to 32 bytes.
#include "stickslip/simulation/simulation.h"

static_assert(alignof(stickslip::Quat) == 16);
static_assert(alignof(stickslip::model::BodyState) == 16);
