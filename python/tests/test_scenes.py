# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Scenes written in Python, and the environment around a simulation."""
import importlib.util
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

import stickslip as ss

ROOT = pathlib.Path(__file__).resolve().parents[2]


def falling_disc():
    scene = ss.Scene(title='A "disc"', dimension=2, gravity=[0, -9.81], duration=1)
    scene.add_parameter("height", 1.0, min=0.2, unit="m")
    scene.method(step=1e-2, stepper="second-order")
    scene.add_body("floor", fixed=True, shape={"half-plane": {"normal": np.array([0, 1])}})
    scene.add_body("disc", mass=2, shape={"disc": 0.1}, position=[0, "height"])
    scene.add_contact(["*", "*"], friction=0.3, restitution=0.5)
    scene.observe(y="disc.y", top={"value": "max_over_time(disc.y)", "unit": "m"})
    return scene


def test_text_reads_back_as_the_same_model():
    scene = falling_disc()
    model = scene.model()
    assert model.title == 'A "disc"' and model.parameters == {"height": 1.0}
    assert model.bodies == ["floor", "disc"] and model.observables == ["y", "top"]
    again = ss.Model.from_string(scene.to_toml())
    assert again.run().final == model.run().final


def test_first_flight_follows_the_parabola():
    run = falling_disc().model(duration=0.4).run()
    assert run.final["y"] == pytest.approx(1 - 0.5 * 9.81 * 0.16, abs=1e-12)


def test_mistakes_are_refused():
    scene = falling_disc()
    scene.add_body("odd", mass=1, shape={"disk": 1})
    with pytest.raises(ss.SceneError, match="disc") as caught:
        scene.model()
    assert scene.to_toml().splitlines()[caught.value.line - 1].startswith("shape")
    with pytest.raises(TypeError):
        ss.Scene(dimension=object()).to_toml()
    with pytest.raises(ValueError):
        ss.Scene(duration=float("nan")).to_toml()


def test_the_examples_run():
    for name in ("tour", "environment"):
        done = subprocess.run([sys.executable, f"{name}.py"], cwd=ROOT / "examples" / "python", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert name != "environment" or done.stdout.startswith("10 episodes"), done.stdout


def test_environment_pushes_a_block_for_ten_thousand_steps():
    scene = ss.Scene(dimension=2, gravity=[0, -9.81], duration=1000)
    scene.method(step=1e-2)
    scene.add_body("floor", fixed=True, shape={"half-plane": {"normal": [0, 1]}})
    scene.add_body("block", mass=1, shape={"box": [0.2, 0.1]}, position=[0, 0.05])
    scene.add_contact(["*", "*"], friction=0.5)
    env = ss.Environment(scene.model(), ["block"], reward=lambda sim: sim.body("block").velocity[0])
    first, info = env.reset()
    # Below the friction limit of 4.905 N nothing moves, exactly.
    for _ in range(5000):
        observation, reward, terminated, truncated, info = env.step([4.9, 0])
        assert reward == 0 and info["certified"] and not terminated and not truncated
    for _ in range(5000):
        observation, reward, terminated, truncated, info = env.step([5.0, 0])
    assert reward > 0 and observation.shape == first.shape == (6,)
    again, _ = env.reset()
    assert np.array_equal(again, first)


def pushed_discs(dimension):
    scene = ss.Scene(dimension=dimension, duration=10)
    scene.method(step=1e-2, stepper="stewart-trinkle")
    shape = {"disc": 0.1} if dimension == 2 else {"sphere": 0.1}
    scene.add_body("wall", fixed=True, shape=shape, position=[9, 9, 9][:dimension])
    for k, name in enumerate(("left", "right")):
        scene.add_body(name, mass=2, shape=shape, position=[k, 0.5, 3][:dimension])
    return scene.model()


@pytest.mark.parametrize("dimension", [2, 3])
def test_environment_observes_poses_and_velocities(dimension):
    env = ss.Environment(pushed_discs(dimension), ["right"], lambda sim: 0.0, force_limit=4)
    pose = 3 if dimension == 2 else 7
    first, _ = env.reset()
    assert first.shape == env._observation().shape and first.size == (12 if dimension == 2 else 26)
    assert first[:2].tolist() == [0, 0.5] and first[pose : pose + 2].tolist() == [1, 0.5]
    assert dimension == 2 or first[3:7].tolist() == [1, 0, 0, 0]  # not turned
    env._sim.body("left").torque = 0.02 if dimension == 2 else [0, 0, 0.02]
    last = env.step([7.0, -7.0, 0.0][:dimension])[0]  # beyond the limit: taken as 4 and -4, so v = h F / m
    motion = 2 * pose + dimension if dimension == 2 else 2 * pose + 6
    assert last[motion + (1 if dimension == 2 else 0) :][:2] == pytest.approx([0.02, -0.02], abs=1e-15)
    turning = last[2 * pose + (2 if dimension == 2 else 5)]
    inertia = 0.5 * 2 * 0.1**2 if dimension == 2 else 0.4 * 2 * 0.1**2
    assert turning == pytest.approx(0.02 * 1e-2 / inertia, rel=1e-12)
    if dimension == 2:
        assert last[2] == pytest.approx(1e-2 * turning, rel=1e-12)
    with pytest.raises(ValueError):
        env.step([np.nan] * dimension)


def test_environment_in_the_interface_of_gymnasium(monkeypatch):
    """With a module in its place that keeps to gymnasium's interface: Env.reset takes the seed, spaces are boxes."""

    class Env:
        def reset(self, *, seed=None, options=None):
            self.seeded = seed

    class Box:
        def __init__(self, low, high, dtype):
            self.low, self.high, self.shape, self.dtype = low, high, low.shape, dtype

    stand_in = types.SimpleNamespace(Env=Env, spaces=types.SimpleNamespace(Box=Box))
    monkeypatch.setitem(sys.modules, "gymnasium", stand_in)
    file = pathlib.Path(ss.__file__).parent / "environment.py"
    spec = importlib.util.spec_from_file_location("stickslip.environment_with_gymnasium", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    env = module.Environment(pushed_discs(2), ["left"], lambda sim: 1.0, force_limit=3)
    assert isinstance(env, Env)
    observation, info = env.reset(seed=7)
    assert env.seeded == 7 and info == {}
    assert env.observation_space.shape == observation.shape and env.observation_space.dtype == observation.dtype
    assert env.action_space.high.tolist() == [3, 3] and env.action_space.low.tolist() == [-3, -3]
    assert env.step([0.0, 0.0])[1:] == (1.0, False, False, {"certified": True})


def scene_files():
    """Every scene among the examples; studies and plans are other files."""
    for file in sorted((ROOT / "examples").rglob("*.toml")):
        text = file.read_text()
        if not any(mark in text for mark in ("\nscene = ", "[[item]]", "[[figure]]")) and not text.startswith("scene = "):
            yield file


@pytest.mark.parametrize("file", list(scene_files()), ids=lambda file: str(file.relative_to(ROOT / "examples")))
def test_every_example_survives_the_way_through_python(file):
    try:
        model = ss.Model.from_file(file)
    except ss.SceneError:
        pytest.skip("not a scene of its own")
    scene = ss.Scene.from_file(file)
    again = scene.model()
    assert ss.Scene.from_toml(scene.to_toml(), str(file)).to_toml() == scene.to_toml()
    for name in ("title", "description", "duration", "step", "dimension", "parameters", "bodies", "observables"):
        assert getattr(again, name) == getattr(model, name), name
    one, two = ss.Simulation(model), ss.Simulation(again)
    assert np.array_equal(one.state, two.state)
    if len(model.bodies) > 100:
        return  # steps of piles take long
    for _ in range(3):
        assert one.step().residual == two.step().residual
    assert np.array_equal(one.state, two.state) and one.observe().keys() == two.observe().keys()
    assert all(a == b or (a != a and b != b) for a, b in zip(one.observe().values(), two.observe().values()))


def test_all_keys_of_the_top_and_a_start():
    scene = falling_disc()
    scene.start("disc", position=[0, 3], angle=0.5)
    model = scene.model()
    assert ss.Simulation(model).body("disc").position[1] == 3
    assert ss.Simulation(model).body("disc").angle == 0.5
    stopped = ss.Scene.from_toml('stop = "disc.y < 0.5"\n' + falling_disc().to_toml()).model().run()
    assert stopped.time[-1] < 0.4 and "stopped" in stopped.end


def test_texts_of_every_kind_come_back():
    odd = 'quotes " and \\ and \t and \n and \x01 and é and 漢'
    scene = falling_disc()
    model = ss.Scene.from_toml(scene.to_toml()).model()
    assert model.title == scene.model().title
    assert ss.Scene.from_toml(ss.Scene(description=odd).to_toml())._top["description"] == odd
