"""Compensated sums against exact ones, and the compensated drift against the plain one."""

import math

import numpy as np

import livens as lv
from livens.compile.system import compile_model
from livens.kernels.compensated import REMAINDERS, compensated_drift, compensated_sum, store_remainders
from livens.kernels.spin import drift
from livens.kernels.status import NOT_FINITE, OK, SPIN

rng = np.random.default_rng(5)


def test_a_sum_with_its_remainder_is_the_exact_sum():
    increments = 1e-3 * rng.normal(size=2000)
    s, c = 1.0, 0.0
    for d in increments:
        s, c = compensated_sum(s, float(d), c)
    assert s == math.fsum([1.0, *increments])
    assert abs(math.fsum([1.0, *increments, -s]) + c) <= 2.0**-53 * np.abs(increments).sum()  # rounding of d − c


def three_bodies():
    model = lv.Model()
    for k in range(3):
        model.add(
            lv.Body(lv.MassProperties(1.0 + k, (1, 2, 2.5)), at=rng.normal(size=3), body_rates=rng.normal(size=3))
        )
    return compile_model(model)[:2]


def test_it_is_the_plain_drift_to_round_off_and_remainders_are_what_rounding_took():
    system, state = three_bodies()
    n, fault, h = len(state.a), np.zeros(1, dtype=np.int64), 0.1
    left, rest, cayley = np.zeros((REMAINDERS, n, 3)), np.zeros(3 * REMAINDERS * n), np.zeros((n, 3))
    plain = [np.zeros_like(x) for x in (state.a, state.B, state.L)]
    careful = [np.zeros_like(x) for x in plain]
    given = system.bodies, h, state.a, state.B, state.p, state.L
    assert drift(*given, *plain, fault) == OK
    assert compensated_drift(*given, rest, cayley, *careful, left, fault) == OK
    for x, y in zip(plain, careful, strict=True):
        assert np.array_equal(x, y)  # nothing to give back yet
    store_remainders(left, rest)
    took = rest.reshape(REMAINDERS, n, 3)
    assert np.array_equal(took, left)
    v = h * system.bodies.inverse_mass[:, None]
    moved = (careful[0].astype(np.longdouble) - state.a) - v * state.p
    assert np.array_equal(took[0, 1:], moved[1:].astype(float))
    assert 0.0 < np.abs(took).max() <= 2.0**-52 * max(np.abs(state.a).max(), np.abs(state.L).max(), 1.0)
    assert compensated_drift(*given, rest, cayley, *careful, left, fault) == OK
    assert np.array_equal(careful[0][1:], (state.a + (v * state.p - took[0]))[1:])


def test_what_cannot_be_carried_on_is_named():
    system, state = three_bodies()
    n, fault = len(state.a), np.zeros(1, dtype=np.int64)
    rest, left, cayley = np.zeros(3 * REMAINDERS * n), np.zeros((REMAINDERS, n, 3)), np.zeros((n, 3))
    out = [np.zeros_like(x) for x in (state.a, state.B, state.L)]
    state.L[2] *= 1e3
    assert (
        compensated_drift(system.bodies, 0.1, state.a, state.B, state.p, state.L, rest, cayley, *out, left, fault)
        == SPIN
    )
    assert fault[0] == 2
    state.a[1, 0] = np.nan
    assert (
        compensated_drift(system.bodies, 0.1, state.a, state.B, state.p, state.L, rest, cayley, *out, left, fault)
        == NOT_FINITE
    )
    assert fault[0] == 1
