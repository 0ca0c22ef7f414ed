"""Within a step that is taken in parts: signals between its ends, the start of a part, to which trials return, and the
bracket of its length.

The signals at the part θ of a step follow from those at its ends: prescribed motions by a cubic polynomial, others
linearly. A step of several stages has them after each stage; there they are the polynomial through all of these.
"""

from __future__ import annotations

from .._jit import njit
from ..kernels.arrays import RATE

LOW, HIGH, F_LOW, F_HIGH, SIDE = 0, 1, 2, 3, 4  # touch.bracket
NARROW = 4e-16  # width of a bracket, relative to a step
START = 2  # row of touch.signals: those at the start of a part; 0 and 1 are those at both ends of a stage


@njit
def put_signals(rows, weights, signals, before, varies, theta, h, out):
    """The signals at the part theta of the step that begins with the row `before`, in `out`."""
    if weights.shape[0] == 1 or varies == 0:
        interpolate_signals(rows, signals, before, before + varies, theta, h, out)
    else:
        interpolate_stages(weights, signals, before, theta, out)


@njit
def interpolate_signals(rows, signals, before, row, theta, h, out):
    """The signals at the part theta of a step, in `out`: prescribed motions by a cubic polynomial, others linearly."""
    s = 1.0 - theta
    for k in range(out.shape[0]):
        out[k] = s * signals[before, k] + theta * signals[row, k]
    for r in range(rows.signal.shape[0]):
        k = rows.signal[r]
        if k >= 0:
            x0, x1, v0, v1 = signals[before, k], signals[row, k], signals[before, k + RATE], signals[row, k + RATE]
            rise = x1 - x0
            c2, c3 = 3.0 * rise - h * (2.0 * v0 + v1), h * (v0 + v1) - 2.0 * rise
            out[k] = x0 + theta * (h * v0 + theta * (c2 + theta * c3))
            out[k + RATE] = v0 + theta * (2.0 * c2 + 3.0 * theta * c3) / h


@njit
def interpolate_stages(weights, signals, before, theta, out):
    """Lagrange's polynomial through the signals at the start of a step and after each of its stages, at theta."""
    n = weights.shape[0]
    for k in range(out.shape[0]):
        out[k] = 0.0
    x = 0.0
    for j in range(n + 1):
        factor, y = 1.0, 0.0
        for i in range(n + 1):
            if i != j:
                factor *= (theta - y) / (x - y)
            y += weights[min(i, n - 1)]
        for k in range(out.shape[0]):
            out[k] += factor * signals[before + j, k]
        x += weights[min(j, n - 1)]


@njit
def keep_start(state, held):
    """Store the state at the start of a part."""
    k = 0
    for b in range(state.a.shape[0]):
        for i in range(3):
            held[k], held[k + 1], held[k + 2] = state.a[b, i], state.p[b, i], state.L[b, i]
            held[k + 3], held[k + 4], held[k + 5] = state.B[b, i, 0], state.B[b, i, 1], state.B[b, i, 2]
            k += 6
    for i in range(3):
        held[k] = state.account[i]
        k += 1
    for i in range(state.angle.shape[0]):
        held[k] = state.angle[i]
        k += 1
    for r in range(state.lam.shape[1]):
        for i in range(state.lam.shape[0]):
            held[k] = state.lam[i, r]
            k += 1


@njit
def recall_start(held, state):
    """The state at the start of a part."""
    k = 0
    for b in range(state.a.shape[0]):
        for i in range(3):
            state.a[b, i], state.p[b, i], state.L[b, i] = held[k], held[k + 1], held[k + 2]
            state.B[b, i, 0], state.B[b, i, 1], state.B[b, i, 2] = held[k + 3], held[k + 4], held[k + 5]
            k += 6
    for i in range(3):
        state.account[i] = held[k]
        k += 1
    for i in range(state.angle.shape[0]):
        state.angle[i] = held[k]
        k += 1
    for r in range(state.lam.shape[1]):
        for i in range(state.lam.shape[0]):
            state.lam[i, r] = held[k]
            k += 1


@njit
def copy_signals(signals, row, to):
    for k in range(signals.shape[1]):
        signals[to, k] = signals[row, k]


@njit
def begin_bracket(bracket, f_start, part, f):
    """The first bracket: the start of a part and its end, with the gaps there."""
    bracket[LOW], bracket[HIGH], bracket[F_LOW], bracket[F_HIGH], bracket[SIDE] = 0.0, part, f_start, f, 0.0


@njit
def is_narrow(bracket, h):
    return bracket[HIGH] - bracket[LOW] <= NARROW * h


@njit
def narrow_bracket(bracket, tau, f):
    """The gap at tau is f: tau replaces one end of the bracket. The other gap is scaled after two trials on the same
    side (Anderson & Björck 1973)."""
    if f > 0.0:
        bracket[F_HIGH] *= scaled_end(f, bracket[F_LOW]) if bracket[SIDE] > 0.0 else 1.0
        bracket[LOW], bracket[F_LOW], bracket[SIDE] = tau, f, 1.0
    else:
        bracket[F_LOW] *= scaled_end(f, bracket[F_HIGH]) if bracket[SIDE] < 0.0 else 1.0
        bracket[HIGH], bracket[F_HIGH], bracket[SIDE] = tau, f, -1.0


@njit
def scaled_end(f, last):
    """The factor, for the values `last` and f of two trials on the same side."""
    m = 1.0 - f / last if last != 0.0 else 0.5
    return m if m > 0.0 else 0.5


@njit
def inside_bracket(bracket, halve):
    """The next trial: by the secant, or by halving, for a gap that jumps."""
    low, high, f_low, f_high = bracket[LOW], bracket[HIGH], bracket[F_LOW], bracket[F_HIGH]
    tau = 0.5 * (low + high) if halve else low + (high - low) * f_low / (f_low - f_high)
    return min(max(tau, low + 1e-3 * (high - low)), high - 1e-3 * (high - low))
