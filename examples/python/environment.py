# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Ten thousand steps of an environment in the interface of gymnasium: a block is to be held at a mark against friction.

Nothing is learned here; the hand that pushes is a spring with damping. gymnasium is used where it is installed
(pip install stickslip[gymnasium]); without it the spaces are pairs of bounds.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/environment.py
"""
from __future__ import annotations

import numpy as np

import stickslip as ss


def block() -> ss.Model:
    """A block of 1 kg on a floor, friction 0.2, one metre from the mark."""
    scene = ss.Scene(dimension=2, gravity=[0, -9.81], duration=10)
    scene.method(step=1e-2, stepper="second-order")
    scene.add_body("floor", fixed=True, shape={"half-plane": {"normal": [0, 1]}})
    scene.add_body("block", mass=1, shape={"box": [0.2, 0.1]}, position=[-1, 0.05])
    scene.add_contact(["*", "*"], friction=0.2)
    return scene.model()


def main(steps: int = 10000) -> tuple[int, float]:
    """Episodes that came to their end, and the mean reward of a step."""
    env = ss.Environment(block(), ["block"], reward=lambda sim: -abs(float(sim.body("block").position[0])))
    observation, _ = env.reset()
    episodes, total = 0, 0.0
    for _ in range(steps):
        x, v = observation[0], observation[3]
        push = np.clip(-40 * x - 9 * v, -20, 20)
        observation, reward, terminated, truncated, info = env.step([push, 0.0])
        total += reward
        assert info["certified"]
        if terminated or truncated:
            episodes += 1
            observation, _ = env.reset()
    return episodes, total / steps


if __name__ == "__main__":
    ended, mean = main()
    print(f"{ended} episodes, mean reward {mean:.4f}")
