# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Examples in docstrings and in docs/python.md run as written."""
import doctest
import pathlib

import pytest

import stickslip
from stickslip import _complementarity, _core

ROOT = pathlib.Path(__file__).resolve().parents[2]


def documented():
    yield "stickslip", stickslip.__doc__
    yield "stickslip.Scene", stickslip.Scene.__doc__
    for module in (_complementarity, _core):
        for name in dir(module):
            text = getattr(getattr(module, name), "__doc__", None) or ""
            if ">>>" in text:
                yield f"{module.__name__}.{name}", text


def run_examples(name, text):
    # One line of a docstring is its signature: only what follows >>> is read.
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted > 0 and results.failed == 0


@pytest.mark.parametrize("name,text", list(documented()), ids=lambda value: value if "." in value[:40] else "text")
def test_docstring_examples(name, text):
    run_examples(name, text)


def test_the_tour_runs_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # the tour names files of examples/
    run_examples("docs/python.md", (ROOT / "docs" / "python.md").read_text())


def test_everything_public_has_a_docstring():
    for module in (_complementarity, _core):
        for name in dir(module):
            if not name.startswith("_"):
                assert getattr(module, name).__doc__, f"{module.__name__}.{name}"
