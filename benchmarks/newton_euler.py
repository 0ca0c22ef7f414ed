"""An independent solver of free bodies: Newton–Euler equations in quaternion coordinates, by SciPy's DOP853.

It does not use the kernels, principal axes or schemes of the package: only masses, tensors, points and forces as the
user described them. For each body, about its centre of mass x and in body axes,

    x' = v,   q' = ½ q ∘ (0, ω),   m v' = F,   J ω' = M − ω × J ω.
"""

import numpy as np
from scipy.integrate import solve_ivp

import livens as lv

RTOL = 1e-13  # of the solutions


def cross(u, v):
    """u × v of two vectors, much faster than NumPy's."""
    return np.array([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


def hat(w):
    return np.array([[0 * w[0], -w[2], w[1]], [w[2], 0 * w[0], -w[0]], [-w[1], w[0], 0 * w[0]]])


def rotation(q):
    """The matrix of a quaternion (w, x, y, z), which need not be normalised."""
    w, u = q[0], q[1:]
    return ((w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * hat(u)) / (q @ q)


def loads(model, x, B, t):
    """Forces at points as (body number, lever arm in body axes, world force), and torques as (number, world torque)."""
    number = {id(body): k for k, body in enumerate(model.bodies[1:])}
    pulls, torques = [], []

    def place(point):
        if point.body is model.world:
            return point.r
        k = number[id(point.body)]
        return x[k] + B[k] @ (point.r - point.body.mass_properties.center)

    def pull(point, F):
        if point.body is not model.world:
            pulls.append((number[id(point.body)], point.r - point.body.mass_properties.center, F))

    for k, body in enumerate(model.bodies[1:]):
        pulls.append((k, np.zeros(3), body.mass_properties.mass * model.gravity))
    for force in model.forces:
        match force:
            case lv.Spring():
                d = place(force.b) - place(force.a)
                F = force.stiffness * (d if force.length == 0 else (1 - force.length / np.sqrt(d @ d)) * d)
                pull(force.a, F)
                pull(force.b, -F)
            case lv.Attraction():
                bodies = model.bodies[1:] if force.bodies is None else force.bodies
                for i, one in enumerate(bodies):
                    for other in bodies[i + 1 :]:
                        d = place(other.center) - place(one.center)
                        mm = one.mass_properties.mass * other.mass_properties.mass
                        F = force.G * mm * d / np.sqrt(d @ d) ** 3
                        pull(one.center, F)
                        pull(other.center, -F)
            case lv.Load():
                k = number[id(force.point.body)]
                axes = np.eye(3) if force.axes == "world" else B[k]
                F, M = (axes @ np.array(f(t) if callable(f) else f, dtype=float) for f in (force.force, force.torque))
                pull(force.point, F)
                torques.append((k, M))
    return pulls, torques


def forces(model, x, B, t=0.0):
    """Force (world) and torque about the centre (body axes) on each body."""
    F, M = np.zeros_like(x), np.zeros_like(x)
    pulls, torques = loads(model, x, B, t)
    for k, r, pull in pulls:
        F[k] += pull
        if r.any():
            M[k] += cross(r, B[k].T @ pull)
    for k, torque in torques:
        M[k] += B[k].T @ torque
    return F, M


def solve(model, times, rtol=RTOL):
    """(x, B, v, ω) at each of `times`, with rows for the bodies in the order of adding."""
    bodies = model.bodies[1:]
    n = len(bodies)
    matter = [body.mass_properties for body in bodies]
    mass, J = np.array([[m.mass] for m in matter]), np.array([m.inertia for m in matter])
    inverse = np.linalg.pinv(J)  # zero about an axis without inertia
    start = [
        np.array([body.center.start for body in bodies]),
        np.array([body.pose.to_quaternion() for body in bodies]),
        np.array(
            [b.velocity + b.pose.B @ np.cross(b.body_rates, m.center) for b, m in zip(bodies, matter, strict=True)]
        ),
        np.array([body.body_rates for body in bodies]),
    ]

    def unpack(y):
        return y[: 3 * n].reshape(n, 3), y[3 * n : 7 * n].reshape(n, 4), *y[7 * n :].reshape(2, n, 3)

    def slope(t, y):
        x, q, v, w = unpack(y)
        F, M = forces(model, x, np.array([rotation(one) for one in q]), t)
        turn = np.column_stack([-np.einsum("ni,ni->n", q[:, 1:], w), q[:, :1] * w + np.cross(q[:, 1:], w)])
        spin = np.einsum("nij,nj->ni", inverse, M - np.cross(w, np.einsum("nij,nj->ni", J, w)))
        return np.concatenate([v.ravel(), 0.5 * turn.ravel(), (F / mass).ravel(), spin.ravel()])

    y0 = np.concatenate([part.ravel() for part in start])
    done = solve_ivp(slope, (0.0, times[-1]), y0, t_eval=times, method="DOP853", rtol=rtol, atol=1e-2 * rtol)
    assert done.success, done.message
    found = [unpack(y) for y in done.y.T]
    return [(x, np.array([rotation(one) for one in q]), v, w) for x, q, v, w in found]
