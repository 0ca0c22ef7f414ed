"""A cloth of springs with the incremental potential: cost of a step, and the share of the sparse factorisation.

n × n nodes 1 cm apart, joined to their neighbours (structural), across each square (shear) and to the second next
(bending), suspended at two corners and released. The stiffness of the springs would require steps below 0.3 ms in an
explicit scheme; here h = 10 ms.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import livens.discrete as ld

from .table import markdown

TARGET = 1.5  # largest allowed time of a step of 100 × 100 nodes [s]


def cloth(n: int, spacing: float = 0.01, density: float = 0.2, stiffness: float = 200.0) -> tuple[Any, np.ndarray]:
    """The system and its positions at rest: n × n nodes, density [kg/m²], stiffness of structural springs [N/m]; shear
    springs have half of it, bending springs a hundredth."""
    index = np.arange(n * n).reshape(n, n)
    kinds = [
        (1.0, [(index[:, :-1], index[:, 1:]), (index[:-1], index[1:])]),
        (0.5, [(index[:-1, :-1], index[1:, 1:]), (index[:-1, 1:], index[1:, :-1])]),
        (0.01, [(index[:, :-2], index[:, 2:]), (index[:-2], index[2:])]),
    ]
    place = np.zeros((n * n, 3))
    place[:, 0], place[:, 1] = spacing * (index.ravel() // n), spacing * (index.ravel() % n)
    pairs = [np.column_stack([a.ravel(), b.ravel()]) for _, ends in kinds for a, b in ends]
    factor = np.concatenate([np.full(a.size, k) for k, ends in kinds for a, _ in ends])
    nodes = np.vstack(pairs)
    length = np.linalg.norm(place[nodes[:, 1]] - place[nodes[:, 0]], axis=1)
    mass = density * spacing**2
    corners = [int(index[0, 0]), int(index[0, -1])]
    system = ld.Mechanical(
        mass=np.full(3 * n * n, mass),
        potential=[
            ld.springs(nodes, stiffness * factor, length),
            ld.Elements(lambda x: mass * 9.81 * x[0], 3 * index.reshape(-1, 1) + 2, name="weight"),
            ld.Elements(
                lambda x, p: 0.5e5 * ld.dot(x[0] - p, x[0] - p), [[k] for k in corners], place[corners], 3, "hooks"
            ),
        ],
    )
    return system, place.ravel()


def measure(n: int = 100, steps: int = 20, h: float = 0.01) -> dict[str, float]:
    """Seconds per step, share and number of factorisations per step; compilation of the system is excluded."""
    system, q = cloth(n)
    scheme = ld.IncrementalPotential(0.25, 0.5)
    ld.simulate(system, scheme, q=q, v=0.0 * q, h=h, until=h)
    with Stopwatch() as watch:
        begin = time.perf_counter()
        run = ld.simulate(system, scheme, q=q, v=0.0 * q, h=h, until=h * steps, every=steps)
        seconds = time.perf_counter() - begin
    return {
        "seconds": seconds / steps,
        "factorisation": watch.seconds / seconds,
        "factorisations": run.iterations / steps,
        "unknowns": len(q),
    }


class Stopwatch:
    """Time spent in factorisations and solves inside the context."""

    def __enter__(self) -> Stopwatch:
        from livens.discrete import factors

        self.seconds, self.kept = 0.0, []
        for kind in (factors.SuperLU, factors.Cholmod):
            for name in ("factorise", "solve"):
                self.kept.append((kind, name, getattr(kind, name)))
                setattr(kind, name, self._timed(getattr(kind, name)))
        return self

    def _timed(self, method: Any) -> Any:
        def timed(*arguments: Any) -> Any:
            begin = time.perf_counter()
            try:
                return method(*arguments)
            finally:
                self.seconds += time.perf_counter() - begin

        return timed

    def __exit__(self, *_: object) -> None:
        for kind, name, method in self.kept:
            setattr(kind, name, method)


def rows(sizes: tuple[int, ...] = (30, 100)) -> list[list[object]]:
    """Rows of the table of speeds."""
    found: list[list[object]] = []
    for n in sizes:
        m = measure(n)
        label = f"cloth of {n} × {n} nodes, incremental potential, h = 10 ms"
        shares = f"{m['factorisation']:.0%} for factorisation, {m['factorisations']:.1f} factorisations"
        found.append([label, f"{m['seconds']:.2f} s per step ({shares})", f"≤ {TARGET:g} s" if n == 100 else ""])
    return found


if __name__ == "__main__":
    print(markdown(["problem", "measured", "target"], rows()))
