"""The free rigid body in closed form: body rates in Jacobi's elliptic functions, attitude by one quadrature.

Sort I₁ < I₂ < I₃ along a right-handed triad. With 2E = ΣIω², L² = Σ(Iω)² and B = I₂,

    L² > 2E I₂: A = I₁, C = I₃;    else A = I₃, C = I₁
    a² = (2EC − L²)/(A(C − A)),   b² = (2EC − L²)/(B(C − B)),   c² = (L² − 2EA)/(C(C − A))
    n² = (C − B)(L² − 2EA)/(ABC),   k² = (B − A)(2EC − L²)/((C − B)(L² − 2EA)),   period 4K(k)/n
    ω_A = a cn τ,   ω_B = s b sn τ,   ω_C = s c dn τ,   s = sign ω_C(0),   τ = n t + τ₀.                   (1)

In a frame whose z-axis is along L the attitude is R_z(φ) R_x(θ) R_z(ψ) with

    cos θ = I₃ω₃/|L|,   tan ψ = I₁ω₁/(I₂ω₂),   φ' = |L| (I₁ω₁² + I₂ω₂²)/(I₁²ω₁² + I₂²ω₂²).              (2)

Sources: Landau & Lifshitz, Mechanics, § 37; Whittaker, Analytical Dynamics, § 69.
"""

from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipj, ellipk, ellipkinc


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array({"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis])


class FreeBody:
    """Principal moments `I` [kg m²], all different, and body rates `omega0` [rad/s] at t = 0, where B = identity."""

    def __init__(self, I, omega0):
        self.I, self.omega0 = np.array(I, dtype=float), np.array(omega0, dtype=float)
        order = np.argsort(self.I)
        self.sorted = np.eye(3)[order]
        self.sorted *= np.linalg.det(self.sorted)  # right-handed: an odd permutation with the other sign
        I1, I2, I3 = self.I[order]
        self.energy = 0.5 * self.omega0 @ (self.I * self.omega0)
        self.momentum = np.linalg.norm(self.I * self.omega0)
        E2, L2 = 2.0 * self.energy, self.momentum**2
        self.swap = L2 <= E2 * I2
        A, B, C = (I3, I2, I1) if self.swap else (I1, I2, I3)
        a, b = np.sqrt((E2 * C - L2) / (A * (C - A))), np.sqrt((E2 * C - L2) / (B * (C - B)))
        c = np.sqrt((L2 - E2 * A) / (C * (C - A)))
        self.n = np.sqrt((C - B) * (L2 - E2 * A) / (A * B * C))
        self.m = (B - A) * (E2 * C - L2) / ((C - B) * (L2 - E2 * A))  # k²
        self.period = 4.0 * ellipk(self.m) / self.n
        wA, wB, wC = self._named(self.sorted @ self.omega0)
        s = np.sign(wC)
        self.size = np.array([a, s * b, s * c])
        self.tau0 = ellipkinc(np.arctan2(s * wB / b, wA / a), self.m)

    def _named(self, w):
        """Between (1, 2, 3) and (A, B, C)."""
        return w[::-1] if self.swap else w

    def omega(self, t):
        """Body rates at t by (1)."""
        sn, cn, dn, _ = ellipj(self.n * t + self.tau0, self.m)
        return self.sorted.T @ self._named(self.size * (cn, sn, dn))

    def rotation(self, t):
        """B at t, body to world, by (2)."""
        pieces = np.linspace(0.0, t, 2 + int(4 * abs(t) / self.period))
        phi = sum(quad(self._precession, *ends, epsabs=1e-14, epsrel=1e-13)[0] for ends in pairwise(pieces))
        return self._attitude(0.0, 0.0).T @ self._attitude(t, phi)

    def _precession(self, t):
        M, w = self.I * self.omega(t), self.omega(t)
        return self.momentum * (M[0] * w[0] + M[1] * w[1]) / (M[0] ** 2 + M[1] ** 2)

    def _attitude(self, t, phi):
        M = self.I * self.omega(t)
        theta, psi = np.arctan2(np.hypot(M[0], M[1]), M[2]), np.arctan2(M[0], M[1])
        return turn("z", phi) @ turn("x", theta) @ turn("z", psi)


def symmetric_top(I1, I3, omega0, t):
    """(ω, B) at t of a body with moments (I₁, I₁, I₃), which turns about L at |L|/I₁ and its axis at (1 − I₃/I₁)ω₃."""
    L = np.array([I1, I1, I3]) * omega0
    spin = (1.0 - I3 / I1) * omega0[2] * t
    size = np.linalg.norm(L)
    x, y, z = L / size
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = size / I1 * t
    about_L = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return turn("z", spin).T @ omega0, about_L @ turn("z", spin)
