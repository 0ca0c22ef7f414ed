"""What cannot be is refused in a sentence that names it, with the line where a function is at fault."""

import math
import re

import numpy as np
import pytest

import livens as lv
import livens.discrete as ld
from tests.helpers import lagrangians

HERE = r"\(line \d+ of test_general_refusals.py\)"
square = lambda x: 0.5 * x[0] ** 2  # noqa: E731
oscillator = ld.Mechanical([1.0], square)
circle = lambda x: ld.dot(x, x) - 1.0  # noqa: E731


def simulate(system=oscillator, scheme=None, q=(1.0,), v=(0.0,), h=0.1, until=1.0, **more):
    return ld.simulate(system, scheme or ld.Midpoint(), q, v, h, until, **more)


def moving(fn):
    return ld.Lagrangian(fn, n=1)


def planar(**more):
    return ld.Mechanical([1.0, 1.0], **more)


def held(g, q=(0.0, 0.0)):
    return simulate(planar(constraints=g), q=q, v=(0.0, 0.0))


FUNCTIONS = {
    "functions of `math` and float.. do not work on symbols": lambda: moving(lambda q, v: v[0] ** 2 + math.sin(q[0])),
    "the Lagrangian gives NaN whatever its arguments are": lambda: moving(lambda q, v: v[0] ** 2 + math.nan * q[0]),
    "the Lagrangian must give one number, and gives 2": lambda: moving(lambda q, v: [v[0], v[0]]),
    "the Lagrangian cannot be traced": lambda: moving(lambda q, v: v[0] if q[0] > 0.0 else q[0]),
    "cannot be traced .*division by zero": lambda: moving(lambda q, v: 1 / 0),
    "cannot be traced .*out of bounds": lambda: moving(lambda q, v: q[3]),
    "the Lagrangian must be a function of 2 arguments, and takes 1": lambda: moving(lambda q: q[0]),
    "the potential must be a function of 1 arguments, and takes 2": lambda: ld.Mechanical([1.0], lambda x, y: x[0]),
    "the dissipation must give one number, and gives 2": lambda: planar(dissipation=lambda q, v: v),
    "the force must give 2 numbers, and gives 1": lambda: planar(force=lambda q, v, t: [t]),
    "the force must be a function of 2 to 3 arguments": lambda: planar(force=lambda: [1.0, 2.0]),
    "the constraints must be a function of 1 arguments, and takes 2": lambda: planar(constraints=lambda q, v: v[0]),
    "the symmetry 'turn' must give 2 numbers": lambda: planar(symmetries={"turn": lambda q: [q[0]]}),
    "the Lagrangian .*, or its derivative, is not finite at the start": lambda: simulate(
        moving(lambda q, v: v[0] ** 2 - ld.log(-q[0]))
    ),
    "the potential .*, or its derivative, is not finite at the start": lambda: simulate(
        ld.Mechanical([1.0], [square, lambda x: ld.sqrt(x[0] - 1.0)])
    ),
    "the dissipation .*, or its derivative, is not finite at the start": lambda: simulate(
        planar(dissipation=lambda q, v: ld.norm(v)), q=(1.0, 0.0), v=(0.0, 0.0)
    ),
    "the force .*, or its derivative, is not finite at the start": lambda: simulate(
        ld.Mechanical([1.0], square, force=lambda q, v, t: [ld.log(t)])
    ),
    "the constraints .*, or its derivative, is not finite at the start": lambda: held(lambda x: ld.sqrt(x[0] - 2.0)),
    "the elements 'roots', number 2 .*, or its derivative, is not finite at the start": lambda: simulate(
        ld.Mechanical(1.0, ld.Elements(lambda x: ld.sqrt(x[0]), [[0], [1], [2]], name="roots"), n=3),
        q=(1.0, 1.0, -1.0),
        v=(0.0, 0.0, 0.0),
    ),
    "the elements 'bars' cannot be traced": lambda: planar(
        potential=ld.Elements(lambda x, p: p[0] * x[0], [(0,)], name="bars")
    ),
}


@pytest.mark.parametrize("sentence", FUNCTIONS)
def test_functions_are_named_with_their_line(sentence):
    with pytest.raises(lv.ModelError, match=sentence) as caught:
        FUNCTIONS[sentence]()
    assert re.search(HERE, str(caught.value))


SYSTEMS = {
    "n of a Lagrangian must be a whole number above zero, not 0": lambda: ld.Lagrangian(lambda q, v: v[0], n=0),
    "not True": lambda: ld.Lagrangian(lambda q, v: v[0], n=True),
    "must be a function of symbols, not 3.0": lambda: moving(3.0),
    "must give an expression .* not NoneType": lambda: moving(lambda q, v: None),
    "the mass is one number, so give the number": lambda: ld.Mechanical(1.0),
    "the mass is a function, so give the number": lambda: ld.Mechanical(lambda q: [[1.0]]),
    "the mass must be a matrix of 2 × 2": lambda: ld.Mechanical(lambda q: [[1.0]], n=2),
    "the mass is of 2 coordinates, and there are 3": lambda: ld.Mechanical([1.0, 1.0], n=3),
    "has -1 on its diagonal": lambda: ld.Mechanical([-1.0]),
    "the mass is not finite": lambda: ld.Mechanical([np.nan]),
    "symmetric n × n matrix": lambda: ld.Mechanical([[1.0, 2.0], [0.0, 1.0]]),
    r"got shape \(1, 2\)": lambda: ld.Mechanical([[1.0, 2.0]]),
    r"got shape \(2, 2, 2\)": lambda: ld.Mechanical(np.zeros((2, 2, 2))),
    r"got shape \(0,\)": lambda: ld.Mechanical([]),
    "not 'heavy'": lambda: ld.Mechanical("heavy"),
    "positive definite, and has the eigenvalue -1": lambda: ld.Mechanical([[1.0, 2.0], [2.0, 1.0]]),
    "the damping must be finite and positive": lambda: ld.Mechanical([1.0], damping=[-0.1]),
    "the force must be 2 numbers, got shape": lambda: planar(force=[1.0]),
    "the force is not finite": lambda: planar(force=[np.nan, 0.0]),
    "symmetries must have names": lambda: planar(symmetries=[lambda q: q]),
    "the symmetry 'a' must be a function": lambda: planar(symmetries={"a": 3}),
    "names coordinate 2, and the system has 2": lambda: planar(potential=ld.Elements(square, [(2,)])),
    "names a place twice": lambda: ld.Elements(square, [(1, 1)]),
    "of numbers from 0 on": lambda: ld.Elements(square, [(-1,)]),
    "must be whole numbers": lambda: ld.Elements(square, [(0.5,)]),
    "a table of whole numbers": lambda: ld.Elements(square, [(0,), (0, 1)]),
    "must be 1 rows of finite numbers": lambda: ld.Elements(square, [(0,)], [1.0, 2.0]),
    "1 rows of finite": lambda: ld.Elements(square, [(0,)], "stiff"),
    "dim of an element must be": lambda: ld.Elements(square, [(0,)], dim=0),
    "a spring is between two nodes, and these name 3": lambda: ld.springs([(0, 1, 2)], 1.0, 1.0),
    "stiffness and length of 1 springs": lambda: ld.springs([(0, 1)], [1.0, 2.0], 1.0),
}
SCHEMES = {
    "side of a rectangle rule is 'left' or 'right', not 'up'": lambda: ld.Rectangle("up"),
    "order 4 or 6 .* not 5": lambda: ld.Galerkin(5),
    "not 4, 'simpson'": lambda: ld.Galerkin(4, "simpson"),
    "reaction must be 'ends', or 'middle'": lambda: ld.Midpoint("start"),
    "nodes from 0 to 1": lambda: ld.Quadrature("mine", 2, (0.0, 1.0), (0.5,), (0.7,)),
    "needs 0 ≤ β ≤ 1": lambda: ld.Newmark(-1.0),
    "β of Newmark is not finite": lambda: ld.Newmark(np.nan),
    "acts at the 'end' or over the 'step'": lambda: ld.Newmark(dissipation="start"),
    "spectral radius must be from 0 to 1, not 2": lambda: ld.GeneralizedAlpha(2.0),
}
RUNS = {
    "q must be 1 numbers, got shape": lambda: simulate(q=(1.0, 2.0)),
    "v is not finite": lambda: simulate(v=(np.nan,)),
    "the step h must be positive, got 0 s": lambda: simulate(h=0.0),
    "the step h must be positive, got -0.1 s": lambda: simulate(h=-0.1),
    "the end is not finite": lambda: simulate(until=np.inf),
    "a run of -1 s in steps of 0.1 s is not possible": lambda: simulate(start=2.0),
    "a run of 0 s in steps of 0.1 s is not possible": lambda: simulate(until=0.0),
    "every must be a whole number above zero, not 0": lambda: simulate(every=0),
    "not 1.5": lambda: simulate(every=1.5),
    "keep fewer with every=": lambda: simulate(h=1e-10, until=1e3),
    "must be one such as .* not <function Midpoint": lambda: simulate(scheme=ld.Midpoint),
    "not <class 'livens.step.newmark.Newmark'>": lambda: simulate(scheme=ld.Newmark),
    "not Livens": lambda: simulate(scheme=lv.Livens()),
    "takes a Lagrangian or Mechanical system first, not 3": lambda: simulate(3),
    "the mass matrix ∂²L/∂v² is singular": lambda: simulate(moving(lambda q, v: q[0] * v[0])),
    "accelerations at the start cannot be found": lambda: simulate(ld.Mechanical([0.0], square)),
    "ld.norm has no gradient at zero": lambda: simulate(
        ld.Mechanical(1.0, ld.springs([(0, 1)], 1.0, 1.0), n=6), q=np.zeros(6), v=np.zeros(6)
    ),
    "number 0 is 3 instead of zero": lambda: held(circle, (2.0, 0.0)),
    "number 1 is 2 instead of zero": lambda: held(lambda x: [x[0] - 1.0, 2.0 * x[0]], (1.0, 0.0)),
    "the constraints repeat each other": lambda: held(lambda x: [x[0], 2.0 * x[0]]),
    "repeat each other, or the start": lambda: held(lambda x: [x[0], x[1], x[0] + x[1]]),
    "must give one equation": lambda: held(lambda x: []),
    "β = 0 cannot hold constraints": lambda: simulate(
        planar(constraints=circle), ld.Newmark(beta=0.0), (1.0, 0.0), (0.0, 1.0)
    ),
}


@pytest.mark.parametrize("sentence", [*SYSTEMS, *SCHEMES, *RUNS])
def test_refused(sentence):
    with pytest.raises(lv.ModelError, match=sentence):
        (SYSTEMS | SCHEMES | RUNS)[sentence]()


def test_a_run_into_a_singularity_names_the_function():
    fall = ld.Mechanical([1.0], lambda x: x[0] * ld.sqrt(x[0]))
    with pytest.raises(lv.StepFailed, match=rf"the potential {HERE}, or its derivative, is not finite there"):
        ld.simulate(fall, ld.Trapezoidal(), q=[1.0], v=[-3.0], h=0.1, until=2.0)


def test_a_failed_step_carries_the_run_so_far():
    """A fall into the centre of attraction."""
    given = lagrangians.kepler()
    with pytest.raises(
        lv.StepFailed, match=r"Midpoint\(\) failed at t = 1.1.* s \(step 11\d\): .*Try a smaller h"
    ) as caught:
        ld.simulate(given.system, ld.Midpoint(), [1.0, 0.0], [0.0, 0.0], 0.01, 5.0)
    run = caught.value.trajectory
    assert isinstance(run, ld.Run)
    assert 110 <= run.steps < 120
    assert len(run) == run.steps + 1
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.energy).all()


@pytest.mark.parametrize("scheme", [ld.Newmark(0.0), ld.Trapezoidal(), ld.Rectangle()], ids=repr)
@pytest.mark.parametrize("many", [False, True])
def test_an_explicit_run_that_overflows_fails(scheme, many, monkeypatch):
    """Though no equation is solved that could say so."""
    monkeypatch.setattr(ld.maps, "SMALL", 0 if many else 60)
    system = ld.Mechanical([1.0], lambda x: -(x[0] ** 4))
    with pytest.raises(lv.StepFailed, match="no longer finite") as caught:
        ld.simulate(system, scheme, [1.0], [1.0], 0.1, 10.0)
    assert np.isfinite(caught.value.trajectory.q).all()


def test_with_every_the_failed_run_keeps_whole_strides():
    system = ld.Mechanical([1.0], lambda x: -(x[0] ** 4))
    with pytest.raises(lv.StepFailed) as caught:
        ld.simulate(system, ld.Trapezoidal(), [1.0], [1.0], 0.1, 10.0, every=4)
    run = caught.value.trajectory
    np.testing.assert_allclose(np.diff(run.t), 0.4)
    assert np.isfinite(run.q).all()


def test_a_start_a_little_off_is_moved_onto_the_constraints():
    run = simulate(planar(constraints=circle), q=(1.001, 0.0), v=(0.5, 1.0))
    assert run.defect.max() < 1e-13
    np.testing.assert_allclose(run.q[0], (1.0, 0.0), atol=1e-13)
    np.testing.assert_allclose(run.v[0], (0.0, 1.0), atol=1e-13)


def test_the_last_state_is_kept_whatever_the_stride():
    run = simulate(until=1.0, every=3)
    np.testing.assert_allclose(run.t, [0.0, 0.3, 0.6, 0.9, 1.0])
    whole = simulate(until=1.0)
    np.testing.assert_array_equal(run.q[-1], whole.q[-1])


def test_start_shifts_time():
    """f(t) sees the time of the run, not that since its start."""
    pushed = ld.Mechanical([1.0], force=lambda t: [6.0 * t])
    run = ld.simulate(pushed, ld.Galerkin(4), [1.0], [3.0], 0.1, 2.0, start=1.0)  # x = t³
    np.testing.assert_allclose(run.t[[0, -1]], [1.0, 2.0])
    np.testing.assert_allclose(run.q[:, 0], run.t**3, rtol=1e-13)
