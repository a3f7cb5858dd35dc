# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""A gymnasium-style environment around a simulation. gymnasium itself is imported only if it is there.

Observation: poses, then velocities, of the movable bodies. Action: forces on the bodies that are named as actuated.
"""
from __future__ import annotations

import operator
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
    """A simulation in the interface of gymnasium.

    reset() -> (observation, info); step(action) -> (observation, reward, terminated, truncated, info).

    Observed of each movable body, in the plane: x, y, angle, and after those of all bodies vx, vy, angular velocity; in
    space: position and orientation (w, x, y, z), then velocity and angular velocity.
    actuated: bodies that the action pushes, two (plane) or three force components each. Components beyond force_limit are
    cut to it, as an actuator does.
    reward: function of the simulation; terminated: function that says whether the episode is over.
    A step that cannot be certified ends the episode. info["certified"]: whether all steps of the action reached
    method.certificate.

    >>> import stickslip as ss
    >>> model = ss.Model.from_file("examples/box/scene.toml")
    >>> env = ss.Environment(model, [model.bodies[-1]], reward=lambda sim: -sim.time)
    >>> observation, info = env.reset()
    >>> observation, reward, terminated, truncated, info = env.step([0.0, 0.0, 0.0][: model.dimension])
    >>> info["certified"]
    True
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
        if isinstance(actuated, (str, bytes)):
            raise TypeError(f"actuated must be a list of names, not one text: [{actuated!r}]")
        if operator.index(steps_per_action) < 1:
            raise ValueError("steps_per_action must be at least 1")
        if not force_limit > 0:
            raise ValueError("force_limit must be positive")
        self._sim = _core.Simulation(model)
        self._end = model.duration
        self._bodies = [self._sim.body(name) for name in actuated]
        for body in self._bodies:
            if body.mass == 0:
                raise ValueError(f"{body.name} cannot be actuated: all its motion is prescribed")
        self._width = model.dimension
        self._movable = [i for i, name in enumerate(model.bodies) if self._sim.body(name).mass > 0]
        self._reward, self._terminated = reward, terminated
        self._steps, self._limit = steps_per_action, force_limit
        self.action_space = _box(self._width * len(self._bodies), force_limit)
        self.observation_space = _box((6 if self._width == 2 else 13) * len(self._movable), np.inf)

    @property
    def simulation(self) -> _core.Simulation:
        """What is stepped: contacts, bodies, certificates."""
        return self._sim

    @property
    def unwrapped(self) -> "Environment":
        """This environment itself."""
        return self

    def close(self) -> None:
        """Nothing is held open."""

    def _observation(self) -> NDArray[np.float64]:
        state = self._sim.state[self._movable]
        if self._width == 2:
            pose = [state["position"][:, :2], state["angle"][:, None]]
            motion = [state["velocity"][:, :2], state["angular_velocity"][:, 2:]]
        else:
            pose = [state["position"], state["orientation"]]
            motion = [state["velocity"], state["angular_velocity"]]
        return np.concatenate([np.hstack(pose).ravel(), np.hstack(motion).ravel()])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Back to the scene's initial state. There is nothing random in a scene: the seed goes to gymnasium's own
        generator (np_random), for rewards that use it, and options change nothing."""
        if gymnasium is not None:
            super().reset(seed=seed)
        self._sim.reset()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        """Pushes the actuated bodies with the forces of the action for the steps of one action."""
        forces = np.asarray(action, dtype=float)
        if forces.size != len(self._bodies) * self._width:
            raise ValueError(f"an action has {self._width} force components for each of {len(self._bodies)} bodies, not {forces.size} in all")
        forces = forces.reshape(len(self._bodies), self._width)
        forces = np.clip(forces, -self._limit, self._limit)
        for body, force in zip(self._bodies, forces):
            body.force = force
        certified = taken = True
        for _ in range(self._steps):
            step = self._sim.step()
            certified, taken = certified and step.certified, bool(step)
            if not taken:
                break
        over = not taken or bool(self._terminated(self._sim))
        late = self._sim.time >= self._end - 1e-9 * self._sim.step_size
        return self._observation(), float(self._reward(self._sim)), over, late, {"certified": certified}
