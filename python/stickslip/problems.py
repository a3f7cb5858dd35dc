# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Problem files: what `stickslip solve` reads, and what a run leaves when a step could not be certified."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _complementarity
from ._complementarity import Solution


def _matrix(entries: dict[str, Any]) -> Any:
    """A matrix of SciPy where SciPy is there, else a dense one."""
    shape = (entries["rows"], entries["cols"])
    try:
        from scipy import sparse  # type: ignore[import]
    except ImportError:
        dense = np.zeros(shape)
        np.add.at(dense, (entries["i"], entries["j"]), entries["x"])
        return dense
    return sparse.csc_matrix((entries["x"], (entries["i"], entries["j"])), shape=shape)


class Problem:
    """A complementarity or contact problem: its data as attributes, by the letters of docs/solve.md.

    kind: lcp, boxlcp, mlcp, fc2d, fc3d (contact, plane or space), gfc2d, gfc3d (the same with the bodies' velocities).

    >>> import stickslip as ss
    >>> problem = ss.load_problem("tests/fuzz/seeds/corpus/fc2d_stick.json")
    >>> problem
    <Problem "fc2d_stick": fc2d, 1 contacts>
    >>> ss.solve_contact(problem.W, problem.q, problem.mu).solved
    True
    >>> problem.solve(solver="auto").solved
    True
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.kind: str = data["kind"]
        self.name: str = data.get("name", "")
        self.notes: str = data.get("notes", "")
        self.file: str = data.get("file", "")
        self._data = {
            key: _matrix(value) if isinstance(value, dict) else value
            for key, value in data.items()
            if key not in ("kind", "name", "notes", "file")
        }

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_data"][name]
        except KeyError:
            raise AttributeError(f"a problem of kind {self.__dict__.get('kind')!r} has no {name!r}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    @property
    def data(self) -> dict[str, Any]:
        """All of it by name: matrices and vectors."""
        return dict(self._data)

    @property
    def size(self) -> int:
        """Contacts of a contact problem, unknowns of another one."""
        if "mu" in self._data:
            return len(self.mu)
        return len(self.a) + len(self.b) if self.kind == "mlcp" else len(self.q)

    def solve(self, **options: Any) -> Solution:
        """The solver of its kind on it; options as solve_lcp, solve_mlcp and solve_contact take them."""
        data = self._data
        if self.kind in ("lcp", "boxlcp"):
            bounds = {} if self.kind == "lcp" else {"lower": self.lower, "upper": self.upper}
            return _complementarity.solve_lcp(self.M, self.q, **bounds, **options)
        if self.kind == "mlcp":
            return _complementarity.solve_mlcp(*(data[name] for name in "ABCDab"), **options)[2]
        if self.kind in ("fc2d", "fc3d"):
            given = {name: data[name] for name in ("kinds", "normal_impulses") if name in data}
            return _complementarity.solve_contact(self.W, self.q, self.mu, **given, **options)
        raise ValueError(f"problems of kind {self.kind} keep the bodies' velocities: `stickslip solve` solves them")

    def __repr__(self) -> str:
        what = "contacts" if "mu" in self._data else "unknowns"
        return f'<Problem "{self.name}": {self.kind}, {self.size} {what}>'


def load_problem(path: str | os.PathLike[str]) -> Problem:
    """Reads a problem file (JSON, plain or gzip; docs/solve.md). Raises ValueError for a file that is none, FileNotFoundError
    where there is none.

    >>> import stickslip as ss
    >>> ss.load_problem("tests/fuzz/seeds/corpus/lcp_two.json").solve().solved
    True
    """
    name = os.fsencode(path)
    os.stat(os.fsdecode(name))  # FileNotFoundError
    return Problem({**_complementarity._load_problem(name), "file": os.fsdecode(name)})
