# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Functions of (time, state) that push and watch, states in and out, and Ctrl-C."""
import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import types
import weakref

import numpy as np
import pytest

import stickslip as ss

TOUR = pathlib.Path(__file__).resolve().parents[1] / "tour"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def sliding_block(**top):
    """A block of 2 kg on a plane, friction 0.3, at rest."""
    scene = ss.Scene(dimension=2, gravity=[0, -10], duration=1, **top)
    scene.method(step=1e-2, stepper="second-order")
    scene.add_parameter("mu", 0.3)
    scene.add_body("floor", fixed=True, shape={"half-plane": {"normal": [0, 1]}})
    scene.add_body("block", mass=2, shape={"box": [0.2, 0.1]}, position=[0, 0.05])
    scene.add_contact(["*", "*"], friction="mu")
    scene.observe(x="block.x", v="block.vx")
    return scene


def free_ball():
    scene = ss.Scene(dimension=3, duration=1)
    scene.method(step=1e-2, stepper="second-order")
    scene.add_body("ball", mass=2, shape={"sphere": 0.1})
    scene.observe(x="ball.x", w="ball.wz")
    return scene


def test_a_force_of_time_is_taken_at_the_begin_of_each_step():
    # a = t_k within step k: v_(k+1) = v_k + h t_k, and first-order steps have x_(k+1) = x_k + h v_(k+1); but for rounding.
    h = 1e-2
    v = np.cumsum(h * h * np.arange(100))
    force = {"ball": lambda time, state: [2 * time, 0, 0]}
    run = free_ball().model().run(forces=force, stepper="stewart-trinkle")
    assert run.final["x"] == pytest.approx(np.sum(h * v), abs=1e-12)
    # The second-order stepper takes forces as smooth between the begins of steps: v as above, x better than first order.
    run = free_ball().model().run(forces=force)
    assert run.velocity("ball")[-1, 0] == pytest.approx(v[-1], abs=1e-4)
    assert run.final["x"] == pytest.approx(np.sum(h * v) - 0.5 * h * v[-1], abs=h**2)


def test_by_hand_and_in_a_run_the_same_bits():
    def spring(time, state):
        return -20 * state["position"][1][:2] + [9, 0]

    model = sliding_block().model()
    run = model.run(forces={"block": spring})
    sim = ss.Simulation(model)
    sim.add_force("block", spring)
    assert sim.run_until(1)
    assert sim["x"] == run.final["x"] > 0
    again = ss.Simulation(model)
    again.add_force("block", spring)
    while again.time < 1 - 1e-9:
        again.step()
    assert again["x"] == run.final["x"]


def test_a_controller_pushes_by_names_with_torques():
    def control(time, state):
        return {"ball": ([1.0, 0, 0], [0, 0, 0.008])}

    run = free_ball().model().run(controller=control)
    inertia = 2 / 5 * 2 * 0.1**2
    assert run.final["x"] == pytest.approx(0.25, abs=1e-12)  # a = 1/2
    assert run.final["w"] == pytest.approx(0.008 / inertia, rel=1e-12)
    sim = ss.Simulation(free_ball().model())
    sim.add_controller(lambda time, state: None)
    sim.body("ball").force = [2, 0, 0]  # besides
    sim.run_until(1)
    assert sim["x"] == pytest.approx(0.5, abs=1e-12)
    sim.clear_functions()
    sim.reset()
    sim.run_until(1)
    assert sim["x"] == 0


def test_an_observer_sees_every_step_and_may_end_the_run():
    seen = []
    run = sliding_block().model().run(observer=lambda time, state: seen.append((time, state["velocity"][1, 0])))
    assert len(seen) == run.steps == 100 and seen[-1][0] == run.time[-1]
    run = sliding_block().model().run(observer=lambda time, state: time < 0.5)
    assert run.time[-1] == pytest.approx(0.5)
    # A comparison with an entry of the state is a bool of NumPy. What is no bool is no answer.
    for end in (lambda time, state: state["velocity"][1, 0] > 0.5, lambda time, state: bool(state["velocity"][1, 0] > 0.5)):
        run = sliding_block().model().run(observer=end, forces={"block": lambda time, state: [16, 0]})
        assert run.velocity("block")[0, 0] == 0 and len(run) <= 3
    for silent in (None, 0, 0.0, "", [], np.zeros(1)):
        assert sliding_block().model().run(observer=lambda time, state: silent).time[-1] == pytest.approx(1)
    sim = ss.Simulation(sliding_block().model())
    sim.add_observer(lambda time, state: time < 0.3)
    assert not sim.run_until(1) and sim.time == pytest.approx(0.3) and sim.certified


def test_a_function_may_look_and_push_but_not_step():
    sim = ss.Simulation(sliding_block().model())
    body = sim.body("block")

    def control(time, state):
        body.force = [10 - sim["v"], 0]
        assert sim.time == time and np.array_equal(sim.state, state)
        assert np.array_equal(body.velocity, state["velocity"][1])

    sim.add_controller(control)
    sim.run_until(0.1)
    assert body.velocity[0] > 0
    for wrong in (sim.step, sim.reset, lambda: sim.run_until(2), lambda: sim.restore(b""), sim.clear_functions):
        sim.clear_functions()
        sim.add_observer(lambda time, state: wrong())
        with pytest.raises(RuntimeError, match="cannot step or change"):
            sim.step()
    sim.clear_functions()
    assert sim.step().certified


def test_mistakes_of_functions_reach_the_caller():
    sim = ss.Simulation(sliding_block().model())
    for wrong, error in [(lambda t, s: 1 / 0, ZeroDivisionError), (lambda t, s: "left", TypeError),
                         (lambda t, s: [1.0], ValueError), (lambda t, s: [np.nan, 0], ValueError),
                         (lambda t, s: ([1.0, 0], "much"), TypeError), (lambda t: None, TypeError)]:  # fmt: skip
        sim.clear_functions()
        sim.add_force("block", wrong)
        before = sim.time
        with pytest.raises(error):
            sim.step()
        with pytest.raises(error):
            sim.run_until(1)
        with pytest.raises(error):
            sliding_block().model().run(forces={"block": wrong})
        assert sim.time == before
    with pytest.raises(KeyError, match="block"):
        sim.add_force("blok", lambda t, s: None)
    sim.clear_functions()
    sim.add_controller(lambda t, s: {"blok": [1, 0]})
    with pytest.raises(KeyError, match="block"):
        sim.step()
    sim.clear_functions()
    with pytest.raises(TypeError):
        sim.add_observer(3)
    assert sim.run_until(0.5)


def test_functions_that_hold_their_simulation_are_collected():
    sim = ss.Simulation(sliding_block().model())
    holder = type("Holder", (), {})()
    holder.sim = sim
    sim.add_observer(lambda time, state, kept=holder: None)
    gone = weakref.ref(holder)
    del sim, holder
    gc.collect()
    assert gone() is None


def test_functions_that_hold_a_body_are_collected():
    """A body alone leads to its simulation, and so to the function that holds the body."""
    sim = ss.Simulation(sliding_block().model())
    body = sim.body("block")
    holder = type("Holder", (), {})()
    sim.add_controller(lambda time, state, body=body, kept=holder: {"block": [0.1 * body.mass, 0]})
    gone = weakref.ref(holder)
    del sim, holder
    gc.collect()
    assert gone() is not None and body.name == "block"  # the body keeps all of it
    del body
    gc.collect()
    assert gone() is None


def test_a_body_keeps_its_simulation():
    body = ss.Simulation(sliding_block().model()).body("block")
    gc.collect()
    body.force = [1, 0]
    assert body.force.tolist() == [1, 0, 0] and body.position.tolist() == [0, 0.05, 0]


def test_reset_to_a_state_and_back():
    model = sliding_block().model()
    sim = ss.Simulation(model)
    start = sim.state
    assert start.dtype.names == ("position", "orientation", "velocity", "angular_velocity", "angle")
    moved = start.copy()
    moved["velocity"][1, 0] = 3
    moved["position"][1, 0] = -1
    sim.reset(moved)
    assert np.array_equal(sim.state, moved)
    sim.run_until(1)
    assert sim["x"] == pytest.approx(-1 + 3**2 / (2 * 0.3 * 10), abs=1e-9)  # v^2 / (2 mu g)
    sim.reset(moved, time=5)
    assert sim.time == 5
    sim.reset()
    assert sim.time == 0 and np.array_equal(sim.state, start)
    leaves = start.copy()
    leaves["velocity"][1, 2] = 1
    with pytest.raises(ValueError, match="plane"):
        sim.reset(leaves)
    with pytest.raises(TypeError):
        sim.reset(np.zeros((2, 3)))
    with pytest.raises(ValueError):
        sim.reset(start[:1])
    assert np.array_equal(sim.state, start)


def test_a_state_that_is_set_does_not_settle():
    """settle = true lets bodies come to rest before t = 0 of the scene's own start; where they are put they move."""
    model = sliding_block(settle=True).model()
    sim = ss.Simulation(model)
    start, moved = sim.state, sim.state
    moved["velocity"][1, 0] = 1
    for put in (lambda: sim.reset(moved), lambda: sim.set_state(velocities=moved["velocity"]),
                lambda: setattr(sim.body("block"), "velocity", [1, 0])):  # fmt: skip
        sim.reset()
        assert np.array_equal(sim.state, start)
        put()
        assert np.array_equal(sim.state, moved)
    sim.run_until(1)
    assert sim["x"] == pytest.approx(1 / (2 * 0.3 * 10), abs=1e-9)  # v^2 / (2 mu g)
    assert ss.batch(model, states=moved[None])["x"][0] == sim["x"]


def test_many_runs_from_a_table_of_states():
    model = sliding_block().model()
    speeds = np.linspace(0, 2, 9)
    states = np.tile(ss.Simulation(model).state, (9, 1))
    states["velocity"][:, 1, 0] = speeds
    out = ss.batch(model, states=states)
    np.testing.assert_allclose(out["x"], speeds**2 / (2 * 0.3 * 10), atol=1e-9)
    two = ss.batch(model, states=states, mu=np.linspace(0.2, 0.4, 9), threads=1)
    np.testing.assert_allclose(two["x"], speeds**2 / (2 * np.linspace(0.2, 0.4, 9) * 10), atol=1e-9)
    one = ss.batch(model, states=states, mu=0.5)
    np.testing.assert_allclose(one["x"], speeds**2 / 10, atol=1e-9)
    sim = ss.Simulation(model)
    sim.reset(states[5])
    sim.run_until(1)
    assert sim["x"] == out["x"][5]
    with pytest.raises(ValueError, match="9 states"):
        ss.batch(model, states=states, mu=[0.1, 0.2])
    # Beside the wall of the others: bodies that overlap are refused, one by one.
    states["position"][3, 1, 1] = 0
    assert ss.batch(model, states=states).status == ["finished"] * 3 + ["rejected"] + ["finished"] * 5


@pytest.fixture
def interrupt():
    """interrupt(): Ctrl-C in a fifth of a second."""
    timers = []

    def soon(after=0.2):
        timers.append(threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)))
        timers[-1].start()

    yield soon
    for timer in timers:
        timer.join()


def test_ctrl_c_leaves_the_simulation_after_a_step(interrupt):
    sim = ss.Simulation(sliding_block().model())
    interrupt()
    with pytest.raises(KeyboardInterrupt):
        sim.run_until(1e9)
    assert 0 < sim.time < 1e9 and sim.step().certified


def test_ctrl_c_keeps_what_a_run_recorded(interrupt, tmp_path):
    model = sliding_block(title="long").model(duration=1e6)
    for record in (None, tmp_path / "kept.h5"):
        interrupt(0.5)
        with pytest.raises(KeyboardInterrupt) as caught:
            model.run(record=record)
        run = caught.value.run
        assert len(run) > 1 and run.time[-1] > 0 and run.final["x"] == run["x"][-1] == 0
    assert len(ss.Recording(tmp_path / "kept.h5")) == len(run)


def test_ctrl_c_ends_batches_tables_studies_and_plans(interrupt, tmp_path):
    model = sliding_block().model(duration=30)
    begun = time.monotonic()
    for work in (
        lambda: ss.batch(model, mu=np.linspace(0.1, 0.9, 100000)),
        lambda: model.with_values(duration=1e6).converge(),
        lambda: model.with_values(duration=1e6).compare(["stewart-trinkle", "second-order"]),
    ):
        interrupt()
        with pytest.raises(KeyboardInterrupt):
            work()
    (tmp_path / "scene.toml").write_text(sliding_block().to_toml())
    (tmp_path / "study.toml").write_text('scene = "scene.toml"\ntrials = 10000000\n[vary]\nmu = { uniform = [0.1, 0.9] }\n')
    interrupt(1.0)
    with pytest.raises(KeyboardInterrupt):
        ss.study(tmp_path / "study.toml", store=tmp_path / "study.db")
    with ss.Store(tmp_path / "study.db") as store:
        assert 0 < len(store) < 10000000  # what was done is kept
    seen = []

    def end_at_the_third(done, most):
        seen.append(done)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        ss.optimise(TOUR / "opt.toml", progress=end_at_the_third)
    assert len(seen) == 3
    best = caught.value.best
    assert best["evaluations"] == 3 and 1 <= best["design"]["speed"] <= 4 and best["objective"] <= best["start"]
    # A plan that is asked for all solutions from very many starts.
    folder = EXAMPLES / "plan-ball"
    plan = (folder / "plan.toml").read_text().replace('"scene.toml"', f'"{folder / "scene.toml"}"')
    plan = 'solutions = "all"\nstarts = 1000000\n' + plan.replace("guess = 0\n", "guess = 0\nmin = -10\nmax = 10\n")
    (tmp_path / "plan.toml").write_text(plan)
    interrupt(1.0)
    with pytest.raises(KeyboardInterrupt):
        ss.plan(tmp_path / "plan.toml")
    assert time.monotonic() - begun < 120


def test_runs_beside_the_run_are_refused_with_functions():
    """The step for a tolerance and error bars come from other runs of the scene, which no function pushes."""
    model = sliding_block().model()
    push = {"forces": {"block": lambda time, state: [9, 0]}}, {"controller": lambda time, state: {"block": [9, 0]}}
    for functions in push:
        with pytest.raises(ValueError, match="tolerance"):
            model.run(tolerance=1e-3, **functions)
        with pytest.raises(ValueError, match="error_bars"):
            model.run(error_bars="on", **functions)
    seen = []
    with pytest.raises(ValueError, match="error_bars"):
        model.run(error_bars="on", observer=lambda time, state: None)
    assert model.run(tolerance=1e-3, observer=lambda time, state: seen.append(time)).certified  # changes nothing
    assert len(seen) > 1 and seen == sorted(seen)
    assert set(model.run(error_bars="on").error_bars) == {"x", "v"}


def test_ctrl_c_ends_the_runs_beside_a_run(interrupt, tmp_path):
    model = sliding_block().model(duration=1e6)
    interrupt()
    with pytest.raises(KeyboardInterrupt):
        model.run(tolerance=1e-30)
    for parameters, stepper in ((["mu"], "second-order"), (["mu"], "stewart-trinkle"), (["block.vx"], "stewart-trinkle")):
        interrupt()
        with pytest.raises(KeyboardInterrupt):
            model.with_values(stepper=stepper).sensitivity(parameters, threads=2)


def test_ctrl_c_while_error_bars_are_sought_keeps_the_run(tmp_path):
    model = sliding_block().model(duration=20)
    asked = []

    def progress(at):
        asked.append(at)
        if len(asked) == 35:  # 2000 steps ask 31 times, and the run that is three times as coarse 10 times more
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        model.run(record=tmp_path / "whole.h5", error_bars="on", progress=progress)
    assert caught.value.run.end == "finished" and caught.value.run.time[-1] == pytest.approx(20)
    assert len(asked) == 35


def test_ctrl_c_keeps_the_runs_of_a_batch_that_ended(interrupt):
    model = sliding_block().model()
    for threads in (1, 2):
        interrupt(0.5)
        with pytest.raises(KeyboardInterrupt) as caught:
            ss.batch(model, mu=np.linspace(0.1, 0.9, 1000000), threads=threads)
        batch = caught.value.batch
        assert len(batch) == 1000000 and 0 < batch.certified.sum() < 1000000
        assert set(zip(batch.status, batch.cause)) == {("finished", ""), ("error", "interrupted")}
        assert np.array_equal(np.isfinite(batch["x"]), batch.certified)
    interrupt(0.5)  # within one run that has no end
    with pytest.raises(KeyboardInterrupt) as caught:
        ss.batch(model, duration=1e9)
    assert caught.value.batch.cause == ["interrupted"]


def test_other_threads_go_on_while_this_one_works():
    """The interpreter lock is released: with it held, another thread would get one turn around a call, not one within."""
    model = sliding_block().model(duration=200)
    run = model.run()
    work = {
        "batch": lambda: ss.batch(model, mu=np.linspace(0.2, 0.4, 4), threads=1),
        "run": lambda: model.run(),
        "sensitivity": lambda: model.sensitivity(["mu"]),
        "page": lambda: run.page(),
    }
    for name, call in work.items():
        ticks, over = [], threading.Event()

        def tick():
            while not over.is_set():
                ticks.append(None)
                time.sleep(1e-4)

        counter = threading.Thread(target=tick)
        counter.start()
        while not ticks:
            time.sleep(1e-4)
        before = len(ticks)
        call()
        during = len(ticks) - before
        over.set()
        counter.join()
        assert during > 2, name


def test_progress_sets_the_whole_and_draws_nothing_else(tmp_path, monkeypatch):
    bars = []

    class Bar:
        def __init__(self, total, unit):
            self.total, self.n, self.closed = total, 0, False
            bars.append(self)

        def refresh(self):
            assert self.total is not None and 0 <= self.n <= self.total

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    (tmp_path / "scene.toml").write_text(sliding_block().to_toml())
    (tmp_path / "study.toml").write_text('scene = "scene.toml"\ntrials = 30\n[vary]\nmu = { uniform = [0.1, 0.9] }\n')
    ss.study(tmp_path / "study.toml", progress=True)
    ss.batch(sliding_block().model(), mu=[0.1, 0.2, 0.3], progress=True)
    sliding_block().model().run(progress=True)
    found = ss.optimise(TOUR / "opt.toml", progress=True)
    assert [bar.total for bar in bars[:3]] == [30, 3, 1] and all(bar.closed for bar in bars)
    assert found["evaluations"] == bars[3].n <= bars[3].total
    assert bars[1].n == 3


def test_a_run_draws_no_bar_of_the_command_on_a_terminal():
    ours, its = os.openpty()
    code = "import stickslip as ss; ss.Model.from_file('scene.toml', duration=100).run()"
    subprocess.run([sys.executable, "-c", code], cwd=EXAMPLES / "ball", stderr=its, check=True)
    os.write(its, b"end")
    assert os.read(ours, 1000) == b"end"
    os.close(ours), os.close(its)


def test_batch_takes_arrays_of_one_value_and_texts():
    model = ss.Model.from_file(EXAMPLES / "box" / "scene.toml")
    one, two = ss.batch(model, speed=[1, 2], mu=[0.3]), ss.batch(model, mu=[0.3], speed=[1, 2])
    assert one["x"].tolist() == two["x"].tolist() and one["mu"].tolist() == [0.3, 0.3]
    assert ss.batch(model, speed=[1], mu=[0.3])["x"].tolist() == one["x"][:1].tolist()
    with pytest.raises(ValueError, match="3 values"):
        ss.batch(model, speed=[1, 2], mu=[0.1, 0.2, 0.3])
    for stepper in ("stewart-trinkle", "second-order"):
        alone = [model.run(stepper=stepper, step=0.02, speed=speed).final["x"] for speed in (1, 2)]
        assert ss.batch(model, stepper=stepper, step=0.02, speed=[1, 2])["x"].tolist() == alone
    with pytest.raises(ss.SceneError, match="no-such"):
        ss.batch(model, stepper="no-such", speed=[1, 2])


def test_progress_of_a_batch_and_of_a_study(tmp_path):
    model = sliding_block().model()
    seen = []
    ss.batch(model, mu=np.linspace(0.1, 0.9, 50), progress=lambda done, all: seen.append((done, all)))
    assert seen[-1] == (50, 50)
    with pytest.raises(ZeroDivisionError):
        ss.batch(model, mu=np.linspace(0.1, 0.9, 50), progress=lambda done, all: 1 / 0)
    pytest.importorskip("tqdm")
    assert model.run(progress=True).certified
    assert len(ss.batch(model, mu=[0.1, 0.2], progress=True)) == 2
