# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Examples in docstrings and in docs/python.md run as written."""
import doctest
import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import stickslip

ROOT = pathlib.Path(__file__).resolve().parents[2]


def public():
    """Everything public with its members: (name, docstring)."""
    for name in stickslip.__all__:
        thing = getattr(stickslip, name)
        yield f"stickslip.{name}", thing.__doc__
        if not inspect.isclass(thing) or issubclass(thing, BaseException):
            continue
        for base in thing.__mro__:
            if not base.__module__.startswith("stickslip"):
                continue
            for member, value in vars(base).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
                    yield f"stickslip.{name}.{member}", inspect.getdoc(getattr(thing, member, value))
    for name in stickslip.complementarity.__all__:
        yield f"stickslip.complementarity.{name}", getattr(stickslip.complementarity, name).__doc__


def run_examples(name, text):
    # One line of a docstring is its signature: only what follows >>> is read.
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted > 0 and results.failed == 0


EXAMPLES = {"stickslip": stickslip.__doc__, **{name: text for name, text in public() if text and ">>>" in text}}


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstring_examples(name, monkeypatch):
    monkeypatch.chdir(ROOT)  # examples name files of examples/
    run_examples(name, EXAMPLES[name])


def test_what_can_be_called_has_an_example():
    shown = set(EXAMPLES)
    tour = (ROOT / "docs" / "python.md").read_text()
    for name in stickslip.__all__:
        thing = getattr(stickslip, name)
        if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, BaseException)):
            assert f"stickslip.{name}" in shown or f"ss.{name}(" in tour, name


def test_everything_public_has_a_docstring():
    missing = [name for name, text in public() if not text]
    assert not missing


def test_the_page_runs_as_written(monkeypatch):
    monkeypatch.chdir(ROOT)  # it names files of examples/
    text = (ROOT / "docs" / "python.md").read_text()
    run_examples("docs/python.md", text)


def test_the_screen_of_code_runs_as_written(tmp_path, monkeypatch):
    """The tour, in a copy of its folder."""
    code = re.search(r"```python tour\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL).group(1)
    folder = tmp_path / "tour"
    shutil.copytree(ROOT / "python" / "tour", folder)
    monkeypatch.chdir(folder)
    stickslip.Model.from_file("feeder.toml").run(record="feeder.h5")
    stickslip.study("study.toml", store="study.db")
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    names = {
        "M": M, "q": q, "A": [[1.0]], "B": [[2.0]], "C": [[1.0]], "D": [[0.0]], "a": [-1.0], "b": [-3.0], "F": lambda x: M @ x + q,
        "J": lambda x: M, "lower": np.zeros(2), "upper": np.full(2, np.inf), "x0": np.zeros(2), "W": np.eye(2), "mu": [0.5],
    }  # fmt: skip
    pytest.importorskip("pandas")
    exec(compile(code, "docs/python.md", "exec"), names)
    assert names["sim"].time >= 2 and names["step"].certified and names["run"].time[-1] == pytest.approx(2)
    assert set(names["c"].dtype.names) >= {"bodies", "point", "normal", "gap", "force", "mode"}
    assert len(names["out"]) == 4096 and names["out"].certified.all()
    assert 0 < names["out"].rate("passed").value < 1
    assert names["r"].solved


def test_the_reference_is_written_from_the_docstrings():
    done = subprocess.run([sys.executable, ROOT / "script" / "python-api", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
