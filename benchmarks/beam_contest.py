"""Beams beside Exudyn's geometrically exact beam, in one run: python -m benchmarks.beam_contest [small].

    roll-up     a moment 2πEI/L at the end of a cantilever, which it closes to a circle: distance of both ends
    elastica    a force 10 EI/L² across its end: distance of the tip from the closed form (Exudyn: its planar beam)
    45° bend    Bathe and Bolourchi (1979), P = 600 across the plane of an arc: distance of the tip from the solution of
                the differential equations (scipy.integrate.solve_bvp)
    fall        a clamped strip of rubber that falls from the horizontal for 0.3 s: distance of the tip from the limit,
                extrapolated over sections and steps by each program; the table says how far apart the limits are

Errors are relative to the length. Times are processor times of the solution; livens: with the model compiled
(`lv.prepare`) in motion, and from the model to the result in statics, as `lv.equilibrium` is called.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_bvp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import livens as lv

from .peers import load
from .table import markdown

RUBBER, STRIP = lv.Material(E=2e6, nu=0.3, density=1000.0), lv.Section.rectangle(0.06, 0.02)
UNTIL = 0.3
Tip = tuple[np.ndarray, float]


def clamped(along: Any, n: int, **arguments: Any) -> tuple[lv.Model, lv.Beam]:
    m = lv.Model()
    beam = m.add(lv.Beam(along, n, **arguments))
    m.add(lv.Rigid(m.world.point(*beam.start.pose.a), beam.start.point(0, 0, 0)))
    return m, beam


def statics(m: lv.Model, beam: lv.Beam, load_steps: int) -> Tip:
    begin = time.process_time()
    tip = lv.equilibrium(m, load_steps=load_steps).position(beam.end)[0]
    return tip, time.process_time() - begin


# ── the problems: the tip by livens, the tip by Exudyn, the exact tip, the length ──


def roll_up(n: int, peer: Any) -> Tip:
    if peer is not None:
        x = np.linspace(0.0, 1.0, n + 1)[:, None] * [1.0, 0.0, 0.0]
        C = (1e4, 1e4, 1e4, 1.0, 1.0, 1.0)
        return peer.space_tip(x, np.zeros(n + 1), np.full(n, 1 / n), C, (0, 0, 0), (0, 0, 2 * np.pi), 8)
    m, beam = clamped([(0, 0, 0), (1, 0, 0)], n, stiffnesses=(1e4, 1e4, 1e4, 1.0, 1.0, 1.0), mass_per_length=1.0)
    m.add(lv.Load(beam.end.point(0, 0, 0), torque=(0, 0, 2 * np.pi)))
    return statics(m, beam, 8)


def elastica(n: int, peer: Any) -> Tip:
    if peer is not None:
        return peer.plane_tip(n, 1e9, 1e9, 1.0, 10.0, 4)
    m, beam = clamped(
        [(0, 0, 0), (1, 0, 0)], n, stiffnesses=(1e9, 1e9, 1e9, 1, 1, 1), mass_per_length=1.0,
        inertia_per_length=(1e-3, 1e-3),
    )  # fmt: skip
    m.add(lv.Load(beam.end.point(0, 0, 0), force=(0, 10.0, 0)))
    tip, seconds = statics(m, beam, 4)
    return tip[:2], seconds


def elastica_exact() -> np.ndarray:
    """By elliptic integrals (Bisshopp and Drucker 1945)."""
    phi = lambda k: np.arcsin(1 / (k * np.sqrt(2)))  # noqa: E731
    k = brentq(lambda k: ellipk(k * k) - ellipkinc(phi(k), k * k) - np.sqrt(10.0), 0.7072, 1 - 1e-12, xtol=1e-15)
    y = 1.0 - 2.0 / np.sqrt(10.0) * (ellipe(k * k) - ellipeinc(phi(k), k * k))
    return np.array([np.sqrt(2.0 * (2.0 * k * k - 1.0) / 10.0), y])


def arc(s: Any) -> np.ndarray:
    return 100.0 * np.array([1.0 - np.cos(np.pi / 4 * s), np.sin(np.pi / 4 * s), 0.0 * s])


def bend(n: int, peer: Any) -> Tip:
    if peer is not None:
        s = np.linspace(0.0, 1.0, n + 1)
        C = (1e7, 5e6, 5e6, 5e6 / 6, 1e7 / 12, 1e7 / 12)
        lengths = np.full(n, 25.0 * np.pi / n)
        return peer.space_tip(arc(s).T, np.pi / 2 - np.pi / 4 * s, lengths, C, (0, 0, 600.0), (0, 0, 0), 20)
    m, beam = clamped(
        arc, n, section=lv.Section(1.0, (1 / 12, 1 / 12), 1 / 6), material=lv.Material(E=1e7, nu=0.0, density=1.0)
    )
    m.add(lv.Load(beam.end.point(0, 0, 0), force=(0, 0, 600.0)))
    return statics(m, beam, 4)


def bend_exact() -> np.ndarray:
    """r′ = R (e₁ + C₁⁻¹Rᵀn),  q′ = ½ q ∘ (κ⁰ + C₂⁻¹Rᵀm),  m′ = −r′ × n;  r(0), q(0) given, m(L) = 0, n = force."""
    n, shear, bending = np.array([0, 0, 600.0]), np.array([1e7, 5e6, 5e6]), np.array([5e6 / 6, 1e7 / 12, 1e7 / 12])
    first = Rotation.from_rotvec([0, 0, np.pi / 2]).as_quat()

    def slopes(s: Any, y: Any) -> Any:
        q = np.moveaxis(y[3:7], 0, -1)
        R = Rotation.from_quat(q).as_matrix()
        slope = np.einsum("kij,kj->ki", R, np.einsum("kji,j->ki", R, n) / shear + [1.0, 0, 0])
        kappa = np.einsum("kji,jk->ki", R, y[7:]) / bending + [0, 0, -0.01]
        v, c = q[:, :3], q[:, 3:]
        turn = np.concatenate([c * kappa + np.cross(v, kappa), -np.sum(v * kappa, axis=1, keepdims=True)], axis=1)
        return np.concatenate([slope.T, 0.5 * turn.T, -np.cross(slope, n).T])

    def ends(a: Any, b: Any) -> Any:
        return np.concatenate([a[:3], a[3:7] - first, b[7:]])

    s = np.linspace(0.0, 25.0 * np.pi, 81)
    y = np.zeros((10, len(s)))
    y[:3] = arc(s / s[-1])
    y[3:7] = Rotation.from_rotvec(np.outer(np.pi / 2 - s / 100.0, [0, 0, 1.0])).as_quat().T
    found = solve_bvp(slopes, ends, s, y, tol=1e-9, max_nodes=50_000)
    if not found.success:
        raise RuntimeError(found.message)
    return np.array(found.y[:3, -1])


def fall(n: int, h: float, peer: Any, scheme: Any = None) -> Tip:
    if peer is not None:
        C, mu = STRIP.stiffnesses(RUBBER), RUBBER.density * STRIP.area
        properties = {
            "EA": C[2], "GA": C[0], "EI": C[3], "mass": mu,
            "inertia": RUBBER.density * STRIP.second_moments[0], "gravity": 9.81,
        }  # fmt: skip
        return peer.falling_tip(n, properties, h, UNTIL)
    m = lv.Model(gravity=(0, 0, -9.81))
    beam = m.add(lv.Beam([(0, 0, 0), (1, 0, 0)], n, STRIP, RUBBER, up=(0, 1, 0)))
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
    run = lv.prepare(m, scheme or lv.Livens(), h=h)
    run(until=2 * h)
    begin = time.process_time()
    motion = run(until=UNTIL, every=round(UNTIL / h))
    return motion.position(beam.end)[-1, [0, 2]], time.process_time() - begin


def fall_limit(peer: Any, n: int, h: float) -> np.ndarray:
    """Extrapolated over sections and steps, both of second order."""
    a, b = (fall(k, h, peer)[0] for k in (n, 2 * n))
    c = fall(2 * n, h / 2, peer)[0]
    return b + (b - a) / 3.0 + (c - b) / 3.0


def best(run: Callable[[], Tip], rounds: int) -> Tip:
    found = [run() for _ in range(rounds)]
    return found[0][0], min(seconds for _, seconds in found)


def main() -> None:
    small = "small" in sys.argv[1:]
    peer, reason = load("exudyn_beams")
    rounds, sizes = (1, (4, 8)) if small else (3, (8, 16, 32, 64))
    programs = [("livens", None)] + ([] if peer is None else [(f"Exudyn {peer.version()}", peer)])
    print(reason or f"livens {lv.__version__} and Exudyn {peer.version()}", "\n")
    rows = []
    problems = {
        "roll-up": (roll_up, np.zeros(3), 1.0),
        "elastica": (elastica, elastica_exact(), 1.0),
        "45° bend": (bend, bend_exact(), 25 * np.pi),
    }
    for name, (run, exact, length) in problems.items():
        for n in sizes:
            row = [name, n]
            for _, program in programs:
                try:
                    tip, seconds = best(lambda run=run, n=n, p=program: run(n, p), rounds)
                    row += [f"{np.linalg.norm(tip - exact) / length:.1e}", f"{1e3 * seconds:.3g}"]
                except Exception as error:
                    row += [f"– ({type(error).__name__})", "–"]
            rows.append(row)
    head = [f"{name}: {what}" for name, _ in programs for what in ("error", "time [ms]")]
    print(markdown(["statics", "sections", *head], rows), "\n")
    fine = sizes[-1]
    limits = [fall_limit(program, fine, 0.3 / 38 / fine if program is None else 2.5e-4) for _, program in programs]
    if len(limits) > 1:
        print(f"The limits of the fall are {np.linalg.norm(limits[0] - limits[1]):.1e} m apart.\n")
    rows = []
    for n in sizes:
        for (name, program), limit in zip(programs, limits, strict=True):
            for wanted in (0.016 / n, 0.004 / n) if program is None else (2e-3, 5e-4):  # livens: stable below 0.022/n
                h = UNTIL / np.ceil(UNTIL / wanted)
                tip, seconds = best(lambda n=n, h=h, p=program: fall(n, h, p), rounds)
                rows.append([n, name, f"{1e3 * h:.3g}", f"{np.linalg.norm(tip - limit):.1e}", f"{1e3 * seconds:.3g}"])
    print(markdown(["sections", "program", "h [ms]", "error", "time [ms]"], rows))


if __name__ == "__main__":
    main()
