"""10⁵ elastic bounces: python -m benchmarks.bounces [bounces].

    floor   a ball that falls on a plane, and flies exactly at every order
    bowl    a ball on a spring in a bowl of five planes of different slopes: a chaotic motion, whose flight is not exact

e = 1 and no friction: the energy has no reason to change. The table gives the range of the energy error relative to the
largest kinetic energy, and the change of its mean from the first to the last tenth of the run.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import livens as lv

from .table import markdown

G, RATE = 9.81, {"floor": 3.5, "bowl": 3.0}  # bounces in a second, about


def floor() -> lv.Model:
    m = lv.Model(gravity=(0, 0, -G), name="floor")
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.2), name="ball"))
    m.add(lv.Contact(m.world.plane((0, 0, 0)), ball, restitution=1.0))
    return m


def bowl() -> lv.Model:
    m = lv.Model(gravity=(0, 0, -G), name="bowl")
    ball = m.add(lv.Body(lv.Ball(0.05, mass=1.0), at=(0.13, 0, 0.6), velocity=(0.4, 0.3, 0), name="ball"))
    m.add(lv.Spring(m.world.point(0.1, 0.05, 0.9), ball.center, stiffness=4.0, length=0.0))
    for k in range(5):
        a, tilt = 2.0 * np.pi * k / 5.0, 0.5 + 0.05 * k
        n = (np.sin(tilt) * np.cos(a), np.sin(tilt) * np.sin(a), np.cos(tilt))
        m.add(lv.Contact(m.world.plane((0, 0, 0), normal=n), ball, restitution=1.0))
    return m


def row(model: lv.Model, order: int, bounces: int, h: float = 0.02) -> list[str]:
    until = float(np.ceil(bounces / RATE[model.name]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = lv.simulate(model, lv.Livens(order=order), h=h, until=until, every=max(1, round(until / h) // 20_000))
    E = (motion.energy - motion.energy[0]) / motion.kinetic.max()
    tenth = len(E) // 10
    drift = abs(E[-tenth:].mean() - E[:tenth].mean())
    return [
        model.name, str(order), f"{len(motion.impacts):,}", f"{np.ptp(E):.1e}", f"{drift:.1e}",
        f"{1e6 * motion.seconds / motion.steps:.1f} µs",
    ]  # fmt: skip


def main(bounces: int = 100_000) -> None:
    rows = [row(make(), order, bounces) for make in (floor, bowl) for order in (2, 4, 6)]
    print(markdown(["scene", "order", "bounces", "range of the energy", "change of its mean", "time of a step"], rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
