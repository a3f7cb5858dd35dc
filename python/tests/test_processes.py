# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Copies and pickles, processes that are forked or begun anew, and threads that outlive the interpreter."""
import copy
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import stickslip as ss

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOX = ROOT / "examples" / "box" / "scene.toml"
WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda thing: pickle.loads(pickle.dumps(thing))}
over_ways = pytest.mark.parametrize("again", WAYS.values(), ids=WAYS)


@over_ways
def test_models_come_back_with_their_values(again):
    model = ss.Model.from_file(BOX, mu=0.25, step=5e-3)
    same = again(model)
    assert same.parameters == model.parameters and same.step == 5e-3 and same.text == model.text
    assert same.run().final == model.run().final
    # What the scene includes is read again, from beside the file that it names.
    example = next(file for file in sorted((ROOT / "examples").glob("*/*.toml")) if "\ninclude = " in file.read_text())
    assert again(ss.Model.from_file(example)).bodies == ss.Model.from_file(example).bodies


@over_ways
def test_a_simulation_goes_on_as_its_original(again):
    sim = ss.Simulation(ss.Model.from_file(BOX), mu=0.2)
    sim.body("box").force = [0.5, 0]
    sim.run_until(0.1)
    same = again(sim)
    assert same.save() == sim.save() and same.model.parameters["mu"] == 0.2
    assert same.body("box").force.tolist() == [0.5, 0, 0]
    for each in (sim, same):
        each.run_until(0.2)
    assert same.save() == sim.save()
    same.body("box").force = [0, 0]  # of its own
    assert sim.body("box").force.tolist() == [0.5, 0, 0]
    sim.reset(), same.reset()
    assert same.save() == sim.save()


def test_a_simulation_with_functions_is_not_copied():
    sim = ss.Simulation(ss.Model.from_file(BOX))
    sim.add_observer(lambda time, state: None)
    for again in WAYS.values():
        with pytest.raises(TypeError, match="functions cannot be copied"):
            again(sim)
    sim.clear_functions()
    assert copy.copy(sim).save() == sim.save()


@over_ways
def test_results_come_back(again):
    model = ss.Model.from_file(BOX)
    out = ss.batch(model, mu=[0.2, -1.0, 0.4])
    same = again(out)
    assert same.status == out.status and same.cause == out.cause and same.parameters == out.parameters == ["mu"]
    for name in ("x", "mu"):
        np.testing.assert_array_equal(same[name], out[name])
    for name in ("certified", "steps", "residual", "end_time"):
        np.testing.assert_array_equal(getattr(same, name), getattr(out, name))
    for answer in (ss.solve_lcp([[2.0, 1], [1, 2]], [-5.0, -6]), ss.solve_lcp([[0.0]], [-1.0])):
        same = again(answer)
        assert same.report() == answer.report() and same.z.tolist() == answer.z.tolist() and bool(same) == bool(answer)
        np.testing.assert_equal((same.residual_parts, same.w), (answer.residual_parts, answer.w))  # of no answer nan
    problem = ss.load_problem(ROOT / "tests" / "fuzz" / "seeds" / "corpus" / "fc2d_stick.json")
    assert again(problem).solve().z.tolist() == problem.solve().z.tolist()


def test_pickles_that_were_tampered_with_are_refused():
    sim = ss.Simulation(ss.Model.from_file(BOX))
    rng = np.random.default_rng(0)
    for thing in (sim.model, sim, ss.batch(sim.model, mu=[0.1, 0.2]), ss.solve_lcp([[2.0]], [-1.0])):
        state = thing.__getstate__()
        for _ in range(300):
            wrong = list(state)
            values = [None, 3, "text", b"bytes", [], (), [()], [(1, 2)], object(), -1, np.zeros(3)]
            wrong[rng.integers(len(wrong))] = values[rng.integers(len(values))]
            new = type(thing).__new__(type(thing))
            try:
                new.__setstate__(tuple(wrong))
            except (TypeError, ValueError, RuntimeError, KeyError, IndexError, AttributeError):
                continue
            repr(new)


def final(mu):
    return ss.Model.from_file(BOX, mu=mu).run().final["x"]


def final_of(model):
    return model.run().final["x"]


def ahead(sim):
    sim.run_until(sim.time + 0.1)
    return sim


def many(model):
    return ss.batch(model, mu=[0.1, 0.2, 0.3], threads=2)


def solve(q):
    return ss.solve_lcp(np.eye(2), q)


@pytest.mark.skipif("STICKSLIP_SANITIZED" in os.environ, reason="processes of a pool take too long to start")
@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_pools_of_processes(how):
    model = ss.Model.from_file(BOX)
    sim = ss.Simulation(model)
    out = many(model)
    with multiprocessing.get_context(how).Pool(2) as pool:
        assert pool.map(final, [0.1, 0.2]) == [final(0.1), final(0.2)]
        assert pool.map(final_of, [model, model.with_values(mu=0.2)]) == [final_of(model), final(0.2)]
        assert [s.save() for s in pool.map(ahead, [sim, sim])] == [ahead(copy.copy(sim)).save()] * 2
        np.testing.assert_array_equal(pool.map(many, [model])[0]["x"], out["x"])
        assert pool.map(solve, [[-1.0, 2.0]])[0].z.tolist() == [1.0, 0.0]


def in_a_fork(work):
    """Whether work() comes to its end in a process that is forked here."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def test_what_has_threads_of_its_own_goes_on_in_a_fork():
    """A process that is forked has none of its parent's threads: waiting for them would be for ever."""
    sim = ss.Simulation(ss.Model.from_file(ROOT / "examples" / "bin-spheres" / "scene.toml"), threads=2)
    sim.run_until(0.3)  # bodies in several islands
    alone = copy.copy(sim)
    alone.step()
    holder = [copy.copy(sim)]
    holder[0].step()

    def go_on():
        sim.step()
        assert sim.save() == alone.save()

    assert in_a_fork(go_on)
    assert in_a_fork(holder.clear)
    assert in_a_fork(lambda: many(ss.Model.from_file(BOX)))
    go_on()


AT_WORK = {
    "steps": "while True: sim.step()",
    "run_until": "sim.run_until(1e9)",
    "functions": "sim.add_observer(lambda time, state: None); sim.run_until(1e9)",
    "run": "model.run(duration=1e7)",
    "lcp": "\n    while True: ss.solve_lcp(np.eye(50), -np.ones(50))",
    "mcp": "\n    while True: ss.solve_mcp(lambda x: x - 1, None, [0.0], [2.0], [0.5])",
    "compare": "model.with_values(duration=1e6).compare(['second-order'])",
}


@pytest.mark.parametrize("work", AT_WORK)
def test_the_interpreter_ends_while_threads_are_at_work(work):
    code = f"""
import threading, time, numpy as np, stickslip as ss
model = ss.Model.from_file({str(BOX)!r})
def work():
    sim = ss.Simulation(model)
    {AT_WORK[work]}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_process_without_a_main_thread_at_python():
    """Whole runs in a thread that is not the main one, where signals are not looked at."""
    found = []
    thread = threading.Thread(target=lambda: found.append(final(0.2)))
    thread.start()
    thread.join()
    assert found == [final(0.2)]
