// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Partial LU factorisation of a dense front, in place: the kernel of block_lu.h.
//
//     P A = [ L11  0 ] [ U11  U12 ]        A: m x m, row-major with row length `stride`; the leading p columns are
//           [ L21  I ] [  0    S  ]        eliminated, S = A22 - A21 A11^-1 A12 is left for the parent front
//
// Rows are exchanged among the first p only (threshold-free partial pivoting inside the front). A pivot below
// `smallest` times the largest entry of the front's pivot rows is replaced by that number: the answer is then that of a
// slightly perturbed matrix, and the caller refines. Cost: p m^2 multiplications at most; blocked, no allocation.
#pragma once

namespace stickslip::complementarity {

// exchange[k] (k < p): the row exchanged with row k. Returns the number of replaced pivots.
int partial_lu(double* A, int m, int p, int stride, double smallest, int* exchange);

}  // namespace stickslip::complementarity
