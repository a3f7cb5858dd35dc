# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""What Model.compare() and Model.converge() find, as tables with verdicts and error bars."""
from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import pandas  # type: ignore[import]


def _number(value: float | None, digits: int = 9) -> str:
    return "-" if value is None else f"{value:.{digits}g}"


def _text_table(rows: list[list[str]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        first = row[0].ljust(widths[0])
        lines.append("  ".join([first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip())
    return "\n".join(lines)


def _html_table(rows: list[list[str]]) -> str:
    def line(tag: str, row: list[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

    return "<table>" + line("th", rows[0]) + "".join(line("td", row) for row in rows[1:]) + "</table>"


class Comparison:
    """One scene under several methods: does what it observes depend on the model?

    methods: one entry per method, with method, step, certified, observe (value and error_bar of each observable), modes.
    observables: of each observable depends_on_model, spread, largest_error_bar and verdict, in words.

    >>> import stickslip as ss
    >>> found = ss.Model.from_file("examples/box/scene.toml").compare(["second-order", "second-order+step=5e-3"])
    >>> found.depends("x"), [method["method"] for method in found.methods]
    (False, ['second-order', 'second-order+step=5e-3'])
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.methods: list[dict[str, Any]] = found["methods"]
        self.observables: dict[str, dict[str, Any]] = found["observe"]

    def depends(self, name: str) -> bool:
        """Whether two methods differ in the observable by more than their steps explain."""
        return bool(self.observables[name]["depends_on_model"])

    def verdict(self, name: str) -> str:
        """The same in words, with figures."""
        return str(self.observables[name]["verdict"])

    def _rows(self) -> list[list[str]]:
        rows = [["method", "step", *(cell for name in self.observables for cell in (name, "+-"))]]
        for method in self.methods:
            row = [method["method"], _number(method["step"], 3)]
            for name in self.observables:
                of = method["observe"].get(name, {"value": None, "error_bar": None})
                row += [_number(of["value"]), _number(of["error_bar"], 2)]
            rows.append(row)
        return rows

    def to_pandas(self) -> "pandas.DataFrame":
        """One row per method: its step, whether it was certified, values and error bars."""
        from .runs import _pandas

        rows = []
        for method in self.methods:
            row = {name: method[name] for name in ("method", "step", "certified", "steps", "seconds")}
            for name, of in method["observe"].items():
                row[name], row[f"{name}_error"] = of["value"], of["error_bar"]
            rows.append(row)
        return _pandas().DataFrame(rows)

    def __repr__(self) -> str:
        verdicts = [self.verdict(name) for name in self.observables]
        warned = [
            f"WARNING: {method['method']}: {warning['observable']} contradicts the order of the stepper"
            for method in self.methods
            for warning in method["contradicts_order"]
        ]
        return "\n".join([_text_table(self._rows()), "", *verdicts, *warned])

    def _repr_html_(self) -> str:
        verdicts = "".join(f"<li>{html.escape(self.verdict(name))}</li>" for name in self.observables)
        return f"{_html_table(self._rows())}<ul>{verdicts}</ul>"


class Convergence:
    """One scene with ever shorter steps: what its observables tend to, and how far they still are from it.

    steps: of the runs. observables: of each observable values, order (None: the differences support none, and
    why_no_order says why), error_bar of the last value, limit, exact. directions: the same for friction pyramids, if
    they were asked for. contradicts_order: observables whose changes do not fall as the stepper's order claims.

    >>> import stickslip as ss
    >>> found = ss.Model.from_file("examples/box/scene.toml").converge(levels=3)
    >>> found.steps, found.observables["x"]["exact"]
    ([0.01, 0.005, 0.0025], True)
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.stepper: str = found["stepper"]
        self.steps: list[float] = found["by_step"]["step"]
        self.observables: dict[str, dict[str, Any]] = found["by_step"]["observe"]
        self.directions: dict[str, Any] = found.get("by_directions", {})
        self.contradicts_order: list[dict[str, Any]] = found["contradicts_order"]

    def _rows(self) -> list[list[str]]:
        rows = [["observable", "finest value", "error bar", "limit", "order"]]
        for name, of in self.observables.items():
            order = _number(of["order"], 3) if of["order"] is not None else "none: " + of["why_no_order"]
            rows.append([name, _number(of["values"][-1], 12), _number(of["error_bar"], 3), _number(of["limit"], 12), order])
        return rows

    def to_pandas(self) -> "pandas.DataFrame":
        """One row per step."""
        from .runs import _pandas

        return _pandas().DataFrame({"step": self.steps, **{name: of["values"] for name, of in self.observables.items()}})

    def __repr__(self) -> str:
        warned = [f"WARNING: {of['observable']} contradicts the order of {self.stepper}" for of in self.contradicts_order]
        return "\n".join([_text_table(self._rows()), *warned])

    def _repr_html_(self) -> str:
        return _html_table(self._rows())


def _names(given: list[str] | None, what: str) -> list[str]:
    """A list of texts; one text alone would be taken letter by letter."""
    if isinstance(given, (str, bytes)):
        raise TypeError(f"{what} must be a list of names, not one text: [{given!r}]")
    return list(given or [])


def compare(model: _core.Model, methods: list[str] | None = None, threads: int = 0) -> Comparison:
    """Runs the model under several methods, twice each, and says which observables depend on the method.

    methods: names of steppers, or key=value pairs of [method] joined by '+' ("implicit+step=1e-4"); none: all that fit.
    The error bar of a value is what halving the step changed. The table of `stickslip compare`.
    """
    return Comparison(json.loads(_core._compare(model, _names(methods, "methods"), threads)))


def converge(
    model: _core.Model, levels: int = 5, directions: list[int] | None = None, threads: int = 0
) -> Convergence:
    """Runs the model with its step, half of it, and so on: order, error bar and limit of every observable.

    levels: how many runs. directions: also friction pyramids with these numbers of sides. The table of
    `stickslip converge`.
    """
    return Convergence(json.loads(_core._converge(model, levels, list(directions or []), threads)))
