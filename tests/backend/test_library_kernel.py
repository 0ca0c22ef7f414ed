"""Calls of kernels in the library: any strides, any order of arguments, many threads, and what it does not contain."""

import copy
import inspect
import pickle
import sys
import threading
import time
import warnings
from functools import partial

import numpy as np
import pytest

import livens as lv
from livens.backend import library, numba_jit
from livens.backend.library import Library, Unusable
from livens.backend.library_kernel import LibraryKernel
from livens.compile.compiled import Compiled
from livens.compile.states import copied
from livens.compile.system import scratch
from livens.kernels import potential, spin
from livens.kernels.arrays import Bodies
from livens.kernels.implicit import extrapolate, is_finite
from livens.run.loop import room
from livens.step import livens as scheme
from tests.helpers import problems

try:
    LIBRARY = library.load()
except Unusable as reason:
    pytest.skip(str(reason), allow_module_level=True)


def plain(function, inline):
    return function


def function_of(kernel):
    """The plain function of a kernel, whatever the back end of this process is."""
    return vars(kernel).get("py_func", kernel)


def in_library(kernel, otherwise=plain, found=LIBRARY):
    return LibraryKernel(function_of(kernel), False, found, otherwise)


GRAVITY = in_library(potential.gravity_force)


@pytest.fixture
def bodies():
    return Compiled.of(problems.network(), quiet=True).system.bodies


def fields(n):
    """Arrays (n, 3) with other memory layouts: name → (array, what owns its memory)."""
    rng = np.random.default_rng(0)
    wide, long = rng.normal(size=(n, 7)), rng.normal(size=(3 * n, 3))
    return {
        "C": rng.normal(size=(n, 3)),
        "Fortran": np.asfortranarray(rng.normal(size=(n, 3))),
        "columns": wide[:, 1:7:2],
        "reversed": long[::-1][:n],
        "every third": long[::3],
        "transposed": rng.normal(size=(3, n)).T,
    }


@pytest.mark.parametrize("layout", list(fields(2)))
@pytest.mark.parametrize("other", ["C", "columns"])
def test_strided_arrays_give_the_same_bits(bodies, layout, other):
    """Also the memory between the elements stays as it was."""
    n, g = len(bodies.mass), np.array([0.3, -1.2, -9.7])
    f, tau = fields(n)[layout], fields(n)[other]
    expected_f, expected_tau = f.copy(), tau.copy()
    function_of(potential.gravity_force)(bodies, g, expected_f, expected_tau)
    owner = f.base if f.base is not None else f
    before = owner.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no other back end may be needed
        GRAVITY(bodies, g, f, tau)
    assert np.array_equal(f, expected_f)
    assert np.array_equal(tau, expected_tau)
    assert np.count_nonzero(owner != before) <= f.size


def test_arrays_inside_tuples_may_be_strided(bodies):
    n, g = len(bodies.mass), np.array([0.0, 0.0, -9.81])
    spread = np.zeros((n, 5))
    spread[:, 2] = bodies.mass
    other = bodies._replace(mass=spread[:, 2])
    one, two = np.zeros((4, n, 3)), np.zeros((4, n, 3))
    GRAVITY(bodies, g, one[0], one[1])
    GRAVITY(other, g, two[0], two[1])
    assert np.array_equal(one, two)
    assert np.any(one)


def test_arrays_that_are_only_read_may_be_read_only(bodies):
    g = np.array([0.0, 0.0, -9.81])
    g.flags.writeable = False
    f, tau = np.zeros((2, len(bodies.mass), 3))
    GRAVITY(bodies, g, f, tau)
    assert f[1:, 2] == pytest.approx(-9.81 * bodies.mass[1:], rel=4e-16)


def test_a_read_only_result_is_an_error(bodies):
    f, tau = np.zeros((2, len(bodies.mass), 3))
    f.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        GRAVITY(bodies, np.array([0.0, 0.0, -9.81]), f, tau)
    assert not f.any()


def test_overlapping_strided_arrays_run_elsewhere(bodies):
    """Copies would separate them."""
    n = len(bodies.mass)
    memory = np.zeros((n, 4))
    kernel = in_library(potential.gravity_force)
    with pytest.warns(RuntimeWarning, match=r"kernels\.potential\.gravity_force"):
        kernel(bodies, np.array([0.0, 0.0, -9.81]), memory[:, :3], memory[:, 1:])
    expected = np.zeros((n, 4))
    function_of(potential.gravity_force)(bodies, np.array([0.0, 0.0, -9.81]), expected[:, :3], expected[:, 1:])
    assert np.array_equal(memory, expected)


WRONG = {
    "float32": lambda n: np.zeros((n, 3), dtype=np.float32),
    "big-endian": lambda n: np.zeros((n, 3), dtype=">f8"),
}


@pytest.mark.parametrize("kind", list(WRONG))
def test_other_types_run_elsewhere_and_that_is_said_once(bodies, kind):
    kernel, n = in_library(potential.gravity_force), len(bodies.mass)
    g, f = np.array([0.0, 0.0, -9.81]), WRONG[kind](n)
    with pytest.warns(RuntimeWarning, match="with these types of arguments; it runs as plain Python"):
        kernel(bodies, g, f, np.zeros((n, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(bodies, g, f, np.zeros((n, 3)))
    assert f[1:, 2] == pytest.approx(-9.81 * bodies.mass[1:], rel=1e-6)


@pytest.mark.parametrize("arguments", [(), (1.0,), ("a", "b", "c", "d"), (None,) * 4, ((),) * 4, (1, 2, 3, 4, 5)])
def test_nonsense_is_an_error_as_in_plain_python(arguments):
    """No wrong argument reaches the machine code."""
    kernel = in_library(potential.gravity_force)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((TypeError, AttributeError, IndexError)):
            kernel(*arguments)


def test_a_tuple_with_a_part_too_few_or_too_many_does_not_fit(bodies):
    f, tau = np.zeros((2, len(bodies.mass), 3))
    g = np.zeros(3)
    for parts in (tuple(bodies)[:-1], (*bodies, g), tuple(reversed(bodies))):
        entry = GRAVITY.entries[0]
        assert LIBRARY.call(entry, (parts, g, f, tau)) is NotImplemented
    assert LIBRARY.call(GRAVITY.entries[0], (bodies, g, f, tau)) is None


def test_numbers_of_other_types_are_converted(bodies):
    """Integers for floats, numpy's numbers, truth values: as in Python."""
    n = len(bodies.mass)
    kernel, rng = in_library(spin.kick), np.random.default_rng(1)
    kernel.entries = LIBRARY.entries.get("kernels.spin.kick", [])
    f = rng.normal(size=(n, 3))
    for c in (2, 2.0, np.float64(2), np.float32(2), np.int32(2), np.int64(2), np.uint8(2)):
        p, L = np.zeros((2, n, 3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel(c, f, f, p, L)
        assert np.array_equal(p[1:], 2.0 * f[1:])


def test_named_arguments(bodies):
    f, tau = np.zeros((2, len(bodies.mass), 3))
    GRAVITY(tau=tau, f=f, bodies=bodies, g=np.array([0.0, 0.0, -9.81]))
    assert f[1:].any()


def test_a_kernel_that_the_library_does_not_contain_falls_back_by_name(bodies):
    empty = Library(LIBRARY.path, {}, LIBRARY.call)
    kernel = in_library(potential.gravity_force, found=empty)
    f, tau = np.zeros((2, len(bodies.mass), 3))
    with pytest.warns(
        RuntimeWarning, match=r"does not contain the kernel kernels\.potential\.gravity_force as an entry"
    ):
        kernel(bodies, np.array([0.0, 0.0, -9.81]), f, tau)
    assert f[1:].any()


EMPTY = Library(LIBRARY.path, {}, LIBRARY.call)


@partial(LibraryKernel, inline=False, library=EMPTY, otherwise=numba_jit.dispatcher)
def half(x):
    return 0.5 * x


@partial(LibraryKernel, inline=True, library=EMPTY, otherwise=numba_jit.dispatcher)
def twice(x):
    return 2.0 * x


@partial(LibraryKernel, inline=False, library=EMPTY, otherwise=numba_jit.dispatcher)
def users_kernel(x):
    return half(x) + twice(x)


def test_numba_compiles_functions_that_call_kernels_of_the_library():
    """A user's own kernel may call those of livens, also inlined ones."""
    pytest.importorskip("numba")
    assert users_kernel(3.0) == 7.5
    assert users_kernel.dispatcher.signatures


def test_a_users_kernel_without_numba_runs_as_plain_python_and_that_is_said():
    kernel = LibraryKernel(function_of(half), False, EMPTY, plain)
    with pytest.warns(RuntimeWarning, match=r"half runs as plain Python; pip install 'livens\[jit\]'"):
        assert kernel(3.0) == 1.5


def test_a_kernel_is_pickled_and_copied_by_name():
    kernel = spin.drift
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    assert copy.deepcopy(kernel) is kernel
    assert copy.copy(kernel) is kernel


def test_a_kernel_has_name_documentation_and_signature_of_its_function():
    assert GRAVITY.__name__ == "gravity_force"
    assert GRAVITY.__doc__ == function_of(potential.gravity_force).__doc__
    assert next(iter(inspect.signature(GRAVITY).parameters)) == "bodies"
    assert repr(GRAVITY) == "<kernel kernels.potential.gravity_force>"


def rollout_of(steps):
    """A function that takes `steps` steps of a free body in the library, and its state."""
    compiled = Compiled.of(problems.hung(), quiet=True)
    state, work = copied(compiled.state), scratch(compiled.system, 0)
    record, signals = room(state, steps + 1, steps + 1), np.zeros((1, 1))
    kernel = in_library(scheme.rollout)
    scheme.prepare(compiled.system, state, work, signals, 1e-3)
    weights = lv.Livens().weights
    return lambda: kernel(compiled.system, state, work, 1e-3, weights, signals, 0, steps, steps + 1, record), state


def test_the_interpreter_runs_while_a_kernel_does():
    """Without the lock another thread makes progress during one call."""
    steps = 1_000_000
    call, _ = rollout_of(steps)
    ticks, done = [], threading.Event()

    def work():
        assert call() == (0, steps)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(1e-3)
    thread.join()
    assert len(ticks) > 20


def test_many_threads_at_once_give_the_bits_of_one():
    alone, expected = rollout_of(2000)
    alone()
    runs = [rollout_of(2000) for _ in range(8)]
    threads = [threading.Thread(target=call) for call, _ in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _, state in runs:
        assert all(np.array_equal(x, y) for x, y in zip(state, expected, strict=True))


def test_a_call_costs_at_most_ten_microseconds():
    """Of processor time, for all arrays of a system: the best of many, because the machine is shared."""
    call, _ = rollout_of(0)
    best = np.inf
    for _ in range(50):
        begin = time.process_time()
        for _ in range(100):
            call()
        best = min(best, (time.process_time() - begin) / 100)
    assert best < 10e-6


def test_calls_neither_keep_nor_lose_references(bodies):
    """Of their arguments and results; also where the arguments do not fit."""
    f, tau = np.zeros((2, len(bodies.mass), 3))
    g, small = np.zeros(3), np.zeros(3, dtype=np.float32)
    watched = (None, NotImplemented, True, bodies, bodies.mass, f, g, small)
    entry, count = GRAVITY.entries[0], 10_000
    finite = in_library(is_finite).entries[0]
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(count):
        LIBRARY.call(entry, (bodies, g, f, tau))
        LIBRARY.call(entry, (bodies, small, f, tau))
        LIBRARY.call(finite, (g,))
    after = [sys.getrefcount(x) for x in watched]
    assert np.abs(np.subtract(after, before)).max() < count // 10  # other threads use some of them, too


def test_no_entry_outside_the_table():
    for entry in (-1, 10_000):
        with pytest.raises(IndexError):
            LIBRARY.call(entry, ())
    with pytest.raises(TypeError):
        LIBRARY.call("drift", ())
    with pytest.raises(TypeError):
        LIBRARY.call(0)


def test_an_integer_that_does_not_fit_is_an_error():
    kernel = in_library(extrapolate)
    with pytest.raises(OverflowError):
        kernel(np.zeros((4, 2)), 2**70, 2, 1, np.zeros(2))


def test_bodies_are_a_named_tuple_of_arrays(bodies):
    """What the library sees of a NamedTuple is its parts, in order."""
    assert isinstance(bodies, Bodies)
    f, tau = np.zeros((2, len(bodies.mass), 3))
    assert LIBRARY.call(GRAVITY.entries[0], (tuple(bodies), np.zeros(3), f, tau)) is None
