# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Problem files through the Python solvers: the answers of `stickslip solve`, bit for bit.

The small files of tests/fuzz are always there. The others are those of the tests over problem files: in `open` of the
folder that STICKSLIP_PROBLEMS names, else of ../shared/problems beside the checkout; skipped where there are none.
"""
import gzip
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import stickslip
from stickslip import complementarity as sc

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(
    os.environ.get("STICKSLIP_COMMAND", pathlib.Path(stickslip.__file__).resolve().parents[2] / "stickslip")
)
SEEDS = ROOT / "tests" / "fuzz" / "seeds" / "corpus"
OPEN = pathlib.Path(os.environ.get("STICKSLIP_PROBLEMS", ROOT.parent / "shared" / "problems")) / "open"


def problems(folder):
    for file in sorted(folder.iterdir()):
        opened = gzip.open(file, "rt") if file.suffix == ".gz" else open(file)
        with opened as text:
            try:
                problem = json.load(text)
            except ValueError:
                continue
        if problem.get("kind") in ("lcp", "boxlcp", "mlcp", "fc2d", "fc3d"):
            yield file, problem


def matrix(entries):
    sparse = pytest.importorskip("scipy.sparse")
    shape = (entries["rows"], entries["cols"])
    return sparse.csc_matrix((entries["x"], (entries["i"], entries["j"])), shape=shape, dtype=float)


def bounds(values, missing):
    return [missing if v is None or isinstance(v, str) else v for v in values]


def solve(problem):
    """The unknowns as the command lists them, and the solution."""
    kind = problem["kind"]
    if kind == "mlcp":
        blocks = [matrix(problem[name]) for name in "ABCD"]
        u, v, found = sc.solve_mlcp(*blocks, problem["a"], problem["b"])
        return np.concatenate([u, v]), found
    if kind in ("fc2d", "fc3d"):
        names = ["frictional", "support", "bilateral"]
        kinds = [names[kind] for kind in problem["contact_kind"]] if "contact_kind" in problem else None
        found = sc.solve_contact(
            matrix(problem["W"]), problem["q"], problem["mu"],
            kinds=kinds, normal_impulses=problem.get("normal_impulse"),
        )  # fmt: skip
        return found.z, found
    options = {}
    if kind == "boxlcp":
        options = {"lower": bounds(problem["lb"], -np.inf), "upper": bounds(problem["ub"], np.inf)}
    found = sc.solve_lcp(matrix(problem["M"]), problem["q"], **options)
    return found.z, found


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not beside the package")
@pytest.mark.parametrize("folder", [SEEDS, OPEN], ids=["seeds", "open"])
def test_the_answers_of_the_command(folder):
    if not folder.exists():
        pytest.skip(f"no problem files at {folder}")
    files = list(problems(folder))
    assert files
    told = subprocess.run(
        [COMMAND, "solve", "--json", "--solution", *(file for file, _ in files)], capture_output=True, text=True
    )
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(answers) == len(files)
    for (file, problem), answer in zip(files, answers):
        z, found = solve(problem)
        for name in ("status", "solver", "iterations"):
            assert getattr(found, name) == answer[name], f"{file.name}: {name}"
        assert found.residual == (np.inf if answer["residual"] is None else answer["residual"]), file.name
        if found.solved:
            np.testing.assert_array_equal(z, answer["solution"], err_msg=file.name)
