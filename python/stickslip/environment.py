# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""A gymnasium-style environment around a simulation. gymnasium itself is imported only if it is there.

Observation: positions and velocities of the movable bodies. Action: forces on the bodies that are named as actuated.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _core

try:
    import gymnasium  # type: ignore[import]

    _Base: Any = gymnasium.Env
except ImportError:
    gymnasium = None
    _Base = object


def _box(size: int, limit: float) -> Any:
    """gymnasium's Box, or its bounds as a pair where gymnasium is not installed."""
    bound = np.full(size, limit)
    return gymnasium.spaces.Box(-bound, bound, dtype=np.float64) if gymnasium is not None else (-bound, bound)


class Environment(_Base):  # type: ignore[misc]
    """reset() -> (observation, info); step(action) -> (observation, reward, terminated, truncated, info).

    actuated: bodies that the action pushes, two (plane) or three force components each.
    reward: function of the simulation; terminated: function that says whether the episode is over.
    An uncertified step ends the episode: info["certified"] is then False.
    """

    def __init__(
        self,
        model: _core.Model,
        actuated: list[str],
        reward: Callable[[_core.Simulation], float],
        terminated: Callable[[_core.Simulation], bool] = lambda sim: False,
        steps_per_action: int = 1,
        force_limit: float = np.inf,
    ) -> None:
        self._sim = _core.Simulation(model)
        self._end = model.duration
        self._bodies = [self._sim.body(name) for name in actuated]
        self._width = model.dimension
        self._movable = [i for i, name in enumerate(model.bodies) if self._sim.body(name).mass > 0]
        self._reward, self._terminated = reward, terminated
        self._steps = steps_per_action
        self.action_space = _box(self._width * len(self._bodies), force_limit)
        self.observation_space = _box(6 * len(self._movable), np.inf)

    def _observation(self) -> NDArray[np.float64]:
        chosen = self._movable
        return np.concatenate([self._sim.positions[chosen].ravel(), self._sim.velocities[chosen].ravel()])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Back to the scene's initial state. There is nothing random in a scene: seed and options change nothing."""
        self._sim.reset()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        forces = np.asarray(action, dtype=float).reshape(len(self._bodies), self._width)
        for body, force in zip(self._bodies, forces):
            body.force = force
        certified = True
        for _ in range(self._steps):
            certified = certified and self._sim.step().certified
        over = not certified or bool(self._terminated(self._sim))
        late = self._sim.time >= self._end - 1e-9 * self._sim.step_size
        return self._observation(), float(self._reward(self._sim)), over, late, {"certified": certified}
