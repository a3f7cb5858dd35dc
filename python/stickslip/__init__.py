# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Bodies that touch, stick, slide, roll, part and collide, from Python.

>>> import stickslip as ss
>>> model = ss.Model.from_string('''
... title = "A ball falls"
... dimension = 2
... gravity = [0, -9.81]
... duration = 0.1
... [[body]]
... name = "ball"
... mass = 1
... shape = { disc = 0.1 }
... position = [0, 1]
... [observe]
... y = "ball.y"
... ''')
>>> sim = ss.Simulation(model, stepper="second-order", step=1e-2)
>>> while sim.time < 0.1:
...     step = sim.step()
>>> round(sim["y"], 6)
0.95095
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import complementarity
from ._complementarity import __version__ as __version__
from .complementarity import Problem, Solution, load_problem, solve_contact, solve_lcp, solve_mcp, solve_mlcp

if TYPE_CHECKING:
    from ._core import Batch, Body, FileError, Model, SceneError, SceneNotFoundError, Simulation, Step, rate_interval
    from .environment import Environment
    from .plugins import load_plugin
    from .runs import NotCertified, Rate, Recording, Run, Store, batch, optimise, plan, study
    from .scenes import Scene
    from .tables import Comparison, Convergence

# The simulator is loaded when one of its names is first used: the solvers alone need NumPy and nothing else.
_SIMULATOR = {
    "Batch": "_core",
    "Body": "_core",
    "Comparison": "tables",
    "Convergence": "tables",
    "Environment": "environment",
    "FileError": "_core",
    "Model": "_core",
    "NotCertified": "runs",
    "Rate": "runs",
    "Recording": "runs",
    "Run": "runs",
    "Scene": "scenes",
    "SceneError": "_core",
    "SceneNotFoundError": "_core",
    "Simulation": "_core",
    "Step": "_core",
    "Store": "runs",
    "batch": "runs",
    "load_plugin": "plugins",
    "optimise": "runs",
    "plan": "runs",
    "rate_interval": "_core",
    "study": "runs",
}

# The same as a list of texts, for readers of types; a test compares it with the above.
__all__ = [
    "Batch",
    "Body",
    "Comparison",
    "Convergence",
    "Environment",
    "FileError",
    "Model",
    "NotCertified",
    "Problem",
    "Rate",
    "Recording",
    "Run",
    "Scene",
    "SceneError",
    "SceneNotFoundError",
    "Simulation",
    "Solution",
    "Step",
    "Store",
    "batch",
    "complementarity",
    "load_plugin",
    "load_problem",
    "optimise",
    "plan",
    "rate_interval",
    "solve_contact",
    "solve_lcp",
    "solve_mcp",
    "solve_mlcp",
    "study",
]


def __getattr__(name: str) -> Any:
    if name not in _SIMULATOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    importlib.import_module(".runs", __name__)  # completes Model
    value = getattr(importlib.import_module("." + _SIMULATOR[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
