"""Schemes side by side on one problem: accuracy, conservation, symplecticity and cost of each.

The energy's error e(t) = E − E(0) − work + lost is split into a band, max e − min e, and a slope: the line through the
means of e over stretches of the run, in bands per run, with the standard error that the scatter of the means gives. A
scheme without drift has a slope of a few standard errors; a scheme that damps has one near −1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks import Array, finite, positive
from ..errors import LivensError, ModelError
from . import state_maps
from .comparison import Comparison, Row
from .lagrangian import Lagrangian
from .legendre import evaluate
from .run import Run
from .scheme import label, scheme_of
from .simulation import consistent, follow
from .symplectic import symplectic_defect

KEPT = 200_000  # states of a run that are examined, at most
STRETCHES = 40  # of a run, for the slope of its energy
TIGHT = 1e-13  # tolerance of a reference that is computed
ROUNDS, MOMENT = 5, 0.1  # runs of one row, and seconds after which one is enough


@dataclass
class Problem:
    """A system, where it starts, and where it should be at the end.

    reference: (q, v) at `until`; a function t → q or t → (q, v); None to have it computed (DOP853, tolerance 1e-13);
    False for none at all, as for chaotic or very long motions.

    >>> import livens.discrete as ld
    >>> oscillator = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0]**2)
    >>> problem = ld.Problem(oscillator, q=[1.0], v=[0.0], until=10.0, reference=lambda t: [np.cos(t)])
    """

    system: Lagrangian
    q: Any
    v: Any
    until: float
    reference: Any = None
    name: str = ""
    _known: dict[float, tuple[Array, Array]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.system, Lagrangian):
            raise ModelError(f"a Problem is of a Lagrangian or Mechanical system, not of {self.system!r}.")
        n = self.system.n
        self.q, self.v = finite(self.q, (n,), "q"), finite(self.v, (n,), "v")
        self.until = positive(self.until, "the end of the problem", "s")
        if self.reference is None or self.reference is False or callable(self.reference):
            return
        try:
            q, v = self.reference
        except (TypeError, ValueError):
            raise ModelError("the reference must be (q, v) at the end, a function of time, None or False.") from None
        self.reference = (finite(q, (n,), "q of the reference"), finite(v, (n,), "v of the reference"))

    @property
    def source(self) -> str:
        """Where the reference comes from."""
        if self.reference is None:
            return f"DOP853 to {TIGHT:g}"
        return "none" if self.reference is False else "given"

    def at(self, t: float) -> tuple[Array | None, Array | None]:
        """The reference solution q and v at t; None if there is none."""
        n = self.system.n
        if self.reference is False:
            return None, None
        if self.reference is None:
            if t not in self._known:
                self._known[t] = exact(self.system, self.q, self.v, t)
            return self._known[t]
        if not callable(self.reference):
            return self.reference
        value = self.reference(t)
        if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1:
            return finite(value[0], (n,), "q of the reference"), finite(value[1], (n,), "v of the reference")
        return finite(value, (n,), "q of the reference"), None


def exact(system: Lagrangian, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """q and v after t [s], by an explicit Runge–Kutta method of order 8 with a tolerance near round-off."""
    from scipy.integrate import solve_ivp  # half a second, which only references need

    n = system.n

    def slope(time: float, y: Array) -> Array:
        return np.concatenate([y[n:], evaluate(system, state_maps.ACCELERATIONS, np.array([time]), y[None])[0, :n]])

    start = np.concatenate(consistent(system, q, v, 0.0))
    scale = np.repeat([np.abs(start[:n]).max() or 1.0, np.abs(start[n:]).max() or 1.0], n)
    found = solve_ivp(slope, (0.0, t), start, method="DOP853", rtol=TIGHT, atol=TIGHT * scale, t_eval=[t])
    if not found.success or not np.isfinite(found.y).all():
        raise LivensError(f"no reference could be computed: {found.message}")
    return found.y[:n, -1], found.y[n:, -1]


def compare(problem: Problem, schemes: Sequence[Any], h: float | Sequence[float]) -> Comparison:
    """Run every scheme with every step h [s] on the problem and measure it; a run that fails is a row with the reason.

    >>> import livens.discrete as ld
    >>> oscillator = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0]**2)
    >>> problem = ld.Problem(oscillator, q=[1.0], v=[0.0], until=10.0, name="oscillator")
    >>> comparison = ld.compare(problem, [ld.Midpoint(), ld.Galerkin(4)], h=[0.1, 0.05])
    >>> [round(row.order) for row in comparison.rows if row.order]
    [2, 4]
    """
    if not isinstance(problem, Problem):
        raise ModelError(f"compare takes an ld.Problem first, not {problem!r}.")
    schemes = list(schemes) if isinstance(schemes, list | tuple) else [schemes]
    steps = [positive(x, "the step h", "s") for x in (h if isinstance(h, list | tuple | np.ndarray) else [h])]
    if not schemes or not steps:
        raise ModelError("compare needs at least one scheme and one step h.")
    for scheme in schemes:
        scheme_of(scheme)
    rows: list[Row] = []
    for scheme in schemes:
        before: Row | None = None
        for step in sorted(steps, reverse=True):
            row = _measured(problem, scheme, step)
            if before is not None and before.error_q and row.error_q and before.h > row.h:
                row.order = float(np.log(before.error_q / row.error_q) / np.log(before.h / row.h))
            rows.append(row)
            before = row
    return Comparison(problem.name, problem.until, problem.source, rows)


def _measured(problem: Problem, scheme: Any, h: float) -> Row:
    row = Row(label(scheme), h)
    system = problem.system
    try:
        run = _timed(problem, scheme, h)
        row.h = run.h  # which divides the time
        row.steps, row.seconds, row.per_step = run.steps, run.seconds, run.seconds / run.steps
        row.iterations = run.iterations / run.steps
        q, v = problem.at(float(run.t[-1]))
        row.error_q = None if q is None else float(np.abs(run.q[-1] - q).max())
        row.error_v = None if v is None else float(np.abs(run.v[-1] - v).max())
        row.band, row.slope, row.slope_error = drift(run.t, run.energy - run.work + run.lost)
        for name, momentum in run.momenta.items():
            xi = np.array(system.symmetries[name].map(len(run.t))(run.q.T)).T
            size = float(np.abs(run.p * xi).sum(axis=1).max()) or 1.0
            row.momenta[name] = float(np.abs(momentum - momentum[0]).max()) / size
        if scheme_of(scheme).exact_energy:
            row.notes = f"{label(scheme)} conserves the energy exactly: its band is round-off"
        if system.forced or system.dissipative:
            row.notes = "forces act: no symplectic form is kept"
        else:
            k = len(run.t) // 2
            row.symplectic = symplectic_defect(system, scheme, run.q[k], run.v[k], h)
    except LivensError as error:
        row.failure = str(error)
    return row


def _timed(problem: Problem, scheme: Any, h: float) -> Run:
    """The run, and the quickest of a few where it is short; the first step, which compiles, does not count."""
    given: Any = {"q": problem.q, "v": problem.v, "h": h, "progress": False}
    follow(problem.system, scheme, until=h, **given)
    every = max(1, int(np.ceil(problem.until / h / KEPT)))
    best: Run | None = None
    for _ in range(ROUNDS):
        run = follow(problem.system, scheme, until=problem.until, every=every, **given)
        best = run if best is None or run.seconds < best.seconds else best
        if run.seconds > MOMENT:
            break
    assert best is not None
    return best


def drift(t: Array, e: Array) -> tuple[float, float | None, float | None]:
    """Of an error e over time: its band, and the slope with its standard error, in bands per run; None where the run is
    too short for a slope.

    >>> t = np.linspace(0.0, 1.0, 10_001)
    >>> band, slope, uncertain = drift(t, np.sin(300.0 * t))
    >>> round(band, 2), abs(slope) < 2.0 * uncertain
    (2.0, True)
    """
    band = float(np.ptp(e))
    if len(t) < 4 * STRETCHES or band == 0.0:
        return band, None, None
    edges = np.linspace(0, len(t), STRETCHES + 1).astype(int)[:-1]
    counts = np.diff(np.append(edges, len(t)))
    middle, mean = (np.add.reduceat(x, edges) / counts for x in (t - t.mean(), e - e.mean()))
    spread = float(middle @ middle)
    slope = float(middle @ mean) / spread
    rest = mean - slope * middle
    uncertain = np.sqrt(float(rest @ rest) / (STRETCHES - 2) / spread)
    unit = float(t[-1] - t[0]) / band
    return band, slope * unit, float(uncertain) * unit
