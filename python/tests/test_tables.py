# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Model.compare and Model.converge say what the verbs of the command say; problem files; the bits of the command."""
import json
import os
import pathlib
import pickle
import subprocess
import threading

import numpy as np
import pytest

import stickslip as ss

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
COMMAND = pathlib.Path(os.environ.get("STICKSLIP_COMMAND", pathlib.Path(ss.__file__).resolve().parents[2] / "stickslip"))
needs_command = pytest.mark.skipif(not COMMAND.exists(), reason="the command is not beside the package")


def told(*arguments):
    """What the command prints as JSON, without the times that it took."""
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@needs_command
def test_compare_is_the_verb():
    file = EXAMPLES / "ball" / "scene.toml"
    found = ss.Model.from_file(file, duration=0.2).compare(["stewart-trinkle", "second-order", "stewart-trinkle+step=1e-2"])
    verb = told("compare", file, "--set", "duration=0.2", "--methods",
                "stewart-trinkle,second-order,stewart-trinkle+step=1e-2", "--json")  # fmt: skip
    assert found.observables == verb["observe"]
    for mine, theirs in zip(found.methods, verb["methods"], strict=True):
        assert {k: v for k, v in mine.items() if k != "seconds"} == {k: v for k, v in theirs.items() if k != "seconds"}
    for name in found.observables:
        assert found.verdict(name) in repr(found) and isinstance(found.depends(name), bool)
    assert "<table>" in found._repr_html_()


def test_compare_tells_models_from_steps():
    # Two steps of one stepper agree. A pyramid of four sides in place of the cone turns the path of a ball that spins.
    scene = ss.Scene(dimension=2, gravity=[0, -10], duration=0.5)
    scene.method(step=1e-3)
    scene.add_body("floor", fixed=True, shape={"half-plane": {"normal": [0, 1]}})
    scene.add_body("block", mass=1, shape={"box": [0.2, 0.1]}, position=[0, 0.05], velocity=[1, 0])
    scene.add_contact(["*", "*"], friction=0.3)
    scene.observe(x="block.x")
    model = scene.model()
    same = model.compare(["stewart-trinkle", "stewart-trinkle+step=5e-4"])
    assert not same.depends("x")
    ball = ss.Model.from_file(EXAMPLES / "ball" / "scene.toml")
    other = ball.compare(["stewart-trinkle", "stewart-trinkle+friction=pyramid+directions=4"])
    assert other.depends("y") and "DEPENDS" in other.verdict("y")
    with pytest.raises(ss.SceneError, match="no such"):
        model.compare(["no such"])
    with pytest.raises(RuntimeError, match="observe"):
        ss.Scene(dimension=2, duration=1, body=[{"name": "a", "mass": 1, "shape": {"disc": 1}}]).model().compare()


@needs_command
def test_converge_is_the_verb():
    file = EXAMPLES / "ball" / "scene.toml"
    found = ss.Model.from_file(file, duration=0.2).converge(levels=4, directions=[4, 8])
    verb = told("converge", file, "--set", "duration=0.2", "--levels", "4", "--directions", "4,8", "--json")
    assert found.steps == verb["by_step"]["step"] and found.observables == verb["by_step"]["observe"]
    assert found.directions["observe"] == verb["by_directions"]["observe"]
    assert found.contradicts_order == verb["contradicts_order"]


def test_converge_finds_the_order_and_the_limit():
    # A damped body: v = e^(-t), x = 1 - e^(-1) at t = 1; first-order steps tend to it with order 1.
    scene = ss.Scene(dimension=2, duration=1)
    scene.method(step=0.05, stepper="stewart-trinkle")
    scene.add_body("body", mass=1, shape={"disc": 0.1}, velocity=[1, 0], linear_damping=1)
    scene.observe(x="body.x")
    found = scene.model().converge(levels=6)
    of = found.observables["x"]
    assert of["order"] == pytest.approx(1, abs=0.05)
    assert abs(of["limit"] - (1 - np.exp(-1))) < of["error_bar"] * 0.1
    assert abs(of["values"][-1] - (1 - np.exp(-1))) < 1.2 * of["error_bar"]
    pandas = pytest.importorskip("pandas")
    assert isinstance(found.to_pandas(), pandas.DataFrame) and len(found.to_pandas()) == 6
    with pytest.raises(ValueError, match="levels"):
        scene.model().converge(levels=1)


@needs_command
@pytest.mark.parametrize("name", ["ball", "incline", "plate-2d", "stack", "rolling"])
def test_a_run_has_the_bits_of_the_command(name, tmp_path):
    file = EXAMPLES / name / "scene.toml"
    duration = min(0.3, ss.Model.from_file(file).duration)
    report = told("run", file, "--set", f"duration={duration}", "--json", "-o", tmp_path / "command.h5")
    mine = ss.Model.from_file(file, duration=duration).run()
    theirs = ss.Recording(tmp_path / "command.h5")
    assert len(mine) == len(theirs) and np.array_equal(mine.time, theirs.time)
    for body in mine.bodies:
        for of in ("position", "velocity", "orientation"):
            assert np.array_equal(getattr(mine, of)(body), getattr(theirs, of)(body)), (body, of)
    for name in mine.observables:
        assert np.array_equal(mine[name], theirs[name], equal_nan=True)
    assert mine.modes == theirs.modes and mine.steps == report["steps"]


@needs_command
def test_a_batch_has_the_bits_of_the_command():
    file = EXAMPLES / "ball" / "scene.toml"
    mu = np.linspace(0.1, 0.4, 4)
    out = ss.batch(ss.Model.from_file(file), mu=mu)
    for k, value in enumerate(mu):
        report = told("run", file, "--set", f"mu={value!r}", "--no-record", "--json")
        values = {name: of["value"] if isinstance(of, dict) else of for name, of in report["observe"].items()}
        assert all(out[name][k] == values[name] for name in out.observables)


def test_contacts_of_every_frame_are_those_of_the_simulation():
    for name in ("stack", "ball", "incline"):
        model = ss.Model.from_file(EXAMPLES / name / "scene.toml", duration=0.3)
        run, sim = model.run(), ss.Simulation(model)
        frames = {}
        for frame, at in enumerate(run.time):
            while sim.time < at - 1e-9:
                assert sim.step()
            frames[frame] = sim.contacts
        assert any(len(of) for of in frames.values())
        for frame, expected in frames.items():
            found = run.contacts(frame)
            assert found.dtype.names == tuple(n for n in expected.dtype.names if n != "surface")
            for field in found.dtype.names:
                if field == "point":  # kept as one point, and spread over the gap again when it is read
                    np.testing.assert_allclose(found[field], expected[field], atol=1e-15, rtol=1e-15)
                else:
                    assert np.array_equal(found[field], expected[field]), (name, frame, field)
        assert np.array_equal(run.contacts(-1), run.contacts(len(run) - 1))
        for wrong in (len(run), -len(run) - 1):
            with pytest.raises(IndexError):
                run.contacts(wrong)
        run.close()
        with pytest.raises(ValueError, match="closed"):
            run.contacts(0)


def test_threads_share_a_recording():
    """One waits for the other: every answer is right."""
    run = ss.Model.from_file(EXAMPLES / "stack" / "scene.toml", duration=0.3).run()
    expected = {body: run.position(body) for body in run.bodies}
    wrong = []

    def read():
        for _ in range(20):
            for body, track in expected.items():
                if not np.array_equal(run.position(body), track):
                    wrong.append(body)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert not wrong


@needs_command
def test_a_plan_is_run_again_as_the_verb_does(tmp_path):
    file = EXAMPLES / "plan-ball" / "plan.toml"
    found = ss.plan(file)
    done = subprocess.run([COMMAND, "plan", file, "-o", tmp_path / "out.toml"], capture_output=True, text=True)
    assert found["solved"] and len(found["solutions"]) > 0
    for solution in found["solutions"]:
        assert solution["again"] in done.stdout and solution["artefact"] == ("ARTEFACT" in solution["again"])


def test_derivatives_say_which_stepper_was_taken():
    model = ss.Model.from_file(EXAMPLES / "ball" / "scene.toml")
    for row in model.with_values(stepper="stewart-trinkle").sensitivity(["mu"]).values():
        assert row["mu"]["note"] == ""
    for row in model.with_values(stepper="auto").sensitivity(["mu"]).values():
        assert row["mu"]["note"] == ""  # second-order itself
    supported = ss.Model.from_file(EXAMPLES / "slide-to-rest" / "scene.toml")
    for row in supported.sensitivity(["mu"]).values():
        assert "stewart-trinkle" in row["mu"]["note"]


def test_a_step_that_is_not_certified_brings_its_problem(tmp_path):
    # No solver comes below rounding: with a certificate that small, and nothing larger at worst, a run must fail.
    model = ss.Model.from_file(EXAMPLES / "stack" / "scene.toml", certificate=1e-20, certificate_at_worst=0)
    with pytest.raises(ss.NotCertified) as caught:
        model.run(record=tmp_path / "failed.h5")
    problem = caught.value.problem
    assert problem.kind in ("fc2d", "fc3d") and problem.size > 0
    assert pathlib.Path(problem.file).parent == tmp_path
    answer = ss.solve_contact(problem.W, problem.q, problem.mu)
    assert answer.solved  # to 1e-8 it is no problem
    assert np.array_equal(problem.solve().z, answer.z)
    assert caught.value.run.time[-1] >= 0 and not caught.value.run.certified
    sim = ss.Simulation(model)
    while sim.step():
        pass
    failure = sim.failure
    assert not sim.certified and failure["time"] == sim.time
    here = failure["problem"]
    assert isinstance(here, ss.Problem) and ss.solve_contact(here.W, here.q, here.mu).solved
    np.testing.assert_array_equal(here.q, problem.q)
    assert np.abs(here.W - problem.W).max() == 0


def test_exceptions_pass_from_process_to_process(tmp_path):
    """As pools of multiprocessing do it: with all that they say, but for the recording, which is a file of the other process."""
    model = ss.Model.from_file(EXAMPLES / "stack" / "scene.toml", certificate=1e-20, certificate_at_worst=0)
    with pytest.raises(ss.NotCertified) as caught:
        model.run()
    there = pickle.loads(pickle.dumps(caught.value))
    assert str(there) == str(caught.value) and there.run is None
    assert ss.solve_contact(there.problem.W, there.problem.q, there.problem.mu).solved
    with pytest.raises(ss.SceneError) as caught:
        ss.Model.from_string("dimension = 2\nduration = 1\nfoo = 3\n", name="bad.toml")
    there = pickle.loads(pickle.dumps(caught.value))
    assert (str(there), there.file, there.line, there.column) == (str(caught.value), "bad.toml", 3, 1)


def test_problem_files_are_read_strictly(tmp_path):
    folder = ROOT / "tests" / "fuzz" / "seeds" / "corpus"
    kinds = set()
    for file in sorted(folder.glob("*.json*")):
        try:
            problem = ss.load_problem(file)
        except ValueError:
            continue
        kinds.add(problem.kind)
        if problem.kind.startswith("g"):
            with pytest.raises(ValueError, match="stickslip solve"):
                problem.solve()
        elif problem.size:
            assert problem.solve().status in ("solved", "infeasible", "ray")
    assert {"lcp", "boxlcp", "mlcp", "fc2d", "fc3d"} <= kinds
    (tmp_path / "odd.json").write_text('{"kind": "lcp", "n": 1}')
    for wrong in (tmp_path / "odd.json", tmp_path / "none.json", tmp_path):
        with pytest.raises((ValueError, OSError)):
            ss.load_problem(wrong)
    with pytest.raises(AttributeError, match="no 'lambda'"):
        getattr(ss.load_problem(folder / "lcp_two.json"), "lambda")
