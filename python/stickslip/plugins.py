# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Steppers, colliders and solvers in C++ from outside (docs/plugins.md)."""
from __future__ import annotations

import os

from . import _complementarity, _core

_loaded: set[str] = set()


def load_plugin(file: str | os.PathLike[str]) -> None:
    """Adds the steppers, colliders and solvers of a plug-in, a shared library (docs/plugins.md), by their names.

    Scenes take them by the keys of [method], solve_lcp and solve_contact by solver=. A plug-in is code and runs as such:
    load only what you trust. A file that was loaded before is left as it is: a new build of it needs a new process.
    Raises ImportError for a file that is no plug-in, RuntimeError while runs or solvers are at work in other threads.
    """
    path = os.path.realpath(os.fsdecode(file))
    if path in _loaded:
        return
    for part in (_core, _complementarity):
        part._load_plugin(os.fsencode(file))
    _loaded.add(path)
