"""Choice of the weights of orders 4 and 6 by work and precision: `python -m benchmarks.compositions`.

A symmetric step S_h = exp(hY₁ + h³Y₃ + h⁵Y₅ + …) gives the palindrome Ψ = S_{w₁h} ∘ S_{w₂h} ∘ … ∘ S_{w₁h} the order 4
with the first two of these conditions, and 6 with all four (Yoshida 1990, McLachlan 1995):

    Σ w = 1,   Σ w³ = 0,   Σ w⁵ = 0,   [113] = 0;       [word] the coefficient of that word in Π exp(Σ wᵏYₖ)         (1)

The leading error of order 4 is Σw⁵ Y₅ + [113] [Y₁,[Y₁,Y₃]], that of order 6 a sum of four such terms. Sets with more
stages than conditions can make it small. The dominant term depends on the problem: on all problems below except the
fast top it is Σw⁵, so sets that balance both terms, such as McLachlan's, need more work than Suzuki's here.
Sets "found here" are results of a search from random initial values: sets marked (E) minimise the error over all words
of a drift between two kicks, (M) the largest work over the problems below, relative to Suzuki's, and (5) use their free
parameters for Σw⁵ = 0.

Work is the number of stages (a drift and a force evaluation each) per second of motion for a given final error,
interpolated between runs whose steps differ by 2^(1/4). It does not depend on the machine. The tables give it relative
to the set in use. The set with the least work on its worst problem is selected; a set found here replaces a published
one only if it saves a tenth of the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import livens as lv

from . import problems
from .table import markdown


@dataclass(frozen=True)
class Composed(lv.Livens):
    """The Livens step with other weights: the first half of the palindrome, without its middle."""

    label: str = ""
    half: tuple[float, ...] = ()

    @property
    def weights(self) -> np.ndarray:
        return np.array([*self.half, 1.0 - 2.0 * sum(self.half), *self.half[::-1]])


def composed(order: int, label: str, half: tuple[float, ...]) -> Composed:
    return Composed(order=order, label=label, half=half)


def suzuki(k: int) -> tuple[float, ...]:
    """k equal stages, one back, k equal stages (Suzuki 1990); k = 1 is the triple jump (Yoshida 1990)."""
    return (1.0 / (2 * k - (2 * k) ** (1 / 3)),) * k


SETS = (
    composed(4, "Yoshida 1990", suzuki(1)),
    composed(4, "Suzuki 1990", suzuki(2)),
    composed(4, "Suzuki 1990", suzuki(3)),
    composed(4, "Suzuki 1990", suzuki(4)),
    composed(4, "McLachlan 1995", (0.28, 0.62546642846767004501)),
    composed(4, "found here (E)", (0.30101966131541924, 0.5815308564576636)),
    composed(4, "found here (E)", (0.22201233616091698, 0.2443817800572999, -0.3988508304995657, 0.2611966942611105)),
    composed(4, "found here (M)", (0.169210611911979, 0.22702455186944362, 0.3491689677926804)),
    composed(4, "found here (5)", (0.39448968923714733, 0.4722181010085568, -0.8433216805135209)),
    composed(6, "Yoshida 1990", (0.78451361047755726382, 0.23557321335935813368, -1.17767998417887100695)),
    composed(
        6,
        "Kahan & Li 1997",
        (0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.08221359629355080023),
    ),
    composed(
        6,
        "McLachlan 1995",
        (0.1867, 0.55549702371247839916, 0.12946694891347535806, -0.84326562338773460855),
    ),
    composed(
        6,
        "Sofroniou & Spaletta 2005",
        (
            0.21375583945878254556,
            0.18329381407425713911,
            0.17692819473098943795,
            -0.44329082681170215850,
            0.11728560432865935385,
        ),
    ),
    composed(
        6,
        "Sofroniou & Spaletta 2005",
        (
            0.13861930854051695246,
            0.13346562851074760407,
            0.13070531011449225191,
            0.12961893756907034773,
            -0.35000324893920896516,
            0.11805530653002387170,
        ),
    ),
    composed(
        6,
        "found here (E)",
        (0.17269318755587618, 0.2219083296117811, 0.2211281519056038, -0.46903629319485884, 0.08688927339999751),
    ),
    composed(
        6,
        "found here (E)",
        (
            0.09389007460162999,
            0.1307975322731303,
            0.18265032446913115,
            0.17884000926666715,
            -0.3873927207309637,
            0.08098190830136866,
        ),
    ),
)


def word(w: np.ndarray, letters: str) -> float:
    """The coefficient of the word Y_i Y_j … (its indices as letters) in Π exp(Σ wᵏYₖ)."""
    found = np.zeros(len(letters) + 1)  # by the number of letters matched
    found[0] = 1.0
    for x in w.tolist():
        for end in range(len(letters), 0, -1):
            for begin in range(end):
                part = letters[begin:end]
                found[end] += found[begin] * x ** sum(map(int, part)) / math.factorial(len(part))
    return float(found[-1])


def conditions(scheme: Composed) -> float:
    """The largest residual of (1)."""
    w = scheme.weights
    return max(
        abs(w.sum() - 1.0), *(abs(word(w, letters)) for letters in (["3"], ["3", "5", "113"])[scheme.order == 6])
    )


@dataclass(frozen=True)
class Race:
    """A problem, its duration, and the largest step."""

    build: Callable[[], lv.Model]
    until: float
    h: float


RACES = (
    Race(problems.free_body, until=10.0, h=1.0),
    Race(problems.hung_body, until=1.0, h=0.4),
    Race(lambda: problems.net(9), until=1.0, h=0.2),
    Race(problems.orbit, until=2.0, h=0.5),
    Race(problems.fast_top, until=1.0, h=0.2),
)
TARGETS = {4: (1e-3, 1e-5, 1e-7), 6: (1e-4, 1e-6, 1e-8)}


def end(model: lv.Model, scheme: lv.Livens, h: float, until: float) -> np.ndarray:
    """Final positions, rotations and momenta as one vector."""
    a, B, p, L = (
        x.ravel() for x in lv.Hamiltonian(model).at(lv.simulate(model, scheme, h=h, until=until, every=10**9))
    )
    return np.concatenate([a, B, p, L])


Start = tuple[Race, lv.Model, np.ndarray]  # the final reference state


def needed(scheme: lv.Livens, start: Start, targets: Sequence[float]) -> np.ndarray:
    """Work [stages per second of motion] above which the error stays below each target."""
    race, model, reference = start
    work, errors = [], []
    for k in range(80):
        h = race.until / np.ceil(race.until / (race.h * 2.0 ** (-k / 4)))
        try:
            errors.append(np.abs(end(model, scheme, h, race.until) - reference).max())
        except lv.StepFailed:
            continue
        work.append(scheme.stages / h)
        if errors[-1] < 0.3 * min(targets):
            break
    x, y = np.log(work), np.log(errors)
    found = []
    for target in np.log(targets):
        k = np.flatnonzero(y > target)[-1]
        found.append(np.exp(np.interp(-target, -y[k : k + 2], x[k : k + 2])))
    return np.array(found)


def main() -> None:
    """Print a table for each order with the selected set, and the work of the orders in use."""
    starts: list[Start] = []
    for race in RACES:
        model = race.build()
        finest, check = (end(model, max(SETS, key=lambda s: s.stages), race.h / n, race.until) for n in (128, 96))
        print(f"{model.name}: accuracy of the reference {np.abs(finest - check).max():.0e}")
        starts.append((race, model, finest))
    names = [model.name for _, model, _ in starts]
    for order, targets in TARGETS.items():
        sets = [scheme for scheme in SETS if scheme.order == order]
        used = next(k for k, s in enumerate(sets) if np.array_equal(s.weights, lv.Livens(order).weights))
        works = np.array([[mean(needed(scheme, start, targets)) for start in starts] for scheme in sets])
        works /= works[used]
        rows = [
            [s.label, s.stages, f"{conditions(s):.0e}", f"{np.abs(s.weights).max():.2f}", *row, row.max(), mean(row)]
            for s, row in zip(sets, works, strict=True)
        ]
        sizes = ", ".join(f"{t:.0e}" for t in targets)
        print(f"\nOrder {order}: work for errors of {sizes}, relative to the set in use\n")
        print(markdown(["weights", "stages", "(1)", "longest", *names, "largest", "mean"], rows))
        best = min(range(len(sets)), key=lambda k: works[k].max() * (1.1 if "found here" in sets[k].label else 1.0))
        print(f"\n→ {sets[best].label} with {sets[best].stages} stages{' (in use)' if best == used else ''}")
    print("\nWork of the orders in use [stages per second of motion]\n")
    targets = (1e-2, 1e-4, 1e-6)
    table = {order: np.array([needed(lv.Livens(order), start, targets) for start in starts]) for order in (2, 4, 6)}
    rows = [[order, f"{t:.0e}", *work[:, k]] for k, t in enumerate(targets) for order, work in table.items()]
    print(markdown(["order", "error", *names], rows))


def mean(ratios: np.ndarray) -> float:
    """Geometric mean."""
    return float(np.exp(np.log(ratios).mean()))


if __name__ == "__main__":
    main()
