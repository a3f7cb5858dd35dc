# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Memory stays flat: a million steps, thousands of models, batches, recordings and solves."""
import gc
import os
import pathlib
import resource

import numpy as np
import pytest

import stickslip as ss

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
sanitized = pytest.mark.skipif("STICKSLIP_SANITIZED" in os.environ, reason="the sanitizer keeps what was freed")


def kilobytes():
    """Of memory in use now."""
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


def growth(work, warm, count):
    work(warm)
    before = kilobytes()
    work(count)
    return kilobytes() - before


@sanitized
def test_a_million_steps():
    model = ss.Model.from_file(EXAMPLES / "ball" / "scene.toml", stepper="stewart-trinkle")
    sim = ss.Simulation(model)
    body = sim.body("ball")

    def work(steps):
        for k in range(steps):
            if not sim.step():
                raise AssertionError(sim.failure)
            if k % 16 == 0:
                sim.contacts, sim.state, body.velocity, sim.observe()
                body.force = [0, 0]
            if k % 1000 == 0:
                sim.reset()

    # A leak of 4 bytes a step would show as 4000 kB.
    assert growth(work, 20000, 1000000) < 2000


@sanitized
def test_functions_states_runs_batches_and_solves():
    model = ss.Model.from_file(EXAMPLES / "ball" / "scene.toml", duration=0.02)
    sim = ss.Simulation(model)
    M, q = np.eye(5), -np.ones(5)
    states = np.tile(sim.state, (4, 1))

    def work(count):
        for k in range(count):
            sim.clear_functions()
            sim.add_observer(lambda time, state, kept=sim: None)
            sim.reset(sim.state)
            sim.run_until(0.02)
            sim.restore(sim.save())
            other = ss.Simulation(model)
            other.add_controller(lambda time, state, kept=other: None)
            other.step()
            ss.solve_lcp(M, q)
            ss.solve_contact(np.eye(3), [-1.0, 3.0, 4.0], [0.5])
            if k % 20 == 0:
                ss.batch(model, states=states)
                with model.run() as run:
                    run.time, run["x"]
            try:
                sim.body("nobody")
            except KeyError:
                pass

    # A leak of 2 kB in each turn would show as 4000 kB. The allocator's pools have their size after about 2000 turns.
    assert growth(work, 2000, 2000) < 4000
