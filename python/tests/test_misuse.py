# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Ten thousand random misuses of every object: an exception each, never a crash.

Each call below is right but for one argument, which is drawn from values that are wrong for it, or its object is closed or
used by another thread. The build with the address sanitizer runs this file too (docs/python.md).
"""
import copy
import pathlib
import pickle
import threading

import numpy as np
import pytest

import stickslip as ss
from stickslip import complementarity as sc

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCEPTIONS = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RuntimeError, OSError, MemoryError)

SCENE = """
dimension = 2
gravity = [0, -9.81]
duration = 0.01
[parameters]
mu = { value = 0.3, min = 0, max = 2 }
[method]
step = 1e-3
[[body]]
name = "floor"
fixed = true
shape = { half-plane = { normal = [0, 1] } }
[[body]]
name = "block"
mass = 2
shape = { box = [0.2, 0.1] }
position = [0, 0.05]
[[contact]]
between = ["*", "*"]
friction = "mu"
[observe]
x = "block.x"
"""

NAN, INF = float("nan"), float("inf")
# What is wrong for an argument of each kind.
NOT_TEXT = [None, 3, 1.5, b"bytes", ["x"], {}, object(), np.zeros(2), 1j]
NOT_A_NAME = [*NOT_TEXT, "", "nobody", "a\0b", "x" * 10000, "\ud800"]
NOT_A_NUMBER = [None, NAN, INF, -INF, "text", [1], {}, 1j, object(), np.zeros(3), 2**5000]
NOT_A_COUNT = [None, NAN, 1.5, "4", [1], 1j, object(), 2**80, -1, -(2**40)]
NOT_THREADS = [*NOT_A_COUNT, 1025, 2**31 - 1]
NOT_A_VECTOR = [None, 1.0, "text", [], [1], [1, 2, 3, 4], [NAN, 0], [0, INF, 0], [[1, 2]], np.zeros((3, 1)), np.zeros(0),
                ["a", "b"], [1j, 0], {}, object(), np.array([None, 1]), np.zeros(2, dtype="datetime64[s]")]  # fmt: skip
NOT_A_TABLE = [1.0, "text", [], [1, 2], np.zeros((2, 2)), np.zeros((3, 3)), np.full((2, 3), NAN), np.zeros((2, 3, 1)),
               np.zeros((2, 3), dtype=complex), [["a"] * 3] * 2, {}, object()]  # fmt: skip
# Views of a few bytes that pretend to be large: there is no room for a copy.
TOO_LARGE = [np.broadcast_to(np.int8(0), (10**17, 3)), np.broadcast_to(np.int8(0), (2**60,))]
NOT_A_STATE = [0, "state", [], np.zeros(2), np.zeros((2, 14)), {}, object(), b"", np.zeros(2, dtype="f8,f8")]
NOT_A_FUNCTION = [None, 3, "f", [], object()]
NOT_A_FILE = [None, 3.5, [], "/nonexistent/file", "a\0b", "/", "", object(), str(ROOT / "README.md")]
NOT_SAVED = [None, 3, "text", b"", b"abc", b"\0" * 1000, b"\xff" * 64, [], object()]
NOT_A_MODEL = [None, 3, "scene.toml", {}, object(), ss.Model, []]
NOT_A_MATRIX = [None, 1.0, "text", [], [1.0], np.zeros((2, 3)), np.zeros((0, 0)), np.zeros((2, 2, 2)), np.eye(3), object(),
                np.full((2, 2), NAN), np.full((2, 2), INF), [[1, 2], [3]], np.eye(2) * 1j]  # fmt: skip
NOT_TWO = [None, 1.0, "text", [1.0], np.zeros(3), np.zeros((2, 1)), [NAN, 0.0], [INF, 0.0], [1j, 0], object(), {}]
NOT_A_SOLVER = [None, 3, "nobody", "", [], object()]


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Pairs of a function of one argument and values that are wrong for it."""
    folder = tmp_path_factory.mktemp("misuse")
    model = ss.Model.from_string(SCENE)
    run = model.run(record=folder / "run.h5")
    (folder / "scene.toml").write_text(SCENE)
    (folder / "study.toml").write_text('scene = "scene.toml"\ntrials = 3\n[vary]\nmu = { uniform = [0.1, 0.2] }\n')
    store = ss.study(folder / "study.toml", store=folder / "study.db")
    sim = ss.Simulation(model)
    body = sim.body("block")
    out = ss.batch(model, mu=[0.1, 0.2])
    eye, zero = np.eye(2), np.ones(2)
    scene = ss.Scene(dimension=2, duration=1)
    contact = np.eye(2), np.array([-1.0, 0.1])

    def closed(of, name):
        thing = of(folder / ("run.h5" if of is ss.Recording else "study.db"))
        thing.close()
        value = getattr(thing, name)
        return value("x") if callable(value) else value

    return [
        (ss.Model.from_file, NOT_A_FILE),
        (ss.Model.from_string, [*NOT_TEXT, "", "a = ", "dimension = 5", "\0", "[[body]]"]),
        (lambda v: ss.Model.from_string(SCENE, mu=v), [*NOT_A_NUMBER[1:4], [1], {}, 1j, object(), np.zeros(3), -1.0, "3 +"]),
        (lambda v: model.with_values(stepper=v), [3, [], {}, object(), "nobody", ""]),
        (lambda v: model.with_values(**{"nobody": v}), [1, "text", None]),
        (lambda v: model.with_values(step=v), [-1.0, 0.0, NAN, INF, "fast", [], object()]),
        (lambda v: model.run(record=v), [3.5, [], {}, object(), "/nonexistent/run.h5", "/"]),
        (lambda v: model.run(progress=v), [3, "text", []]),
        (lambda v: model.run(forces={"block": v}), NOT_A_FUNCTION),
        (lambda v: model.run(forces={v: lambda t, s: None}), ["nobody", 3, None, b"nobody"]),
        (lambda v: model.run(controller=lambda t, s: v), [3, "text", [1, 2], {"nobody": [1, 0]}, {3: [1, 0]}, {"block": "x"}]),
        (lambda v: model.run(observer=v), NOT_A_FUNCTION[1:]),
        (model.compare, ["second-order", b"second-order", 3, object()]),
        (model.sensitivity, ["mu", b"mu", 3, object()]),
        (lambda v: model.compare([v]), [None, 3, "nobody", "step=0", "+", object()]),
        (lambda v: model.converge(levels=v), [*NOT_A_COUNT, 0, 1, 13]),
        (lambda v: model.converge(directions=[v]), [None, "four", 1.5, -1, 0, 2**80]),
        (lambda v: model.sensitivity([v]), NOT_A_NAME),
        (lambda v: model.sensitivity(["mu"], step=v), [*NOT_A_NUMBER, 0.0, -1.0, 1.0]),
        (lambda v: model.sensitivity(["mu"], threads=v), NOT_THREADS),
        (lambda v: model.compare(["second-order"], threads=v), NOT_THREADS),
        (lambda v: model.converge(threads=v), NOT_THREADS),
        (lambda v: ss.optimise(ROOT / "python" / "tour" / "opt.toml", threads=v), NOT_THREADS),
        (ss.Simulation, NOT_A_MODEL),
        (lambda v: ss.Simulation(model, mu=v), [NAN, INF, [1], {}, object(), -1.0]),
        (sim.body, NOT_A_NAME),
        (sim.__getitem__, NOT_A_NAME),
        (sim.run_until, NOT_A_NUMBER),
        (sim.restore, NOT_SAVED),
        (sim.reset, [*NOT_A_STATE, np.broadcast_to(sim.state[:1], (2**50,))]),
        (lambda v: sim.reset(time=v), [*NOT_A_NUMBER, 1.0]),
        (lambda v: sim.set_state(positions=v), [*NOT_A_TABLE, *TOO_LARGE]),
        (lambda v: sim.set_state(velocities=v), NOT_A_TABLE),
        (lambda v: sim.set_state(angular_velocities=v), NOT_A_TABLE),
        (lambda v: sim.set_state(orientations=v), [*NOT_A_TABLE, np.zeros((2, 4))]),
        (lambda v: sim.set_state(angles=v), [1.0, "text", [], [1, 2, 3], [NAN, 0], np.zeros((2, 1)), object()]),
        (lambda v: sim.set_state(time=v), NOT_A_NUMBER[1:]),
        (lambda v: sim.add_force("block", v), NOT_A_FUNCTION),
        (lambda v: sim.add_force(v, lambda t, s: None), NOT_A_NAME),
        (sim.add_controller, NOT_A_FUNCTION),
        (sim.add_observer, NOT_A_FUNCTION),
        (lambda v: setattr(body, "force", v), [*NOT_A_VECTOR, *TOO_LARGE]),
        (lambda v: setattr(body, "torque", v), [*NOT_A_VECTOR[2:], NAN, INF]),
        (lambda v: setattr(body, "position", v), NOT_A_VECTOR),
        (lambda v: setattr(body, "velocity", v), [*NOT_A_VECTOR, [1, 0, 0.1]]),
        (lambda v: setattr(body, "angular_velocity", v), [*NOT_A_VECTOR[2:], NAN, INF, [0.1, 0, 0]]),
        (lambda v: setattr(sim.body("floor"), v, [0, 0]), ["position", "velocity", "angular_velocity"]),
        (lambda v: setattr(body, v, 1), ["name", "mass", "angle", "orientation", "nobody"]),
        (lambda v: setattr(sim, v, 1), ["time", "state", "contacts"]),
        (ss.batch, NOT_A_MODEL),
        (lambda v: ss.batch(model, mu=v), [None, "text", [], [NAN], [[1.0]], 1j, object(), [None], {}][0:2]),
        (lambda v: ss.batch(model, mu=v), [*TOO_LARGE, [NAN], [[0.1]], [1j], object(), [None], {}, ["a"]]),
        (lambda v: ss.batch(model, mu=[0.1, 0.2], step=v), [[1e-3] * 3, [INF, 1e-3], "fast"]),
        (lambda v: ss.batch(model, **{"nobody": v}), [1.0, [1.0], "text", True]),
        (lambda v: ss.batch(model, stepper=v), ["nobody", "", b"second-order", ["second-order"], object()]),
        (lambda v: model.run(tolerance=1e-3, forces={"block": v}), [lambda t, s: None]),
        (lambda v: model.run(error_bars="on", observer=v), [lambda t, s: None]),
        (lambda v: ss.batch(model, threads=v), NOT_THREADS),
        (lambda v: ss.batch(model, states=v), [*NOT_A_STATE, sim.state, np.tile(sim.state, (2, 2)), np.broadcast_to(sim.state, (2**50, 2))]),
        (out.__getitem__, NOT_A_NAME),
        (out.rate, NOT_A_NAME),
        (lambda v: ss.Rate(1, 2).interval(v), [*NOT_A_NUMBER, 0.0, 1.0, -1.0]),
        (lambda v: ss.Rate(v, 2), [3, -1, NAN, None, "1", [1]]),
        (lambda v: ss.rate_interval(v, 2), [*NOT_A_COUNT, 3]),
        (ss.Recording, NOT_A_FILE),
        (ss.Store, NOT_A_FILE),
        (run.__getitem__, NOT_A_NAME),
        (run.position, NOT_A_NAME),
        (run.velocity, NOT_A_NAME),
        (run.orientation, NOT_A_NAME),
        (run.contacts, [None, "text", 1.5, [], {}, object(), len(run), -len(run) - 1, 2**80]),
        (run.page, [value for value in NOT_TEXT if not isinstance(value, bytes)]),
        (store.__getitem__, NOT_A_NAME[:4] + NOT_A_NAME[9:]),
        (lambda v: closed(ss.Recording, v), ["time", "bodies", "observables", "end", "modes", "__len__", "position", "page"]),
        (lambda v: closed(ss.Store, v), ["parameters", "observables", "columns", "__len__"]),
        (copy.copy, [body, run, store]),
        (copy.deepcopy, [body, run, store]),
        (pickle.dumps, [body, run, store]),
        (iter, [model, sim, body, out, run, store]),
        (lambda v: type(v)(), [sim, body, out, run, store]),
        (ss.Scene.from_toml, [*NOT_TEXT[:1], "a = ", "= 3", "[", "\0"]),
        (ss.Scene.from_file, NOT_A_FILE[:3] + NOT_A_FILE[3:7]),
        (lambda v: ss.Scene(dimension=2, duration=v).to_toml(), [NAN, INF, None, object(), 1j, {1}, b"x", {3: 4}]),
        (lambda v: ss.Scene(duration=1, dimension=v).model(), [0, 4, "text", [2], {"a": 1}, -1]),
        (lambda v: ss.Scene(method=v), [3, 1.5, object(), "text"]),
        (lambda v: ss.Scene(body=v), [3, 1.5, object(), "text"]),
        (lambda v: scene.add_contact(v), [None, 3, object()]),
        (lambda v: ss.study(v), NOT_A_FILE),
        (lambda v: ss.study(folder / "study.toml", store=v), [3.5, [], object(), "/nonexistent/s.db", "/"]),
        (lambda v: ss.study(folder / "study.toml", threads=v), NOT_THREADS),
        (ss.optimise, [*NOT_A_FILE, folder / "study.toml"]),
        (ss.plan, NOT_A_FILE),
        (ss.load_problem, NOT_A_FILE),
        (lambda v: ss.Environment(model, [v], lambda s: 0.0), NOT_A_NAME),
        (lambda v: ss.Environment(model, v, lambda s: 0.0), ["block", b"block", ["floor"], 3, None]),
        (lambda v: ss.Environment(model, ["block"], lambda s: 0.0, steps_per_action=v), [0, -1, 1.5, "2", None, NAN]),
        (lambda v: ss.Environment(model, ["block"], lambda s: 0.0, force_limit=v), [0.0, -1.0, NAN, "2", None, [1, 2]]),
        (lambda v: ss.Environment(model, ["block"], lambda s: 0.0).step(v), [None, "text", [1], [1, 2, 3], [NAN, 0], object()]),
        (lambda v: sc.solve_lcp(v, zero), NOT_A_MATRIX),
        (lambda v: sc.solve_lcp(eye, v), NOT_TWO),
        (lambda v: sc.solve_lcp(eye, zero, lower=v), [1.0, "text", [1.0], [NAN, 0], [5.0, 0], object()][:4] + [object()]),
        (lambda v: sc.solve_lcp(eye, zero, solver=v), NOT_A_SOLVER),
        (lambda v: sc.solve_lcp(eye, zero, tolerance=v), [*NOT_A_NUMBER, 0.0, -1.0, 1.0]),
        (lambda v: sc.solve_lcp(eye, zero, max_iterations=v), NOT_A_COUNT),
        (lambda v: sc.solve_lcp(eye, zero, time_limit=v), [None, "text", NAN, 0.0, -1.0, [], 1j]),
        (lambda v: sc.solve_lcp(eye, zero, nonsense=v), [1, None]),
        (lambda v: sc.solve_contact(v, contact[1], [0.5]), NOT_A_MATRIX),
        (lambda v: sc.solve_contact(contact[0], v, [0.5]), NOT_TWO),
        (lambda v: sc.solve_contact(*contact, v), [None, 1.0, "text", [], [-1.0], [NAN], [1.0, 1.0], [1j], object()]),
        (lambda v: sc.solve_contact(*contact, [0.5], kinds=v), [3, "text", ["nobody"], [3], ["support", "support"], object()]),
        (lambda v: sc.solve_contact(*contact, [0.5], start=v), NOT_TWO[1:]),
        (lambda v: sc.solve_mcp(v, None, [0.0], [1.0], [0.5]), NOT_A_FUNCTION),
        (lambda v: sc.solve_mcp(lambda x: v, None, [0.0], [1.0], [0.5]), [None, "text", [], [1, 2], [[1.0]], 1j, object()]),
        (lambda v: sc.solve_mcp(lambda x: x, lambda x: v, [0.0], [1.0], [0.5]), [None, "text", [], [1.0], np.eye(2), object()]),
        (lambda v: sc.solve_mcp(lambda x: x, None, v, [1.0], [0.5]), [None, "text", [NAN], [2.0], [0.0, 0.0], object()]),
        (lambda v: sc.solve_mlcp(v, eye, eye, eye, zero, zero), NOT_A_MATRIX[:3] + [np.eye(3), object()]),
        (lambda v: sc.solve_mlcp(eye, eye, eye, eye, zero, v), NOT_TWO),
    ]


def test_ten_thousand_random_misuses_raise_and_never_crash(calls):
    rng = np.random.default_rng(0)
    pairs = [(number, call, value) for number, (call, values) in enumerate(calls) for value in values]
    quiet = []
    for _ in range(10000):
        number, call, value = pairs[rng.integers(len(pairs))]
        try:
            call(value)
        except EXCEPTIONS as error:
            assert str(error) or isinstance(error, KeyError), f"call {number} with {value!r:.60} says nothing"
        else:
            quiet.append(f"call {number} with {value!r:.60}")
    assert not quiet, sorted(set(quiet))


@pytest.mark.parametrize("kind", [ss.Simulation, ss.Body, ss.Step, ss.Batch, ss.Model, ss.Recording, ss.Run, ss.Store, ss.Solution])
def test_objects_whose_init_has_not_run_refuse_everything(kind):
    for name in dir(kind):
        if not name.startswith("__"):
            with pytest.raises(TypeError):
                getattr(kind.__new__(kind), name)()
    own_text = [] if kind.__repr__ is object.__repr__ else [repr]
    for use in (*own_text, ss.batch, lambda thing: ss.Simulation(thing)):
        with pytest.raises(TypeError):
            use(kind.__new__(kind))


def test_everything_still_works_after_misuse(calls):
    model = ss.Model.from_string(SCENE)
    sim = ss.Simulation(model)
    assert sim.run_until(0.01) and model.run().final["x"] == sim["x"] == 0


def test_threads_that_share_a_simulation_get_an_answer_or_an_error():
    sim = ss.Simulation(ss.Model.from_string(SCENE), duration=100)
    saved, start = sim.save(), sim.state
    body = sim.body("block")
    wrong = []
    uses = [
        sim.step, sim.observe, sim.save, sim.reset, lambda: sim.contacts, lambda: sim.state, lambda: sim.time,
        lambda: sim.certified, lambda: sim.step_size, lambda: sim.worst_residual, lambda: body.position, lambda: body.angle,
        lambda: body.velocity, lambda: body.orientation, lambda: body.angular_velocity, lambda: body.force, lambda: repr(sim),
        lambda: setattr(body, "force", [1, 0]), lambda: setattr(body, "torque", 0.1), lambda: sim.restore(saved),
        lambda: sim.reset(start), lambda: sim.set_state(velocities=np.zeros((2, 3))), lambda: sim.run_until(sim.time + 5e-3),
        lambda: sim.positions, lambda: sim.angles, lambda: sim.failure, lambda: sim["x"],
    ]  # fmt: skip

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(4000):
            try:
                uses[rng.integers(len(uses))]()
            except RuntimeError as error:
                if "another thread" not in str(error) and "not saved" not in str(error):
                    wrong.append(repr(error))
            except BaseException as error:
                wrong.append(repr(error))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:5]
    sim.reset()
    assert sim.step().certified
