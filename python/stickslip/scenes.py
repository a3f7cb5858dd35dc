# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Scenes written in Python: the keys of a scene file (docs/scene-reference.md) as keywords, and the file as text."""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from . import _core


def _toml(value: Any) -> str:
    """One value as TOML. Arrays of NumPy, lists and tuples become arrays, dictionaries inline tables."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise ValueError(f"a scene cannot hold {value}")
        return repr(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(entry) for entry in value) + "]"
    raise TypeError(f"a scene cannot hold a {type(value).__name__}")


def _key(name: str) -> str:
    """A key as TOML writes it: bare, or in quotes where it holds other characters."""
    return name if all(c.isalnum() or c in "_-" for c in name) and name else _toml(name)


class Scene:
    """A scene in the making. Every keyword is a key of the scene file.

    >>> import stickslip as ss
    >>> scene = ss.Scene(dimension=2, gravity=[0, -9.81], duration=0.2)
    >>> scene.add_body("floor", fixed=True, shape={"half-plane": {"normal": [0, 1]}})
    >>> scene.add_body("ball", mass=1, shape={"disc": 0.1}, position=[0, 0.2])
    >>> scene.add_contact(["*", "*"], restitution=0.5)
    >>> scene.observe(y="ball.y")
    >>> scene.model(stepper="second-order").run().certified
    True
    """

    def __init__(self, **top: Any) -> None:
        self._top = top
        self._parameters: dict[str, Any] = {}
        self._method: dict[str, Any] = {}
        self._record: dict[str, Any] = {}
        self._bodies: list[dict[str, Any]] = []
        self._contacts: list[dict[str, Any]] = []
        self._observed: dict[str, Any] = {}

    def add_parameter(self, name: str, value: float, **about: Any) -> None:
        """A parameter that expressions may use; about: min, max, unit, description."""
        self._parameters[name] = {"value": value, **about} if about else value

    def add_body(self, name: str, **keys: Any) -> None:
        """A body: the keys of [[body]]."""
        self._bodies.append({"name": name, **keys})

    def add_contact(self, between: list[str], **keys: Any) -> None:
        """The law between bodies: the keys of [[contact]]."""
        self._contacts.append({"between": between, **keys})

    def observe(self, **expressions: Any) -> None:
        """What runs tell: names with expressions, or with the keys of [observe]."""
        self._observed.update(expressions)

    def method(self, **keys: Any) -> None:
        """The keys of [method]: stepper, step, ..."""
        self._method.update(keys)

    def record(self, **keys: Any) -> None:
        """The keys of [record]."""
        self._record.update(keys)

    def to_toml(self) -> str:
        """The scene file."""
        lines = [f"{_key(key)} = {_toml(value)}" for key, value in self._top.items()]
        for name, table in (("parameters", self._parameters), ("method", self._method), ("record", self._record)):
            lines += self._table(f"[{name}]", table) if table else []
        for body in self._bodies:
            lines += self._table("[[body]]", body)
        for contact in self._contacts:
            lines += self._table("[[contact]]", contact)
        lines += self._table("[observe]", self._observed) if self._observed else []
        return "\n".join(lines) + "\n"

    @staticmethod
    def _table(head: str, table: Mapping[str, Any]) -> list[str]:
        return ["", head, *(f"{_key(key)} = {_toml(value)}" for key, value in table.items())]

    def model(self, **values: Any) -> _core.Model:
        """The scene, read as a file would be. Raises SceneError with the line of to_toml()."""
        return _core.Model.from_string(self.to_toml(), **values)
