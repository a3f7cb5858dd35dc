# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Scenes written in Python, and the environment around a simulation."""
import numpy as np
import pytest

import stickslip as ss


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


def test_memory_stays_flat_over_many_steps():
    import resource

    sim = ss.Simulation(falling_disc().model(stepper="stewart-trinkle"))
    body = sim.body("disc")

    def work(steps):
        for _ in range(steps):
            sim.step()
            sim.contacts, sim.positions, body.velocity, sim.observe()
            body.force = [0, 0]
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = work(2000)
    after = work(20000)
    assert after - before < 2000  # kB: a leak of 100 bytes a step would show as 2000
