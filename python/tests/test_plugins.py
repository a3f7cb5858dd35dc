# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Plug-ins from Python, each in a process of its own: names that were added stay."""
import pathlib
import subprocess
import sys
import textwrap

import pytest

import stickslip as ss

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(ss.__file__).resolve().parents[2]
PLUGIN = BUILD / "examples" / "plugin" / "example_plugin.so"
pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="the example's plug-in is not beside the package")


def run(code):
    start = f"import numpy as np, stickslip as ss\nplugin = {str(PLUGIN)!r}\n"
    done = subprocess.run([sys.executable, "-c", start + textwrap.dedent(code)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_a_stepper_from_outside_steps():
    found = run("""
        ss.load_plugin(plugin)
        model = ss.Model.from_file("examples/peg/scene.toml", duration=0.1, stepper="example-free-flight")
        print(repr(model.run().final["y"]))
    """)
    # Semi-implicit Euler, 100 steps of 1e-3: 0.2 - g h^2 n (n + 1) / 2.
    assert float(found[0]) == pytest.approx(0.2 - 9.8 * 1e-6 * 5050, abs=1e-12)


def test_a_solver_from_outside_solves_scenes_and_problems():
    found = run("""
        ball = ss.Model.from_file("examples/ball/scene.toml", step=1e-2)
        ours = ball.run().final["x"]
        ss.load_plugin(plugin)
        ss.load_plugin(plugin)          # as in a notebook whose cell is run again
        print(abs(ball.run(solver="example-projection").final["x"] - ours) < 1e-8)
        answer = ss.solve_contact(np.eye(3), [-1.0, 3.0, 4.0], [0.5], solver="example-projection")
        print(answer.solver, answer.solved, answer.z.round(6).tolist())
        print("example-projection" in dict(ss.complementarity.contact_solvers()))
    """)
    assert found == ["True", "example-projection True [1.0, -0.3, -0.4]", "True"]


def test_names_are_unknown_without_it():
    found = run("""
        try:
            ss.solve_contact(np.eye(3), [-1.0, 3.0, 4.0], [0.5], solver="example-projection")
        except ValueError as error:
            print(error)
        try:
            ss.Model.from_file("examples/peg/scene.toml", stepper="example-free-flight")
        except ss.SceneError as error:
            print(error)
    """)
    assert 'unknown solver "example-projection"' in found[0] and "example-free-flight" in found[1]


@pytest.mark.parametrize("file, text", [
    (BUILD / "nothing.so", "cannot read"), (ROOT / "README.md", "cannot load"), ("", "cannot read"),
    (BUILD / "tests" / "no_plugin.so", "is not a stickslip plug-in"), (BUILD / "tests" / "old_plugin.so", "build it again"),
])  # fmt: skip
def test_files_that_are_none_are_refused(file, text):
    if file and "tests" in pathlib.Path(file).parts and not file.exists():
        pytest.skip("the plug-ins of the tests are not beside the package")
    with pytest.raises(ImportError, match=text):
        ss.load_plugin(file)


@pytest.mark.parametrize("file", [None, 3, ["plugin.so"], "a\0b"])
def test_what_names_no_file_is_refused(file):
    with pytest.raises((TypeError, ValueError)):
        ss.load_plugin(file)


def test_no_plugin_is_loaded_while_something_runs():
    found = run("""
        import threading
        model = ss.Model.from_file("examples/ball/scene.toml")
        def load(time, state):
            try:
                ss.load_plugin(plugin)
            except RuntimeError as error:
                print(error)
            return False
        print(model.run(observer=load).end)
        ss.load_plugin(plugin)
        print(model.with_values(stepper="example-free-flight").stepper)
    """)
    assert "while runs or solvers are at work" in found[0]
    assert found[-1] == "example-free-flight"
