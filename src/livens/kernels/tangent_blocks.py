"""Blocks of links from forces between two bodies: how a force and its torque change if the bodies move.

With the frames of tangent_arrays.py, s the lever of a force F from the centre of its body, and û w = u × w,

    δ(s × F) − δφ × (s × F) = ŝ δF + ŝ F̂ δφ        for a point that the body carries.                          (1)

A force F(d) on body j and −F on body i, d = x_j − x_i, with ∂F/∂d = α I + β d dᵀ:  X = [I, −ŝ],  σ = −1, 1 for i, j

    K_st = σ_s σ_t X_sᵀ (α I + β d dᵀ) X_t,    and σ_s ŝ_s F̂ on the rotations of s itself.                      (2)

A force F = Q U along an axis U of body i at the point x_j of body j, −F on body i there, lever s = x_j − a_i:

    δf_j = −F̂ δφ_i               δτ_j = ŝ_j F̂ (δφ_j − δφ_i)
    δf_i =  F̂ δφ_i               δτ_i = F̂ (δa_j − ŝ_j δφ_j − δa_i + ŝ δφ_i)                                    (3)

A couple T = Q U on body j, −T on body i:  δτ_j = T̂ (δφ_j − δφ_i),  δτ_i = 0.                                   (4)
"""

from __future__ import annotations

from .._jit import njit


@njit
def add_hat(K, k, y, z, c, u):
    """K[k] += c û at the rows y and columns z."""
    K[k, y, z + 1] -= c * u[2]
    K[k, y, z + 2] += c * u[1]
    K[k, y + 1, z] += c * u[2]
    K[k, y + 1, z + 2] -= c * u[0]
    K[k, y + 2, z] -= c * u[1]
    K[k, y + 2, z + 1] += c * u[0]


@njit
def add_hat_hat(K, k, y, z, c, u, w):
    """K[k] += c û ŵ = c (w uᵀ − u·w I)."""
    dot = c * (u[0] * w[0] + u[1] * w[1] + u[2] * w[2])
    for i in range(3):
        for j in range(3):
            K[k, y + i, z + j] += c * w[i] * u[j]
        K[k, y + i, z + i] -= dot


@njit
def add_outer(K, k, y, z, c, u, w):
    """K[k] += c u wᵀ."""
    for i in range(3):
        for j in range(3):
            K[k, y + i, z + j] += c * u[i] * w[j]


@njit
def add_central_force(K, link, si, sj, d, F, alpha, beta):
    """(2), with the force F on body j."""
    for s in range(2):
        ss = si if s == 0 else sj
        c = -1.0 if s == 0 else 1.0
        add_hat_hat(K, link[s, s], 3, 3, c, ss, F)
        if alpha == 0.0 and beta == 0.0:
            continue
        ns = ss[1] * d[2] - ss[2] * d[1], ss[2] * d[0] - ss[0] * d[2], ss[0] * d[1] - ss[1] * d[0]
        for t in range(2):
            k, st = link[s, t], si if t == 0 else sj
            e = alpha if s == t else -alpha
            b = beta if s == t else -beta
            nt = st[1] * d[2] - st[2] * d[1], st[2] * d[0] - st[0] * d[2], st[0] * d[1] - st[1] * d[0]
            for i in range(3):
                K[k, i, i] += e
            add_hat(K, k, 0, 3, -e, st)
            add_hat(K, k, 3, 0, e, ss)
            add_hat_hat(K, k, 3, 3, -e, ss, st)
            if beta != 0.0:
                add_outer(K, k, 0, 0, b, d, d)
                add_outer(K, k, 0, 3, b, d, nt)
                add_outer(K, k, 3, 0, b, ns, d)
                add_outer(K, k, 3, 3, b, ns, nt)


@njit
def add_axial_force(K, ii, ij, ji, jj, F, s, sj):
    """(3)."""
    add_hat_hat(K, jj, 3, 3, 1.0, sj, F)
    add_hat(K, ji, 0, 3, -1.0, F)
    add_hat_hat(K, ji, 3, 3, -1.0, sj, F)
    add_hat(K, ii, 0, 3, 1.0, F)
    add_hat(K, ii, 3, 0, -1.0, F)
    add_hat_hat(K, ii, 3, 3, 1.0, F, s)
    add_hat(K, ij, 3, 0, 1.0, F)
    add_hat_hat(K, ij, 3, 3, -1.0, F, sj)


@njit
def add_couple(K, ji, jj, T):
    """(4)."""
    add_hat(K, jj, 3, 3, 1.0, T)
    add_hat(K, ji, 3, 3, -1.0, T)


@njit
def add_dot(K, ii, ij, ji, jj, c, U, W):
    """The couple c W × U on body j, its opposite on body i, of directions U of body i and W of body j."""
    add_hat_hat(K, jj, 3, 3, c, W, U)
    add_hat_hat(K, ji, 3, 3, -c, W, U)
    add_hat_hat(K, ii, 3, 3, c, U, W)
    add_hat_hat(K, ij, 3, 3, -c, U, W)
