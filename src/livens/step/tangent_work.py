"""Links between bodies and the arrays of tangents (kernels/tangent_arrays.py) for a system."""

from __future__ import annotations

import numpy as np

from ..kernels.arrays import System, Work
from ..kernels.kinds import COUPLE, TAPE
from ..kernels.tangent_arrays import Ints, Links, Sources, StageWork, Start, TangentWork

ENTRIES = ("G0", "G1", "V0", "V1", "R0", "R1", "R", "P")  # in the order of FLAT_G0, …


class _Numbers:
    """Numbers of links as they are met; those of the world get the last one."""

    def __init__(self, bodies: int):
        self.found = {(b, b): b - 1 for b in range(1, bodies)}

    def __call__(self, to: int, of: int) -> int:
        if to == 0 or of == 0:
            return -1
        return self.found.setdefault((to, of), len(self.found))

    def among(self, bodies: Ints) -> Ints:
        """Links among the bodies of each thing (k, s) → (k, s, s)."""
        shape = (*bodies.shape, bodies.shape[1])
        links = [self(int(to), int(of)) for some in bodies for to in some for of in some]
        return np.array(links, dtype=np.int64).reshape(shape)

    def closed(self, links: Ints) -> Ints:
        """`links` with the number of the world's link."""
        return np.where(links < 0, len(self.found), links)


def row_slots(system: System) -> tuple[Ints, Ints]:
    """The bodies of each row in the order of its entries (r, 4), and its tape or −1 (r,)."""
    rows, tapes = system.rows, system.tapes
    slot = np.zeros((len(rows.kind), 4), dtype=np.int64)
    tape = np.full(len(rows.kind), -1, dtype=np.int64)
    slot[:, :2] = rows.body
    for r in np.flatnonzero(rows.kind == COUPLE):
        slot[r] = system.coordinates.body[rows.coordinate[r]].ravel()
        slot[r, 2:] *= int(rows.ratio[r, 1] != 0.0)
        slot[r, :2] *= int(rows.ratio[r, 0] != 0.0)
    slot[rows.kind == TAPE] = 0
    for k, r in enumerate(tapes.row):
        n = tapes.bodies[k]
        slot[r, :n], tape[r] = tapes.body[k, :n], k
    return slot, tape


def links_of(system: System) -> Links:
    """All links of a system."""
    number = _Numbers(len(system.bodies.mass))
    slot, tape = row_slots(system)
    row, spring = number.among(slot), number.among(system.springs.body)
    pair, coordinate = number.among(system.pairs.body), number.among(system.coordinates.body)
    formulas = system.formulas
    most = int(formulas.tape[:, 5].max(initial=0))
    formula = np.full((len(formulas.target), most + 1), -1, dtype=np.int64)
    for k, (*_, handles, _, acts) in enumerate(formulas.tape.tolist()):
        instances = int(formulas.first[k + 1, 0] - formulas.first[k, 0])
        for i in range(instances):
            h, e = int(formulas.first[k, 1]) + i * handles, int(formulas.first[k, 3]) + i * acts
            for target in range(e, e + acts):
                to = int(formulas.target[target, 1])
                formula[target, most] = number(to, to)
                for n in range(handles):
                    formula[target, n] = number(to, int(formulas.handle[h + n, 1]))
    itself = number.closed(np.arange(-1, len(system.bodies.mass) - 1))
    return Links(
        body=np.array(list(number.found), dtype=np.int64).reshape(-1, 2),
        row=number.closed(row),
        slot=slot,
        local=np.arange(16, dtype=np.int64).reshape(4, 4),
        tape=tape,
        spring=number.closed(spring),
        pair=number.closed(pair),
        coordinate=number.closed(coordinate),
        body_itself=itself,
        formula=number.closed(formula),
    )


def tangent_arrays(system: System, work: Work, columns: int, parameters: int = 0) -> TangentWork:
    """The arrays for `columns` changes of a state of `system`, the last ones caused by parameters; all zero."""
    n, r, m = len(system.bodies.mass), len(system.rows.kind), columns
    links = links_of(system)
    size = len(links.body) + 1
    vectors = {name: np.zeros((n, 3)) for name in ("a", "p", "L", "f", "tau", "spin")}
    start = Start(
        **vectors,
        B=np.zeros((n, 3, 3)),
        angle=np.zeros(len(system.coordinates.kind)),
        node_angle=np.zeros(len(system.coordinates.kind)),
        E=np.zeros((n, 3, 3)),
        lever=np.zeros((8, 3)),
        v=np.zeros((n, 6)),
    )
    k = parameters
    bodies, levels = np.zeros((4, 6 * n, k)), np.zeros((2, r, k))
    sources = Sources(x=bodies[0], q=bodies[1], p=bodies[2], u=levels[0], f=bodies[3], w=levels[1])
    entries = np.zeros((len(ENTRIES), *work.G.shape))
    panels = {name: np.zeros((6 * n, m)) for name in ("dq", "dp", "x")}
    K, C = np.zeros((size, 6, 6)), np.zeros((size, 6, 6))
    return TangentWork(
        links=links,
        start=start,
        sources=sources,
        **panels,
        kept=np.zeros((6 * n if system.formulas.forces else 0, m)),
        u=np.zeros((r, m)),
        y=np.zeros((r, m)),
        base=np.zeros((r, m)),
        mu=np.zeros((r, m)),
        K=K,
        C=C,
        flat_K=K.reshape(-1),
        flat_C=C.reshape(-1),
        one=np.zeros((17, 6, 6)),
        **dict(zip(ENTRIES, entries, strict=True)),
        flat_entries=entries.reshape(len(ENTRIES), -1),
        A=np.zeros_like(work.U),
        U=np.zeros_like(work.U),
        row=np.zeros_like(work.row),
        d=np.zeros(len(work.registers)),
        lost=np.zeros(1, dtype=np.int64),
    )


def stage_arrays(system: System, stages: int, columns: int, parameters: int = 0) -> StageWork:
    """The arrays of the stages of Runge–Kutta for `columns` changes, the last ones caused by parameters; all zero."""
    n, r, m, k = len(system.bodies.mass), len(system.rows.kind), columns, parameters
    panels = {name: np.zeros((6 * n, m)) for name in ("q0", "p0", "turn", "last")}
    rolls = {name: np.zeros((n, m)) for name in ("roll0", "roll1")}
    return StageWork(
        **panels,
        **rolls,
        q=np.zeros((stages, 6 * n, m)),
        p=np.zeros((stages, 6 * n, m)),
        roll=np.zeros((stages, n, m)),
        a=np.zeros((n, 3)),
        B=np.tile(np.eye(3), (n, 1, 1)),
        lam=np.zeros(r),
        source=np.zeros((n, k)),
        spin=np.zeros((3 * n, k)),
    )
