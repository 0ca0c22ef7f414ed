"""An independent solver of mechanisms: Newton–Euler equations with joint reactions, by SciPy's DOP853.

It does not use the kernels, rows or schemes of the package. A joint is described by its reactions: each equation is
a wrench, a force F through a point P and a couple M on the second body, and the opposite on the first. It does no
work,

    F·(v_b(P) − v_a(P)) + M·(Ω_b − Ω_a) = φ̇(t)            or   A(q) u = φ̇   for all of them,            (1)

with velocities of the bodies' material points at P, u = (v, Ω) in world axes. Rolling joints are included. Then

    M u̇ = f(q, u, t) + Aᵀλ,     A u̇ = φ̈ − Ȧ u,     Ȧ u by a complex step along the motion.               (2)

λ has minimum norm if constraints are redundant. Positions are never corrected: the final constraint violation is a
measure of the error.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp

import livens as lv

from . import newton_euler
from .newton_euler import cross

E = np.eye(3)
ZERO = np.zeros(3)
STEP = 1e-30  # of the complex step


def across(axis):
    """Any two unit vectors that make a triad with `axis`."""
    k = int(np.argmin(np.abs(axis)))
    e = cross(axis, E[k])
    e /= np.sqrt(e @ e)
    return e, cross(axis, e)


def contact(n, W, R):
    """From the centre to the lowest point of a disc with the axis W on a plane with the normal n."""
    s = n @ W
    return -R * (n - s * W) / np.sqrt(1 - s * s)


def coordinate(joint, k, place, carried):
    """The wrench of the k-th coordinate of a joint, whose rate is given by (1)."""
    U = carried(joint.a.body, joint.axis)
    turns = joint.coordinates[k].kind == "ANGLE"
    return (joint.a, joint.b, place(joint.b), ZERO if turns else U, U if turns else ZERO)


def wrenches(joint, place, carried):
    """The equations of a joint, each a list of (coefficient, first point, second point, P, F, M)."""
    if isinstance(joint, lv.Coupling):
        first, second = (coordinate(j, 0, place, carried) for j in (joint.first, joint.second))
        return [[(joint.ratio, *first), (-1.0, *second)]]
    a, b, x = joint.a, joint.b, place(joint.b)

    def with_first(u):
        return carried(a.body, u)

    forces, couples, both = [], [], []
    match joint:
        case lv.Spherical() | lv.Revolute() | lv.Universal() | lv.Rigid():
            forces = list(E)
        case lv.Cylindrical() | lv.Prismatic() | lv.Screw() | lv.PointOnLine():
            forces = [with_first(e) for e in across(joint.axis)]
        case lv.Planar() | lv.PointOnPlane():
            forces = [with_first(joint.normal)]
        case lv.Rod():
            d = x - place(a)
            forces = [d / np.sqrt(d @ d)]
        case lv.KnifeEdge():
            forces = [carried(b.body, joint.across)]
        case lv.RollingBall() | lv.RollingDisc():
            n = with_first(joint.normal)
            W = carried(b.body, joint.axis) if isinstance(joint, lv.RollingDisc) else ZERO
            x = x + contact(n, W, joint.radius)
            forces = [n, *(with_first(e) for e in across(joint.normal))]
    match joint:
        case lv.Revolute() | lv.Cylindrical() | lv.Screw():
            couples = [with_first(e) for e in across(joint.axis)]
        case lv.Planar():
            couples = [with_first(e) for e in across(joint.normal)]
        case lv.Universal():
            couples = [cross(with_first(joint.axis_a), carried(b.body, joint.axis_b))]
        case lv.Rigid() | lv.Prismatic() | lv.FixedOrientation():
            couples = list(E)
    if isinstance(joint, lv.Screw):
        U = with_first(joint.axis)
        both = [[(1.0, a, b, x, U, -joint.pitch / (2 * np.pi) * U)]]
    if getattr(joint, "drive", None) is not None:
        both = [*both, [(1.0, *coordinate(joint, 0, place, carried))]]
    return [[(1.0, a, b, x, F, ZERO)] for F in forces] + [[(1.0, a, b, x, ZERO, M)] for M in couples] + both


@dataclass
class Found:
    """A state and the quantities computed from it; bodies in the order of adding, world axes, centres of mass."""

    x: np.ndarray
    B: np.ndarray
    v: np.ndarray
    omega: np.ndarray
    dv: np.ndarray
    domega: np.ndarray
    reaction: dict  # joint → force and torque about its second point, on its second body
    slip: float  # violation of (1)

    @property
    def state(self):
        return np.concatenate([part.ravel() for part in (self.x, self.B, self.v, self.omega)])

    def reactions(self, names):
        return np.array([self.reaction[name] for name in names])


class Mechanism:
    """The equations (2) of a model."""

    def __init__(self, model):
        self.model, self.n, self.repeats = model, len(model.bodies) - 1, None
        self.number = {id(body): k for k, body in enumerate(model.bodies[1:])}
        matter = [body.mass_properties for body in model.bodies[1:]]
        self.center = np.array([m.center for m in matter])
        self.mass = np.array([m.mass for m in matter])
        self.J = np.array([m.inertia for m in matter])
        self.inverse = np.linalg.pinv(self.J, rcond=1e-12, hermitian=True)  # zero about an axis without inertia
        place, carried = self.geometry(*self.start()[:2])
        last = np.cumsum([len(wrenches(joint, place, carried)) for joint in model.joints])
        self.count = int(last[-1]) if len(last) else 0
        driven = zip(model.joints, last, strict=True)
        self.drives = [(end - 1, j.drive) for j, end in driven if getattr(j, "drive", None) is not None]

    def geometry(self, x, B):
        """Functions for the position of a point and for a direction (given in world axes at the initial state)."""

        def place(point):
            k = self.number.get(id(point.body))
            return point.r if k is None else x[k] + B[k] @ (point.r - self.center[k])

        def carried(body, u):
            k = self.number.get(id(body))
            return u if k is None else B[k] @ (body.pose.B.T @ u)

        return place, carried

    def equations(self, x, B):
        """A of (1), rows joint after joint."""
        place, carried = self.geometry(x, B)
        return self.matrix(x, [terms for joint in self.model.joints for terms in wrenches(joint, place, carried)])

    def matrix(self, x, rows):
        """The rows of A for wrenches."""
        A = np.zeros((len(rows), self.n, 6), dtype=x.dtype)
        for row, terms in zip(A, rows, strict=True):
            for c, a, b, P, F, M in terms:
                for sign, body in ((c, b.body), (-c, a.body)):
                    k = self.number.get(id(body))
                    if k is not None:
                        row[k, :3] += sign * F
                        row[k, 3:] += sign * (cross(P - x[k], F) + M)
        return A.reshape(len(rows), -1)

    def applied(self, x, B, v, omega, t):
        """Forces and torques about the centres, world axes, without those of joints."""
        F, M = newton_euler.forces(self.model, x, B, t)
        M = np.einsum("nij,nj->ni", B, M)
        place, carried = self.geometry(x, B)

        def velocity(point, P):
            k = self.number.get(id(point.body))
            return ZERO if k is None else v[k] + cross(omega[k], P - x[k])

        def exert(c, a, b, P, force, couple):
            for sign, body in ((c, b.body), (-c, a.body)):
                k = self.number.get(id(body))
                if k is not None:
                    F[k] += sign * force
                    M[k] += sign * (cross(P - x[k], force) + couple)

        for force in self.model.forces:
            rate = force.rate if isinstance(force, lv.Damper) else getattr(force, "damping", 0.0)
            if rate:
                a, b = place(force.a), place(force.b)
                d = (b - a) / np.sqrt((b - a) @ (b - a))
                exert(-rate * d @ (velocity(force.b, b) - velocity(force.a, a)), force.a, force.b, b, d, ZERO)
            if isinstance(force, lv.Motor):
                effort = force.effort(t) if callable(force.effort) else force.effort
                exert(effort, *coordinate(force.joint, 0, place, carried))
        for joint in self.model.joints:
            if np.any(joint.stiffness or 0.0) or np.any(joint.damping or 0.0):
                wrench = coordinate(joint, 0, place, carried)
                q, dq = self.value(joint, place, carried), 0.0
                for sign, body in ((1, joint.b.body), (-1, joint.a.body)):
                    k = self.number.get(id(body))
                    if k is not None:
                        force, couple = wrench[3:]
                        dq += sign * (force @ (v[k] + cross(omega[k], wrench[2] - x[k])) + couple @ omega[k])
                exert(-joint.stiffness * (q - joint.rest) - joint.damping * dq, *wrench)
        return F, M

    def value(self, joint, place, carried):
        """The first coordinate of a joint, its angle between −π and π."""
        U = carried(joint.a.body, joint.axis)
        if joint.coordinates[0].kind == "DISPLACEMENT":
            return joint.start + U @ (place(joint.b) - place(joint.a)) - joint.axis @ (joint.b.start - joint.a.start)
        e = across(joint.axis)[0]
        one, other = carried(joint.a.body, e), carried(joint.b.body, e)
        return np.arctan2(U @ cross(one, other), one @ other)

    def solve_for(self, x, B, v, omega, t):
        """u̇ and λ of (2)."""
        n = self.n
        F, M = self.applied(x, B, v, omega, t)
        J = B @ self.J @ np.swapaxes(B, 1, 2)
        M = M - np.cross(omega, np.einsum("nij,nj->ni", J, omega))
        W = self.inverse_masses(B)
        free = W @ np.concatenate([F, M], axis=1).ravel()
        if not self.model.joints:
            return free, np.zeros(0), np.zeros((0, 6 * n))
        u = np.concatenate([v, omega], axis=1).ravel()
        hats = np.array([newton_euler.hat(w) for w in omega])
        moved = self.equations(x + 1j * STEP * v, B + 1j * STEP * (hats @ B))
        A, gamma = moved.real, moved.imag @ u / STEP  # such a small step does not change A
        S = A @ W @ A.T
        wanted = self.prescribed(t, 2) - gamma - A @ free
        couples = ~A.reshape(len(A), n, 6)[:, :, :3].any(axis=(1, 2))
        scale = np.where(couples, self.size, 1.0)  # torques are scaled by the size of the joints
        lam = scale * self.invert(S * scale[:, None] * scale, scale * wanted)
        return free + W @ (A.T @ lam), lam, A

    def inverse_masses(self, B):
        """The inverse of the mass matrix."""
        inverse = B @ self.inverse @ np.swapaxes(B, 1, 2)
        W = np.zeros((self.n, 6, self.n, 6))
        for k in range(self.n):
            W[k, :3, k, :3] = E / self.mass[k]
            W[k, 3:, k, 3:] = inverse[k]
        return W.reshape(6 * self.n, 6 * self.n)

    @cached_property
    def size(self):
        """The largest coordinate of a joint's point from the centre of its body."""
        points = [point for joint in self.model.joints for point in joint.points if point.body is not self.model.world]
        return max(float(np.abs(point.r - point.body.mass_properties.center).max()) for point in points) or 1.0

    def invert(self, S, b):
        """S⁻¹ b; of minimum norm if S is singular, which is decided at the first evaluation."""
        if self.repeats is None:
            self.repeats = bool(np.linalg.eigvalsh(S)[0] < 1e-10)
        return np.linalg.lstsq(S, b, rcond=1e-10)[0] if self.repeats else np.linalg.solve(S, b)

    def prescribed(self, t, order):
        """The derivatives of the right-hand sides of (1): zero except for prescribed motions."""
        out, s = np.zeros(self.count), 1e-3
        for row, drive in self.drives:
            once = [drive(t + k * s + 1j * STEP).imag / STEP for k in (-2, -1, 0, 1, 2)]
            out[row] = once[2] if order == 1 else np.dot(once, (1, -8, 0, 8, -1)) / (12 * s)
        return out

    def start(self):
        bodies = self.model.bodies[1:]
        x = np.array([body.center.start for body in bodies])
        B = np.array([body.pose.B for body in bodies])
        omega = np.array([body.pose.B @ body.body_rates for body in bodies])
        v = np.array([b.velocity for b in bodies]) + np.cross(omega, np.einsum("nij,nj->ni", B, self.center))
        return x, B, v, omega

    def struck(self, x, B, v, omega):
        """Velocities after an impulse in the joints that have a start_rate."""
        asked = [joint for joint in self.model.joints if getattr(joint, "start_rate", None) is not None]
        if not asked:
            return v, omega
        place, carried = self.geometry(x, B)
        D = self.matrix(x, [[(1.0, *coordinate(joint, 0, place, carried))] for joint in asked])
        A, W = np.concatenate([self.equations(x, B), D]), self.inverse_masses(B)
        wanted = np.concatenate([self.prescribed(0.0, 1), [joint.start_rate for joint in asked]])
        u = np.concatenate([v, omega], axis=1).ravel()
        u = u + W @ A.T @ np.linalg.lstsq(A @ W @ A.T, wanted - A @ u, rcond=1e-10)[0]
        return (part.reshape(self.n, 3) for part in np.split(u.reshape(self.n, 6), 2, axis=1))

    def found(self, x, B, v, omega, t):
        du, lam, A = self.solve_for(x, B, v, omega, t)
        dv, domega = (part.reshape(self.n, 3) for part in np.split(du.reshape(self.n, 6), 2, axis=1))
        place, carried = self.geometry(x, B)
        reaction, r = {}, 0
        for joint in self.model.joints:
            rows = wrenches(joint, place, carried)
            F, M = np.zeros(3), np.zeros(3)
            for terms in rows:
                for c, _, b, P, force, couple in terms:
                    if b is getattr(joint, "b", None):
                        F += lam[r] * c * force
                        M += lam[r] * c * (couple + cross(P - place(joint.b), force))
                r += 1
            reaction[joint.name] = np.concatenate([F, M])
        slip = np.abs(A @ np.concatenate([v, omega], axis=1).ravel() - self.prescribed(t, 1)).max(initial=0.0)
        return Found(x, B, v, omega, dv, domega, reaction, slip)


def solve(model, times, rtol=1e-12, method="DOP853"):
    """`Found` at each of `times`."""
    mechanism = Mechanism(model)
    n = mechanism.n
    x, B, v, omega = mechanism.start()
    v, omega = mechanism.struck(x, B, v, omega)
    q = np.array([body.pose.to_quaternion() for body in model.bodies[1:]])

    def unpack(y):
        q = y[3 * n : 7 * n].reshape(n, 4)
        B = np.array([newton_euler.rotation(one) for one in q])
        return y[: 3 * n].reshape(n, 3), q, B, *y[7 * n :].reshape(2, n, 3)

    def slope(t, y):
        x, q, B, v, omega = unpack(y)
        du = mechanism.solve_for(x, B, v, omega, t)[0].reshape(n, 6)
        turn = np.column_stack([-np.einsum("ni,ni->n", omega, q[:, 1:]), q[:, :1] * omega + np.cross(omega, q[:, 1:])])
        return np.concatenate([v.ravel(), 0.5 * turn.ravel(), du[:, :3].ravel(), du[:, 3:].ravel()])

    y0 = np.concatenate([part.ravel() for part in (x, q, v, omega)])
    options = {"rtol": rtol, "atol": 1e-2 * rtol} if method == "DOP853" else {"rtol": rtol, "atol": rtol}
    done = solve_ivp(slope, (0.0, times[-1]), y0, t_eval=times, method=method, **options)
    assert done.success, done.message
    out = []
    for t, y in zip(times, done.y.T, strict=True):
        x, _, B, v, omega = unpack(y)
        out.append(mechanism.found(x, B, v, omega, t))
    return out
