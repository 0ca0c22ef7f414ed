"""From expressions to arrays: the implicit maps of a scheme (kernels/implicit_maps.py), flattened to tapes and tables.

y, the state, and x, the unknowns of a map, are cut into named blocks of coordinates, such as q, p and q₁; a `Piece`
says with expressions what one instance of a term contributes, and in which blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from ..checks import Array
from ..compile.constraint_tapes import OPCODES
from ..formula.formula import flatten
from ..formula.functions import casadi
from ..kernels.implicit_maps import Maps
from .terms import Ints, Symbols, Term

SMALL = 60  # unknowns up to which a matrix is dense
KINKS = set(  # operations with a kink or a jump, whose derivative does not show it
    "FABS SIGN FLOOR CEIL FMIN FMAX FMOD REMAINDER COPYSIGN LT LE EQ NE NOT AND OR IF_ELSE_ZERO".split()  # noqa: SIM905
)
Block = tuple[str, Any]  # the name of a block, and expressions (or symbols) for an instance's part of it


class Blocks:
    """A vector cut into named parts: of n coordinates each, of c multipliers each, and single numbers (totals)."""

    def __init__(self, n: int, c: int, coordinates: str = "", multipliers: str = "", totals: str = ""):
        kinds = [(coordinates, n, "index"), (multipliers, c, "rows"), (totals, 1, "total")]
        names = [(name, size, kind) for words, size, kind in kinds for name in words.split()]
        ends = np.cumsum([0, *(size for _, size, _ in names)])
        self.size = int(ends[-1])
        self.part = {name: slice(int(ends[k]), int(ends[k + 1])) for k, (name, _, _) in enumerate(names)}
        self.kind = {name: kind for name, _, kind in names}

    def places(self, name: str, term: Term) -> Ints:
        """Where the instances of a term find their numbers of a part."""
        tables = {"index": term.index, "rows": term.rows, "total": np.zeros((len(term.index), 1), dtype=np.int64)}
        return self.part[name].start + tables[self.kind[name]]


@dataclass
class Piece:
    """What each instance of a term contributes: symbols of blocks of y or x go in, expressions for rows of R (named as
    the unknowns they are solved for) and for blocks of y₁ come out."""

    symbols: Symbols
    inputs: list[Block]
    rows: list[Block] = field(default_factory=list)
    results: list[Block] = field(default_factory=list)
    convex: bool = False


@dataclass
class Map:
    """One map: unknowns x, initial values of R and y₁ (block of y₁ or x → block of y or x), and its pieces."""

    pieces: list[Piece]
    unknowns: Blocks
    seed: dict[str, str] = field(default_factory=dict)
    keep: dict[str, str] = field(default_factory=dict)
    out: Blocks | None = None  # of y₁, where that is not laid out as y
    share: tuple[float, float] = (1.0, 0.0)  # of the step: how long, and where it begins
    first: dict[str, tuple[str, float]] = field(
        default_factory=dict
    )  # first guess of x: u (q₁ − q₀), v, a or λ, and its time


class Program:
    """Maps as arrays, with the pattern of each one's matrix."""

    def __init__(self, state: Blocks, maps: Sequence[Map]):
        self.state, self.maps = state, list(maps)
        self.sizes = [m.unknowns.size for m in maps]
        self.dense = max(self.sizes, default=0) <= SMALL
        self.registers = 1
        self.patterns: list[csc_matrix | None] = []
        self.kept: dict[str, Any] = {}  # scratch of a scheme between calls
        self.arrays = self._packed()

    def _packed(self) -> Maps:
        tables: dict[str, list[Any]] = {k: [] for k in ("gather", "parameter", "row", "entry", "result")}
        code: list[Ints] = []
        constant: list[Array] = []
        tape: list[list[int]] = []
        size: list[list[int]] = []
        table: list[list[int]] = []
        convex: list[int] = []
        linear: list[bool] = []
        lengths = dict.fromkeys(tables, 0)
        length = 0
        known: dict[int, int] = {}  # id of a list of pieces → the first map made of it
        term: list[tuple[int, int]] = []
        for k, m in enumerate(self.maps):
            if (first := known.setdefault(id(m.pieces), k)) < k:  # the same map over another part of the step
                term.append(term[first])
                linear.append(linear[first])
                self.patterns.append(self.patterns[first])
                continue
            term.append((len(tape), len(tape) + len(m.pieces)))
            packs = [self._pack(m, piece) for piece in m.pieces]
            linear.append(all(pack.linear for pack in packs))
            entries = self._matrix(m, packs)
            for pack, where in zip(packs, entries, strict=True):
                parts = dict(pack.tables, entry=where)
                table.append([lengths[name] for name in tables])
                for name, values in parts.items():
                    tables[name].append(values.ravel())
                    lengths[name] += values.size
                cuts = [length]
                for flat in pack.flats:
                    ops = np.array([OPCODES[name] for name in flat.operations], dtype=np.int64)
                    code.append(np.column_stack([ops, flat.registers]))
                    constant.append(flat.constants)
                    length += len(ops)
                    cuts.append(length)
                    self.registers = max(self.registers, flat.size)
                rows = parts["row"].shape[1]
                if pack.convex:
                    inputs = parts["gather"].shape[1] + 2 + parts["parameter"].shape[1]
                    self.registers = max(self.registers, inputs + rows + 3 * rows * rows)
                tape.append(cuts)
                size.append([len(parts["gather"]), *(parts[name].shape[1] for name in tables)])
                convex.append(int(pack.convex))
        width = max([self.state.size, *(m.out.size for m in self.maps if m.out is not None)])
        none = np.zeros(0, dtype=np.int64)
        return Maps(
            code=np.concatenate([np.zeros((0, 4), dtype=np.int64), *code]),
            constant=np.concatenate([np.zeros(0), *constant]),
            tape=np.array(tape, dtype=np.int64).reshape(-1, 3),
            size=np.array(size, dtype=np.int64).reshape(-1, 6),
            table=np.array(table, dtype=np.int64).reshape(-1, 5),
            convex=np.array(convex, dtype=np.int64),
            gather=np.concatenate([none, *tables["gather"]]),
            parameter=np.concatenate([np.zeros(0), *tables["parameter"]]),
            row=np.concatenate([none, *tables["row"]]),
            entry=np.concatenate([none, *tables["entry"]]),
            result=np.concatenate([none, *tables["result"]]),
            term=np.array(term, dtype=np.int64).reshape(-1, 2),
            seed=np.concatenate([none, *(self._copies(m, m.seed, m.unknowns) for m in self.maps)]),
            group=np.concatenate([none, *(self._groups(m) for m in self.maps)]),
            unknown=np.cumsum([0, *self.sizes]),
            keep=np.array([self._copies(m, m.keep, m.out or self.state, width) for m in self.maps]),
            linear=np.array(linear, dtype=np.int64),
            share=np.array([m.share for m in self.maps], dtype=np.float64).reshape(-1, 2),
        )

    def _start(self, m: Map, name: str) -> int:
        """Where a block of z = (y, x) begins."""
        known = name in self.state.part
        return self.state.part[name].start if known else self.state.size + m.unknowns.part[name].start

    def _copies(self, m: Map, copies: dict[str, str], target: Blocks, width: int | None = None) -> Ints:
        places = np.full(target.size if width is None else width, -1, dtype=np.int64)
        for into, source in copies.items():
            part = target.part[into]
            places[part] = self._start(m, source) + np.arange(part.stop - part.start)
        return places

    @staticmethod
    def _groups(m: Map) -> Ints:
        """Coordinates are one group; each block of multipliers is one."""
        groups = np.zeros(m.unknowns.size, dtype=np.int64)
        for k, (name, part) in enumerate(m.unknowns.part.items()):
            groups[part] = 0 if m.unknowns.kind[name] == "index" else 1 + k
        return groups

    def _pack(self, m: Map, piece: Piece) -> _Pack:
        ca = casadi()
        term, symbols = piece.symbols.term, piece.symbols
        out = m.out or self.state
        none = np.zeros((len(term.index), 0), dtype=np.int64)
        gather = [
            self.state.places(name, term)
            if name in self.state.part
            else self.state.size + m.unknowns.places(name, term)
            for name, _ in piece.inputs
        ]
        rows = [m.unknowns.places(name, term) for name, _ in piece.rows]
        results = [out.places(name, term) for name, _ in piece.results]
        z = ca.vertcat(ca.SX(0, 1), *(s for _, s in piece.inputs))
        unknown = [(name, s) for name, s in piece.inputs if name not in self.state.part]
        x = ca.vertcat(ca.SX(0, 1), *(s for _, s in unknown))
        columns = [m.unknowns.places(name, term) for name, _ in unknown]
        R = ca.vertcat(ca.SX(0, 1), *(ca.densify(r) for _, r in piece.rows))
        J = ca.jacobian(R, x)
        if piece.convex:
            J = ca.densify(J)
            down, across = np.divmod(np.arange(R.numel() * x.numel()), x.numel())
            values = ca.reshape(J.T, -1, 1)
        else:
            down, across = (np.array(k, dtype=np.int64) for k in J.sparsity().get_triplet())
            values = ca.vertcat(ca.SX(0, 1), *J.nonzeros())
        Y = ca.vertcat(ca.SX(0, 1), *(ca.densify(r) for _, r in piece.results))
        inputs = [ca.vertcat(z, symbols.t, symbols.h, symbols.p)]
        row, column = np.concatenate([none, *rows], axis=1), np.concatenate([none, *columns], axis=1)
        flats = [flatten(ca.Function("f", inputs, [f])) for f in (ca.vertcat(R, values), Y)]
        return _Pack(
            flats=flats,
            tables={
                "gather": np.concatenate([none, *gather], axis=1),
                "parameter": term.parameters,
                "row": row,
                "result": np.concatenate([none, *results], axis=1),
            },
            entries=(row[:, down], column[:, across]),
            convex=piece.convex,
            linear=not (x.numel() and values.numel() and ca.depends_on(values, x))
            and not KINKS & set(flats[0].operations),
        )

    def _matrix(self, m: Map, packs: list[_Pack]) -> list[Ints]:
        """Where the entries of each piece go among the values of the matrix."""
        n = m.unknowns.size
        if self.dense:
            self.patterns.append(None)
            return [row * n + column for row, column in (pack.entries for pack in packs)]
        keys = [column * n + row for row, column in (pack.entries for pack in packs)]  # by columns
        known = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(k.ravel() for k in keys)]))
        indptr = np.searchsorted(known, np.arange(n + 1) * n)
        self.patterns.append(csc_matrix((np.zeros(len(known)), known % n, indptr), shape=(n, n)) if n else None)
        return [np.searchsorted(known, k) for k in keys]


@dataclass
class _Pack:
    """One piece as tapes and tables."""

    flats: list[Any]
    tables: dict[str, Any]
    entries: tuple[Ints, Ints]  # row and column of each Jacobian entry, by instance
    convex: bool
    linear: bool
