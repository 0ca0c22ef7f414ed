"""Joints once more, in other words: what each kind means geometrically, differentiated without a formula.

Nothing here uses the package's rows, kernels or principal axes: only points, directions and numbers as the user gave
them. A configuration is (x, B): centres of mass and body frames, the world first; a velocity is (v, ω), world and body
axes. Derivatives along a motion are Cauchy integrals: with s on a circle of radius ρ about 0 in the complex plane,

    f′(0) = ⟨f(s) s⁻¹⟩,    f″(0) = 2 ⟨f(s) s⁻²⟩,

exact up to round-off eps/ρ, eps/ρ² and (ρ/R)¹⁶, R the distance of the nearest singularity.
"""

import numpy as np

import livens as lv
from benchmarks import newton_euler

EPS = np.finfo(float).eps
CIRCLE = np.exp(2j * np.pi * np.arange(16) / 16)
RADIUS = 0.05


def derivatives(f):
    """First and second derivative of an analytic f(s) at s = 0."""
    values = np.array([f(RADIUS * s) for s in CIRCLE])
    first = np.tensordot(CIRCLE**-1, values, 1).real / (16 * RADIUS)
    return first, 2 * np.tensordot(CIRCLE**-2, values, 1).real / (16 * RADIUS**2)


def moved(x, B, v, w, s):
    """(x, B) after the (complex) time s at constant v and body rates ω, right to second order."""
    W = np.array([newton_euler.hat(one) for one in w])
    return x + s * v, B @ (np.eye(3) + s * W + 0.5 * s**2 * W @ W)


def across(axis):
    """Two orthonormal directions across `axis`, as the singular vectors give them."""
    return np.linalg.svd(axis[None])[2][1:]


class Equations:
    """The constraints of a model: `defect(x, B, t)` where there is one, and everything that follows from it."""

    def __init__(self, model):
        self.model = model
        self.number = {id(body): k for k, body in enumerate(model.bodies)}

    # ── geometry ──

    def place(self, point, x, B):
        if point.body is self.model.world:
            return point.r
        k = self.number[id(point.body)]
        return x[k] + B[k] @ (point.r - point.body.mass_properties.center)

    def carried(self, body, u, B):
        """The direction that was u at the start and turns with the body."""
        return B[self.number[id(body)]] @ (body.pose.B.T @ u)

    def relative(self, joint, B):
        """How the second body has turned against the first since the start: the identity at first."""
        a, b = joint.a.body, joint.b.body
        A = B[self.number[id(a)]] @ a.pose.B.T
        return A.T @ (B[self.number[id(b)]] @ b.pose.B.T)

    def turn_about(self, joint, x, B, near=None):
        """Angle about the joint's axis, on the branch of `near` (the configuration to differentiate at)."""
        e1, e2 = across(joint.axis)
        e2 = np.cross(joint.axis, e1)
        R = self.relative(joint, B)
        c, s = e1 @ R @ e1, e2 @ R @ e1
        R0 = self.relative(joint, B.real if near is None else near)
        c0, s0 = e1 @ R0 @ e1, e2 @ R0 @ e1
        return np.arctan2(s0, c0) + np.arctan((s * c0 - c * s0) / (c * c0 + s * s0))

    def slide_along(self, joint, x, B):
        return self.carried(joint.a.body, joint.axis, B) @ (self.place(joint.b, x, B) - self.place(joint.a, x, B))

    def coordinate(self, joint, x, B, near=None):
        """What springs, stops, motors and drives act on: the displacement of a Prismatic, else the angle."""
        if isinstance(joint, lv.Prismatic):
            apart = joint.axis @ (joint.b.start - joint.a.start)
            return self.start(joint) + self.slide_along(joint, x, B) - apart
        return self.start(joint) + self.turn_about(joint, x, B, near)

    def start(self, joint):
        return np.ravel(joint.start)[0]

    # ── what a joint keeps ──

    def together(self, joint, x, B):
        return self.place(joint.b, x, B) - self.place(joint.a, x, B)

    def aligned(self, joint, axis, B):
        return [self.carried(joint.a.body, e, B) @ self.carried(joint.b.body, axis, B) for e in across(axis)]

    def unturned(self, joint, B):
        R = self.relative(joint, B)
        return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2

    def on_line(self, joint, axis, x, B):
        return [self.carried(joint.a.body, e, B) @ self.together(joint, x, B) for e in across(axis)]

    def joint_defect(self, joint, x, B, t=0.0, near=None):
        d = None if isinstance(joint, lv.Coupling) else self.together(joint, x, B)
        match joint:
            case lv.Spherical():
                g = [*d]
            case lv.Revolute():
                g = [*d, *self.aligned(joint, joint.axis, B)]
            case lv.Universal():
                U, W = self.carried(joint.a.body, joint.axis_a, B), self.carried(joint.b.body, joint.axis_b, B)
                g = [*d, U @ W - joint.axis_a @ joint.axis_b]
            case lv.Rigid():
                g = [*d, *self.unturned(joint, B)]
            case lv.Cylindrical():
                g = [*self.on_line(joint, joint.axis, x, B), *self.aligned(joint, joint.axis, B)]
            case lv.Prismatic():
                g = [*self.on_line(joint, joint.axis, x, B), *self.unturned(joint, B)]
            case lv.Screw():
                gone = self.slide_along(joint, x, B) - joint.axis @ (joint.b.start - joint.a.start)
                thread = gone - joint.pitch / (2 * np.pi) * self.turn_about(joint, x, B, near)
                g = [*self.on_line(joint, joint.axis, x, B), *self.aligned(joint, joint.axis, B), thread]
            case lv.Planar():
                g = [self.carried(joint.a.body, joint.normal, B) @ d, *self.aligned(joint, joint.normal, B)]
            case lv.PointOnPlane():
                g = [self.carried(joint.a.body, joint.normal, B) @ d]
            case lv.PointOnLine():
                g = self.on_line(joint, joint.axis, x, B)
            case lv.FixedOrientation():
                g = [*self.unturned(joint, B)]
            case lv.Rod():
                g = [np.sqrt(d @ d) - joint.length]
            case lv.Coupling():
                one, two = joint.first, joint.second
                q1, q2 = self.coordinate(one, x, B, near), self.coordinate(two, x, B, near)
                g = [q2 - self.start(two) - joint.ratio * (q1 - self.start(one))]
            case lv.RollingBall():
                g = [self.carried(joint.a.body, joint.normal, B) @ d - joint.radius]
            case lv.RollingDisc():
                n, W = self.carried(joint.a.body, joint.normal, B), self.carried(joint.b.body, joint.axis, B)
                g = [n @ d - joint.radius * np.sqrt(1 - (n @ W) ** 2)]
            case lv.KnifeEdge():
                g = []
        if getattr(joint, "drive", None) is not None:
            g = [*g, self.coordinate(joint, x, B, near) - joint.drive(t)]
        return np.array(g)

    def joint_slip(self, joint, x, B, v, w):
        """Velocities that a joint forbids although no position does."""
        if not isinstance(joint, lv.RollingBall | lv.RollingDisc | lv.KnifeEdge):
            return np.zeros(0)
        i, j = (self.number[id(point.body)] for point in joint.points)
        c = self.place(joint.b, x, B)
        rho = np.zeros(3)
        directions = across(joint.normal) if not isinstance(joint, lv.KnifeEdge) else None
        if isinstance(joint, lv.KnifeEdge):
            along = [self.carried(joint.b.body, joint.across, B)]
        else:
            along = [self.carried(joint.a.body, e, B) for e in directions]
            n = self.carried(joint.a.body, joint.normal, B)
            W = self.carried(joint.b.body, joint.axis, B) if isinstance(joint, lv.RollingDisc) else np.zeros(3)
            down = -(n - (n @ W) * W)
            rho = joint.radius * down / np.sqrt(down @ down)

        def velocity(k, place):
            return v[k] + np.cross(B[k] @ w[k], place - x[k]) if k else np.zeros(3)

        sliding = velocity(j, c + rho) - velocity(i, c + rho)
        return np.array([e @ sliding for e in along])

    # ── all of them, with their derivatives ──

    def defect(self, x, B, t=0.0, near=None):
        return np.concatenate([self.joint_defect(joint, x, B, t, near) for joint in self.model.joints] or [np.zeros(0)])

    def owners(self, x, B):
        """The joint of each row of `gradient`."""
        zero = np.zeros_like(x)
        found = []
        for joint in self.model.joints:
            slip = self.joint_slip(joint, x, B, zero, zero)
            found += [joint] * (len(self.joint_defect(joint, x, B)) + len(slip))
        return found

    def _rates(self, joint, x, B, v, w, t):
        """Rate at (v, ω) and its derivative at constant (v, ω), drives included."""
        near = B.real
        g = derivatives(lambda s: self.joint_defect(joint, *moved(x, B, v, w, s), t + s, near))
        slip = self.joint_slip(joint, x, B, v, w)
        slip = slip, derivatives(lambda s: self.joint_slip(joint, *moved(x, B, v, w, s), v, w))[0]
        return np.concatenate([g[0], slip[0]]), np.concatenate([g[1], slip[1]])

    def rate_and_bias(self, x, B, v, w, t=0.0):
        """d/dt of every constraint along (v, ω), and γ, its second derivative at constant (v, ω)."""
        pairs = [self._rates(joint, x, B, v, w, t) for joint in self.model.joints]
        return tuple(np.concatenate([pair[k] for pair in pairs] or [np.zeros(0)]) for k in (0, 1))

    def along(self, function, x, B):
        """Gradient of function(x, B) with respect to (v, ω) of every body but the world: (…, 6 n)."""
        columns = []
        for k in range(6 * (len(x) - 1)):
            u = np.zeros((len(x), 6))
            u[1 + k // 6, k % 6] = 1.0
            columns.append(derivatives(lambda s, u=u: function(*moved(x, B, u[:, :3], u[:, 3:], s)))[0])
        return np.stack(columns, axis=-1)

    def gradient(self, x, B, t=0.0):
        """G: one row for each constraint, (v, ω) of one body after the other."""
        near = B.real
        rows = []
        for joint in self.model.joints:
            rows.append(self.along(lambda y, C, joint=joint: self.joint_defect(joint, y, C, t, near), x, B))
            slip = []
            for k in range(6 * (len(x) - 1)):
                u = np.zeros((len(x), 6))
                u[1 + k // 6, k % 6] = 1.0
                slip.append(self.joint_slip(joint, x, B, u[:, :3], u[:, 3:]))
            rows.append(np.stack(slip, axis=-1))
        return np.concatenate(rows) if rows else np.zeros((0, 6 * (len(x) - 1)))

    # ── what acts, and what follows ──

    def dampers(self, x, B):
        """(rate, gradient of what the damper feels) of every damper."""
        found = []
        for force in self.model.forces:
            c = force.rate if isinstance(force, lv.Damper) else getattr(force, "damping", 0.0)
            if c:

                def span(y, C, force=force):
                    d = self.place(force.b, y, C) - self.place(force.a, y, C)
                    return np.sqrt(d @ d)

                found.append((c, self.along(span, x, B)))
        for joint in self.model.joints:
            if np.any(joint.damping or 0.0):
                turn = self.along(lambda y, C, j=joint: self.coordinate(j, y, C, B), x, B)
                found.append((joint.damping, turn))
        return found

    def applied(self, x, B, v, w, t=0.0):
        """Applied forces with dampers, springs, stops and motors of joints, and the torque ω × Jω: (6 n,)."""
        F, M = newton_euler.forces(self.model, x[1:], B[1:], t)
        Q = np.concatenate([F, M], axis=1).ravel()
        u = np.concatenate([v[1:], w[1:]], axis=1).ravel()
        for c, row in self.dampers(x, B):
            Q -= c * row * (row @ u)
        for force in self.model.forces:
            if isinstance(force, lv.Motor):
                effort = force.effort(t) if callable(force.effort) else force.effort
                Q += effort * self.along(lambda y, C, j=force.joint: self.coordinate(j, y, C, B), x, B)
        for joint in self.model.joints:
            if np.any(joint.stiffness or 0.0) or joint_limits(joint) is not None:
                q = self.coordinate(joint, x, B)
                effort = -joint.stiffness * (q - joint.rest)
                if joint.limits is not None:
                    effort -= joint.limit_stiffness * (q - np.clip(q, *joint.limits))
                Q += effort * self.along(lambda y, C, j=joint: self.coordinate(j, y, C, B), x, B)
        Q = Q.reshape(-1, 6)
        for k, body in enumerate(self.model.bodies[1:]):
            J = body.mass_properties.inertia
            Q[k, 3:] -= np.cross(w[k + 1], J @ w[k + 1])
        return Q.ravel()

    def mass(self):
        """The mass matrix (6 n, 6 n), and a basis of the motions that have inertia as columns."""
        M = np.zeros((6 * (len(self.model.bodies) - 1),) * 2)
        basis = []
        for k, body in enumerate(self.model.bodies[1:]):
            block = body.mass_properties.matrix6
            M[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
            values, vectors = np.linalg.eigh(block)
            for one in vectors[:, values > 1e-9 * values.max()].T:
                basis.append(np.zeros(len(M)))
                basis[-1][6 * k : 6 * k + 6] = one
        return M, np.array(basis).T

    def accelerations(self, x, B, v, w, t=0.0):
        """(v̇, ω̇) as (n, 6), multipliers λ and G, from the whole matrix [[M, −Gᵀ], [G, 0]], least squares."""
        M, T = self.mass()
        G = self.gradient(x, B, t)
        gamma = self.rate_and_bias(x, B, v, w, t)[1]
        A = G @ T
        K = np.block([[T.T @ M @ T, -A.T], [A, np.zeros((len(G), len(G)))]])
        y = np.linalg.lstsq(K, np.concatenate([T.T @ self.applied(x, B, v, w, t), -gamma]), rcond=1e-12)[0]
        return (T @ y[: T.shape[1]]).reshape(-1, 6), y[T.shape[1] :], G

    def reaction(self, joint, lam, G, x, B):
        """Force, and torque about the joint's second point, on its second body, world axes (the world: minus those on
        the first body, about the same point)."""
        mine = [r for r, owner in enumerate(self.owners(x, B)) if owner is joint]
        wrench = (lam[mine] @ G[mine]).reshape(-1, 6)
        k, sign = self.number[id(joint.b.body)], 1.0
        if k == 0:
            k, sign = self.number[id(joint.a.body)], -1.0
        F, M = sign * wrench[k - 1, :3], sign * (B[k] @ wrench[k - 1, 3:])
        return F, M - np.cross(self.place(joint.b, x, B) - x[k], F)


def joint_limits(joint):
    return getattr(joint, "limits", None)


def seen(motion, k=0):
    """(x, B, v, ω) of the k-th state of a motion, in the user's frames, the world first."""
    bodies = motion.model.bodies
    world = motion.model.world
    x = [np.zeros(3)] + [motion.position(body.center)[k] for body in bodies[1:]]
    v = [np.zeros(3)] + [motion.velocity(body.center)[k] for body in bodies[1:]]
    B = [np.eye(3)] + [motion.rotation(body)[k] for body in bodies if body is not world]
    w = [np.zeros(3)] + [motion.body_rates(body)[k] for body in bodies if body is not world]
    return np.array(x), np.array(B), np.array(v), np.array(w)
