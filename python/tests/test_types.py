# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""mypy --strict on the examples, the package and the benchmark; the lists of public names agree."""
import os
import pathlib
import subprocess
import sys

import pytest

import stickslip

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(tmp_path, *files):
    pytest.importorskip("mypy")
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    environment.pop("LD_PRELOAD", None)  # of the sanitizer
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, *files],
        capture_output=True, text=True, env=environment, cwd=ROOT,
    )  # fmt: skip


def test_examples_and_package_are_typed_strictly(tmp_path):
    done = check(tmp_path, *sorted((ROOT / "examples" / "python").glob("*.py")), ROOT / "bench" / "python.py",
                 ROOT / "python" / "stickslip")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_types_are_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import stickslip as ss\n"
        "model = ss.Model.from_file('scene.toml')\n"
        "sim = ss.Simulation('scene.toml')\n"  # not a model
        "sim.body(3)\n"
        "sim.time = 3.0\n"
        "out: int = model.run()\n"
        "model.compare(3)\n"
        "ss.solve_lcp([[1.0]])\n"
    )
    done = check(tmp_path / "cache", wrong)
    found = [line for line in range(3, 9) if f"wrong.py:{line}: error" in done.stdout]
    assert found == [3, 4, 5, 6, 7, 8], done.stdout


def test_public_names():
    lazily = set(stickslip._SIMULATOR)
    assert stickslip.__all__ == sorted(stickslip.__all__)
    assert lazily <= set(stickslip.__all__)
    for name in stickslip.__all__:
        assert getattr(stickslip, name).__doc__, name
