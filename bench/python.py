# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""What Python costs: a step, a batch of runs, a solve. Usage: script/bench python [--trials N]

Processor time of this process (or of the command), the smallest of several repeats: other work on the machine does not
count. A step in C++ is one of Simulation.run_until(), which loops without Python; a study's trials are those of
`stickslip study` on the same values. Beside each figure stands the limit that the project has set itself.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time
from typing import Any, Callable

import numpy as np

import stickslip as ss

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMMAND = pathlib.Path(ss.__file__).resolve().parents[2] / "stickslip"
PROBLEMS = pathlib.Path(os.environ.get("STICKSLIP_PROBLEMS", ROOT.parent / "shared" / "problems")) / "open"
BALL = ROOT / "examples" / "ball" / "scene.toml"


def cheapest(work: Callable[[], None], repeats: int) -> float:
    """Processor seconds."""
    best = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def step_costs() -> tuple[float, float]:
    """Of the ball: a step in C++ and one from Python."""
    model = ss.Model.from_file(BALL)
    sim = ss.Simulation(model)
    count = round(model.duration / sim.step_size)

    def inside() -> None:
        sim.reset()
        sim.run_until(model.duration)

    def outside() -> None:
        sim.reset()
        step = sim.step
        for _ in range(count):
            step()

    reset = cheapest(sim.reset, 50)
    return (cheapest(inside, 50) - reset) / count, (cheapest(outside, 50) - reset) / count


def batch_costs(trials: int) -> tuple[float, float, float, float]:
    """Processor seconds of a trial in a batch and in a study; two threads against one: wall time and processor time."""
    mu = np.linspace(0.2, 0.5, trials)
    model = ss.Model.from_file(BALL)

    def batch(threads: int) -> tuple[float, float]:
        begun, clock = time.process_time(), time.monotonic()
        assert ss.batch(model, mu=mu, threads=threads).certified.all()
        return time.process_time() - begun, time.monotonic() - clock

    one, two = [batch(1) for _ in range(3)], [batch(2) for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder) / "study.toml"
        study.write_text(f'scene = "{BALL}"\n[vary]\nmu = {{ grid = [0.2, 0.5, {trials}] }}\n')
        spent = []
        for k in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([COMMAND, "study", study, "--store", f"{folder}/{k}.db", "--threads", "1"], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    spent_by, clock = ([min(run[k] for run in runs) for runs in (one, two)] for k in (0, 1))
    return spent_by[0] / trials, min(spent) / trials, clock[0] / clock[1], spent_by[1] / spent_by[0]


def solve_overhead(M: Any, q: Any, repeats: int) -> tuple[float, float]:
    """Seconds around the solver's own, and its own: wall time, the quartiles that were disturbed least."""
    around, within = [], []
    for _ in range(repeats):
        begun = time.perf_counter()
        answer = ss.solve_lcp(M, q)
        around.append(time.perf_counter() - begun - answer.seconds)
        within.append(answer.seconds)
    return float(np.percentile(around, 25)), float(np.percentile(within, 25))


def copy_time(M: Any, repeats: int) -> float:
    """Seconds in which NumPy copies M: what nothing that copies it can be far below."""
    to, taken = np.empty_like(M), []
    for _ in range(repeats):
        begun = time.perf_counter()
        np.copyto(to, M)
        taken.append(time.perf_counter() - begun)
    return float(np.percentile(taken, 25))


def random_lcp(n: int) -> tuple[Any, Any]:
    """Symmetric positive definite, about half of the unknowns positive."""
    random = np.random.default_rng(n)
    root = random.standard_normal((n, n))
    return root @ root.T / n + np.eye(n), random.standard_normal(n)


def print_solve_overheads() -> None:
    """By size: random dense matrices, and the LCPs among the problem files, where they are there, sparse as they are."""
    print(f"\n{'ss.solve_lcp':30} {'unknowns':>9} {'around':>12} {'solver':>12} {'copy of M':>12}")
    for n in (2, 10, 30, 100, 200):
        M, q = random_lcp(n)
        around, within = solve_overhead(M, q, 20000 // n)
        copy = copy_time(M, 20000 // n)
        print(f"{'dense, random':30} {n:9} {1e6 * around:9.2f} us {1e6 * within:9.1f} us {1e6 * copy:9.2f} us")
    if not PROBLEMS.exists():
        print(f"(no problem files at {PROBLEMS})")
        return
    for file in sorted(PROBLEMS.iterdir()):
        problem = ss.load_problem(file)
        if problem.kind == "lcp":
            around, within = solve_overhead(problem.M, problem.q, 20)
            print(f"{problem.name[:30]:30} {problem.size:9} {1e6 * around:9.2f} us {1e6 * within:9.1f} us")


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/bench python")
    parser.add_argument("--trials", type=int, default=4096)
    trials = parser.parse_args().trials
    inside, outside = step_costs()
    batched, studied, faster, dearer = batch_costs(trials)
    rows = [
        ("a step of the ball in C++", f"{1e6 * inside:.2f} us", ""),
        ("the same from Python", f"{1e6 * outside:.2f} us", ""),
        ("difference", f"{1e6 * (outside - inside):.2f} us", "1.5 us"),
        (f"a run of the ball, ss.batch of {trials}", f"{1e6 * batched:.1f} us", ""),
        ("the same, stickslip study", f"{1e6 * studied:.1f} us", ""),
        ("batch / study", f"{batched / studied:.2f}", "1"),
        ("two threads against one, how many times as fast", f"{faster:.2f}", "1.8"),
        ("two threads against one, processor time", f"{dearer:.2f}", "1.11"),
        ("ss.solve_lcp of two unknowns, around the solver", f"{1e6 * solve_overhead(*random_lcp(2), 20000)[0]:.2f} us", "3 us"),
    ]
    print(f"{'':50} {'':>12} {'limit':>8}")
    for name, value, limit in rows:
        print(f"{name:50} {value:>12} {limit:>8}")
    print_solve_overheads()
    load = os.getloadavg()[0]
    if load > 1.5:
        print(f"(the machine was busy, load {load:.1f}: the wall times say little)")


if __name__ == "__main__":
    main()
