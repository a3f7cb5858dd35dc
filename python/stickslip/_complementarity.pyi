# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

class Solution:
    @property
    def z(self) -> NDArray[np.float64]: ...
    @property
    def w(self) -> NDArray[np.float64]: ...
    @property
    def solved(self) -> bool: ...
    @property
    def status(self) -> str: ...
    @property
    def residual(self) -> float: ...
    @property
    def residual_parts(self) -> dict[str, float]: ...
    @property
    def solver(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    def report(self) -> str: ...
    def __bool__(self) -> bool: ...

# Any: dense arrays, or matrices of scipy.sparse.
def solve_lcp(
    M: Any,
    q: ArrayLike,
    *,
    lower: Optional[ArrayLike] = None,
    upper: Optional[ArrayLike] = None,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 0,
    time_limit: float = ...,
) -> Solution: ...
def solve_mlcp(
    A: Any,
    B: Any,
    C: Any,
    D: Any,
    a: ArrayLike,
    b: ArrayLike,
    *,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 0,
    time_limit: float = ...,
) -> tuple[NDArray[np.float64], NDArray[np.float64], Solution]: ...
def solve_mcp(
    F: Callable[[NDArray[np.float64]], Any],
    J: Optional[Callable[[NDArray[np.float64]], Any]],
    lower: ArrayLike,
    upper: ArrayLike,
    x0: ArrayLike,
    *,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 0,
    time_limit: float = ...,
) -> Solution: ...
def solve_contact(
    W: Any,
    q: ArrayLike,
    mu: ArrayLike,
    *,
    kinds: Optional[Sequence[str]] = None,
    normal_impulses: Optional[ArrayLike] = None,
    start: Optional[ArrayLike] = None,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 0,
    time_limit: float = ...,
) -> Solution: ...
def lcp_solvers() -> list[tuple[str, str]]: ...
def mcp_solvers() -> list[tuple[str, str]]: ...
def contact_solvers() -> list[tuple[str, str]]: ...
def _load_problem(path: bytes) -> dict[str, Any]: ...
def _load_plugin(file: bytes) -> None: ...
