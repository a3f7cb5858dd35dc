# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Ten thousand random turns in the lives of simulations, bodies, arrays, files and functions: objects used after their
owners went or were closed, arrays kept for long, functions that raise, that drop the simulation which calls them or use it
again, arrays that lie in memory in odd ways, states that belong to others, Ctrl-C at any time, two threads in one
simulation. Each turn gives an answer or an exception that says what is wrong, arrays that were handed out never change,
and afterwards everything works as before. script/sanitize-python runs it under the sanitizers.
"""
import copy
import gc
import pickle
import signal
import threading

import numpy as np
import pytest

import stickslip as ss
from odd_arrays import ODD, swapped, unaligned

EXPECTED = (TypeError, ValueError, KeyError, IndexError, AttributeError, RuntimeError, OSError, ZeroDivisionError,
            KeyboardInterrupt)  # fmt: skip

SCENE = """
dimension = 2
gravity = [0, -9.81]
duration = 0.01
[parameters]
mu = 0.3
v = 1
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
velocity = ["v", 0]
[[contact]]
between = ["*", "*"]
friction = "mu"
[observe]
x = "block.x"
"""
OTHER = """
dimension = 3
duration = 0.01
[method]
step = 1e-3
[[body]]
name = "ball"
mass = 1
shape = { sphere = 0.1 }
[observe]
z = "ball.z"
"""


class Lives:
    """The objects that live, and what may happen to them: each method without an underscore is one turn."""

    MOST = 6

    def __init__(self, seed, folder):
        self._draw = np.random.default_rng(seed)
        self._folder = folder
        self._models = [ss.Model.from_string(SCENE), ss.Model.from_string(SCENE, stepper="second-order"), ss.Model.from_string(OTHER)]
        self._sims, self._bodies, self._saved, self._runs = [], [], [], []
        self._arrays = []  # pairs: what was handed out, and what it was then
        self.make_a_simulation()
        self.turns = [getattr(self, name) for name in dir(Lives) if not name.startswith("_") and name != "MOST"]

    def _one(self, things):
        if not things:
            raise ValueError("none is left")
        return things[self._draw.integers(len(things))]

    def _keep(self, things, thing):
        things.append(thing)
        if len(things) > self.MOST:
            del things[self._draw.integers(len(things))]

    def _hand_out(self, array):
        self._keep(self._arrays, (array, array.copy()))
        return array

    def _functions(self, sim):
        """Functions of (time, state), wrong in many ways."""
        body = sim.body(sim_bodies(sim)[-1])
        return [
            lambda t, s: None,
            lambda t, s: [1.0, 0.0],
            lambda t, s: {body.name: ([0.1, 0, 0], [0, 0, 0.1])},
            lambda t, s: 1 / 0,
            lambda t, s: "text",
            lambda t, s: sim.step(),
            lambda t, s: sim.clear_functions(),
            lambda t, s: sim.restore(sim.save()),
            lambda t, s: self._sims.clear(),
            lambda t, s: self._hand_out(s) is None,
            lambda t, s: self._hand_out(sim.contacts) is None,
            lambda t, s: setattr(body, "force", [t, 0, 0]),
            lambda t, s: gc.collect() and None,
            lambda t, s: s.fill(0),
            lambda t, s: ss.Simulation(self._models[0]).run_until(0.002) and None,
            lambda t, s: len(ss.batch(self._models[2], threads=1)) and None,
            lambda t, s: signal.raise_signal(signal.SIGINT),
            lambda t: None,
        ]

    # Lives begin and end.
    def make_a_simulation(self):
        self._keep(self._sims, ss.Simulation(self._one(self._models)))

    def drop_a_simulation(self):
        self._sims.remove(self._one(self._sims))

    def take_a_body(self):
        sim = self._one(self._sims)
        self._keep(self._bodies, sim.body(self._draw.choice(["block", "ball", "floor"])))

    def collect(self):
        gc.collect()

    def copy_a_simulation(self):
        sim = self._one(self._sims)
        same = self._one([copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])(sim)
        assert same.save() == sim.save()
        self._keep(self._sims, same)

    def copy_what_cannot_be(self):
        thing = self._one([*self._bodies, *self._runs])
        self._one([copy.copy, copy.deepcopy, pickle.dumps])(thing)
        raise AssertionError(f"{thing!r} was copied")

    def make_without_arguments(self):
        kind = self._one([ss.Simulation, ss.Body, ss.Step, ss.Batch, ss.Model, ss.Recording, ss.Store])
        thing = kind.__new__(kind)
        value = getattr(thing, self._one([name for name in dir(kind) if not name.startswith("__")]))
        value()
        raise AssertionError(f"a {kind.__name__} whose __init__ has not run did something")

    # Steps.
    def step(self):
        repr(self._one(self._sims).step())

    def run_on(self):
        sim = self._one(self._sims)
        sim.run_until(sim.time + 5e-3)

    def run_and_be_interrupted(self):
        sim = self._one(self._sims)
        with interrupted_after(self._draw.uniform(1e-5, 5e-3)):
            sim.run_until(sim.time + 0.2)

    def two_threads_step(self):
        sim = self._one(self._sims)
        raised = []

        def work():
            for _ in range(5):
                try:
                    sim.step(), sim.contacts
                except EXPECTED as error:
                    raised.append(error)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for error in raised:
            assert str(error), repr(error)

    # States in and out.
    def read(self):
        sim = self._one(self._sims)
        names = ["state", "positions", "orientations", "velocities", "angular_velocities", "angles", "contacts"]
        self._hand_out(getattr(sim, self._draw.choice(names)))

    def read_a_body(self):
        body = self._one(self._bodies)
        names = ["position", "orientation", "velocity", "angular_velocity", "force", "torque"]
        self._hand_out(getattr(body, self._draw.choice(names)))
        repr(body), body.angle, body.mass

    def change_a_body(self):
        name = self._draw.choice(["position", "velocity", "angular_velocity"])
        setattr(self._one(self._bodies), name, self._one(ODD)(self._draw.normal(size=3) * [1, 1, 0]))

    def write_into_an_array(self):
        array, before = self._one(self._arrays)
        array.flat[self._draw.integers(array.size)] = before.flat[0]
        before[...] = array

    def push(self):
        body = self._one(self._bodies)
        body.force = self._one(ODD)(np.array([self._draw.normal(), 0, 0]))
        body.torque = self._one([0.0, 0.1, unaligned(np.array([0, 0, 0.1])), [np.nan, 0, 0]])

    def set_state(self):
        sim = self._one(self._sims)
        name = self._draw.choice(["positions", "orientations", "velocities", "angular_velocities"])
        array = self._one(ODD)(getattr(self._one(self._sims), name))
        sim.set_state(**{name: array})
        assert np.array_equal(getattr(sim, name), array) or name == "orientations"

    def reset(self):
        sim = self._one(self._sims)
        sim.reset(self._one([None, *(odd(self._one(self._sims).state) for odd in ODD)]))

    def reset_to_swapped_bytes(self):
        self._one(self._sims).reset(swapped(self._one(self._sims).state))
        raise AssertionError("bytes of another machine were taken")

    def save(self):
        self._keep(self._saved, self._one(self._sims).save())

    def restore(self):
        self._one(self._sims).restore(self._one(self._saved))

    def restore_part(self):
        saved = self._one(self._saved)
        self._one(self._sims).restore(saved[: self._draw.integers(len(saved))])
        raise AssertionError("a part was taken for the whole")

    def restore_and_be_interrupted(self):
        sim, saved = self._one(self._sims), self._one(self._saved)
        with interrupted_after(self._draw.uniform(1e-6, 1e-4)):
            sim.restore(saved)

    # Functions.
    def add_functions(self):
        sim = self._one(self._sims)
        for _ in range(self._draw.integers(1, 4)):
            function = self._one(self._functions(sim))
            add = self._one([sim.add_controller, sim.add_observer, lambda f: sim.add_force(sim_bodies(sim)[-1], f)])
            add(function)
        sim.step()

    def clear_functions(self):
        self._one(self._sims).clear_functions()

    # Runs, files and batches.
    def run_a_model(self):
        sim = self._one(self._sims)
        functions = self._functions(sim)
        model = self._one(self._models)
        options = [{}, {"observer": self._one(functions)}, {"controller": self._one(functions)}, {"progress": self._one(functions)},
                   {"forces": {model.bodies[-1]: self._one(functions)}}, {"record": self._folder / "run.h5"}]  # fmt: skip
        self._keep(self._runs, model.run(**self._one(options)))

    def read_a_run(self):
        run = self._one(self._runs)
        name = self._one(run.bodies)
        for array in (run.time, run.position(name), run.contacts(self._draw.integers(-3, 14))):
            self._hand_out(array)
        len(run.modes), run.end, repr(run)

    def close_a_run(self):
        self._one(self._runs).close()

    def batch(self):
        sim, model = self._one(self._sims), self._one(self._models)
        states = np.tile(self._one(ODD)(sim.state), (3, 1))
        options = [{"states": self._one(ODD)(states)}, {"states": unaligned(states)}, {"states": states, "mu": [0.1, 0.2, np.nan]},
                   {"mu": self._one(ODD)(np.array([0.1, 0.2]))}, {"threads": 2}]  # fmt: skip
        out = ss.batch(model, **self._one(options))
        self._hand_out(out[out.observables[0]])

    def batch_and_be_interrupted(self):
        with interrupted_after(self._draw.uniform(1e-5, 0.02)):
            ss.batch(self._models[0], mu=np.linspace(0.1, 0.4, 40))

    def _unchanged(self):
        for array, before in self._arrays:
            assert array.tobytes() == before.tobytes()


def sim_bodies(sim):
    """Names of the bodies, which a simulation tells by its errors alone."""
    return ["floor", "block"] if len(sim.positions) == 2 else ["ball"]


class interrupted_after:
    """Ctrl-C after some seconds, within the block."""

    def __init__(self, seconds):
        self._seconds = seconds

    def __enter__(self):
        self._before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, *error):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)


def final():
    run = ss.Model.from_string(SCENE).run()
    return run.final["x"], run.position("block").tobytes()


@pytest.fixture
def turns_take_interrupts():
    """Ctrl-C from functions of a simulation that another thread still steps comes at any time: it is let through during a
    turn only."""
    during = []

    def handle(number, frame):
        if during:
            during.clear()
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    yield during
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("seed", range(4))
def test_random_lives(seed, tmp_path, turns_take_interrupts):
    before = final()
    lives = Lives(seed, tmp_path)
    answers = 0
    for _ in range(2500):
        turn = lives.turns[lives._draw.integers(len(lives.turns))]
        try:
            turns_take_interrupts.append(turn)
            turn()
            turns_take_interrupts.clear()
            answers += 1
        except EXPECTED as error:
            turns_take_interrupts.clear()
            assert str(error) or isinstance(error, (KeyError, KeyboardInterrupt)), f"{turn.__name__}: {error!r} says nothing"
        lives._unchanged()
        if not lives._sims:
            lives.make_a_simulation()
    assert answers > 1000  # of 2500: most turns are not refused
    del lives
    gc.collect()
    assert final() == before
