"""One Livens step as it comes out of the discrete action: thirty equations for thirty unknowns, nothing eliminated.

Position is linear over the step, velocity and momentum are constant, the potential is summed by the trapezoidal rule:

    S_h = h T(v) + ⟨P, (q₁ − q₀) − h v⟩ − h/2 (V(q₀) + V(q₁)) + ⟨p̄₀, q₀⟩ − ⟨p̄₁, q₁⟩.

Unknown are q₁ = (a₁, B₁) (12), the velocity v̂ = (v, ω) of the interval (6), its momentum p̂ = (p, π) (6) and
p̄₁ = (p₁, L₁) (6). With B½ = (B₀ + B₁)/2 and Skew(A) = (A − Aᵀ)/2 they satisfy

     1– 3   (a₁ − a₀)/h = v                              varying p: translation
     4– 6   Skew(B½⁻¹(B₁ − B₀))/h = ω̂                   varying p: rotation
     7– 9   m v = p                                      varying v: translation
    10–12   J ω = π                                      varying v: rotation
    13–15   p  = p₀ + h/2 f(q₀)                          varying a₀
    16–18   p₁ = p  + h/2 f(q₁)                          varying a₁
    19–21   L̂₀ + h/2 τ̂(q₀) = 2 Skew(B₀ᵀP)               varying B₀ in the tangent space
    22–24   L̂₁ − h/2 τ̂(q₁) = 2 Skew(B₁ᵀP)               varying B₁ in the tangent space
    25–30   B₁ᵀB₁ = I                                    B₁ is a rotation

where P = B½ ω̂ E, with the Euler tensor E = ½ tr(J) I − J, is the whole momentum M₁₂Ẋ of the interval. Its skew part
in the axes B½ is π̂ = (J ω)^, and the printed form of these equations puts P = ½ B½ π̂ instead, dropping the symmetric
part: that is the erratum which `printed=True` reproduces. A force F at the point r of a body has ∂/∂B equal to F rᵀ,
and τ̂ = 2 Skew(BᵀF rᵀ); leaving out the 2 halves every torque.

Everything is per body, about its centre of mass and in the axes of the body frame, all arrays plain NumPy that also
takes complex numbers, so that Newton's matrix comes from the complex step and is exact.
"""

import numpy as np

from benchmarks.newton_euler import hat, loads

EQUATIONS = [
    *(f"velocity of a{k}" for k in "xyz"),
    *(f"velocity of B{k}" for k in "xyz"),
    *(f"p = m v, {k}" for k in "xyz"),
    *(f"π = J ω, {k}" for k in "xyz"),
    *(f"first kick of p{k}" for k in "xyz"),
    *(f"last kick of p{k}" for k in "xyz"),
    *(f"first kick of L{k}" for k in "xyz"),
    *(f"last kick of L{k}" for k in "xyz"),
    *(f"B₁ orthonormal, {k}" for k in ("xx", "yy", "zz", "xy", "yz", "zx")),
]
UNKNOWNS = {"a1": (3,), "B1": (3, 3), "v": (3,), "omega": (3,), "p": (3,), "pi": (3,), "p1": (3,), "L1": (3,)}


def skew(A):
    return (A - A.T) / 2


def vee(A):
    """The vector of a skew matrix."""
    return np.array([A[2, 1], A[0, 2], A[1, 0]])


def torques(model, a, B, t, factor=2.0):
    """f and τ of every body, the torques from the gradients F rᵀ with respect to B."""
    f, F_B, M = np.zeros_like(a), np.zeros_like(B), np.zeros_like(a)
    pulls, moments = loads(model, a, B, t)
    for k, r, F in pulls:
        f[k] += F
        F_B[k] += np.outer(F, r)
    for k, moment in moments:
        M[k] += B[k].T @ moment
    return f, np.array([vee(factor * skew(b.T @ G)) for b, G in zip(B, F_B, strict=True)]) + M


def residual(matter, h, start, force0, force1, unknowns, printed=False):
    """The thirty residuals of one body, in the order of EQUATIONS."""
    m, J = matter.mass, matter.inertia
    E = 0.5 * np.trace(J) * np.eye(3) - J
    (a0, B0, p0, L0), (f0, tau0), (f1, tau1) = start, force0, force1
    a1, B1, v, omega, p, pi, p1, L1 = (unknowns[name] for name in UNKNOWNS)
    B_half = (B0 + B1) / 2
    P = 0.5 * B_half @ hat(pi) if printed else B_half @ hat(omega) @ E
    G = B1.T @ B1 - np.eye(3)
    return np.concatenate(
        [
            (a1 - a0) / h - v,
            vee(skew(np.linalg.solve(B_half, B1 - B0))) / h - omega,
            m * v - p,
            J @ omega - pi,
            p0 + h / 2 * f0 - p,
            p + h / 2 * f1 - p1,
            L0 + h / 2 * tau0 - vee(2 * skew(B0.T @ P)),
            L1 - h / 2 * tau1 - vee(2 * skew(B1.T @ P)),
            [G[0, 0], G[1, 1], G[2, 2], G[0, 1], G[1, 2], G[2, 0]],
        ]
    )


def pack(unknowns):
    return np.concatenate([np.ravel(one[name]) for one in unknowns for name in UNKNOWNS])


def unpack(y):
    """A vector of 30 numbers per body → one dictionary per body."""
    bodies = []
    for part in y.reshape(-1, 30):
        begin, found = 0, {}
        for name, shape in UNKNOWNS.items():
            size = int(np.prod(shape))
            found[name], begin = part[begin : begin + size].reshape(shape), begin + size
        bodies.append(found)
    return bodies


def system(model, h, start, y, printed=False, factor=2.0):
    """All residuals of all bodies: (n, 30)."""
    a0, B0, p0, L0 = start
    unknowns = unpack(y)
    a1, B1 = (np.array([one[name] for one in unknowns]) for name in ("a1", "B1"))
    force0 = zip(*torques(model, a0, B0, 0.0, factor), strict=True)
    force1 = zip(*torques(model, a1, B1, h, factor), strict=True)
    per_body = zip(model.bodies[1:], zip(a0, B0, p0, L0, strict=True), force0, force1, unknowns, strict=True)
    return np.array([residual(b.mass_properties, h, q, f0, f1, u, printed) for b, q, f0, f1, u in per_body])


def newton(model, h, start, printed=False, factor=2.0):
    """Solve the system from the guess that nothing accelerates: the unknowns as one vector."""
    guess = []
    for body, a0, B0, p0, L0 in zip(model.bodies[1:], *start, strict=True):
        m, J = body.mass_properties.mass, body.mass_properties.inertia
        v, omega = p0 / m, np.linalg.solve(J, L0)
        B1 = B0 @ np.linalg.solve(np.eye(3) - h / 2 * hat(omega), np.eye(3) + h / 2 * hat(omega))
        guess.append({"a1": a0 + h * v, "B1": B1, "v": v, "omega": omega, "p": p0, "pi": L0, "p1": p0, "L1": L0})
    y = pack(guess)
    for _ in range(12):
        F = system(model, h, start, y, printed, factor).ravel()
        step = 1e-30j * np.eye(len(y))
        K = np.array([system(model, h, start, y + e, printed, factor).imag.ravel() / 1e-30 for e in step]).T
        change = np.linalg.solve(K, F)
        y = y - change
        if np.abs(change).max() <= 1e-13 * np.abs(y).max():
            return y
    raise AssertionError(f"no convergence: the last change was {np.abs(change).max():.1e}")
