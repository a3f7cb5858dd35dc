// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Eigen asks for this header of x86 beside those of SSE2; emscripten translates SSE2 (-msse2) and has no MMX.
#pragma once
