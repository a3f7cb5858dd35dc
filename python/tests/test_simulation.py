# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""Models, simulations, batches and runs from Python, against closed forms and against the command."""
import errno
import gc
import os
import pathlib
import threading

import numpy as np
import pytest

import stickslip as ss

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"

BLOCK = """
title = "A block slides to rest"
dimension = 2
gravity = [0, -9.81]
duration = 1
[parameters]
mu = { value = 0.3, min = 0, max = 2 }
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
vmax = "max_over_time(block.vx)"
"""


@pytest.fixture
def model():
    return ss.Model.from_string(BLOCK)


def test_block_stops_after_v2_over_2_mu_g(model):
    run = model.run(stepper="second-order", step=1e-2)
    assert run.certified
    # Second order locates the stop: exact but for rounding.
    assert run.final["x"] == pytest.approx(1 / (2 * 0.3 * 9.81), abs=1e-9)
    assert run["x"][-1] == run.final["x"]
    assert len(run.time) == len(run["x"]) == len(run)
    assert run.position("block").shape == (len(run), 3)
    assert any(change[4] == "stick" for change in run.modes)


def test_stepping_by_hand_gives_the_bits_of_the_run(model):
    run = model.run()
    sim = ss.Simulation(model)
    while sim.time < 1 - 1e-9:
        step = sim.step()
        assert step.certified and step.residual < 1e-8
    assert sim["x"] == run.final["x"]
    assert sim["vmax"] == run.final["vmax"]


def test_a_run_has_error_bars_where_they_are_asked_for(model):
    assert model.run().error_bars == {}
    bars = model.run(error_bars="on").error_bars
    assert 0 < bars["x"] < 1e-6  # second order is exact here, but for the instants of events


def test_contact_forces_carry_the_weight(model):
    sim = ss.Simulation(model, v=0)
    sim.step()
    contacts = sim.contacts
    assert contacts["force"][:, 1].sum() == pytest.approx(-2 * 9.81 * np.sign(-contacts["normal"][0, 1]), rel=1e-9)
    assert set(contacts["mode"]) == {"stick"}
    assert {tuple(names) for names in contacts["bodies"]} <= {("floor", "block"), ("block", "floor")}
    for contact in contacts:
        assert model.bodies[contact["body_a"]] == contact["bodies"][0]
        assert model.bodies[contact["body_b"]] == contact["bodies"][1]


def test_an_applied_force_moves_the_block_once_it_exceeds_friction(model):
    sim = ss.Simulation(model, v=0, stepper="second-order")
    body = sim.body("block")
    body.force = [0.99 * 0.3 * 2 * 9.81, 0, 0]
    sim.run_until(0.5)
    assert sim["x"] == 0
    body.force = [0.3 * 2 * 9.81 + 2.0, 0, 0]  # one metre per second squared more than friction
    sim.run_until(1.5)
    assert sim["x"] == pytest.approx(0.5, abs=1e-9)
    assert list(body.force) == [0.3 * 2 * 9.81 + 2.0, 0, 0]


def test_saved_bytes_restore_the_same_bits(model):
    sim = ss.Simulation(model)
    sim.run_until(0.1)
    saved = sim.save()
    sim.run_until(0.3)
    end = sim["x"]
    sim.restore(saved)
    assert sim.time == pytest.approx(0.1)
    sim.run_until(0.3)
    assert sim["x"] == end
    with pytest.raises(RuntimeError):
        sim.restore(saved[:-3])
    sim.reset()
    assert sim.time == 0 and sim["x"] == 0


def test_bytes_of_another_simulation_change_nothing(model):
    sim, alone = ss.Simulation(model), ss.Scene(dimension=2, duration=1)
    alone.add_body("ball", mass=1, shape={"disc": 0.1}, velocity=[1, 0])
    sim.run_until(0.1)
    saved = sim.save()
    for other in (alone.model(), model.with_values(stepper="implicit")):
        stranger = ss.Simulation(other)
        stranger.run_until(0.05)
        with pytest.raises(RuntimeError):
            sim.restore(stranger.save())
        assert sim.save() == saved
    for end in range(0, len(saved), 97):
        with pytest.raises(RuntimeError):
            sim.restore(saved[:end])
    assert sim.save() == saved


def test_state_in_and_out(model):
    sim = ss.Simulation(model, mu=0)
    positions, velocities = sim.positions, sim.velocities
    positions[1, 0], velocities[1, 0] = 3, 2
    sim.set_state(time=1.0, positions=positions, velocities=velocities)
    sim.run_until(1.5)
    assert sim["x"] == pytest.approx(4, abs=1e-9)
    with pytest.raises(ValueError, match="positions must be an array of 2 x 3"):
        sim.set_state(positions=[1, 2])


def test_a_body_is_moved_by_its_attributes(model):
    sim = ss.Simulation(model, mu=0)
    sim.run_until(0.5)
    block = sim.body("block")
    block.position, block.velocity = [3, 0.05], [2, 0]
    assert sim.time == 0.5  # only the body changed
    sim.run_until(1)
    assert sim["x"] == pytest.approx(4, abs=1e-9)
    sim.set_state(velocities=np.zeros((2, 3)))
    assert sim.time == 1 and list(block.velocity) == [0, 0, 0]
    block.angular_velocity = 0.5
    assert list(block.angular_velocity) == [0, 0, 0.5]
    with pytest.raises(ValueError, match="prescribed"):
        sim.body("floor").velocity = [1, 0]
    sim.add_observer(lambda time, state: setattr(block, "velocity", [1, 0]))
    with pytest.raises(RuntimeError, match="cannot step or change"):
        sim.step()


def test_names_are_where_arrays_are(model):
    sim = ss.Simulation(model)
    assert sim.bodies == model.bodies and sim.duration == model.duration == 1
    assert model.with_values(stepper="implicit").stepper == "implicit" and model.stepper != "auto"
    run = model.run()
    assert run.angular_velocity("block").shape == (len(run), 3)


def test_whether_there_is_an_observable(model, tmp_path):
    (tmp_path / "scene.toml").write_text(BLOCK)
    (tmp_path / "study.toml").write_text('scene = "scene.toml"\ntrials = 2\n[vary]\nmu = { uniform = [0.1, 0.2] }\n')
    for thing in (ss.Simulation(model), model.run(), ss.batch(model, mu=[0.1, 0.2]), ss.study(tmp_path / "study.toml")):
        assert "x" in thing and "nobody" not in thing and 3 not in thing and None not in thing
    assert "mu" in ss.batch(model, mu=[0.1]) and "mu" in ss.study(tmp_path / "study.toml")


def test_messages_tell_what_there_is(model):
    sim, run, out = ss.Simulation(model), model.run(), ss.batch(model, mu=[0.1, 0.2])
    for ask in (lambda: sim["nobody"], lambda: run["nobody"], lambda: out["nobody"], lambda: out.rate("nobody")):
        with pytest.raises(KeyError, match="there are x, vmax"):
            ask()
    with pytest.raises(KeyError, match="did you mean .*vmax"):
        sim["vmx"]
    with pytest.raises(ValueError, match="force must have 3 entries .* not be one number"):
        sim.body("block").force = 5
    with pytest.raises(ss.SceneError) as caught:
        model.with_values(muu=1)
    with pytest.raises(ss.SceneError, match="did you mean 'step'"):
        ss.Simulation(model, setp=1e-3)
    assert str(caught.value).startswith("muu=1: ") and "--" not in str(caught.value)  # as the user wrote it


def test_first_mistakes_are_answered_with_what_was_meant(model):
    for wrong in (lambda: ss.Simulation("scene.toml"), lambda: ss.Model("scene.toml"), lambda: ss.batch("scene.toml", mu=[1])):
        with pytest.raises(TypeError, match="from_file"):
            wrong()
    with pytest.raises(ss.SceneError, match="did you mean 'duration'"):
        model.run(duratoin=1)
    with pytest.raises(ss.SceneError, match="did you mean 'progress'"):
        model.run(progres=True)
    for thing in (ss.Simulation(model), model.run(), ss.batch(model, mu=[0.1])):  # are asked by names
        with pytest.raises(TypeError, match="not iterable"):
            list(thing)


def test_what_is_raised_while_numbers_are_read_is_kept(model):
    class Raising:
        def __init__(self, error):
            self._error = error

        def __array__(self, dtype=None):
            raise self._error

        __float__ = __array__

    body = ss.Simulation(model).body("block")
    for use in (lambda wrong: setattr(body, "force", wrong), lambda wrong: model.with_values(mu=wrong),
                lambda wrong: ss.solve_lcp(np.eye(2), wrong), lambda wrong: ss.batch(model, mu=wrong)):  # fmt: skip
        for error in (KeyboardInterrupt, SystemExit, MemoryError):
            with pytest.raises(error):
                use(Raising(error("here")))
        with pytest.raises((TypeError, ZeroDivisionError)) as caught:  # itself, or as the reason
            use(Raising(ZeroDivisionError("here")))
        assert isinstance(caught.value.__cause__ or caught.value, ZeroDivisionError)


def test_everything_says_what_it_is(model, tmp_path):
    (tmp_path / "scene.toml").write_text(BLOCK)
    (tmp_path / "study.toml").write_text('scene = "scene.toml"\ntrials = 2\n[vary]\nmu = { uniform = [0.1, 0.2] }\n')
    sim, store = ss.Simulation(model), ss.study(tmp_path / "study.toml")
    assert repr(store) == "<Store: 2 trials of mu>"
    store.close()
    assert repr(store) == "<Store: closed>"
    assert repr(ss.Scene.from_toml(BLOCK)) == '<Scene "A block slides to rest": floor, block>'
    things = (model, sim, sim.body("block"), sim.step(), model.run(), ss.batch(model, mu=[0.1]), store, ss.Scene(), ss.Rate(1, 2),
              ss.solve_lcp([[1.0]], [1.0]), model.converge(levels=2))  # fmt: skip
    assert not [repr(thing) for thing in things if " object at 0x" in repr(thing)]


def test_a_file_that_is_not_there(tmp_path):
    for read in (ss.Model.from_file, ss.Scene.from_file, ss.study, ss.optimise, ss.plan, ss.load_problem):
        with pytest.raises(FileNotFoundError, match="(?i)no such file"):
            read(tmp_path / "nobody.toml")
    with pytest.raises(ss.SceneError) as caught:
        ss.Model.from_file("nobody.toml")
    assert caught.value.file == "nobody.toml" and caught.value.errno == errno.ENOENT and caught.value.line == 0
    # A scene that names a file which is not there is wrong in a line.
    (tmp_path / "scene.toml").write_text('include = ["nobody.toml"]\n')
    with pytest.raises(ss.SceneError, match="scene.toml:1:") as caught:
        ss.Model.from_file(tmp_path / "scene.toml")
    assert not isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("name", [b"sc\xc3\xa8ne \xe6\x97\xa5", b"latin \xe8"], ids=["unicode", "not UTF-8"])
def test_names_of_files_of_every_kind(name, tmp_path):
    folder = os.fsencode(tmp_path)
    scene, record = folder + b"/" + name + b".toml", folder + b"/" + name + b".h5"
    with open(scene, "w") as file:
        file.write(BLOCK)
    for path in (scene, os.fsdecode(scene), pathlib.Path(os.fsdecode(scene))):
        assert ss.Model.from_file(path).bodies == ss.Scene.from_file(path).model().bodies == ["floor", "block"]
    model = ss.Model.from_file(scene)
    for path in (record, os.fsdecode(record)):
        assert ss.Recording(path)["x"][-1] == model.run(record=path).final["x"] if os.path.exists(path) else model.run(record=path)
    with open(folder + b"/study.toml", "wb") as file:
        file.write(b'scene = "' + scene + b'"\ntrials = 2\n[vary]\nmu = { uniform = [0.1, 0.2] }\n' if b"latin" not in name else b"x")
    store = folder + b"/" + name + b".db"
    if b"latin" not in name:  # a study is UTF-8, and so are the names in it
        assert len(ss.study(folder + b"/study.toml", store=store)) == len(ss.Store(store)) == 2
    with open(scene, "a") as file:
        file.write("[nonsense]\n")
    with pytest.raises(ss.SceneError) as caught:
        ss.Model.from_file(scene)
    assert caught.value.file == os.fsdecode(scene) and str(caught.value).startswith(caught.value.file)
    with pytest.raises(ss.FileError) as caught:
        ss.Recording(scene)
    assert os.fsdecode(name) in str(caught.value)


def test_a_recording_is_written_again_while_the_one_before_is_read(model, tmp_path):
    """What a cell of a notebook does that is run a second time."""
    path = tmp_path / "block.h5"
    run = model.run(record=path)
    first = run["x"].tolist()
    run = model.run(record=path, mu=0.6)
    old = ss.Recording(path)
    again = model.run(record=path)
    assert old["x"][-1] == run["x"][-1] != again["x"][-1]  # each has what it had
    assert again["x"].tolist() == first == ss.Recording(path)["x"].tolist()
    with pytest.raises(ZeroDivisionError) as caught:
        model.run(record=path, observer=lambda time, state: 1 / (time < 0.5))
    assert caught.value.run.time[-1] == pytest.approx(0.5, abs=0.02) and again["x"].tolist() == first


def test_batch_has_the_same_bits_for_any_number_of_threads(model):
    mu = np.linspace(0.1, 0.5, 40)
    one, two = ss.batch(model, mu=mu, threads=1), ss.batch(model, mu=mu, threads=2)
    assert np.array_equal(one["x"], two["x"]) and one.certified.all()
    assert one["x"][7] == model.run(mu=mu[7]).final["x"]
    np.testing.assert_array_equal(one["mu"], mu)


def test_batch_reports_why_a_trial_failed(model):
    out = ss.batch(model, mu=[0.3, -1.0])
    assert list(out.certified) == [True, False]
    assert out.status == ["finished", "rejected"] and out.cause[1]
    with pytest.raises(ss.SceneError, match="did you mean 'mu'"):
        ss.batch(model, mv=[1.0])


def test_sensitivity_of_the_stopping_distance(model):
    found = model.with_values(stepper="stewart-trinkle").sensitivity(["mu"])
    # x = v^2 / (2 mu g) at first order in the step: the derivative has an error of the order of the step.
    assert found["x"]["mu"]["value"] == pytest.approx(-1 / (2 * 0.3**2 * 9.81), rel=2e-2)


def test_scene_errors_say_where(model):
    with pytest.raises(ss.SceneError) as caught:
        ss.Model.from_string("dimension = 2\nduration = 1\nfoo = 3\n", name="bad.toml")
    assert caught.value.file == "bad.toml" and caught.value.line == 3
    with pytest.raises(ss.SceneError, match="did you mean"):
        model.with_values(mv=1)
    with pytest.raises(ss.FileError):
        ss.Recording("/nonexistent.h5")
    with pytest.raises(KeyError, match="block"):
        ss.Simulation(model).body("blok")


def test_recording_is_kept_where_asked_and_makes_a_page(model, tmp_path):
    path = tmp_path / "block.h5"
    run = model.run(record=path)
    again = ss.Recording(path)
    assert np.array_equal(again["x"], run["x"])
    assert "<iframe" in again._repr_html_()
    pandas = pytest.importorskip("pandas")
    assert isinstance(again.to_pandas(), pandas.DataFrame)


def test_two_threads_cannot_share_a_step(model):
    sim = ss.Simulation(model, duration=100)
    seen = []

    def work():
        for _ in range(3000):
            try:
                sim.step()
                sim.contacts
            except RuntimeError as error:
                seen.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in text for text in seen)


def test_an_error_before_a_run_has_begun_leaves_the_recording_before(model, tmp_path):
    """What the exception brings along is what this run recorded, not what stood in the file."""
    path = tmp_path / "block.h5"
    x = model.run(record=path).final["x"]
    with pytest.raises(TypeError) as caught:
        model.run(record=path, forces={"block": 3})
    assert not hasattr(caught.value, "run") and ss.Recording(path)["x"][-1] == x
    with pytest.raises(ZeroDivisionError) as caught:
        model.run(record=path, observer=lambda time, state: 1 / (time < 0.5))
    assert caught.value.run.time[-1] == pytest.approx(0.5, abs=0.02)


def test_a_recording_in_a_temporary_file_goes_with_its_run(model, recwarn):
    run = model.run()
    folder = pathlib.Path(run.path).parent
    child = os.fork()
    if child == 0:  # a copy of the run goes with the process
        del run
        os._exit(0 if folder.exists() else 1)
    assert os.waitpid(child, 0)[1] == 0 and folder.exists() and len(ss.Recording(run.path)) == len(run)
    del run
    gc.collect()
    assert not folder.exists() and not recwarn.list


def test_progress_is_called_and_may_stop_the_run(model):
    times = []
    model.run(progress=times.append)
    assert times == sorted(times) and len(times) > 3

    def enough(time):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.run(progress=enough)


def test_plan_finds_the_shot_of_the_example():
    found = ss.plan(EXAMPLES / "plan-ball" / "plan.toml")
    assert found["solved"]
    best = found["solutions"][0]
    assert best["violation"] < 1e-8 and best["certificate"] < 1e-8 and best["unknowns"]


def test_study_and_its_table(tmp_path):
    store = ss.study(EXAMPLES / "ball" / "study.toml", store=tmp_path / "ball.db")
    assert len(store) == len(store["trial"]) > 0
    assert set(store.parameters) <= set(store.columns())
    again = ss.study(EXAMPLES / "ball" / "study.toml", store=tmp_path / "ball.db")
    assert len(again) == len(store)


def test_rate_of_a_batch_has_wilsons_interval(model):
    out = ss.batch(model, mu=np.linspace(0, 0.5, 10))
    rate = out.rate("x")
    low, high = rate.interval(0.95)
    assert rate.trials == 10 and rate.value == 1 and high <= 1 + 1e-12 and 0.7 < low < 0.75  # Wilson: 10 / (10 + 1.96^2)


def test_a_run_that_failed_is_no_success(model):
    rate = ss.batch(model, mu=[0.3, -1.0]).rate("x")
    assert (rate.successes, rate.trials) == (1, 2)
    pandas = pytest.importorskip("pandas")
    table = ss.batch(model, mu=[0.3, 0.4], step=1e-2).to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table.columns[:2]) == ["mu", "step"]


def test_files_are_closed_when_asked(model, tmp_path):
    with model.run(record=tmp_path / "run.h5") as run:
        assert len(run) > 1
    with pytest.raises(ValueError, match="closed"):
        run.time
    assert "closed" in repr(run)


def test_steps_at_worst_are_not_certified():
    model = ss.Model.from_file(str(EXAMPLES / "stack" / "scene.toml"))
    run = model.run(duration=0.01, certificate=1e-300)  # below rounding: no step gets there
    assert run.steps_at_worst > 0 and not run.certified
    sim = ss.Simulation(model, certificate=1e-300)
    step = sim.step()
    assert step and not step.certified and not sim.certified
    out = ss.batch(model, duration=[0.01, 0.01], certificate=[1e-300, 1e-9])
    assert list(out.certified) == [False, True] and out.status == ["finished", "finished"]
