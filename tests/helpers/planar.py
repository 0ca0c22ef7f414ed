"""A planar chain of rigid links in angles, by SciPy: what hinged bars and links on ball joints do in a vertical plane.

Link k, of length l and mass m with the moment J about its middle, stands at the angle θ_k below the horizontal. With
w_jk = how often link j's end carries what hangs on link k,

    Σ_k M_jk cos(θ_j − θ_k) θ̈_k = −Σ_k M_jk sin(θ_j − θ_k) θ̇_k² + g W_j cos θ_j                         (1)
    M_jk = m l² (n − max(j, k) − 1 + ½) for j ≠ k,    M_jj = J + m l² (¼ + n − j − 1),    W_j = m l (½ + n − j − 1)
"""

import numpy as np
from scipy.integrate import solve_ivp


def tips(n, l, m, J, times, g=9.81):
    """Places (x, z) of all links' far ends at each of `times`, let go level: (times, n, 2)."""
    k = np.arange(n)
    M = m * l**2 * (n - np.maximum.outer(k, k) - 0.5)
    M[k, k] = J + m * l**2 * (0.25 + n - k - 1)
    W = m * l * (0.5 + n - k - 1)

    def slope(_, y):
        theta, rate = y[:n], y[n:]
        apart = theta[:, None] - theta
        force = -(M * np.sin(apart)) @ rate**2 + g * W * np.cos(theta)
        return np.concatenate([rate, np.linalg.solve(M * np.cos(apart), force)])

    done = solve_ivp(slope, (0, times[-1]), np.zeros(2 * n), "DOP853", times, rtol=1e-12, atol=1e-12)
    theta = done.y[:n].T
    return np.cumsum(l * np.stack([np.cos(theta), -np.sin(theta)], axis=2), axis=1)
