# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""The tour of docs/python.md as a program, on the files of python/tour.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/tour.py
"""
from __future__ import annotations

import pathlib

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

FILES = pathlib.Path(__file__).resolve().parents[2] / "python" / "tour"


def by_hand(model: ss.Model) -> None:
    """Step by step, with a force from Python."""
    sim = ss.Simulation(model, stepper="second-order", step=1e-3)
    while sim.time < 0.1:
        sim.body("plate").force = [0, 0, 5 * np.sin(60 * sim.time)]
        step = sim.step()
        assert step.certified
    for contact in sim.contacts:
        print(f"{contact['bodies'][0]} on {contact['bodies'][1]}: {contact['mode']}, force {contact['force'].round(3)}")


def with_functions(model: ss.Model) -> None:
    """The same as functions of time and state, in one run."""

    def shake(time: float, state: NDArray[np.void]) -> list[float]:
        return [0, 0, 5 * np.sin(60 * time)]

    run = model.run(duration=0.2, forces={"plate": shake}, observer=lambda time, state: time < 0.15)
    print(f"ended at {run.time[-1]:.2f} s after {run.steps} steps, x = {run['x'][-1]:.4f}")


def many(model: ss.Model) -> None:
    """Many runs on all cores, from values and from states."""
    out = ss.batch(model, mu=np.linspace(0.2, 0.5, 64))
    print(out, out.rate("passed"))
    states = np.tile(ss.Simulation(model).state, (16, 1))
    states["velocity"][:, model.bodies.index("ball"), 0] = np.linspace(1, 3, 16)
    print(ss.batch(model, states=states)["x"].round(3))


def verdicts(model: ss.Model) -> None:
    """What depends on the model, and what on the step."""
    print(model.compare(["second-order", "stewart-trinkle"]))
    print(model.converge(levels=4))
    print(model.sensitivity(["mu", "speed"])["x"]["mu"]["value"])


def designs() -> None:
    """Studies, designs and plans from their files."""
    print(len(ss.study(FILES / "study.toml")), "trials")
    print(ss.optimise(FILES / "opt.toml")["design"])
    print(ss.plan(FILES / "plan.toml", target_x=1.0)["solutions"][0]["unknowns"])


def solvers() -> None:
    """The solvers alone."""
    answer = ss.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
    print(answer.status, answer.z, answer.residual)


if __name__ == "__main__":
    chosen = ss.Model.from_file(FILES / "feeder.toml", mu=0.3)
    by_hand(chosen)
    with_functions(chosen)
    many(chosen)
    verdicts(chosen)
    designs()
    solvers()
