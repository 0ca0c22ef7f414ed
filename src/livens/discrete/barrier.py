"""Meshes that never intersect: contact by a barrier, on nearly rigid (affine) bodies.

A body has twelve coordinates q = (a, B), and its corners x = a + B r are linear in them. A step of length h minimises

    Π(q) = ½ |q − q₀ − h v₀ − h² g|²_M + h² (Σ ¼ κ |BᵀB − 1|² + b(x)) + h³ D((x − x₀)/h),    v₁ = (q₁ − q₀)/h     (1)

(implicit Euler), where b is a barrier that grows without bound as the distance of two meshes tends to zero and vanishes
beyond `distance`, and D a smooth friction whose normal forces are those at the start of the step. Newton's method goes
along lines on which no two triangles meet, by continuous collision detection: no step ever makes meshes intersect.

What it is not: impacts are inelastic whatever the restitution, energy is lost in every step, bodies at rest float at a
part of `distance` above each other, and friction creeps below `creep`. ipctk computes distances, barriers and friction.
Sources: Li et al. 2020 (incremental potential contact); Lan et al. 2022 (affine body dynamics).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from ..checks import Array, positive
from ..compile.compiled import Compiled
from ..compile.states import copied, empty_record
from ..describe.body import Body
from ..describe.contact_rule import ContactRule
from ..describe.model import Model
from ..errors import ModelError, StepFailed, require
from ..kernels.arrays import State, System
from ..record.trajectory import Trajectory
from ..step.scheme import Prepare, Rollout

RIGID = 1e4  # κ, relative to the inertia of a deformation in a step
NEAR_SIZE = 1e-2  # default of `distance`, relative to the smallest body
SLOW = 1e-3  # default of `creep`: sizes of the smallest body in a second
ITERATIONS = 200  # of Newton's method, before a step has failed
CONVERGED = 1e-5  # last correction of a step, relative to `distance`
HALVINGS = 40
FREEDOMS = 6  # of a body
REST_PUSH = 13.0  # κ₀ d³ times this is the push at half the distance d of three corners


@dataclass(frozen=True)
class Barrier:
    """Contact of triangle meshes that never intersect, for `lv.simulate(model, ld.Barrier(), h=…, until=…)`: piles,
    interlocking parts, chain mail. Needs the extra `barrier` (ipctk).

    distance: at which bodies begin to push each other [m]; by default a hundredth of the smallest body. creep: the
    speed up to which friction is smooth [m/s]; by default a thousandth of the smallest body in a second. The bodies are
    free, or fixed to the world by `lv.Rigid`, with gravity, and touch by `lv.Contacts` with planes of the world;
    friction is taken over. The surfaces of shapes and imported meshes touch as they are, also where they are not
    convex. It is dissipative and slower than `lv.Livens()`: impacts have no restitution, and bodies at rest float above
    each other by a part of the distance.

    >>> Barrier(distance=1e-3).order
    1
    """

    distance: float | None = None
    creep: float | None = None

    orders: ClassVar[tuple[int, ...]] = ()
    variational: ClassVar[bool] = False
    conserves_energy: ClassVar[bool] = False
    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "nothing"
    turn_limit: ClassVar[float] = 1.0
    adaptive = False
    order: ClassVar[int] = 1
    stages: ClassVar[int] = 1
    longest_stage: ClassVar[float] = 1.0
    phase_per_step: ClassVar[float] = 0.1
    scratch: ClassVar[int] = 0

    def __post_init__(self) -> None:
        for value, name in ((self.distance, "distance"), (self.creep, "creep")):
            if value is not None:
                positive(value, f"{name} of Barrier")

    @property
    def weights(self) -> Array:
        return np.ones(1)

    @property
    def table(self) -> Array:
        return np.ones(1)

    def memory(self, system: System) -> int:
        """Nothing."""
        return 0

    def workspace(self, system: System, work: Any) -> Any:
        return work

    def rollout_file(self, jointed: bool) -> str:
        return "barrier"

    def compile_seconds(self, jointed: bool) -> int:
        return 0

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        raise ModelError("lv.simulate alone takes ld.Barrier, from the start of a model: it has no compiled steps.")

    def follow(self, model: Model, h: float, steps: int, every: int, start: State | None, t0: float) -> Trajectory:
        """The motion of a model."""
        refuse(model)
        compiled = Compiled.restored(model, frozenset())
        state = copied(compiled.state if start is None else start)._replace(memory=np.zeros(0))
        bodies = AffineBodies(model, compiled.system, self, h)
        record = empty_record(state, steps // every + 1)
        q, v = bodies.coordinates(state)
        bodies.refuse_intersections(q)
        begin = time.perf_counter()
        bodies.keep(record, 0, q, v)

        def motion(done: int) -> Trajectory:
            kept = State(*(x[: done // every + 1] for x in record))
            t = t0 + h * every * np.arange(len(kept.a), dtype=np.float64)
            return Trajectory(compiled, self, h, every, t, kept, done - done % every, time.perf_counter() - begin)

        for n in range(steps):
            found = bodies.step(q, v)
            if found is None:
                raise StepFailed(
                    "the minimisation of the incremental potential with a barrier did not converge at t = "
                    f"{t0 + n * h:.6g} s (step {n + 1}): try a shorter h.",
                    motion(n),
                )
            q, v = found
            if (n + 1) % every == 0:
                bodies.keep(record, (n + 1) // every, q, v)
        return motion(steps)


class Touching(NamedTuple):
    """The barrier and the friction of one step."""

    barrier: Any
    friction: Any
    tangential: Any


class AffineBodies:
    """The bodies of a model with their meshes, for steps of length h."""

    def __init__(self, model: Model, system: System, scheme: Barrier, h: float):
        self.ipctk, self.model, self.system, self.h = ipctk(), model, system, h
        self.rule = rules(model)[0]
        bodies = system.bodies
        self.n = len(bodies.mass) - 1
        euler = 0.5 * (bodies.inertia.sum(axis=1)[:, None] - 2.0 * bodies.inertia)[1:]
        floor = 1e-3 * euler.max(axis=1, keepdims=True)  # flat bodies
        self.euler = np.maximum(euler, floor)
        self.mass = bodies.mass[1:]
        held = {id(point.body) for joint in model.joints for point in joint.points}
        self.moves = np.repeat([id(body) not in held for body in model.bodies[1:]], 12)
        self.M = np.hstack([np.repeat(self.mass[:, None], 3, axis=1), np.tile(self.euler, (1, 3))]).ravel()
        self.pull = np.hstack([np.tile(system.gravity, (self.n, 1)), np.zeros((self.n, 9))]).ravel()
        self.stiffness = RIGID * self.euler.max(axis=1) / h**2
        self.build_mesh(model)
        size = min(float(np.ptp(r, axis=0).max()) for r in self.corners)
        self.distance = scheme.distance if scheme.distance is not None else NEAR_SIZE * size
        self.creep = scheme.creep if scheme.creep is not None else SLOW * size
        push = self.mass.mean() * max(float(np.linalg.norm(system.gravity)), self.distance / h**2)
        self.barrier_stiffness = push / (REST_PUSH * self.distance**3)
        self.ccd = self.ipctk.AdditiveCCD()

    def build_mesh(self, model: Model) -> None:
        """Corners r of all bodies in principal axes, x = J q, and the mesh of all bodies."""
        system = self.system
        surfaces = [surface_of(body) for body in model.bodies[1:]]
        self.corners = [
            (s.vertices - system.bodies.center[k]) @ system.bodies.axes[k] for k, s in enumerate(surfaces, start=1)
        ]
        count = [len(r) for r in self.corners]
        first = np.cumsum([0, *count])
        self.owner = np.repeat(np.arange(self.n), count)
        rows, columns, values = [], [], []
        for b, r in enumerate(self.corners):
            for i in range(3):
                at = 3 * (first[b] + np.arange(len(r))) + i
                for k in range(4):
                    rows.append(at)
                    columns.append(np.full(len(r), 12 * b + (i if k == 0 else 3 + 3 * i + k - 1)))
                    values.append(np.ones(len(r)) if k == 0 else r[:, k - 1])
        shape = (3 * int(first[-1]), 12 * self.n)
        entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
        self.J = sparse.csc_matrix(entries, shape=shape)
        faces = np.concatenate([s.triangles + first[b] for b, s in enumerate(surfaces)]).astype(np.int32)
        faces = np.asfortranarray(faces)
        start, _ = self.coordinates(Compiled.restored(model, frozenset()).state)
        self.mesh = self.ipctk.CollisionMesh(self.places(start), self.ipctk.edges(faces), faces)
        self.mesh.can_collide = self.ipctk.make_vertex_patches_filter(self.owner.astype(np.int32))
        self.mesh.planes = [self.ipctk.Hyperplane(plane.start_normal, plane.r) for plane in self.rule.planes]

    # ── coordinates ──

    def coordinates(self, state: State) -> tuple[Array, Array]:
        """q and v of a state: Ḃ = B ω̂."""
        w = state.L * self.system.bodies.inverse_inertia
        spin = np.zeros((len(w), 3, 3))
        spin[:, [2, 0, 1], [1, 2, 0]], spin[:, [1, 2, 0], [2, 0, 1]] = w, -w
        velocity = state.p * self.system.bodies.inverse_mass[:, None]
        n = len(w)
        q = np.hstack([state.a, state.B.reshape(n, 9)])[1:].ravel()
        return q, np.hstack([velocity, (state.B @ spin).reshape(n, 9)])[1:].ravel()

    def places(self, q: Array) -> Array:
        """The corners of all bodies (corners, 3)."""
        return np.asfortranarray((self.J @ q).reshape(-1, 3))

    def keep(self, record: State, k: int, q: Array, v: Array) -> None:
        """Store a state: rotations by polar decomposition, momenta exactly."""
        q, v = q.reshape(-1, 12), v.reshape(-1, 12)
        B, Bdot = q[:, 3:].reshape(-1, 3, 3), v[:, 3:].reshape(-1, 3, 3)
        U, _, Vt = np.linalg.svd(B)
        R = U @ Vt
        spin = np.einsum("nk,nik,njk->nij", self.euler, B, Bdot)  # Σ E_k B_k ⊗ Ḃ_k
        L = np.stack([spin[:, 1, 2] - spin[:, 2, 1], spin[:, 2, 0] - spin[:, 0, 2], spin[:, 0, 1] - spin[:, 1, 0]], 1)
        record.a[k, 1:], record.B[k, 1:] = q[:, :3], R
        record.a[k, 0], record.B[k, 0] = 0.0, np.eye(3)
        record.p[k, 1:] = self.mass[:, None] * v[:, :3]
        record.L[k, 1:] = np.einsum("nji,nj->ni", R, L)

    # ── a step ──

    def step(self, q0: Array, v0: Array) -> tuple[Array, Array] | None:
        """Minimise (1); None if it does not converge."""
        x0, ahead = self.places(q0), q0 + np.where(self.moves, self.h * v0 + self.h**2 * self.pull, 0.0)
        touching = self.touching(x0)
        q, value = q0.copy(), self.value(q0, x0, ahead, touching)
        for _ in range(ITERATIONS):
            gradient, hessian = self.derivatives(q, x0, ahead, touching)
            d = np.zeros_like(q)
            d[self.moves] = -splu(hessian[self.moves][:, self.moves]).solve(gradient[self.moves])
            x, moved = self.places(q), self.places(d)
            if np.abs(moved).max() <= CONVERGED * self.distance:
                return q, (q - q0) / self.h
            part = self.ipctk.compute_collision_free_stepsize(
                self.mesh, x, np.asfortranarray(x + moved), narrow_phase_ccd=self.ccd
            )
            slope = float(gradient @ d)
            for _ in range(HALVINGS):
                trial = q + part * d
                new = self.value(trial, x0, ahead, touching)
                if new <= value + 1e-4 * part * slope + 1e-13 * abs(value):
                    break
                part *= 0.5
            q, value = trial, new
        return None

    def touching(self, x0: Array) -> Touching:
        """The barrier, and the friction with the normal forces at the start of a step."""
        barrier = self.ipctk.BarrierPotential(self.distance, self.barrier_stiffness)
        friction, tangential = self.ipctk.FrictionPotential(self.creep), self.ipctk.TangentialCollisions()
        if self.rule.friction > 0.0:
            tangential.build(self.mesh, x0, self.collisions(x0), barrier, self.rule.friction)
        return Touching(barrier, friction, tangential)

    def collisions(self, x: Array) -> Any:
        """Pairs of triangles, edges and corners within the distance; planes are found by candidates alone."""
        near, found = self.ipctk.Candidates(), self.ipctk.NormalCollisions()
        near.build(self.mesh, x, self.distance)
        found.build(near, self.mesh, x, self.distance)
        return found

    def strain(self, q: Array) -> Array:
        """BᵀB − 1 of all bodies (n, 3, 3)."""
        B = q.reshape(-1, 12)[:, 3:].reshape(-1, 3, 3)
        return np.einsum("nki,nkj->nij", B, B) - np.eye(3)

    def value(self, q: Array, x0: Array, ahead: Array, touching: Touching) -> float:
        """Π of (1)."""
        x, away = self.places(q), q - ahead
        total = 0.5 * float(away @ (self.M * away))
        total += 0.25 * self.h**2 * float(self.stiffness @ (self.strain(q) ** 2).sum(axis=(1, 2)))
        total += self.h**2 * touching.barrier(self.collisions(x), self.mesh, x)
        if len(touching.tangential):
            speed = np.asfortranarray((x - x0) / self.h)
            total += self.h**3 * touching.friction(touching.tangential, self.mesh, speed)
        return total

    def derivatives(self, q: Array, x0: Array, ahead: Array, touching: Touching) -> tuple[Array, Any]:
        """Gradient and positive definite Hessian of (1)."""
        h, x, found = self.h, self.places(q), self.collisions(self.places(q))
        convex = self.ipctk.PSDProjectionMethod.CLAMP
        on_corners = h**2 * touching.barrier.gradient(found, self.mesh, x)
        bends = h**2 * touching.barrier.hessian(found, self.mesh, x, convex)
        if len(touching.tangential):
            speed = np.asfortranarray((x - x0) / h)
            on_corners = on_corners + h**2 * touching.friction.gradient(touching.tangential, self.mesh, speed)
            bends = bends + h * touching.friction.hessian(touching.tangential, self.mesh, speed, convex)
        gradient = self.M * (q - ahead) + self.J.T @ on_corners
        B, E = q.reshape(-1, 12)[:, 3:].reshape(-1, 3, 3), self.strain(q)
        stiff = h**2 * self.stiffness
        push = stiff[:, None, None] * (B @ E)
        gradient.reshape(-1, 12)[:, 3:] += push.reshape(-1, 9)
        blocks = np.zeros((self.n, 12, 12))
        eye = np.eye(3)
        full = np.einsum("nil,nkj->nijkl", B, B) + np.einsum(
            "nim,nkm,jl->nijkl", B, B, eye
        )  # derivative of B (BᵀB − 1)
        full += np.einsum("ik,njl->nijkl", eye, E)
        curved = (stiff[:, None, None, None, None] * full).reshape(self.n, 9, 9)
        values, vectors = np.linalg.eigh(0.5 * (curved + curved.transpose(0, 2, 1)))
        blocks[:, 3:, 3:] = np.einsum("nik,nk,njk->nij", vectors, np.maximum(values, 0.0), vectors)
        hessian = sparse.diags(self.M) + sparse.block_diag(blocks) + self.J.T @ bends @ self.J
        return gradient, sparse.csc_matrix(hessian)

    # ── words ──

    def refuse_intersections(self, q: Array) -> None:
        """Raise a ModelError if bodies intersect or touch at the start."""
        x = self.places(q)
        found = self.collisions(x)
        names = [body.name for body in self.model.bodies[1:]]
        closest, pair = np.inf, ("", "")
        for k in range(len(found)):
            one = found[k]
            ids = [i for i in one.vertex_ids(self.mesh.edges, self.mesh.faces) if i >= 0]
            d = float(one.compute_distance(one.dof(x, self.mesh.edges, self.mesh.faces)))
            if d < closest:
                owners = sorted({int(self.owner[i]) for i in ids})
                closest, pair = d, (names[owners[0]], names[owners[1]] if len(owners) > 1 else "a plane")
        crosses = self.ipctk.has_intersections(self.mesh, x)
        if crosses or closest <= (1e-6 * self.distance) ** 2:
            who = f"{pair[0]!r} and {pair[1]!r} touch" if pair[0] else "bodies intersect"
            raise ModelError(f"{who} at the start: a barrier needs them apart, by about {0.5 * self.distance:.3g} m.")
        for plane in self.rule.planes:
            depth = -((x - plane.r) @ plane.start_normal)
            if depth.max() > 0.0:
                name = names[self.owner[int(depth.argmax())]]
                raise ModelError(f"body {name!r} is {depth.max():.3g} m below a plane at the start: move it up.")


def surface_of(body: Body) -> Any:
    """The triangles with which a body touches, body axes."""
    shape: Any = body.shape if body.collision is None else body.collision
    surface = shape.surface
    if not len(surface.triangles):
        raise ModelError(f"body {body.name!r} has no surface, and a barrier acts between surfaces: give it collision=.")
    return surface


def rules(model: Model) -> list[ContactRule]:
    return [rule for thing in model.things for rule in thing.contacts()]


def refuse(model: Model) -> None:
    """What a barrier does not take, in one sentence."""
    found = rules(model)
    wrong = {
        "no lv.Contacts": not found,
        "several rules of contact": len(found) > 1,
        "contacts of single pairs": any(not rule.is_crowd for rule in found),
        "excluded pairs": any(rule.exclude for rule in found),
        "resistance against rolling or spinning": any(rule.rolling + rule.spinning + rule.patch for rule in found),
        "planes of moving bodies": any(not plane.body.is_world for rule in found for plane in rule.planes),
        "joints": any(not _fixes(joint) for joint in model.joints),
        "forces": any(not thing.contacts() for thing in model.forces),
    }
    if (bad := [what for what, there in wrong.items() if there]) or len(model.bodies) < 2:
        raise ModelError(
            "ld.Barrier takes free and fixed bodies with gravity and one lv.Contacts with planes of the world; model "
            f"{model.name!r} has {' and '.join(bad) or 'no bodies'}. Simulate it with lv.Livens()."
        )


def _fixes(joint: Any) -> bool:
    """True for a joint that fixes a body to the world."""
    return len(joint.rows()) == FREEDOMS and any(point.body.is_world for point in joint.points)


def ipctk() -> Any:
    """The library of barriers."""
    return require("ipctk", "a barrier between meshes needs ipctk", "livens[barrier]")
