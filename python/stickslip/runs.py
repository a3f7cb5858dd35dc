# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Whole runs, recordings and stores: arrays, tables and pages of what a run or a study left."""
from __future__ import annotations

import html
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .problems import Problem, load_problem
from .tables import _names, compare, converge

if TYPE_CHECKING:
    import pandas  # type: ignore[import]


class NotCertified(RuntimeError):
    """A step that no solver could certify ended the run.

    problem: its contact problem (a Problem; None when no contact problem is to blame), for solve_contact to try.
    run: what was recorded until then (None in another process, to which a pool has passed the exception on).
    """

    def __init__(self, message: str, problem: Problem | None, run: "Run") -> None:
        super().__init__(message)
        self.problem = problem
        self.run = run

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.problem, None)  # to another process, which has no use for the file


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas (Debian: python3-pandas)") from error
    return pandas


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # not where a copy of its owner goes, in a process that was forked
        shutil.rmtree(folder, ignore_errors=True)


class _Folder:
    """A temporary folder that goes with its owner."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="stickslip-")
        weakref.finalize(self, _remove, self.name, os.getpid())


class Recording(_core._Recording):
    """A recorded run, from a file that `stickslip run` or Model.run wrote. recording[name]: an observable over time.

    >>> import os, tempfile, stickslip as ss
    >>> path = os.path.join(tempfile.mkdtemp(), "ball.h5")
    >>> run = ss.Model.from_file("examples/ball/scene.toml").run(record=path)
    >>> with ss.Recording(path) as recording:
    ...     recording.bodies, recording.position("ball").shape == (len(recording), 3)
    (['floor', 'ball'], True)
    """

    def to_pandas(self) -> "pandas.DataFrame":
        """Time and all observables, one row per frame."""
        return _pandas().DataFrame({"time": self.time, **{name: self[name] for name in self.observables}})

    def _repr_html_(self) -> str | None:
        try:
            page = html.escape(self.page(), quote=True)
        except ValueError:
            return None  # closed: the text of __repr__ says so
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0"></iframe>'

    def __repr__(self) -> str:
        try:
            about = f"{len(self)} frames, {self.end or 'end unknown'}"
        except ValueError:
            about = "closed"
        return f"<{type(self).__name__}: {about}>"


class Run(Recording):
    """A run: its recording, and what it reported at the end.

    path: the file. certified: every step reached method.certificate. worst_residual: the largest certificate. steps,
    seconds: how many, and how long they took. steps_at_worst: steps above the certificate, taken at
    certificate_at_worst. final: the observables.
    error_bars: with error_bars="on", the error of each final value (None: not resolved); empty otherwise.
    error_claims: what each of them is: "estimate" (about), "bound" (at most) or "none".

    >>> import stickslip as ss
    >>> run = ss.Model.from_file("examples/ball/scene.toml").run()
    >>> run.certified, run.steps_at_worst
    (True, 0)
    >>> bool(run["x"][-1] == run.final["x"])
    True
    """

    def __init__(self, path: str, result: dict[str, Any]) -> None:
        super().__init__(path)
        self.path = path
        self.certified: bool = result["certified"]
        self.worst_residual: float = result["residual"]
        self.steps: int = result["steps"]
        self.steps_at_worst: int = result["steps_at_worst"]
        self.seconds: float = result["seconds"]
        self.final: dict[str, float] = result["observables"]
        self.error_bars: dict[str, float | None] = result["error_bars"]
        self.error_claims: dict[str, str] = result["error_claims"]


class Store(_core._Store):
    """The results of a study: store[name] is a parameter or an observable of all trials.

    >>> import stickslip as ss
    >>> store = ss.study("python/tour/study.toml")
    >>> len(store), store.parameters, store.observables
    (100, ['mu', 'speed'], ['x', 'passed'])
    >>> bool((store["mu"] >= 0.2).all())
    True
    """

    def __contains__(self, name: object) -> bool:
        return name in self.columns()

    def __getitem__(self, name: str) -> Any:
        """A column of all trials."""
        columns = self.columns()
        if name not in columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(columns)}")
        return columns[name]

    def to_pandas(self) -> "pandas.DataFrame":
        """One row per trial."""
        return _pandas().DataFrame(self.columns())


class _Bar:
    """A progress bar of tqdm, where tqdm is installed; else nothing."""

    def __init__(self, total: float | None, unit: str) -> None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import]
        except ImportError:
            self._bar = None
            return
        self._bar = tqdm(total=total, unit=unit)

    def __call__(self, done: float, total: float | None = None) -> None:
        if self._bar is not None:
            if total is not None:
                self._bar.total = total
            self._bar.n = done
            self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _progress(progress: Any, total: float | None, unit: str) -> Any:
    if progress is None or progress is False:
        return None
    if progress is not True and not callable(progress):
        raise TypeError("progress must be a function, or True for a bar")
    return _Bar(total, unit) if progress is True else progress


def _close(progress: Any) -> None:
    if isinstance(progress, _Bar):
        progress.close()


def _stamp(path: str) -> tuple[int, int, int] | None:
    """What tells a file from one that was there before; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _kept(path: str, before: tuple[int, int, int] | None) -> "Run | None":
    """The run as far as it was recorded, when something ended it. before: stamp of a file that it would have replaced."""
    if _stamp(path) == before:
        return None
    try:
        found = Recording(path)
        final = {name: float(found[name][-1]) for name in found.observables} if len(found) else {}
    except OSError:
        return None
    worst = float(np.max(found.residual, initial=0.0))
    result = {"certified": False, "residual": worst, "steps": 0, "steps_at_worst": 0, "seconds": 0.0,
              "error_bars": {}, "error_claims": {}}
    return Run(path, {**result, "observables": final})


def run(
    model: _core.Model,
    record: str | os.PathLike[str] | None = None,
    progress: Callable[[float], Any] | bool | None = None,
    forces: Mapping[str, Callable[[float, NDArray[np.void]], Any]] | None = None,
    controller: Callable[[float, NDArray[np.void]], Any] | None = None,
    observer: Callable[[float, NDArray[np.void]], Any] | None = None,
    **values: Any,
) -> Run:
    """Runs the model to its end and returns the run with its recording.

    record: where the recording is kept; without it, in a temporary file that is removed with the run.
    progress: called with the simulated time now and then; True: a bar of tqdm, where tqdm is installed.
    forces: functions of (time, state) by the body that they push, as Simulation.add_force takes them; controller and
    observer likewise.
    Other keywords set parameters, duration and keys of [method].

    Raises NotCertified. Whatever else ends the run, Ctrl-C among it, is raised with an attribute `run`: what was recorded
    until then.
    """
    chosen = model.with_values(**values) if values else model
    folder = None
    if record is None:
        folder = _Folder()
        path = os.path.join(folder.name, "run.h5")
    else:
        path = os.fsdecode(record)
    before = _stamp(path)
    told = _progress(progress, chosen.duration, "s")
    try:
        result = _core._run(chosen, os.fsencode(path), told, dict(forces or {}), controller, observer)
    except BaseException as error:
        kept = _kept(path, before)
        if kept is not None:
            kept._folder = folder  # type: ignore[attr-defined]
            error.run = kept  # type: ignore[attr-defined]
        raise
    finally:
        _close(told)
    finished = Run(path, result)
    finished._folder = folder  # type: ignore[attr-defined]
    if not result["certified_at_worst"]:
        file = result["failed_problem"]
        about = "; `problem` of this error is its contact problem" if file else ""
        raise NotCertified(finished.end + about, load_problem(file) if file else None, finished)
    return finished


def batch(
    model: _core.Model,
    *,
    threads: int = 0,
    states: NDArray[np.void] | None = None,
    progress: Callable[[int, int], Any] | bool | None = None,
    **values: ArrayLike,
) -> _core.Batch:
    """Runs the model once for each value: keywords are parameters (or keys of [method]) with arrays of equal length.

    An array of one value, like a single number, holds for all runs, and so does a text (stepper="second-order").
    threads: 0 for one on each core; the same bits for any number of them.
    states: a table of states to start from, one row per run, each like Simulation.state.
    progress: called with (done, all) now and then; True: a bar of tqdm, where tqdm is installed.
    Ctrl-C raises KeyboardInterrupt with an attribute `batch`: runs that did not finish have the cause
    "interrupted" and observables that are nan.

    >>> import numpy as np, stickslip as ss
    >>> ball = ss.Model.from_file("examples/ball/scene.toml")
    >>> out = ss.batch(ball, mu=np.linspace(0.1, 0.5, 8))
    >>> out
    <Batch of 8 runs, 8 certified>
    >>> states = np.tile(ss.Simulation(ball).state, (5, 1))
    >>> states["velocity"][:, -1, 0] += np.linspace(0, 1, 5)
    >>> len(ss.batch(ball, states=states))
    5
    """
    counts = [np.size(value) for value in values.values()] + ([len(states)] if isinstance(states, np.ndarray) and states.ndim else [])
    told = _progress(progress, max(counts, default=1), "run")
    try:
        return _core._batch(model, threads=threads, states=states, progress=told, **values)
    finally:
        _close(told)


def sensitivity(
    model: _core.Model, parameters: list[str], step: float = 1e-4, threads: int = 1
) -> dict[str, dict[str, dict[str, Any]]]:
    """Derivatives of the observables: result[observable][parameter] has value, error, exact, same_modes, reason, note.

    exact: by implicit differentiation of the steps, and reason says why not; note: which stepper was taken, where the scene
    leaves it open and its own cannot be differentiated. Where the observable has a corner, value is nan, and left and right
    are the derivatives to each side, with their errors.
    """
    return _core._sensitivity(model, _names(parameters, "parameters"), step=step, threads=threads)


def study(
    file: str | os.PathLike[str],
    store: str | os.PathLike[str] | None = None,
    threads: int = 0,
    progress: Callable[[int, int], Any] | bool | None = None,
) -> Store:
    """Runs a study file, or what is left of it, and returns its store.

    store: the file of the results, which a later call goes on with; without it, a temporary one.
    progress: called with (done, all) now and then; True: a bar of tqdm, where tqdm is installed.
    Ctrl-C ends it when the trials that are running have finished; they are in the store.
    """
    folder = None
    if store is None:
        folder = _Folder()
        store = os.path.join(folder.name, "study.db")
    told = _progress(progress, None, "trial")
    try:
        _core._study(os.fsencode(file), os.fsencode(store), threads, told)
    finally:
        _close(told)
    results = Store(store)
    results._folder = folder  # type: ignore[attr-defined]
    return results


def optimise(
    file: str | os.PathLike[str], threads: int = 0, progress: Callable[[int, int], Any] | bool | None = None
) -> dict[str, Any]:
    """Searches the design that makes the objective of a study small: design, objective, start, evaluations, ending.

    The design is run again with half the step and under a second stepper: `again` says what came of it, and `artefact`
    whether the steps made the design.
    progress: called with (evaluations, at most) after each; True: a bar of tqdm, where tqdm is installed.
    Ctrl-C raises KeyboardInterrupt with an attribute `best`: the same of the best design until then, not run again.
    """
    told = _progress(progress, None, "evaluation")
    try:
        return _core._optimise(os.fsencode(file), threads, told)
    finally:
        _close(told)


def plan(file: str | os.PathLike[str], **values: Any) -> dict[str, Any]:
    """Solves a plan file; keywords set parameters as --set does.

    The result has solved, solutions (each with unknowns, violation, certificate), method, derivatives, cause. Each
    solution is run again with shorter steps and under a second stepper: its `again` says what came of it, and `artefact`
    whether the steps made it.
    """
    return _core._plan(os.fsencode(file), **values)


class Rate:
    """A rate from counted trials.

    >>> import stickslip as ss
    >>> ss.Rate(9, 10)
    <Rate 0.9 [0.5958, 0.9821] of 10>
    """

    def __init__(self, successes: int, trials: int) -> None:
        if not 0 <= successes <= trials:
            raise ValueError(f"there cannot be {successes} successes in {trials} trials")
        self.successes, self.trials = successes, trials

    @property
    def value(self) -> float:
        """Successes among the trials; nan without any."""
        return self.successes / self.trials if self.trials else float("nan")

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Wilson's interval."""
        return _core.rate_interval(self.successes, self.trials, confidence)

    def __repr__(self) -> str:
        if not self.trials:
            return "<Rate of no trials>"
        low, high = self.interval()
        return f"<Rate {self.value:.4g} [{low:.4g}, {high:.4g}] of {self.trials}>"


def _rate(self: _core.Batch, name: str) -> Rate:
    """How often an observable is not zero, among all runs: one that did not finish is no success, as in a study."""
    ran = np.isin(self.status, ("finished", "stopped"))
    return Rate(int(((self[name] != 0) & ran).sum()), len(self))


def _to_pandas(self: _core.Batch) -> "pandas.DataFrame":
    """One row per run: arguments, observables, status, certificate."""
    names = [name.removeprefix("method.") for name in self.parameters] + list(self.observables)
    columns = {name: self[name] for name in names}
    return _pandas().DataFrame({**columns, "status": self.status, "residual": self.residual, "end_time": self.end_time})


# The classes of the extension modules get what is easier to write in Python.
for _kind, _name, _function in (
    (_core.Batch, "rate", _rate),
    (_core.Batch, "to_pandas", _to_pandas),
    (_core.Model, "run", run),
    (_core.Model, "sensitivity", sensitivity),
    (_core.Model, "compare", compare),
    (_core.Model, "converge", converge),
):
    setattr(_kind, _name, _function)
    _function.__name__, _function.__qualname__ = _name, f"{_kind.__name__}.{_name}"
