# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Scenes written in Python: the keys of a scene file (docs/scene-reference.md) as keywords, and the file as text."""
from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping, Sequence
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
        escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
        return '"' + "".join(escapes.get(c, c if c.isprintable() else f"\\U{ord(c):08x}") for c in value) + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(entry) for entry in value) + "]"
    raise TypeError(f"a scene cannot hold a {type(value).__name__}")


def _key(name: str) -> str:
    """A key as TOML writes it: bare, or in quotes where it holds other characters."""
    if not isinstance(name, str):
        raise TypeError(f"a key of a scene must be text, not {type(name).__name__}")
    return name if name.isascii() and all(c.isalnum() or c in "_-" for c in name) and name else _toml(name)


class Scene:
    """A scene in the making. Every keyword is a key of the scene file (docs/scene-reference.md).

    Keywords of Scene itself are those of the top: title, description, include, dimension, gravity, duration, stop.
    Tables within tables (shapes, motions, supports, patches, packings) are dictionaries.

    >>> import stickslip as ss
    >>> scene = ss.Scene(dimension=2, gravity=[0, -9.81], duration=0.2)
    >>> scene.add_body("floor", fixed=True, shape={"half-plane": {"normal": [0, 1]}})
    >>> scene.add_body("ball", mass=1, shape={"disc": 0.1}, position=[0, 0.2])
    >>> scene.add_contact(["*", "*"], restitution=0.5)
    >>> scene.observe(y="ball.y")
    >>> scene.model(stepper="second-order").run().certified
    True
    >>> ss.Scene.from_toml(scene.to_toml()).to_toml() == scene.to_toml()
    True
    """

    _TABLES = ("parameters", "method", "record", "start", "observe")
    _LISTS = ("body", "contact")

    def __init__(self, **top: Any) -> None:
        self._name = "scene"  # stands for the file: others are found relative to its folder
        self._top: dict[str, Any] = {}
        self._tables: dict[str, dict[str, Any]] = {name: {} for name in self._TABLES}
        self._lists: dict[str, list[dict[str, Any]]] = {name: [] for name in self._LISTS}
        for key, value in top.items():
            if key in self._TABLES:
                self._tables[key].update(value)
            elif key in self._LISTS:
                self._lists[key].extend(dict(entry) for entry in value)
            else:
                self._top[key] = value

    @classmethod
    def from_toml(cls, text: str, name: str = "scene") -> "Scene":
        """From the text of a scene file; other files are found relative to the folder of `name`."""
        try:
            scene = cls(**tomllib.loads(text))
        except tomllib.TOMLDecodeError:
            _core.Model.from_string(text, name)  # says where and why
            raise
        scene._name = name
        return scene

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "Scene":
        """From a scene file, to be changed; what it includes is named, not copied."""
        name = os.fsdecode(path)
        with open(name, encoding="utf-8") as file:
            return cls.from_toml(file.read(), name)

    def add_parameter(self, name: str, value: float | str, **about: Any) -> None:
        """A parameter that expressions may use; about: min, max, unit, description."""
        self._tables["parameters"][name] = {"value": value, **about} if about else value

    def add_body(self, name: str, **keys: Any) -> None:
        """A body: the keys of [[body]]."""
        self._lists["body"].append({"name": name, **keys})

    def add_contact(self, between: Sequence[str], **keys: Any) -> None:
        """The law between bodies: the keys of [[contact]]."""
        self._lists["contact"].append({"between": list(between), **keys})

    def start(self, body: str, **keys: Any) -> None:
        """Where a body is at the start, at rest, in place of what add_body says: the keys of [start]."""
        self._tables["start"][body] = keys

    def observe(self, **expressions: Any) -> None:
        """What runs report: names with expressions, or with the keys of [observe]."""
        self._tables["observe"].update(expressions)

    def method(self, **keys: Any) -> None:
        """The keys of [method]: stepper, step, ..."""
        self._tables["method"].update(keys)

    def record(self, **keys: Any) -> None:
        """The keys of [record]."""
        self._tables["record"].update(keys)

    def to_toml(self) -> str:
        """The scene file."""
        lines = [f"{_key(key)} = {_toml(value)}" for key, value in self._top.items()]
        for name in ("parameters", "method", "record"):
            lines += self._table(f"[{name}]", self._tables[name])
        for name in self._LISTS:
            for entry in self._lists[name]:
                lines += self._table(f"[[{name}]]", entry)
        for name in ("start", "observe"):
            lines += self._table(f"[{name}]", self._tables[name])
        return "\n".join(lines) + "\n"

    @staticmethod
    def _table(head: str, table: Mapping[str, Any]) -> list[str]:
        return ["", head, *(f"{_key(key)} = {_toml(value)}" for key, value in table.items())] if table else []

    def model(self, **values: Any) -> _core.Model:
        """The scene, read as a file would be. Raises SceneError with the line of to_toml()."""
        return _core.Model.from_string(self.to_toml(), self._name, **values)
