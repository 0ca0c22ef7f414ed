"""The conservation report of a motion: numbers, and a table.

For a quantity X(t), stored at the times t:

    change = X(end) − X(start)     slope = dX/dt by least squares     worst = max |X − X(start)|     (1)

For vectors these are the norms. `worst` is also given relative to a scale: for energy the largest kinetic energy or
change of potential energy, for momenta the largest sum of the norms of the bodies' momenta. The table contains the
quantities that the symmetries of the model conserve (conserved.py); the notes name the causes of all other changes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape

import numpy as np

from ..checks import Array
from ..errors import ModelError
from ..record.contacts import totals
from ..record.trajectory import Trajectory
from ..run.progress import count
from .conserved import Conserved, ConservedComponents, conserved_in

EVENTS_NAMED, PHASES_NAMED = 6, 4  # in the notes
COLUMNS = ("", "", "at start", "change", "slope/s", "worst", "worst/scale")
WIDTH = 80  # characters of a printed line


@dataclass(frozen=True, eq=False)
class Series:
    """A conserved quantity: `values` (n, components) over time, value at the `start`, and the scale of its error."""

    name: str
    unit: str
    values: Array
    start: Array
    scale: float

    @property
    def error(self) -> Array:
        """Deviation relative to the scale (n,): signed for a number, the length for a vector."""
        deviation = (self.values - self.start) / self.scale
        return deviation[:, 0] if deviation.shape[1] == 1 else np.linalg.norm(deviation, axis=1)


@dataclass(frozen=True)
class Invariant:
    """One line of the table, (1): start, change and worst in `unit`, slope in unit/s, relative = worst/scale."""

    name: str
    unit: str
    start: float
    change: float
    slope: float
    worst: float
    relative: float


@dataclass(frozen=True)
class Report:
    """The structure report of a motion: print it, show it in a notebook, or read its numbers.

    energy_slope [1/s] and energy_band: slope and width (largest minus smallest) of the energy relative to its scale.
    Where work or dissipation change the energy, `energy_conserved` is False and these refer to the energy balance,
    energy − work + dissipated. `momentum` and `angular_momentum` refer to the conserved components, None if there are
    none; `notes` name the causes that change the others. `steps_per_second` refers to the time inside the compiled
    loop; `iterations`: mean iterations per stage to satisfy the joints.
    """

    model: str
    scheme: str
    h: float
    time: float
    steps: int
    steps_per_second: float
    iterations: float
    energy: Invariant
    energy_conserved: bool
    energy_slope: float
    energy_band: float
    momentum: Invariant | None
    angular_momentum: Invariant | None
    defects: tuple[Invariant, ...]
    notes: tuple[str, ...]

    @property
    def rows(self) -> tuple[Invariant, ...]:
        """The lines of the table."""
        some = (self.energy, self.momentum, self.angular_momentum, *self.defects)
        return tuple(row for row in some if row is not None)

    def __str__(self) -> str:
        """Lines of at most 80 characters; long names, and the text above and below the table, are broken."""
        rows = [(f"{name} [{unit}]" if unit else name, *numbers) for name, unit, *numbers in self._cells()]
        width = [max(map(len, column)) for column in zip(COLUMNS[2:], *(row[1:] for row in rows), strict=True)]
        names = [textwrap.wrap(row[0], WIDTH - sum(w + 2 for w in width)) for row in rows]
        first = max(len(line) for lines in names for line in lines)

        def line(name: str, numbers: Sequence[str]) -> str:
            return f"{name:<{first}}" + "".join(f"  {cell:>{w}}" for cell, w in zip(numbers, width, strict=True))

        table = []
        for (begin, *more), row in zip(names, rows, strict=True):
            table += [line(begin, row[1:]), *more]
        head = line("", COLUMNS[2:])
        rule = "─" * len(head)
        above, below = _broken(self._head()), [text for note in self.notes for text in _broken(note)]
        return "\n".join([*above, rule, head, rule, *table, rule, *below])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in COLUMNS)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells())
        notes = "".join(f"<br>{escape(note)}" for note in self.notes)
        return f"<table><caption>{escape(self._head())}</caption><tr>{head}</tr>{body}</table>{notes}"

    def _cells(self) -> list[tuple[str, ...]]:
        """The table as text; quantities that should be zero have no scale."""
        small = [[f"{x:.1e}" if x else "0" for x in (r.change, r.slope, r.worst, r.relative)] for r in self.rows]
        scaled = len(self.rows) - len(self.defects)
        small[scaled:] = [[*cells[:3], ""] for cells in small[scaled:]]
        return [(r.name, r.unit, f"{r.start:.6g}", *cells) for r, cells in zip(self.rows, small, strict=True)]

    def _head(self) -> str:
        rate = f", {count(self.steps_per_second).strip()} steps/s" if self.steps_per_second else ""
        work = f", {self.iterations:.2g} iterations" if self.iterations else ""
        run = f"{self.scheme}, h = {self.h:.6g} s, {self.steps:,} steps to t = {self.time:.6g} s"
        return f"{self.model}: {run}{rate}{work}"


def report(motion: Trajectory) -> Report:
    """The conservation report of `motion`: energy, conserved momenta, orthogonality of rotations, violations, speed.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81), name="throw")
    >>> stick = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), velocity=(1, 0, 5), body_rates=(0.1, 4, 0.1)))
    >>> kept = lv.simulate(m, lv.Livens(), h=1e-3, until=1.0).report()
    >>> kept.energy.relative < 1e-12, abs(kept.energy_slope) < 1e-12, kept.notes
    (True, True, ('momentum along (0, 0, 1) is not conserved because of gravity.',))
    """
    law = conserved_in(motion)
    energy, momentum, angular = energy_series(motion, law), momentum_series(motion, law), angular_series(motion, law)
    line = _invariant(motion.t, energy)
    return Report(
        model=motion.model.name,
        scheme=repr(motion.scheme),
        h=motion.h,
        time=float(motion.t[-1]),
        steps=motion.steps,
        steps_per_second=motion.steps / motion.seconds if motion.seconds > 0.0 else 0.0,
        iterations=motion.iterations if any(phase.model.joints for phase in motion.phases) else 0.0,
        energy=line,
        energy_conserved=not law.energy,
        energy_slope=line.slope / energy.scale,
        energy_band=float(np.ptp(energy.values)) / energy.scale,
        momentum=_invariant(motion.t, momentum) if momentum else None,
        angular_momentum=_invariant(motion.t, angular) if angular else None,
        defects=tuple(_invariant(motion.t, series) for series in defect_series(motion)),
        notes=(
            *([motion.chosen] if motion.chosen else []),
            *_freedom(motion),
            *_notes(law, motion),
            *contact_notes(motion),
            *_events(motion),
        ),
    )


# ── the quantities over time ──


def energy_series(motion: Trajectory, law: Conserved) -> Series:
    """Energy [J], less the work done and plus the energy dissipated where there is any."""
    name, energy = "energy", motion.energy
    if law.energy:
        name, energy = "energy − work + dissipation", energy - motion.work + motion.dissipated
    scale = max(float(motion.kinetic.max()), float(np.ptp(motion.potential)))
    return Series(name, "J", energy[:, None], energy[:1], scale if scale > 0.0 else 1.0)


def momentum_series(motion: Trajectory, law: Conserved) -> Series | None:
    """The conserved components of linear momentum [kg m/s]."""
    kept, p = law.momentum, motion.record.p[:, 1:]
    scale = np.linalg.norm(p, axis=2).sum(axis=1).max()
    return _series(f"momentum{_which(kept)}", "kg m/s", motion.momentum @ kept.directions.T, scale)


def angular_series(motion: Trajectory, law: Conserved) -> Series | None:
    """The conserved components of angular momentum [kg m²/s], about the point they are conserved about."""
    kept, bodies = law.angular_momentum, motion.system.bodies
    a, B, p, L = (x[:, 1:] for x in (motion.record.a, motion.record.B, motion.record.p, motion.record.L))
    if kept.about is None:
        mass = bodies.mass[1:]
        center, where = (a * mass[:, None]).sum(axis=1, keepdims=True) / max(mass.sum(), 1e-300), "the centre of mass"
    else:
        center, where = kept.about, "the origin" if not kept.about.any() else _words(kept.about)
    orbit, spin = np.cross(a - center, p), np.einsum("tkij,tkj->tki", B, L)
    scale = (np.linalg.norm(orbit, axis=2) + np.linalg.norm(spin, axis=2)).sum(axis=1).max()
    name = f"angular momentum{_which(kept)} about {where}"
    return _series(name, "kg m²/s", (orbit + spin).sum(axis=1) @ kept.directions.T, scale)


def defect_series(motion: Trajectory) -> list[Series]:
    """Quantities that should be zero: orthogonality of the rotations, violations of the joints at both levels."""
    found = [("orthogonality |BᵀB − I|", "", motion.defect_orthogonality)]
    with suppress(ModelError):  # a function of time that the file could not hold: the violation is unknown
        if any(phase.model.joints for phase in motion.phases):
            found.append(("joints, position", "m, rad", motion.defect_position))
            found.append(("joints, velocity", "m/s, rad/s", motion.defect_velocity))
    return [Series(name, unit, x[:, None], np.zeros(1), 1.0) for name, unit, x in found]


def _series(name: str, unit: str, values: Array, scale: float) -> Series | None:
    if not values.shape[1]:
        return None
    return Series(name, unit, values, values[0], float(scale) if scale > 0.0 else 1.0)


def _invariant(t: Array, series: Series) -> Invariant:
    """Equation (1). Sums are NumPy's: those of BLAS depend on the number of threads."""
    X, since = series.values, t - t.mean()
    deviation = X - series.start
    moment = np.sum(since * np.ascontiguousarray(deviation.T), axis=1)
    slope = moment / np.sum(since**2) if since.any() else np.zeros(X.shape[1])
    size = float if X.shape[1] == 1 else np.linalg.norm
    worst = float(np.linalg.norm(deviation, axis=1).max())
    start, change, slope = (float(size(np.squeeze(x))) for x in (X[0], X[-1] - X[0], slope))
    return Invariant(series.name, series.unit, start, change, slope, worst, worst / series.scale)


# ── words ──


def _broken(text: str) -> list[str]:
    """Lines of at most WIDTH characters; from the second on they are indented."""
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def contact_notes(motion: Trajectory) -> tuple[str, ...]:
    """Impacts, losses and the accuracy of the contact problems."""
    seen = totals(motion)
    if seen is None:
        return ()
    notes = [
        f"{seen.impacts:,} impacts lost {seen.impact_loss:.6g} J, friction between them {seen.friction_loss:.6g} J."
    ]
    if seen.inelastic:
        notes.append(f"{seen.inelastic:,} times a contact closed without restitution, where bounces end within a step.")
    if seen.residual > 0.0:
        notes.append(f"contact problems were solved to {seen.residual:.1e} m/s.")
    if seen.paradoxes:
        notes.append(
            f"Painlevé's paradox in {seen.paradoxes:,} part{'s' * (seen.paradoxes != 1)} of steps: no contact force "
            "was consistent with sliding, or several were, and the body stopped sliding at once, as in an impact."
        )
    return tuple(notes)


def _events(motion: Trajectory) -> tuple[str, ...]:
    """How many events occurred."""
    if not motion.events:
        return ()
    each = [f"{name!r} {len(motion.events.of(name))}" for name in dict.fromkeys(motion.events.names)]
    more = f", … ({len(each)} events)" if len(each) > EVENTS_NAMED else ""
    first, last = motion.events[0].t, motion.events[-1].t
    return (f"occurrences of events: {', '.join(each[:EVENTS_NAMED])}{more}; t = {first:.6g} to {last:.6g} s.",)


def _freedom(motion: Trajectory) -> tuple[str, ...]:
    """The degrees of freedom that the joints leave, and the redundant constraints; of each phase, if it has several."""
    phases = motion.phases
    if len(phases) > 1 and any(phase.model.joints for phase in phases):
        found = [f"{' '.join(_freedom(phase)) or 'no joints.'}" for phase in phases[:PHASES_NAMED]]
        more = [f"… ({len(phases)} phases)"] * (len(phases) > PHASES_NAMED)
        return tuple(f"phase {k}: {text}" for k, text in enumerate(found, start=1)) + tuple(more)
    if not motion.model.joints:
        return ()
    try:
        count, redundant = motion.freedom, motion.redundant
    except ModelError:  # a function of time that the file could not hold
        return ()
    repeat = (
        f"; {sum(redundant.values())} constraint equations are redundant, in {', '.join(redundant)}"
        if redundant
        else ""
    )
    return (f"{count} degree{'s' if count != 1 else ''} of freedom{repeat}.",)


def _notes(law: Conserved, motion: Trajectory) -> tuple[str, ...]:
    E = motion.energy
    notes = [f"energy changes by {E[-1] - E[0]:+.6g} J, from {E[0]:.6g} to {E[-1]:.6g} J: {law.energy}."]
    lost = [
        f"{name}{_which(kept, rest=True)} is not conserved because of {kept.because}."
        for name, kept in (("momentum", law.momentum), ("angular momentum", law.angular_momentum))
        if len(kept.directions) < 3
    ]
    balance = "the energy balance" if law.energy else "energy"
    exact = [f"{balance} is conserved exactly by {motion.scheme!r}, to the tolerance of its equations."]
    return tuple(
        (notes if law.energy else []) + (exact if motion.scheme.exact_energy else []) + lost + _unjudged(motion)
    )


def _unjudged(motion: Trajectory) -> list[str]:
    try:
        _ = motion.model.joints and motion.defect_position
    except ModelError as error:
        return [f"violations of the joints are unknown: {error}"]
    return []


def _which(kept: ConservedComponents, rest: bool = False) -> str:
    """The direction of the conserved components, or of the rest."""
    D = kept.directions
    if len(D) in (0, 3):
        return ""
    axis = D[0] if len(D) == 1 else np.cross(D[0], D[1])
    return f" {'along' if (len(D) == 1) != rest else 'across'} {_words(axis if axis.sum() > 0 else -axis)}"


def _words(x: Array) -> str:
    return f"({', '.join(f'{c:.4g}' for c in x.round(12) + 0.0)})"
