# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Solvers of complementarity and frictional contact problems. Needs NumPy only; takes SciPy sparse matrices when given.

"Solved" has one meaning: a function that knows nothing of the solver has evaluated the residual of the problem as it was
posed and found it below the tolerance.
"""
from ._complementarity import (
    Solution,
    contact_solvers,
    lcp_solvers,
    mcp_solvers,
    solve_contact,
    solve_lcp,
    solve_mcp,
    solve_mlcp,
)

from .problems import Problem, load_problem

__all__ = [
    "Problem",
    "Solution",
    "contact_solvers",
    "lcp_solvers",
    "load_problem",
    "mcp_solvers",
    "solve_contact",
    "solve_lcp",
    "solve_mcp",
    "solve_mlcp",
]
