# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Whole runs, recordings and stores: arrays, tables and pages of what a run or a study left."""
from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING, Any, Callable

from . import _core

if TYPE_CHECKING:
    import pandas  # type: ignore[import]


class NotCertified(RuntimeError):
    """A step that no solver could certify ended the run. `problem`: the file with its contact problem."""

    def __init__(self, message: str, problem: str, run: "Run") -> None:
        super().__init__(message)
        self.problem = problem
        self.run = run


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas (Debian: python3-pandas)") from error
    return pandas


class Recording(_core._Recording):
    """A recorded run, from a file that `stickslip run` or Model.run wrote. recording[name]: an observable over time."""

    def to_pandas(self) -> "pandas.DataFrame":
        """Time and all observables, one row per frame."""
        return _pandas().DataFrame({"time": self.time, **{name: self[name] for name in self.observables}})

    def _repr_html_(self) -> str:
        page = html.escape(self.page(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} frames, {self.end or 'end unknown'}>"


class Run(Recording):
    """A finished run: its recording, and what it told at the end."""

    def __init__(self, path: str, result: dict[str, Any]) -> None:
        super().__init__(path)
        self.path = path
        self.certified: bool = result["certified"]
        self.worst_residual: float = result["residual"]
        self.steps: int = result["steps"]
        self.seconds: float = result["seconds"]
        self.final: dict[str, float] = result["observables"]


class Store(_core._Store):
    """The results of a study: store[name] is a parameter or an observable of all trials."""

    def __getitem__(self, name: str) -> Any:
        columns = self.columns()
        if name not in columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(columns)}")
        return columns[name]

    def to_pandas(self) -> "pandas.DataFrame":
        """One row per trial."""
        return _pandas().DataFrame(self.columns())


def run(
    model: _core.Model,
    record: str | os.PathLike[str] | None = None,
    progress: Callable[[float], Any] | None = None,
    **values: Any,
) -> Run:
    """Runs the model to its end and returns the run with its recording.

    record: where the recording is kept; without it, in a temporary file that is removed with the run.
    progress: called with the simulated time now and then.
    Other keywords set parameters, duration and keys of [method]. Raises NotCertified; Ctrl-C ends the run.
    """
    chosen = model.with_values(**values) if values else model
    folder = None
    if record is None:
        folder = tempfile.TemporaryDirectory(prefix="stickslip-")
        path = os.path.join(folder.name, "run.h5")
    else:
        path = os.fspath(record)
    result = _core._run(chosen, path, progress)
    finished = Run(path, result)
    finished._folder = folder  # type: ignore[attr-defined]
    if not finished.certified:
        raise NotCertified(f"a step was not certified: {finished.end}", result["failed_problem"], finished)
    return finished


def sensitivity(
    model: _core.Model, parameters: list[str], step: float = 1e-4, threads: int = 1
) -> dict[str, dict[str, dict[str, Any]]]:
    """Derivatives of the observables: result[observable][parameter] has value, error, exact, same_modes, reason."""
    return _core._sensitivity(model, parameters, step=step, threads=threads)


def study(
    file: str | os.PathLike[str], store: str | os.PathLike[str] | None = None, threads: int = 0
) -> Store:
    """Runs a study file, or what is left of it, and returns its store.

    store: the file of the results, which a later call goes on with; without it, a temporary one.
    """
    folder = None
    if store is None:
        folder = tempfile.TemporaryDirectory(prefix="stickslip-")
        store = os.path.join(folder.name, "study.db")
    _core._study(os.fspath(file), os.fspath(store), threads)
    results = Store(store)
    results._folder = folder  # type: ignore[attr-defined]
    return results


def optimise(file: str | os.PathLike[str], threads: int = 0) -> dict[str, Any]:
    """Searches the design that makes the objective of a study small: design, objective, start, evaluations, ending."""
    return _core._optimise(os.fspath(file), threads)


def plan(file: str | os.PathLike[str], **values: Any) -> dict[str, Any]:
    """Solves a plan file; keywords set parameters as --set does.

    The result has solved, solutions (each with unknowns, violation, certificate), method, derivatives, cause.
    """
    return _core._plan(os.fspath(file), **values)


def _rate(self: _core.Batch, name: str) -> Rate:
    """How often an observable is not zero among the runs that came to their end."""
    values, ran = self[name], self.certified
    return Rate(int(((values != 0) & ran).sum()), len(self))


class Rate:
    """A rate from counted trials; interval() is Wilson's."""

    def __init__(self, successes: int, trials: int) -> None:
        self.successes, self.trials = successes, trials

    @property
    def value(self) -> float:
        return self.successes / self.trials

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        return _core.rate_interval(self.successes, self.trials, confidence)

    def __repr__(self) -> str:
        low, high = self.interval()
        return f"<Rate {self.value:.4g} [{low:.4g}, {high:.4g}] of {self.trials}>"


# The classes of the extension modules get what is easier to write in Python.
setattr(_core.Batch, "rate", _rate)
setattr(_core.Model, "run", run)
setattr(_core.Model, "sensitivity", sensitivity)
