// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The instructions of the expression machine (private to expression*.cpp).
#pragma once

#include "stickslip/model/described_force.h"
#include "stickslip/model/model.h"

#include <cstdint>

namespace stickslip::expression {

enum class Op : std::uint8_t {
  Constant,  // push constants[a]
  Time,
  BodyVariable,  // component of body a
  Tracker,       // value of tracker a
  Column,        // number a of the row

  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Power,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Truth,            // x != 0 as 0 or 1
  Jump,             // to a
  JumpIfFalse,      // pop; to a
  JumpIfFalseKeep,  // && : to a, leaving 0, else pop
  JumpIfTrueKeep,   // || : to a, leaving 1, else pop

  Sin,
  Cos,
  Sqrt,
  Exp,
  Log,
  Smooth,  // FunctionInfo::smooth of function a
  Pure,    // pure_function(a)
  Min,
  Max,
  Random,
  Conditional,

  Gap,
  NormalForce,
  NormalForceMin,
  NormalForceMax,
  FrictionForce,
  ForceX,
  ForceY,
  ForceZ,
  SlipSpeed,
  ContactX,
  ContactY,
  ContactZ,
  Touching,
  Sticking,
  Sliding,  // bodies a, b (b = -1: any)
  LocalX,
  LocalY,
  LocalZ,
  LocalYaw,  // body a in the frame of b
  Distance,  // centres of mass of a and b
  KineticEnergy,
  PotentialEnergy,  // body a (-1: all)
  WorstPenetration,
  Contacts,

  FirstTime,
  MaxOverTime,
  MinOverTime,
  MeanOverTime,
  Unwrap,
  Initial,
  RateOverPeriod,
  MeanOverPeriod,
  SumEvery,
};

enum class BodyComponent : std::uint8_t {
  X,
  Y,
  Z,
  VX,
  VY,
  VZ,
  Angle,
  WX,
  WY,
  WZ,
  QW,
  QX,
  QY,
  QZ,
  Yaw,
  Pitch,
  Roll,
  Speed
};

// A function of as many numbers as it has arguments, once for values and once with derivatives in time, the values alike.
// branch: which of its formulas was taken; where that changes, there may be a jump or a corner.
struct PureFunction {
  double (*value)(const double* x, model::Choice& branch) = nullptr;
  model::TimeJet (*jet)(const model::TimeJet* x, model::Choice& branch) = nullptr;
  bool branches = false;
  int arguments = 0;
};
// Of functions()[place], which is one of Op::Pure.
[[nodiscard]] const PureFunction& pure_function(int place);

}  // namespace stickslip::expression
