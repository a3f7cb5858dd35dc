// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Names for the fixed-size types that all of stickslip shares.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stickslip {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

}  // namespace stickslip
