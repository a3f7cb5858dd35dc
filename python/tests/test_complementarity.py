# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""The solvers: answers checked against the problem's own conditions, never against the solver's word."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from odd_arrays import ODD, swapped, unaligned
from stickslip import complementarity as sc


def lcp_violation(M, q, z):
    """Largest violation of z >= 0, M z + q >= 0 and complementarity."""
    w = np.asarray(M @ z).ravel() + q
    return max(np.max(-z), np.max(-w), np.max(np.abs(np.minimum(z, w))))


def positive_definite(rng, n):
    A = rng.standard_normal((n, n))
    return A @ A.T + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 10, 60])
def test_random_positive_definite_lcps_are_solved(n):
    rng = np.random.default_rng(n)
    for _ in range(50):
        M, q = positive_definite(rng, n), rng.standard_normal(n)
        found = sc.solve_lcp(M, q)
        assert found.solved and bool(found)
        # The certificate is 1e-8 relative to the data; n and the norm of M enter the absolute violation.
        assert lcp_violation(M, q, found.z) < 1e-6 * (1 + np.abs(M).sum())
        np.testing.assert_allclose(found.w, M @ found.z + q, atol=1e-12 * np.abs(M).sum() * (1 + np.abs(found.z).max()))


def test_sparse_and_dense_give_the_same():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(3)
    M, q = positive_definite(rng, 30), rng.standard_normal(30)
    M[np.abs(M) < 3] = 0
    M += 40 * np.eye(30)
    for form in (sparse.csc_matrix, sparse.csr_matrix, sparse.coo_matrix):
        np.testing.assert_allclose(sc.solve_lcp(form(M), q).z, sc.solve_lcp(M, q).z, atol=1e-8)


def test_matrices_however_they_lie_in_memory():
    """By rows, by columns, every other entry, backwards, at odd addresses, of other types: the same bits."""
    rng = np.random.default_rng(5)
    for n in (1, 2, 15, 16, 17, 33, 40):
        M, q = rng.integers(-8, 8, (n, n)) / 4 + 9 * n * np.eye(n), rng.integers(-8, 8, n) / 4
        spread = np.zeros((2 * n, 3 * n))
        spread[::2, ::3] = M
        expected = sc.solve_lcp(M, q)
        assert expected.solved and lcp_violation(M, q, expected.z) < 1e-6 * n * n  # the certificate is relative to M
        for form in (spread[::2, ::3], swapped(M), M.astype(np.float32), M.tolist(), *(odd(M) for odd in ODD)):
            found = sc.solve_lcp(form, q)
            assert np.array_equal(found.z, expected.z) and np.array_equal(found.w, expected.w)
        for odd in ODD:
            assert np.array_equal(sc.solve_lcp(M, odd(q), lower=odd(np.zeros(n))).z, expected.z)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_one_entry_that_is_not_finite_is_found_wherever_it_stands(wrong):
    for n in (1, 3, 4, 5, 8, 33, 37):
        for row in range(n):
            for column in range(n):
                M = 9.0 * n * np.eye(n)
                M[row, column] = wrong
                for form in (M, np.asfortranarray(M)):
                    with pytest.raises(ValueError, match="finite"):
                        sc.solve_lcp(form, -np.ones(n))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_sparse_matrices_with_many_entries_are_read_as_dense_ones(wrong):
    """Full columns, columns with gaps and others: the bits of the dense matrix; one entry that is not finite is found."""
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(5)
    for n in (1, 2, 7, 8, 9, 17, 40, 65):
        for share in (1.0, 0.95, 0.9, 0.4, 0.05):
            M = np.where(rng.random((n, n)) < share, rng.standard_normal((n, n)), 0) + 3 * n * np.eye(n)
            if share == 0.95:
                M[: n // 2] = M[: n // 2] + 0.5  # full rows, and gaps below
            q = rng.standard_normal(n)
            given = sparse.csc_matrix(M)
            found = sc.solve_lcp(given, q)
            if share >= 0.4:  # others are kept sparse, where sums have another order
                assert np.array_equal(found.z, sc.solve_lcp(M, q).z)
            assert lcp_violation(M, q, found.z) < 1e-6 * n
            np.testing.assert_allclose(found.w, M @ found.z + q, rtol=0, atol=1e-13 * (1 + np.abs(M) @ np.abs(found.z)).max())
            for k in {0, given.nnz - 1, int(rng.integers(given.nnz))}:
                spoilt = given.copy()
                spoilt.data[k] = wrong
                with pytest.raises(ValueError, match="finite"):
                    sc.solve_lcp(spoilt, q)


def test_sparse_arrays_at_odd_addresses():
    sparse = pytest.importorskip("scipy.sparse")
    M, q = sparse.csc_matrix(np.diag([2.0, 3.0, 4.0])), -np.ones(3)
    odd = M.copy()
    odd.data, odd.indices, odd.indptr = unaligned(M.data), unaligned(M.indices), unaligned(M.indptr)
    assert not odd.data.flags.aligned and not odd.indices.flags.aligned
    assert np.array_equal(sc.solve_lcp(odd, q).z, [1 / 2, 1 / 3, 1 / 4])


def test_a_matrix_whose_conversion_solves_another_problem():
    """The memory that calls keep for the next one is not in use while Python runs."""

    class Busy:
        def __init__(self, values):
            self.values = np.array(values)

        def __array__(self, dtype=None):
            assert sc.solve_lcp(3 * np.eye(5), -np.ones(5)).solved
            return self.values

    found = sc.solve_lcp(Busy([[2.0, 1.0], [1.0, 2.0]]), Busy([-5.0, -6.0]), lower=Busy([0.0, 0.0]), upper=Busy([2.0, 2.0]))
    np.testing.assert_allclose(found.z, [1.5, 2.0], atol=1e-12)


class Meddling:
    """Numbers whose conversion does something else first."""

    def __init__(self, values, first):
        self.values, self.first = np.array(values, dtype=float), first

    def __array__(self, dtype=None):
        self.first()
        return self.values


def test_arguments_whose_conversion_changes_the_others():
    """What was looked at is looked at again: nothing is read or written beside an array."""
    sparse = pytest.importorskip("scipy.sparse")
    n = 300
    for part, to in (("indices", 2**30), ("indices", -1), ("indptr", 2**30), ("indptr", -1)):
        M = sparse.csc_matrix(3 * np.eye(n))
        q = Meddling(-np.ones(n), lambda: getattr(M, part).fill(to))
        with pytest.raises(ValueError, match="M is not a well-formed"):
            sc.solve_lcp(M, q)
    M = 3 * np.eye(n)
    with pytest.raises(ValueError, match="entries"):
        sc.solve_lcp(M, Meddling(-np.ones(n), lambda: M.resize((1, 1), refcheck=False)))
    for name in ("q", "lower"):
        given = {"q": -np.ones(n), "lower": np.zeros(n)}
        given["upper"] = Meddling(np.ones(n), lambda: given[name].resize(1, refcheck=False))
        with pytest.raises(ValueError, match=f"{name} must have"):
            sc.solve_lcp(3 * np.eye(n), given["q"], lower=given["lower"], upper=given["upper"])


def test_arrays_that_are_too_large_to_be_copied():
    """Views of one number that pretend to be large: there is no room for the copy, and that is all."""
    wide, long = np.broadcast_to(np.int8(0), (10**8, 10**8)), np.broadcast_to(np.int8(0), (10**17,))
    for solve in (
        lambda: sc.solve_lcp(wide, [1.0]),
        lambda: sc.solve_lcp(np.broadcast_to(0.0, (10**8, 10**8)), [1.0]),
        lambda: sc.solve_lcp([[1.0]], long),
        lambda: sc.solve_contact(wide, [1.0, 0.0], [0.5]),
        lambda: sc.solve_mlcp(wide, wide, wide, wide, [1.0], [1.0]),
        lambda: sc.solve_mcp(lambda x: long, None, [0.0], [1.0], [0.5]),
    ):
        with pytest.raises(MemoryError):
            solve()


def test_sparse_matrices_in_any_order_with_entries_twice():
    """What SciPy calls canonical is taken as it is, the rest is put in order; the sum is that of toarray()."""
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(4)
    for trial in range(100):
        n = int(rng.integers(1, 40))
        entries = int(rng.integers(0, 3 * n))
        i, j = rng.integers(0, n, entries), rng.integers(0, n, entries)
        # Halves and quarters: sums are exact in any order.
        columns = [[(r, v) for r, c, v in zip(i, j, rng.integers(-8, 8, entries) / 4) if c == k] for k in range(n)]
        for k, column in enumerate(columns):
            column.append((k, 50.0))
            if trial % 3 == 0:
                column.sort()
            if trial % 3 == 1:
                column[:] = sorted(dict(column).items())
        starts = np.cumsum([0] + [len(column) for column in columns])
        rows, values = (np.array([entry[part] for column in columns for entry in column]) for part in (0, 1))
        wide = np.int64 if trial % 2 else np.int32
        M = sparse.csc_matrix((values.astype(float), rows.astype(wide), starts.astype(wide)), shape=(n, n))
        M.indices, M.indptr = M.indices.astype(wide), M.indptr.astype(wide)
        q = rng.integers(-100, 100, n) / 4
        dense, found = sc.solve_lcp(M.toarray(), q), sc.solve_lcp(M, q)
        assert found.solved and dense.solved
        # The certificate is 1e-8 of the data, and the smallest diagonal above the sums of rows is about 10.
        np.testing.assert_allclose(found.z, dense.z, atol=1e-6)
        assert lcp_violation(M.toarray(), q, found.z) < 1e-6


def test_sparse_matrices_that_are_none():
    sparse = pytest.importorskip("scipy.sparse")
    good = sparse.csc_matrix(np.eye(3))
    for part, wrong in [("indptr", [0, 1, 2, 4]), ("indptr", [0, 2, 1, 3]), ("indptr", [-1, 1, 2, 3]), ("indptr", [0, 1, 3]),
                        ("indices", [0, 1, 3]), ("indices", [0, -1, 2]), ("indices", [0, 1]), ("indices", [0, 1, 2**33]),
                        ("indices", [[0, 1, 2]]), ("data", [1.0, 2.0])]:  # fmt: skip
        M = good.copy()
        setattr(M, part, np.array(wrong))
        with pytest.raises(ValueError, match="M is not a well-formed"):
            sc.solve_lcp(M, np.ones(3))
    M = good.copy()
    M.indices = np.array(["a", "b", "c"])
    with pytest.raises(ValueError, match="M is not a well-formed"):
        sc.solve_lcp(M, np.ones(3))


def test_quantecon_issue_768_ten_by_ten_positive_definite():
    # lcp_lemke of QuantEcon.py answered with a negative entry.
    rng = np.random.RandomState(0)
    A = rng.standard_normal((10, 10))
    M, q = A.T @ A + np.eye(10), rng.standard_normal(10)
    found = sc.solve_lcp(M, q)
    assert found.solved
    assert lcp_violation(M, q, found.z) < 1e-8 * (1 + np.abs(M).sum())


def test_lcpsolve_issue_3_two_by_two_positive_definite():
    # LCPSolve answered zero; both constraints are open, so the answer is that of M z = -q.
    M, q = np.array([[2.57023, -0.580137], [-0.580137, 2.59027]]), np.array([-0.938699, -0.938699])
    found = sc.solve_lcp(M, q)
    assert found.solved
    np.testing.assert_allclose(found.z, np.linalg.solve(M, -q), atol=1e-9)


def test_box_bounds_hold_as_a_relay():
    found = sc.solve_lcp(np.eye(3), [-5.0, 0.2, 5.0], lower=[-1, -1, -1], upper=[1, 1, 1])
    np.testing.assert_allclose(found.z, [1, -0.2, -1], atol=1e-12)


def test_infeasible_problem_is_not_called_solved():
    found = sc.solve_lcp([[0.0]], [-1.0])
    assert not found.solved and found.status in ("infeasible", "ray")


def test_mixed_lcp_free_and_nonnegative_unknowns():
    # u = 1 - v, 0 <= v, u + v - 3 >= 0 never tight with u free: v = 0 needs u - 3 >= 0, impossible; v > 0 closes it.
    u, v, found = sc.solve_mlcp([[1.0]], [[2.0]], [[1.0]], [[0.0]], [-1.0], [-3.0])
    assert found.solved
    np.testing.assert_allclose(v, [1.5], atol=1e-9)
    np.testing.assert_allclose(u, [-0.5], atol=1e-9)


def test_mcp_kojima_shindo():
    def F(x):
        a, b, c, d = x
        return [
            3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6,
            2 * a * a + a + b * b + 10 * c + 2 * d - 2,
            3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9,
            a * a + 3 * b * b + 2 * c + 3 * d - 3,
        ]

    found = sc.solve_mcp(F, None, np.zeros(4), np.full(4, np.inf), np.ones(4))
    assert found.solved
    answers = ([np.sqrt(6) / 2, 0, 0, 0.5], [1, 0, 3, 0])
    assert min(np.abs(found.z - np.array(a)).max() for a in answers) < 1e-6


def test_mcp_callback_error_reaches_the_caller():
    def F(x):
        raise ZeroDivisionError("in F")

    with pytest.raises(ZeroDivisionError, match="in F"):
        sc.solve_mcp(F, None, [0.0], [1.0], [0.5])
    with pytest.raises(ValueError, match="F\\(x\\) must have 1 entries"):
        sc.solve_mcp(lambda x: [1.0, 2.0], None, [0.0], [1.0], [0.5])
    with pytest.raises(ValueError, match="J\\(x\\) must be 1 x 1"):
        sc.solve_mcp(lambda x: [x[0]], lambda x: np.eye(2), [0.0], [1.0], [0.5])


def test_sliding_and_sticking_contact_in_space():
    # One contact with W = 1: sticks while the tangential speed is below mu times the normal impulse.
    sticks = sc.solve_contact(np.eye(3), [-1.0, 0.2, 0.1], [0.5])
    np.testing.assert_allclose(sticks.z, [1.0, -0.2, -0.1], atol=1e-9)
    slides = sc.solve_contact(np.eye(3), [-1.0, 3.0, 4.0], [0.5])
    np.testing.assert_allclose(slides.z, [1.0, -0.3, -0.4], atol=1e-7)
    np.testing.assert_allclose(slides.w, [0.0, 2.7, 3.6], atol=1e-7)


def test_threads_solve_at_the_same_time():
    rng = np.random.default_rng(1)
    problems = [(positive_definite(rng, 40), rng.standard_normal(40)) for _ in range(40)]
    expected = [sc.solve_lcp(M, q).z for M, q in problems]
    wrong = []

    def work():
        for (M, q), z in zip(problems, expected):
            if not np.array_equal(sc.solve_lcp(M, q).z, z):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def interrupted(solve):
    """How long a solve took that Ctrl-C ended after half a second."""
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        solve()
    timer.join()
    return time.monotonic() - begun


@pytest.mark.parametrize("solver", ["auto", "lemke"])
def test_ctrl_c_ends_a_solve(solver):
    """An LCP with a random matrix of this size keeps the solvers busy for a minute."""
    rng = np.random.default_rng(0)
    M, q = rng.standard_normal((3000, 3000)), rng.standard_normal(3000)
    assert interrupted(lambda: sc.solve_lcp(M, q, solver=solver)) < 20
    assert sc.solve_lcp(np.eye(2), [-1.0, -2.0]).z.tolist() == [1, 2]


def test_ctrl_c_ends_a_contact_problem():
    """Four hundred contacts of three hundred degrees of freedom, friction 2, no tolerance that could be met."""
    rng = np.random.default_rng(0)
    J = rng.standard_normal((1200, 300))
    W, q, mu = J @ J.T, rng.standard_normal(1200), np.full(400, 2.0)
    assert interrupted(lambda: sc.solve_contact(W, q, mu, tolerance=1e-300)) < 20
    assert sc.solve_contact(np.eye(2), [-1.0, 0.1], [0.5]).solved


def test_ctrl_c_ends_a_function_that_is_not_of_python():
    assert interrupted(lambda: [sc.solve_mcp(np.exp, None, [-1e300], [1e300], [0.0]) for _ in range(10**9)]) < 20


def test_the_solvers_alone_need_nothing_but_numpy():
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("scipy", "pandas", "matplotlib", "tqdm", "gymnasium", "mypy") or name == "stickslip._core":
            raise ImportError(name + " is not to be loaded")
sys.meta_path.insert(0, Refuse())
import numpy as np
from stickslip import complementarity as sc
assert sc.solve_lcp([[2.0, 1], [1, 2]], [-5.0, -6], lower=[0, 0], upper=[1, np.inf]).solved
assert sc.solve_mlcp([[1.0]], [[2.0]], [[1.0]], [[0.0]], [-1.0], [-3.0])[2].solved
assert sc.solve_mcp(lambda x: x - 1, lambda x: np.eye(1), [0.0], [2.0], [0.5]).solved
assert sc.solve_contact(np.eye(3), [-1.0, 3, 4], [0.5]).solved
for name in sys.argv[1:]:
    assert sc.load_problem(name).solve().solved, name
"""
    seeds = pathlib.Path(__file__).resolve().parents[2] / "tests" / "fuzz" / "seeds" / "corpus"
    files = [seeds / name for name in ("lcp_two.json", "fc2d_stick.json")]
    done = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_ten_thousand_random_misuses_raise_and_never_crash():
    rng = np.random.default_rng(0)
    values = [
        None, "text", b"bytes", "a\0b", 1, -1, 1.5, 2**80, float("nan"), float("inf"), 1j, [], [[]], [1, 2], [[1, 2], [3]],
        {}, object(), np.zeros(0), np.zeros((0, 0)), np.eye(2), np.eye(3), np.zeros((2, 3)), np.full(2, np.nan),
        np.full((2, 2), np.inf), np.array(["a", "b"]), np.array([1 + 1j, 2]), np.zeros((2, 2, 2)), np.array([None, 1]),
        np.arange(2), np.arange(3, dtype=np.int8), np.zeros((6, 3))[::3], np.zeros(3)[::-1], np.float32(1), True,
        np.zeros(2, dtype="datetime64[s]"), lambda x: x, lambda x: None, ["support"], ["bilateral", "support"],
    ]  # fmt: skip
    arity = {sc.solve_lcp: 2, sc.solve_contact: 3, sc.solve_mcp: 5, sc.solve_mlcp: 6}
    functions = list(arity)
    names = ["solver", "tolerance", "max_iterations", "time_limit", "kinds", "normal_impulses", "start", "lower", "nonsense"]
    for _ in range(10000):
        function = functions[rng.integers(len(functions))]
        arguments = [values[rng.integers(len(values))] for _ in range(arity[function])]
        options = {}
        if rng.random() < 0.4:
            options[names[rng.integers(len(names))]] = values[rng.integers(len(values))]
        try:
            function(*arguments, **options)
        except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
            pass
